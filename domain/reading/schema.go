package reading

import (
	"slices"
	"strconv"
)

// schemaOf returns the schema of a member, or of an item of an array.
func schemaOf(schema Value, name string, isItem bool) Value {
	if isItem {
		items, _ := schema.Member("items")
		return items
	}
	properties, _ := schema.Member("properties")
	member, _ := properties.Member(name)
	return member
}

// formats are the formats of JSON Schema that say a kind.
var formats = map[string]Kind{
	"date-time": Instant, "date": Instant, "email": Email, "idn-email": Email, "uri": URL, "url": URL, "iri": URL,
	"hostname": Host, "idn-hostname": Host, "ipv4": Host, "ipv6": Host, "uuid": Identifier,
}

// kindIn is the kind that the schema says, if the value has its form; otherwise KindOf.
func kindIn(v Value, schema Value) Kind {
	kind := KindOf(v)
	if unit, found := schema.Member("unit"); found && unit.Text != "" && (v.Type == Number || isDecimal(v.Text)) {
		return Quantity
	}
	if _, found := schema.Member("enum"); found && kind == Identifier {
		return Other
	}
	format, _ := schema.Member("format")
	switch said := formats[format.Text]; said {
	case Identifier, Host:
		if _, found := ParseAddress(v.Text); v.Type == String && (said == Identifier || found) {
			return said
		}
	}
	return kind
}

// maxEnum is how many values of an enum a value is compared with. A longer list says
// nothing.
const maxEnum = 500

// isUnlisted reports whether the schema lists values, and this is none of them.
func isUnlisted(v, schema Value) bool {
	enum, found := schema.Member("enum")
	if !found || enum.Type != Array || len(enum.Items) == 0 || len(enum.Items) > maxEnum {
		return false
	}
	return !slices.ContainsFunc(enum.Items, func(listed Value) bool {
		if v.Type != listed.Type {
			return false
		}
		if v.Text == listed.Text || v.Type != Number {
			return v.Text == listed.Text
		}
		n, err := strconv.ParseFloat(v.Text, 64) // 1.0 is 1
		m, errListed := strconv.ParseFloat(listed.Text, 64)
		return n == m && err == nil && errListed == nil
	})
}
