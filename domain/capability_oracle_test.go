package domain_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// checkCapability is the role module's function of this name, line by line: the
// oracle that the server has to agree with.
func checkCapability(capabilities []string, known bool, required string) bool {
	if !known || capabilities == nil {
		return false
	}
	if slices.Contains(capabilities, required) {
		return true
	}
	resource := strings.Split(required, ".")[0]
	if slices.Contains(capabilities, resource+".*") {
		return true
	}
	return slices.Contains(capabilities, "*")
}

// randomCapability is well-formed, and often one that others resemble.
func randomCapability(r *rand.Rand) string {
	resources, actions := []string{"plan", "plans", "pla", "confirm", "context"}, []string{"create", "creat", "approve", "read", "plan", "*"}
	if r.IntN(40) == 0 {
		return "*"
	}
	return resources[r.IntN(len(resources))] + "." + actions[r.IntN(len(actions))]
}

// TestR10_R11_R12_R13_R14_AgreesWithTheSeed asks a server with 100 random roles
// 100 questions about each, some of them about roles that it does not have.
func TestR10_R11_R12_R13_R14_AgreesWithTheSeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := rand.New(rand.NewPCG(11, 14))
	asked := map[bool]int{}
	for n := range 100 {
		name, known := fmt.Sprintf("role-%d", n), n%10 != 0
		var held []string
		for range r.IntN(6) {
			if c := randomCapability(r); !slices.Contains(held, c) {
				held = append(held, c)
			}
		}
		if known {
			w.role(name, held...)
		}
		for range 100 {
			required := randomCapability(r)
			want := checkCapability(held, known, required)
			got, err := w.RoleCan(w.ctx, domain.System, name, required)
			if err != nil || got != want {
				t.Fatalf("%v (known %v) can %s: %v %v, the protocol says %v", held, known, required, got, err, want)
			}
			asked[want]++
		}
	}
	if asked[true] < 1000 || asked[false] < 1000 {
		t.Errorf("the questions are one-sided: %v", asked)
	}
}

// TestR14_AgreesWithTheSeedOnAnyText compares the rule itself, on texts that no
// role could hold and no request could ask too.
func TestR14_AgreesWithTheSeedOnAnyText(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(12, 13))
	text := func() string {
		parts := []string{"plan", ".", "*", "create", "", ".", "Plan", " "}
		var b strings.Builder
		for range r.IntN(5) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return b.String()
	}
	asked := map[bool]int{}
	for range 10_000 {
		held := []string{}
		role := &domain.Role{}
		for range r.IntN(6) {
			c := text()
			held, role.Capabilities = append(held, c), append(role.Capabilities, domain.Capability(c))
		}
		required := text()
		want := checkCapability(held, true, required)
		if got := role.Grants(domain.Capability(required)); got != want {
			t.Fatalf("%q grants %q: %v, the protocol says %v", held, required, got, want)
		}
		asked[want]++
	}
	if asked[true] < 1000 || asked[false] < 1000 {
		t.Errorf("the questions are one-sided: %v", asked)
	}
}
