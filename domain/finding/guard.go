package finding

import (
	"slices"
	"strings"
)

var (
	// checks are words of names that let something happen or not. They are more certain
	// than words of conditions, which every code has.
	checks = setOf(`verify verifies verified verification validate validates validated validation authorize authorized authorise authorised
		authorization authenticate authenticated permit permits permitted permission permissions may allow allowed allows forbid forbidden
		deny denied policy signature signatures hmac csrf mfa otp sanitize sanitise escape audit revoked sanctions sanctioned admin checksum
		sha256sum gpg approval approved approvals required`)
	// removals are beginnings of words by which the reason says that something goes, or
	// speaks of checks itself.
	removals = []string{"remov", "drop", "delet", "disabl", "revert", "skip", "no longer", "entfern", "lösch", "supprim", "retir", "elimin", "rimuov", "usun",
		"check", "guard", "permission", "prüf", "berechtig", "contrôl", "comproba", "controll"}
)

// goneCheck returns the first line with a check that goes while nothing like it comes and
// the reason does not speak of it. A change that only takes away speaks for itself.
func (c lineChange) goneCheck(reason string) string {
	reason = strings.ToLower(cut(reason, maxProse))
	if len(c.added) == 0 || slices.ContainsFunc(removals, func(start string) bool { return strings.Contains(reason, start) }) {
		return ""
	}
	came := map[string]bool{}
	lines := map[string]bool{}
	for _, added := range c.added {
		lines[solid(added)] = true
		for _, word := range codeWords(added) {
			came[word] = true
		}
	}
	for _, removed := range c.removed {
		text := strings.TrimSpace(removed)
		if lines[solid(removed)] || !isCodeLine(text) {
			continue
		}
		isGone, isNamed := false, false
		for _, word := range codeWords(text) {
			isGone = isGone || checks[word] && !came[word]
			isNamed = isNamed || checks[word] && strings.Contains(reason, word)
		}
		if isGone && !isNamed {
			return text
		}
	}
	return ""
}

// codeWords returns the words of the names in a line of code, but not those in comments.
func codeWords(line string) []string {
	line, _, _ = strings.Cut(cut(line, 200), "//")
	line, _, _ = strings.Cut(line, " #")
	return settingWords(cut(line, 100))
}

// isCodeLine reports whether a line does something: it calls, decides or sets.
func isCodeLine(line string) bool {
	for _, start := range []string{"//", "#", "--", "/*", "*", "<!--", "import", "from ", "use ", "using "} {
		if strings.HasPrefix(line, start) {
			return false
		}
	}
	if _, _, isSetting := settingIn(line); isSetting || conditions[firstWord(line)] || strings.HasPrefix(line, "- run:") {
		return true
	}
	at := strings.IndexByte(line, '(')
	return at > 0 && isAlphanumeric(line[at-1])
}
