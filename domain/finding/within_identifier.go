package finding

import "strings"

// compareIdentifiersWithin finds identifiers inside longer texts that are one of prose
// with two neighbours swapped, even if another argument has the right one.
func compareIdentifiersWithin(c *comparing) {
	for _, p := range c.passages {
		if !p.isNear() || len(p.ids) == 0 {
			continue
		}
		told := map[string]bool{} // a letter can repeat it
		for _, a := range c.texts(p) {
			text := firstRunes(a.Text, maxArgument)
			for _, other := range identifiersIn(text) {
				for _, id := range p.ids {
					if !told[other.compact] && isTransposed(id.compact, other.compact) && !strings.Contains(p.compact, other.compact) {
						told[other.compact] = true
						a.Text = lineWith(a.Text, other.raw)
						c.say("number", Look, p, a, "A number in "+quotedName(a.Pointer)+" differs from the "+p.where, id.raw)
					}
				}
			}
		}
	}
}

// isTransposed reports whether two texts differ in that two neighbours changed places.
func isTransposed(a, b string) bool {
	if len(a) != len(b) || a == b {
		return false
	}
	at := 0
	for a[at] == b[at] {
		at++
	}
	return at+1 < len(a) && a[at] == b[at+1] && a[at+1] == b[at] && a[at+2:] == b[at+2:]
}
