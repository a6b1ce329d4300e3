package finding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain/glyph"
	"countersign/domain/reading"
)

// lookAlikeIn returns where a host, address, path or identifier has a part that passes
// for Latin and is not, or -1. Words of prose may be of any alphabet.
func lookAlikeIn(text string, isForeign bool) int {
	at := 0
	for at < len(text) {
		rest := text[at:]
		size := strings.IndexFunc(rest, endsName)
		if size < 0 {
			size = len(rest)
		}
		if name := rest[:size]; !isASCII(name) && len(name) < 4000 {
			if kind := kindOf(name); kind != prose && passesIn(name, kind, isForeign) {
				return at
			}
		}
		_, end := utf8.DecodeRuneInString(rest[size:])
		at += size + end
	}
	return -1
}

// endsName reports whether a character stands between names.
func endsName(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'<>()[]{}|,;`“”„«»、。，；（）「」！？", r)
}

type nameKind int

const (
	prose nameKind = iota
	host           // a host or an address with one
	file           // a path
	ident          // letters with digits or underscores
)

// kindOf says what a name without spaces is, by its signs.
func kindOf(name string) nameKind {
	name = strings.Trim(name, ".:!?…")
	dot := strings.LastIndexByte(name, '.')
	switch {
	case strings.Contains(name, "://"), strings.IndexByte(name, '@') > 0:
		return host
	case strings.HasPrefix(name, "/"), strings.HasPrefix(name, "~/"), strings.HasPrefix(name, "./"), strings.HasPrefix(name, "../"), strings.Contains(name, `:\`):
		return file
	case dot > 0 && isTopDomain(name[dot+1:]):
		return host
	case strings.Contains(name, "/") && dot > 0 && len(name)-dot <= 6:
		return file
	case strings.Contains(name, "_"), strings.ContainsAny(name, "0123456789") && strings.ContainsFunc(name, unicode.IsLetter):
		return ident
	}
	return prose
}

// isTopDomain reports whether the last label could be one of a host: ASCII letters.
func isTopDomain(label string) bool {
	return len(label) >= 2 && len(label) <= 12 && strings.IndexFunc(label, func(r rune) bool { return r > 'z' || !isUpper(byte(r)) && !isLower(byte(r)) }) < 0
}

// passesIn reports whether a part of a name passes for Latin.
func passesIn(name string, kind nameKind, isForeign bool) bool {
	if kind == host {
		isAddress := strings.Contains(name, "@") || hasSuffix(name, ".com", ".org", ".net", ".io", ".dev", ".app")
		if at := strings.Index(name, "://"); at >= 0 {
			authority, _, _ := strings.Cut(name[at+3:], "/")
			return passesInHost(authority)
		}
		if isAddress || !isForeign {
			return passesInHost(name)
		}
	}
	for _, label := range strings.FieldsFunc(name, func(r rune) bool { return r < utf8.RuneSelf && !isAlphanumeric(byte(r)) }) {
		if whole, mixed := passes(label); mixed && !(kind == ident && isScientific(label)) || whole && !isForeign && !isScientific(label) {
			return true
		}
	}
	return false
}

// passesInHost reports whether a label of a host passes for Latin, or a sign of it for
// one that ends the host.
func passesInHost(name string) bool {
	if strings.ContainsFunc(name, func(r rune) bool {
		like := glyph.ASCIILookAlike(r)
		return like != "" && strings.Contains(`./\:?#@`, like)
	}) {
		return true
	}
	for _, label := range strings.FieldsFunc(name, func(r rune) bool { return r < utf8.RuneSelf && !isAlphanumeric(byte(r)) }) {
		if whole, mixed := passes(label); whole || mixed {
			return true
		}
	}
	return false
}

// passes reports whether all letters of a label beyond ASCII look like ASCII letters,
// and whether they stand beside ASCII letters or alone.
func passes(label string) (whole, mixed bool) {
	latin, foreign, alike := false, 0, 0
	for _, r := range label {
		switch {
		case r <= unicode.MaxASCII:
			latin = latin || !isDigit(byte(r))
		case unicode.Is(unicode.Latin, r) && glyph.ASCIIForm(r) == "" && (r < 0x250 || r > 0x2af), unicode.IsMark(r), unicode.IsDigit(r):
			latin = true
		default:
			foreign++
			if like := glyph.ASCIILookAlike(r); like != "" && isAlphanumeric(like[0]) && !glyph.IsRightToLeft(r) && unicode.IsLetter(r) && !unicode.In(r, unbroken...) {
				alike++
			}
		}
	}
	isAlike := foreign > 0 && foreign == alike
	return isAlike && !latin && foreign > 1, isAlike && latin
}

// isScientific reports whether a label has Greek letters or signs of units.
func isScientific(label string) bool {
	return strings.ContainsFunc(label, func(r rune) bool { return unicode.Is(unicode.Greek, r) || r >= 0x2100 && r < 0x2150 })
}

func hasSuffix(name string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// writesAnotherScript reports whether the arguments have words of an alphabet beside
// Latin that do not pass for it.
func writesAnotherScript(v reading.Value) bool {
	for leaf := range v.Leaves() {
		if strings.ContainsFunc(leaf.Text, func(r rune) bool {
			return r > 0x24f && unicode.In(r, unicode.Cyrillic, unicode.Armenian, unicode.Cherokee) && glyph.ASCIILookAlike(r) == ""
		}) {
			return true
		}
	}
	return false
}
