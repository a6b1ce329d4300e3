package domain

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain/glyph"
)

// MaxName is the maximum length of a name in characters.
const MaxName = 100

// checkName refuses names that cannot be told apart by eye, or that a log line or a
// page cannot show as they are.
func checkName(path, name string) error {
	switch {
	case name == "":
		return Invalid(path, "required", "A name is required.")
	case utf8.RuneCountInString(name) > MaxName:
		return Invalid(path, "limit", "A name has at most %d characters.", MaxName)
	case strings.TrimSpace(name) != name:
		return Invalid(path, "pattern", "A name cannot begin or end with white space.")
	case strings.EqualFold(name, SystemName):
		return Invalid(path, "const", "The name system is reserved.")
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return Invalid(path, "pattern", "A name cannot have invisible or control characters.")
		}
	}
	return nil
}

// checkNewName is checkName, and also refuses characters that draw nothing. Older names
// may have some: pages mark them.
func checkNewName(path, name string) error {
	if err := checkName(path, name); err != nil {
		return err
	}
	if strings.ContainsFunc(name, glyph.IsBlank) {
		return Invalid(path, "pattern", "A name cannot have characters that draw nothing.")
	}
	return nil
}
