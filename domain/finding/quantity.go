package finding

import (
	"math"
	"slices"

	"countersign/domain/reading"
)

// quantity is an argument with its unit.
type quantity struct {
	argument
	unit
	isExplicit bool // the unit stands in a member beside or in the value, not in the name
}

// Words in names of members with a unit, of quantities, and what ends a name by chance.
var (
	unitNames     = setOf(`unit units uom measure einheit unité unidad unità`)
	quantityNames = setOf(`quantity qty amount value weight mass volume dose dosage distance length width height depth size duration load
		menge gewicht cantidad peso quantité poids quantità dosis`)
	chanceUnits = setOf(`min second day hour minute b mi gi week month year tag monat jahr`)
)

// compareUnits finds quantities that are not what prose says in a unit of the same
// dimension, while no argument is. Of times and sizes of data, which a call can have
// many of, only those with the same digits or off by what units differ by.
func compareUnits(c *comparing) {
	for _, p := range c.passages {
		quantities := c.quantities(p)
		missing := slices.DeleteFunc(slices.Clone(p.numbers), func(m mention) bool {
			return unitOf(m.unit) == nil || slices.ContainsFunc(quantities, func(q quantity) bool { return q.agrees(m) })
		})
		for _, q := range quantities {
			if len(missing) == 0 || slices.ContainsFunc(p.numbers, q.agrees) {
				continue
			}
			// Of several the one with the same digits is meant.
			alike := slices.Clone(missing)
			slices.SortStableFunc(alike, func(m, n mention) int { return q.likeness(n) - q.likeness(m) })
			for _, m := range alike {
				u := unitOf(m.unit)
				if u.dimension != q.dimension {
					continue
				}
				isGeneral := q.isExplicit && p.isNear() && q.dimension != "time" && q.dimension != "data"
				if isGeneral || q.isOffByUnit(m, *u) {
					c.say("unit", Look, p, q.argument, differs(q.argument, p), p.written(m))
					break
				}
			}
		}
	}
}

// quantities returns the arguments that have a unit.
func (c *comparing) quantities(p *passage) []quantity {
	besides, written := map[string]*unit{}, map[string]string{}
	numbers := map[string]int{}
	for _, a := range c.arguments(p) {
		if a.Type == reading.String && a.hasWord(unitNames) {
			besides[a.beneath()], written[a.beneath()] = unitOf(a.Text), a.Text
		}
		if a.Type == reading.Number {
			numbers[a.beneath()]++
		}
	}
	var all []quantity
	for _, a := range c.arguments(p) {
		if len(a.numbers) == 0 {
			continue
		}
		last := a.words[max(0, len(a.words)-1):]
		if u := unitOf(a.beside); u != nil {
			all = append(all, quantity{a, *u, true})
		} else if u := besides[a.beneath()]; u != nil && (numbers[a.beneath()] == 1 || a.hasWord(quantityNames)) {
			a.Text += " " + written[a.beneath()] // "75" says less than "75 mg"
			all = append(all, quantity{a, *u, true})
		} else if len(last) == 1 && !chanceUnits[last[0]] && unitOf(last[0]) != nil && (len(a.words) > 1 || len(last[0]) > 2) {
			all = append(all, quantity{a, *unitOf(last[0]), false})
		}
	}
	return all
}

// likeness is 1 if prose has the digits of the quantity, and 0 if not.
func (q quantity) likeness(m mention) int {
	if slices.ContainsFunc(q.numbers, m.isAny) {
		return 1
	}
	return 0
}

// ratios returns argument : prose for each way to read both, in the base unit.
func (q quantity) ratios(m mention, u unit) []float64 {
	var all []float64
	for _, d := range m.readings {
		for _, n := range q.numbers {
			if d.digits != "" {
				all = append(all, n.float()*q.factor/(d.float()*u.factor))
			}
		}
	}
	return all
}

// agrees reports whether prose says the same quantity, but for rounding. Sizes of data
// count in thousands or in 1024.
func (q quantity) agrees(m mention) bool {
	u := unitOf(m.unit)
	if u == nil || u.dimension != q.dimension {
		return false
	}
	tolerance := 0.02
	if q.dimension == "data" {
		tolerance = 0.11
	}
	return slices.ContainsFunc(q.ratios(m, *u), func(r float64) bool { return math.Abs(r-1) <= tolerance })
}

// isOffByUnit reports whether the quantities differ as they do when units are mistaken.
func (q quantity) isOffByUnit(m mention, u unit) bool {
	return slices.ContainsFunc(q.ratios(m, u), func(r float64) bool {
		if r <= 0 {
			return false
		}
		for _, step := range []float64{10, 1024, 60, 24, 3600, 7, u.factor / q.factor} {
			k := math.Log(r) / math.Log(step)
			if step != 1 && math.Abs(k) > 0.5 && math.Abs(k) < 9.5 && math.Abs(k-math.Round(k)) < 1e-6 && (step == 10 || math.Abs(k) < 2.5) {
				return true
			}
		}
		return false
	})
}
