package reading

import (
	"strings"
	"testing"
)

var classNames = map[Class]string{Keyword: "k", Literal: "s", Comment: "c", Numeral: "n"}

// marked is a text with its lexemes in brackets.
func marked(language Language, text string) string {
	var b strings.Builder
	for _, lexeme := range lex(language, text) {
		piece := text[:lexeme.Length]
		text = text[lexeme.Length:]
		if name := classNames[lexeme.Class]; name != "" {
			piece = name + "[" + piece + "]"
		}
		b.WriteString(piece)
	}
	return b.String() + text
}

func TestLex(t *testing.T) {
	t.Parallel()
	tests := []struct {
		language   Language
		text, want string
	}{
		{Shell, "rm -rf /x # all", "k[rm] -rf /x c[# all]"},
		{Shell, "echo a#b $# 'x # y'", "echo a#b $# s['x # y']"},
		{Shell, `echo \' rm; rm "a\"b"`, `echo \' k[rm]; k[rm] s["a\"b"]`},
		{Shell, "echo don't; rm x", "echo don't; k[rm] x"},
		{Shell, "cat <<'E'\nrm # no\nE\nrm x", "cat <<s['E']\ns[rm # no\n]k[E]\nk[rm] x"},
		{Shell, "cat <<E\nrm # c", "cat <<E\nk[rm] c[# c]"},
		{Shell, "x=$((1 << 2))", "x=$((n[1] << n[2]))"},
		{SQL, "SELECT 'it''s' -- c\nFROM t /* x */ WHERE a = 4.5", "k[SELECT] s['it''s'] c[-- c]\nk[FROM] t c[/* x */] k[WHERE] a = n[4.5]"},
		{SQL, "DELETE /* FROM t", "k[DELETE] /* k[FROM] t"},
		{JSON, `{"a": [1, true, "x\"y"]}`, `{s["a"]: [n[1], k[true], s["x\"y"]]}`},
		{Python, "def f(): return '#' # c", "k[def] f(): k[return] s['#'] c[# c]"},
		{CurlyCode, "if (a) { // c\n b = \"//\"", "k[if] (a) { c[// c]\n b = s[\"//\"]"},
		{CurlyCode, "a = 'x\nb = 1", "a = 'x\nb = n[1]"},
		{YAML, "a: 1 # c\nb:\n  - k: 'v # w'\nt: |\n  # text\n  x: y\nz: word", "k[a]: n[1]c[ # c]\nk[b]:\n  - k[k]: s['v # w']\nk[t]: |\ns[  # text]\ns[  x: y]\nk[z]: word"},
		{Prose, "rm -rf # x", "rm -rf # x"},
		{Shell, "", ""},
	}
	for _, tt := range tests {
		if got := marked(tt.language, tt.text); got != tt.want {
			t.Errorf("%s %q\nis   %q\nwant %q", tt.language, tt.text, got, tt.want)
		}
	}
}

// FuzzLex: lexemes are the whole text, in order.
func FuzzLex(f *testing.F) {
	for _, seed := range []string{"cat <<E\nx\nE", "a: |\n  b\n- c: 'd' # e", "/* \" ' `", "\\", "'\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, language := range []Language{Shell, SQL, JSON, YAML, Python, CurlyCode, PowerShell} {
			length := 0
			for _, lexeme := range lex(language, text) {
				length += lexeme.Length
			}
			if length != len(text) {
				t.Errorf("%s: %d of %d bytes of %q", language, length, len(text), text)
			}
		}
	})
}

func TestLanguageOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       Language
	}{
		{"x", "#!/bin/bash\nls", Shell}, {"x", "#!/usr/bin/env bash\nls", Shell}, {"x", "#!/usr/bin/env python3\nx", Python}, {"x", "#!/usr/bin/env node\nx", CurlyCode},
		{"command", "ls -la", Shell}, {"command", "def f():\n  return 1\nfor x in y:\n  f()", Python},
		{"x", "UPDATE parcels SET a = 1", SQL}, {"x", "-- note\nDELETE FROM t;", SQL}, {"x", "Update the records from last week", Prose}, {"x", "Select one from the list (any)", Prose}, {"x", "select a from b;", SQL},
		{"x", `{"a":1}`, JSON}, {"x", `{}`, Prose}, {"x", `{"a":1`, Prose},
		{"x", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", Unified}, {"x", "@@ -1 +1 @@\n-a\n+b", Unified}, {"x", "- a\n+ b", Prose},
		{"x", "kind: Pod\nmetadata:\n  name: x\nspec:\n  - a", YAML}, {"x", "Dear Mia,\nnote: this\nis it", Prose},
		{"x", "func f() {\n  return\n}", CurlyCode}, {"x", "Hello,\n\nsee you.", Prose}, {"script", "", Shell},
	}
	for _, tt := range tests {
		if got := LanguageOf(Value{Type: String, Name: tt.name, Text: tt.text}); got != tt.want {
			t.Errorf("%s: %q is %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}
