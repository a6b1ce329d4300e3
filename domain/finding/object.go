package finding

import (
	"slices"
	"strings"
	"unicode"
)

// compareObjects finds a name in the arguments that is nearly one in prose, such as a
// table or a branch, while the one in prose is nowhere.
func compareObjects(c *comparing) {
	for _, p := range c.passages {
		stated := objectsIn(string(p.text))
		all := c.arguments(p)
		if !p.isNear() || len(stated) == 0 || len(all) > maxHosts { // of many it may be any
			continue
		}
		isThere := map[string]bool{}
		type namedIn struct {
			name string
			argument
		}
		var odd []namedIn
		for _, a := range all {
			for _, name := range objectsIn(string(firstRunes(a.Text, maxArgument))) {
				if isThere[name] = true; !slices.Contains(stated, name) {
					odd = append(odd, namedIn{name, a})
				}
			}
		}
		for _, want := range stated {
			at := slices.IndexFunc(odd, func(n namedIn) bool { return isShorter(n.name, want) })
			if at < 0 || isThere[want] || slices.ContainsFunc(all, func(a argument) bool { return len(a.Text) > maxArgument }) {
				continue
			}
			a := odd[at].argument
			a.Text = lineWith(a.Text, odd[at].name)
			c.say("object", Look, p, a, "A name in "+quotedName(a.Pointer)+" differs from the "+p.where, want)
		}
	}
}

// objectsIn returns the words of a text that are written as names of things in programs:
// parts of letters or digits with underscores or hyphens between, one of them a number.
func objectsIn(text string) []string {
	var found []string
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' }) {
		if len(found) == maxMentions {
			break
		}
		parts := strings.FieldsFunc(word, func(r rune) bool { return r == '_' || r == '-' })
		hasNumber, hasWord := false, false
		for _, part := range parts {
			hasNumber = hasNumber || isDigits(part)
			hasWord = hasWord || len(part) > 3 && !isDigits(part)
		}
		if len(parts) > 1 && len(word) <= 60 && hasWord && (hasNumber || strings.Contains(word, "_")) && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	return found
}

// isShorter reports whether one name is the other without its last part, or the other way
// round.
func isShorter(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(b) > len(a)+1 && strings.HasPrefix(b, a) && (b[len(a)] == '_' || b[len(a)] == '-') && !strings.ContainsAny(b[len(a)+1:], "_-")
}
