package domain_test

import (
	"regexp"
	"testing"

	"countersign/domain"
)

var capabilityGrammar = regexp.MustCompile(`\A(\*|[a-z][a-z0-9_]{0,31}\.(\*|[a-z][a-z0-9_]{0,31}))\z`)

// FuzzParseCapability: exactly what matches the grammar is accepted, and granting
// more never takes anything away.
func FuzzParseCapability(f *testing.F) {
	for _, seed := range []string{"*", "plan.*", "plan.create", "", ".", "*.*", "plan.create.x", "Plan.create", "plan.create\n", "сonfirm.approve"} {
		f.Add(seed, "plan.create")
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		c, err := domain.ParseCapability(text)
		if want := capabilityGrammar.MatchString(text); (err == nil) != want {
			t.Fatalf("%q: accepted %v, want %v", text, err == nil, want)
		}
		d, second := domain.ParseCapability(other)
		if err != nil || second != nil {
			return
		}
		one, both := domain.Role{Capabilities: []domain.Capability{c}}, domain.Role{Capabilities: []domain.Capability{d, c}}
		for _, needed := range []domain.Capability{c, d, "plan.create", "confirm.approve"} {
			if one.Grants(needed) && !both.Grants(needed) {
				t.Errorf("%v grants %s, %v does not", one.Capabilities, needed, both.Capabilities)
			}
		}
	})
}
