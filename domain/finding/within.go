package finding

import (
	"slices"
	"strings"
)

// compareWithin finds numbers inside longer texts, such as a statement or a command, that
// differ from prose: the same digits with another unit of the dimension, or two digits
// swapped. The number of prose has to be missing, and the other one not in prose.
func compareWithin(c *comparing) {
	for _, p := range c.passages {
		if !p.isNear() {
			continue
		}
		quantities, texts := c.quantities(p), c.texts(p)
		for i, m := range p.numbers {
			isAgain := slices.ContainsFunc(p.numbers[:i], func(n mention) bool { return n.unit == m.unit && slices.Equal(n.readings, m.readings) })
			u := unitOf(m.unit)
			isAgreed := u != nil && slices.ContainsFunc(quantities, func(q quantity) bool { return q.agrees(m) })
			isLong := m.isFirm && hasDigits(m, 4) && !c.has(p, m)
			if isAgain || isAgreed || u == nil && !isLong {
				continue
			}
			for _, a := range texts {
				says := ""
				other, isFound := a.otherUnit(m, u)
				kind := Kind("unit")
				if isFound && !p.hasQuantity(other) {
					if c.hasBare(p, texts, m, u.dimension) {
						break
					}
					says = "A quantity in "
				} else if other, isFound = a.swapped(m); isFound && isLong && !p.hasNumber(other) {
					kind, says = "number", "A number in "
				}
				if says != "" {
					a.Text = besideNumber(firstRunes(a.Text, maxArgument), other)
					c.say(kind, Look, p, a, says+quotedName(a.Pointer)+" differs from the "+p.where, p.written(m))
					break
				}
			}
		}
	}
}

// besideNumber returns a number of a text with a few words before and after it.
func besideNumber(text []rune, m mention) string {
	const room = 24
	start, end := max(0, m.start-room), min(len(text), m.end+room/2)
	line := strings.Join(strings.Fields(string(text[start:end])), " ")
	if start > 0 {
		line = "… " + line
	}
	if end < len(text) {
		line += " …"
	}
	return line
}

// maxTexts limits the longer texts that numbers are looked for in.
const maxTexts = 50

// texts returns the arguments that are more than one number, and have numbers in them.
func (c *comparing) texts(p *passage) []argument {
	var all []argument
	for _, a := range c.arguments(p) {
		if len(all) < maxTexts && len(a.found) > 0 && len(a.numbers) == 0 && !isDated(a.Text) {
			all = append(all, a)
		}
	}
	return all
}

// otherUnit returns the quantity of a text that has the digits of a mention and another
// unit of its dimension, if none says the same.
func (a argument) otherUnit(m mention, u *unit) (other mention, found bool) {
	if u == nil {
		return mention{}, false
	}
	for _, n := range a.found {
		v := unitOf(n.unit)
		if v == nil || v.dimension != u.dimension {
			continue
		}
		if (quantity{argument{numbers: n.readings}, *v, true}).agrees(m) {
			return mention{}, false
		}
		if !found && v.factor != u.factor && slices.ContainsFunc(n.readings, m.isAny) {
			other, found = n, true
		}
	}
	return other, found
}

// hasBare reports whether an argument has the number with no unit of the dimension, so
// that its name or its place may say the unit.
func (c *comparing) hasBare(p *passage, texts []argument, m mention, dimension string) bool {
	return slices.ContainsFunc(c.arguments(p), func(a argument) bool { return slices.ContainsFunc(a.numbers, m.isAny) }) ||
		slices.ContainsFunc(texts, func(a argument) bool {
			return slices.ContainsFunc(a.found, func(n mention) bool {
				u := unitOf(n.unit)
				return slices.ContainsFunc(n.readings, m.isAny) && (u == nil || u.dimension != dimension)
			})
		})
}

// hasQuantity reports whether prose has a number with its unit.
func (p *passage) hasQuantity(n mention) bool {
	return slices.ContainsFunc(p.numbers, func(m mention) bool {
		u, v := unitOf(m.unit), unitOf(n.unit)
		return u != nil && *u == *v && slices.ContainsFunc(n.readings, m.isAny)
	})
}

// swapped returns a number of a text that is a mention with two digits swapped.
func (a argument) swapped(m mention) (mention, bool) {
	for _, n := range a.found {
		for _, d := range m.readings {
			if n.isFirm && slices.ContainsFunc(n.readings, d.isSwapped) {
				return n, true
			}
		}
	}
	return mention{}, false
}

// hasNumber reports whether prose has a number.
func (p *passage) hasNumber(n mention) bool {
	return slices.ContainsFunc(p.numbers, func(m mention) bool { return slices.ContainsFunc(n.readings, m.isAny) })
}
