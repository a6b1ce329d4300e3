package argsform

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/views"
)

// Misfit is a rule of the schema that arguments break.
type Misfit struct {
	Path   string // as /config/limit
	Number int    // of its field in this form, -1 if it has none
	Rule   string // a sentence
}

// Limits of a check. What is beyond them passes.
const (
	maxMisfits      = 20
	maxPatterns     = 20
	maxPattern      = 128  // bytes
	maxInstructions = 1000 // of a compiled pattern
	maxMatched      = 4 << 10
	maxItems        = 1000 // of a list
)

// Misfits says which rules of the schema edited arguments break, as far as the form
// draws them.
func (f *Form) Misfits(args []byte) []Misfit {
	edited := &Form{args: args, root: &member{schema: f.root.schema, value: args, required: true, kind: views.ArgsGroup}}
	if !edited.drawMembers(edited.root, 1) {
		return nil // very many members, which only JSON can add
	}
	c := &check{patterns: maxPatterns, numbers: map[string]int{}}
	for _, m := range f.inputs {
		c.numbers[m.path] = m.number
	}
	c.group(edited.root)
	return c.misfits
}

type check struct {
	misfits  []Misfit
	numbers  map[string]int
	patterns int // that may still be tried
}

func (c *check) add(m *member, rule string) {
	if len(c.misfits) == maxMisfits {
		return
	}
	number, ok := c.numbers[m.path]
	if !ok {
		number = -1
	}
	c.misfits = append(c.misfits, Misfit{m.path, number, rule})
}

func (c *check) group(group *member) {
	for _, m := range group.members {
		switch {
		case m.unnamed && group.schema.closed:
			c.add(m, "The schema does not name this member.")
		case m.value == nil && m.required:
			c.add(m, "This is required.")
		case m.value == nil || m.unnamed:
		case m.kind == views.ArgsGroup:
			c.group(m)
		default:
			if rule := c.value(m.schema, m.value); rule != "" {
				c.add(m, rule)
			}
		}
	}
}

// value returns the first rule that a value breaks.
func (c *check) value(s *schema, value mplp.Raw) string {
	kind := kindOf(value)
	if kind == "null" && s.nullable {
		return ""
	}
	if rule := s.wrongType(value); rule != "" {
		return rule
	}
	if s.choices != nil && !s.accepts("boolean") && !containsEqual(s.choices, value) {
		return "This is not one of the values that the schema lists."
	}
	switch kind {
	case "number":
		return s.outOfRange(value)
	case "string":
		return c.text(s, value)
	case "array":
		items := value.Elements()
		if rule := outOfCount(len(items), s.minItems, s.maxItems, "item"); rule != "" || s.items == nil || s.items.complex {
			return rule
		}
		for i, item := range items[:min(len(items), maxItems)] {
			if rule := c.value(s.items, item); rule != "" {
				return fmt.Sprintf("Item %d: %s", i+1, rule)
			}
		}
	}
	return ""
}

var kindNames = map[string]string{
	"object": "an object", "array": "a list", "string": "text", "boolean": "true or false", "number": "a number", "integer": "a whole number",
}

func (s *schema) wrongType(value mplp.Raw) string {
	if len(s.types) == 0 {
		return ""
	}
	kind := kindOf(value)
	for _, accepted := range s.types {
		if accepted == kind || accepted == "integer" && kind == "number" && isWhole(value) || kindNames[accepted] == "" {
			return ""
		}
	}
	if len(s.types) > 1 {
		return "This is not of a type that the schema accepts."
	}
	return "This must be " + kindNames[s.types[0]] + "."
}

func (s *schema) outOfRange(value mplp.Raw) string {
	switch {
	case s.minimum != nil && compareNumbers(value, s.minimum) < 0:
		return "This must be at least " + brief(s.minimum) + "."
	case s.maximum != nil && compareNumbers(value, s.maximum) > 0:
		return "This must be at most " + brief(s.maximum) + "."
	case s.above != nil && compareNumbers(value, s.above) <= 0:
		return "This must be more than " + brief(s.above) + "."
	case s.below != nil && compareNumbers(value, s.below) >= 0:
		return "This must be less than " + brief(s.below) + "."
	}
	return ""
}

// brief keeps a long number of an agent out of a sentence.
func brief(number mplp.Raw) string { return domain.NewExcerpt(string(number), 40).String() }

func (c *check) text(s *schema, value mplp.Raw) string {
	text, _ := value.Text()
	if rule := outOfCount(utf8.RuneCountInString(text), s.minLength, s.maxLength, "character"); rule != "" {
		return rule
	}
	if s.pattern == "" || c.patterns == 0 || len(text) > maxMatched {
		return ""
	}
	c.patterns--
	if pattern := compile(s.pattern); pattern != nil && !pattern.MatchString(text) {
		return "This does not match the pattern of the schema."
	}
	return ""
}

// compile returns nil for a pattern that is not cheap, or not of RE2, which takes time
// in proportion to the text whatever the pattern says.
func compile(pattern string) *regexp.Regexp {
	if len(pattern) > maxPattern {
		return nil
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxInstructions {
		return nil
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	return compiled
}

func outOfCount(n, low, high int, what string) string {
	switch {
	case low >= 0 && n < low:
		return fmt.Sprintf("This must have at least %s.", counted(low, what))
	case high >= 0 && n > high:
		return fmt.Sprintf("This must have at most %s.", counted(high, what))
	}
	return ""
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
