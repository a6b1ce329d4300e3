package main

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unicode"

	"countersign/domain/credential"
)

// newLogger writes one JSON object per line. What clients send cannot start a
// line of its own or send control sequences to a terminal. A key in a path or an
// error loses its secret.
func newLogger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: sanitizeAttr}))
}

func sanitizeAttr(_ []string, a slog.Attr) slog.Attr {
	a.Key = sanitize(a.Key)
	switch value := a.Value.Resolve(); value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(sanitize(value.String()))
	case slog.KindAny:
		switch any := value.Any().(type) {
		case error:
			a.Value = slog.StringValue(sanitize(any.Error()))
		case fmt.Stringer:
			a.Value = slog.StringValue(sanitize(any.String()))
		}
	}
	return a
}

// sanitize removes the secrets of keys and escapes invisible characters. Line
// ends stay, because stack traces have them and JSON escapes them.
func sanitize(text string) string {
	text = credential.Redact(text)
	if !strings.ContainsFunc(text, isInvisible) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isInvisible(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isInvisible(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }
