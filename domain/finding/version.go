package finding

import (
	"slices"
	"strings"
)

// versionNames are words that end the name of a version.
var versionNames = setOf("version tag release ref revision rev")

// compareVersions finds the one version of the arguments where prose names others, of
// which no argument has one.
func compareVersions(c *comparing) {
	for _, p := range c.passages {
		if !p.isNear() {
			continue
		}
		stated := versionsIn(string(p.text))
		if len(stated) == 0 {
			continue
		}
		var odd []argument
		isThere := false
		for _, a := range c.arguments(p) {
			if slices.ContainsFunc(stated, func(version string) bool { return strings.Contains(a.Text, version) }) {
				isThere = true
				break
			}
			if len(a.words) > 0 && versionNames[a.words[len(a.words)-1]] && isVersion(strings.TrimPrefix(a.Text, "v")) {
				odd = append(odd, a)
			}
		}
		if isThere || len(odd) != 1 || isPartOfVersion(stated, odd[0].Text) {
			continue
		}
		// The one that is to come is meant, or else the one that is most alike.
		meant := slices.MaxFunc(stated, func(x, y string) int { return sharedStart(x, odd[0].Text) - sharedStart(y, odd[0].Text) })
		for _, version := range stated {
			at := strings.Index(string(p.text), version)
			if before, _ := wordBefore(p.text, len([]rune(string(p.text)[:max(0, at)]))); targetWords[strings.ToLower(before)] {
				meant = version
			}
		}
		c.say("version", Look, p, odd[0], differs(odd[0], p), meant)
	}
}

// targetWords stand before a version that shall be there afterwards.
var targetWords = setOf("to auf zu onto install deploy release à a na до на")

// versionsIn returns the versions in prose, of three numbers or more.
func versionsIn(text string) []string {
	var found []string
	for word := range strings.FieldsSeq(text) {
		if word = strings.TrimPrefix(trimEnd(word), "v"); isVersion(word) && len(found) < maxMentions {
			found = append(found, word)
		}
	}
	return found
}

// isVersion reports whether a word is of three short numbers with points between them,
// and perhaps more behind. An IP address is none, nor a date.
func isVersion(word string) bool {
	core, _, _ := strings.Cut(word, "-")
	core, _, _ = strings.Cut(core, "+")
	parts := strings.Split(core, ".")
	return len(parts) == 3 && len(word) <= 40 && !(len(parts[2]) == 4 && len(parts[1]) == 2) &&
		!slices.ContainsFunc(parts, func(part string) bool { return !isDigits(part) || len(part) > 5 })
}

// isPartOfVersion reports whether one says the other less exactly: 4.18 of 4.18.2.
func isPartOfVersion(stated []string, text string) bool {
	text = strings.TrimPrefix(text, "v")
	return slices.ContainsFunc(stated, func(version string) bool {
		return strings.HasPrefix(version, text) || strings.HasPrefix(text, version)
	})
}

func sharedStart(x, y string) int {
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}
