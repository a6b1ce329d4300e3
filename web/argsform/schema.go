package argsform

import (
	"slices"
	"strconv"

	"countersign/domain/mplp"
)

// schema is what the form needs to know of a JSON Schema. Its parts are read when they
// are drawn.
type schema struct {
	types              []string // without null
	nullable           bool
	title, description string
	choices            []mplp.Raw // enum, const, or both values of a boolean
	properties         *mplp.Object
	required           map[string]bool
	closed             bool // it allows no other members
	items              *schema
	pattern            string

	minimum, maximum     mplp.Raw
	above, below         mplp.Raw // exclusiveMinimum, exclusiveMaximum
	minLength, maxLength int      // -1: none
	minItems, maxItems   int
	complex              bool // only JSON can be offered
}

// notDrawn are keywords that can say more than fields do.
var notDrawn = []string{"$ref", "$dynamicRef", "$recursiveRef", "allOf", "oneOf", "not", "if", "patternProperties", "dependentSchemas",
	"dependentRequired", "dependencies", "prefixItems", "contains", "unevaluatedProperties", "unevaluatedItems"}

// readSchema reads the outermost level of a schema. It returns nil for what is none.
// A rule that is not well-formed counts as absent.
func readSchema(raw mplp.Raw) *schema {
	o := raw.Object()
	if o == nil || o.Len() > 2*MaxFields {
		return nil
	}
	s := &schema{title: textOf(o, "title"), description: textOf(o, "description")}
	if either, ok := o.Get("anyOf"); ok {
		other := otherThanNull(either)
		if other == nil {
			s.complex = true
			return s
		}
		inner := readSchema(other)
		if inner == nil {
			return nil
		}
		inner.nullable = true
		inner.title, inner.description = orElse(s.title, inner.title), orElse(s.description, inner.description)
		return inner
	}
	s.complex = slices.ContainsFunc(notDrawn, func(keyword string) bool { _, ok := o.Get(keyword); return ok })
	s.readTypes(o)
	s.readChoices(o)
	if properties, ok := o.Get("properties"); ok {
		s.properties = properties.Object()
	}
	if s.properties != nil && len(s.types) == 0 {
		s.types = []string{"object"}
	}
	s.required = map[string]bool{}
	for _, name := range memberOf(o, "required").Elements() {
		text, _ := name.Text()
		s.required[text] = true
	}
	s.closed = string(memberOf(o, "additionalProperties")) == "false"
	if items, ok := o.Get("items"); ok {
		s.items = readSchema(items)
	}
	s.pattern = textOf(o, "pattern")
	s.minimum, s.maximum = numberOf(o, "minimum"), numberOf(o, "maximum")
	s.above, s.below = numberOf(o, "exclusiveMinimum"), numberOf(o, "exclusiveMaximum")
	s.minLength, s.maxLength = countOf(o, "minLength"), countOf(o, "maxLength")
	s.minItems, s.maxItems = countOf(o, "minItems"), countOf(o, "maxItems")
	return s
}

// schemaOf returns a schema for a value that none names: another of its kind.
func schemaOf(value mplp.Raw) *schema {
	s := &schema{types: []string{kindOf(value)}, minLength: -1, maxLength: -1, minItems: -1, maxItems: -1}
	switch s.types[0] {
	case "boolean":
		s.choices = truths
	case "string", "number":
	default:
		s.types, s.complex = nil, true
	}
	return s
}

var truths = []mplp.Raw{mplp.Raw("true"), mplp.Raw("false")}

func (s *schema) readTypes(o *mplp.Object) {
	sent := memberOf(o, "type")
	kinds := sent.Elements()
	if text, ok := sent.Text(); ok {
		kinds = []mplp.Raw{mplp.String(text)}
	}
	for _, kind := range kinds {
		if text, _ := kind.Text(); text == "null" {
			s.nullable = true
		} else if text != "" && !slices.Contains(s.types, text) {
			s.types = append(s.types, text)
		}
	}
	if len(s.types) > 1 && !(len(s.types) == 2 && s.accepts("number") && s.accepts("integer")) {
		s.complex = true
	}
}

func (s *schema) readChoices(o *mplp.Object) {
	if only, ok := o.Get("const"); ok {
		s.choices = []mplp.Raw{only}
	} else if all := memberOf(o, "enum").Elements(); len(all) > 0 {
		s.choices = all
	} else if s.accepts("boolean") {
		s.choices = truths
	}
	if len(s.choices) > maxChoices {
		s.choices, s.complex = nil, true
	}
}

// accepts reports whether the schema names this type.
func (s *schema) accepts(kind string) bool { return slices.Contains(s.types, kind) }

// otherThanNull returns the one alternative beside null, as optional parameters have
// it, nil if there are others.
func otherThanNull(either mplp.Raw) mplp.Raw {
	list := either.Elements()
	if len(list) != 2 {
		return nil
	}
	for i, alternative := range list {
		if o := alternative.Object(); o != nil && o.Len() == 1 && textOf(o, "type") == "null" {
			if other := list[1-i].Object(); other != nil {
				if _, nested := other.Get("anyOf"); !nested {
					return list[1-i]
				}
			}
		}
	}
	return nil
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// memberOf returns a member, nil if it is absent.
func memberOf(o *mplp.Object, name string) mplp.Raw {
	raw, _ := o.Get(name)
	return raw
}

func textOf(o *mplp.Object, name string) string {
	text, _ := memberOf(o, name).Text()
	return text
}

func numberOf(o *mplp.Object, name string) mplp.Raw {
	if raw := memberOf(o, name); kindOf(raw) == "number" {
		return raw
	}
	return nil
}

func countOf(o *mplp.Object, name string) int {
	n, err := strconv.Atoi(string(memberOf(o, name)))
	if err != nil || n < 0 {
		return -1
	}
	return n
}
