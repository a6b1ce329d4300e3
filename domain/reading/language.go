package reading

import (
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Language is what a text is written in.
type Language string

// The languages. Anything else is Prose, and is drawn plain.
const (
	Prose      Language = ""
	Shell      Language = "shell"
	SQL        Language = "SQL"
	JSON       Language = "JSON"
	YAML       Language = "YAML"
	Unified    Language = "diff"
	Python     Language = "Python" // and what has its comments
	CurlyCode  Language = "code"   // comments as in C, Go, Java and JavaScript
	PowerShell Language = "PowerShell"
)

// sample is how much of a text is looked at to recognise its language.
const sample = 4096

// LanguageOf recognises the language of a string, by its text and its name.
func LanguageOf(v Value) Language {
	if v.Type != String {
		return Prose
	}
	text, name := v.Text, wordsOf(v.Name)
	trimmed := strings.TrimSpace(text[:min(len(text), sample)])
	lines := strings.Split(trimmed, "\n")
	switch {
	case strings.HasPrefix(trimmed, "#!"):
		return byInterpreter(lines[0])
	case isUnified(lines):
		return Unified
	case isDocument(text):
		return JSON
	case isSQL(trimmed):
		return SQL
	case hasWord(name, []string{"powershell", "pwsh", "ps1"}):
		return PowerShell
	case hasWord(name, []string{"script", "command", "cmd", "shell", "bash", "sh"}) && !looksLikeCode(lines):
		return Shell
	case hasWord(name, []string{"yaml", "yml"}) || isYAML(lines):
		return YAML
	}
	switch python, curly := codeLines(lines); {
	case python > 1 && python > curly:
		return Python
	case curly > 1 && curly > python:
		return CurlyCode
	}
	return Prose
}

func byInterpreter(line string) Language {
	switch fields := strings.Fields(line); {
	case strings.Contains(line, "python"), strings.Contains(line, "ruby"), strings.Contains(line, "perl"):
		return Python
	case strings.Contains(line, "node"), strings.Contains(line, "deno"):
		return CurlyCode
	case strings.Contains(line, "pwsh"):
		return PowerShell
	case len(fields) > 0 && strings.HasSuffix(path.Base(fields[min(1, len(fields)-1)]), "sh"), strings.HasSuffix(line, "sh"):
		return Shell
	}
	return Prose
}

// isDocument reports whether a text is a JSON object or array with something in it.
func isDocument(text string) bool {
	text = strings.TrimSpace(text)
	return isEnclosed(text) && jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// documentIn reads such a text.
func documentIn(text string) (Value, bool) {
	text = strings.TrimSpace(text)
	if !isEnclosed(text) {
		return Value{}, false
	}
	v, err := Parse([]byte(text))
	return v, err == nil
}

// isEnclosed reports whether a text stands in the brackets of an object or array.
func isEnclosed(text string) bool {
	if len(text) < 4 || text[0] != '{' && text[0] != '[' || text[len(text)-1] != '}' && text[len(text)-1] != ']' {
		return false
	}
	return strings.TrimSpace(text[1:len(text)-1]) != ""
}

// statements are how SQL begins, with a word that must follow somewhere.
var statements = map[string][]string{
	"select": {"from", ";"}, "insert": {"into"}, "update": {"set"}, "delete": {"from"}, "with": {"as"}, "merge": {"into"},
	"create": {"table", "index", "view", "database", "function", "user", "role"}, "alter": {"table", "user", "role", "database"},
	"drop": {"table", "index", "view", "database", "column", "user", "role"}, "truncate": {"table"}, "grant": {"to"}, "revoke": {"from"}, "begin;": {""},
}

func isSQL(text string) bool {
	for strings.HasPrefix(text, "--") || strings.HasPrefix(text, "/*") {
		end := "\n"
		if text[0] == '/' {
			end = "*/"
		}
		_, rest, found := strings.Cut(text, end)
		if !found {
			return false
		}
		text = strings.TrimSpace(rest)
	}
	words := strings.Fields(strings.ToLower(text))
	if len(words) < 2 || isCapitalised(text) {
		return false
	}
	follow, begins := statements[words[0]]
	if !begins || words[0] == "with" && !strings.Contains(strings.ToLower(text), "select") && !strings.Contains(strings.ToLower(text), "delete") {
		return false
	}
	// Prose begins with these words as well: it has no sign of code.
	return slices.ContainsFunc(follow, func(word string) bool { return word == "" || slices.Contains(words, word) }) && strings.ContainsAny(text, ";=*()_")
}

// isCapitalised reports whether a text begins as a sentence does.
func isCapitalised(text string) bool {
	return len(text) > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a'
}

// isYAML reports whether most lines are members, items or comments.
func isYAML(lines []string) bool {
	members, all := 0, 0
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line == "---" {
			continue
		}
		all++
		key, rest, found := strings.Cut(strings.TrimPrefix(line, "- "), ":")
		if found && (rest == "" || rest[0] == ' ') && !strings.ContainsAny(key, " (){};") || strings.HasPrefix(line, "- ") && members > 0 {
			members++
		}
	}
	return all >= 3 && members*10 >= all*8
}

// codeLines counts lines that only code of either kind has.
func codeLines(lines []string) (python, curly int) {
	for _, line := range lines {
		line = strings.TrimSpace(line)
		first, _, _ := strings.Cut(line, " ")
		switch {
		case strings.HasSuffix(line, ":") && slices.Contains([]string{"def", "class", "if", "for", "while", "with", "try:", "else:", "elif", "except"}, first),
			first == "from" && strings.Contains(line, " import "), first == "import" && !strings.ContainsAny(line, `;"'{(`):
			python++
		case strings.HasSuffix(line, "{"), strings.HasSuffix(line, "};"), strings.HasSuffix(line, ");"), line == "}":
			curly++
		}
	}
	return python, curly
}

func looksLikeCode(lines []string) bool {
	python, curly := codeLines(lines)
	return python > 1 || curly > 3
}
