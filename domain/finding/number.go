package finding

import "slices"

// compareNumbers finds arguments that have the digits of a number in prose, but moved
// by a power of ten, or two of them swapped, while the number itself is missing.
func compareNumbers(c *comparing) {
	for _, p := range c.passages {
		all := c.arguments(p)
		for _, m := range p.numbers {
			if !m.isFirm || !hasDigits(m, 2) || !p.isNear() && !hasDigits(m, 3) || c.has(p, m) {
				continue
			}
			for _, a := range all {
				if isNear(m, a) && !c.isNamed(p, a) {
					c.say("number", Look, p, a, differs(a, p), p.written(m))
					break
				}
			}
		}
	}
}

// hasDigits reports whether the number has at least so many digits as written.
func hasDigits(m mention, least int) bool {
	return slices.ContainsFunc(m.readings, func(d decimal) bool { return len(d.digits)+max(0, d.exp) >= least })
}

// isNear reports whether the argument is the number moved by a power of ten, but not by
// two places, as minor units are, or the number with two digits swapped.
func isNear(m mention, a argument) bool {
	isNear := false
	for _, d := range m.readings {
		for _, n := range a.numbers {
			if n.digits == "" || d.digits == "" {
				continue
			}
			k := n.exp - d.exp
			switch {
			case d.digits == n.digits && (k == 0 || k == 2 || k == -2 || k%3 == 0 && (m.hasUnit() || a.hasUnit())):
				return false
			case d.digits == n.digits:
				isNear = isNear || k >= -9 && k <= 9 && (len(n.digits) > 1 || k > 0)
			default:
				isNear = isNear || d.isSwapped(n)
			}
		}
	}
	return isNear
}

// hasUnit reports whether a unit stands beside the number.
func (m mention) hasUnit() bool { return unitOf(m.unit) != nil }

// hasUnit reports whether the argument has a unit in it or in its name.
func (a argument) hasUnit() bool {
	return unitOf(a.beside) != nil || len(a.words) > 0 && unitOf(a.words[len(a.words)-1]) != nil
}
