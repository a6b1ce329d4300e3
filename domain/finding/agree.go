package finding

import (
	"slices"
	"strings"

	"countersign/domain/reading"
)

// maxAgreements limits the notes of one request.
const maxAgreements = 50

// noteAgreements notes the identifiers, sums and larger numbers that stand in prose just
// as in the arguments.
func noteAgreements(c *comparing) {
	noted := 0
	for _, p := range c.passages {
		for _, a := range c.arguments(p) {
			if noted == maxAgreements {
				return
			}
			there, ok := p.agreement(a)
			if !ok || c.said[a.key()] {
				continue
			}
			noted++
			c.say("agree", Note, p, a, "As in the "+p.where, there)
		}
	}
}

// agreement returns what a text says just as the argument does.
func (p *passage) agreement(a argument) (string, bool) {
	if a.isIdentifier() && strings.Contains(p.compact, a.compact) {
		for _, id := range p.ids {
			if id.compact == a.compact {
				return id.raw, true
			}
		}
	}
	for _, m := range p.numbers {
		for i, d := range m.readings {
			// What can be read in two ways agrees with neither for certain. But money has
			// no three decimals.
			isCertain := len(m.readings) == 1 || i == 0 && m.currency != ""
			if isCertain && m.isFirm && a.isEqual(d) && (len(d.digits)+max(0, d.exp) >= 3 || a.isSum() && m.currency != "") {
				return p.written(m), true
			}
			if a.isSum() && m.currency != "" && a.Type == reading.Number && a.hasWord(minorNames) && slices.Contains(a.numbers, d.times(2)) {
				return p.written(m), true
			}
		}
	}
	return "", false
}

// minorNames are words in names of sums in minor units.
var minorNames = setOf(`minor cents`)
