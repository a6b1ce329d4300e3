package main

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unicode"

	"countersign/domain/credential"
)

// newLogger writes one JSON object per line, whatever stands in it: what clients
// send cannot begin a line of its own or steer a terminal, and a key that ended
// up in a path or an error loses its secret (threat T27).
func newLogger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: harmless}))
}

func harmless(_ []string, a slog.Attr) slog.Attr {
	a.Key = legible(a.Key)
	switch value := a.Value.Resolve(); value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(legible(value.String()))
	case slog.KindAny:
		switch any := value.Any().(type) {
		case error:
			a.Value = slog.StringValue(legible(any.Error()))
		case fmt.Stringer:
			a.Value = slog.StringValue(legible(any.String()))
		}
	}
	return a
}

// legible is text without secrets of keys and without anything unseen. Line
// ends stay, which JSON escapes: stacks have them.
func legible(text string) string {
	text = credential.Redact(text)
	if !strings.ContainsFunc(text, unseen) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unseen(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unseen(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }
