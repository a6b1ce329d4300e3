package mplp

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// keep makes of an object what the server stores and gives back. It is false
// for what liberal reading refuses.
func keep(module string, data []byte, r random) ([]byte, bool) {
	chosen := func(sent string) string {
		if sent == "" {
			return "made-" + hex550 + "9"
		}
		return sent
	}
	switch module {
	case "confirm":
		c, err := ParseConfirm(data, DefaultLimits)
		if err != nil {
			return nil, false
		}
		stored := CompleteConfirm(c.Native, chosen(c.ID), chosen(c.TargetID), "planner", "2025-12-07T00:00:00.000Z")
		if c.IsImported() {
			return stored, true
		}
		return RenderConfirm(stored, "approved", []Decision{{r.id(), "approved", "reviewer", "2025-12-07T00:05:00.000Z", r.text()}}, nil), true
	case "plan":
		p, err := ParsePlan(data, DefaultLimits)
		if err != nil {
			return nil, false
		}
		statuses := make([]string, len(p.Steps))
		for i, s := range p.Steps {
			statuses[i] = s.Status
		}
		return RenderPlan(CompletePlan(p.Native, chosen(p.ID)), p.Status, statuses, nil), true
	case "role":
		role, err := ParseRole(data, DefaultLimits)
		if err != nil {
			return nil, false
		}
		setIDAndMeta(role.Native, "role_id", chosen(role.ID))
		return role.Native.Bytes(), true
	case "context":
		c, err := ParseContext(data, DefaultLimits)
		if err != nil {
			return nil, false
		}
		return CompleteContext(c.Native, chosen(c.ID), time.Unix(0, 0), time.Unix(1, 0)), true
	default:
		t, err := ParseTraceObject(data, DefaultLimits)
		if err != nil {
			return nil, false
		}
		return CompleteTrace(t.Native, chosen(t.ID)), true
	}
}

// TestC4_CanonicalIsValidForWhateverIsHeld makes thousands of objects that
// liberal reading accepts, with nulls, odd ids, naive times, unknown members and
// garbage where it is allowed, and validates every projection.
func TestC4_CanonicalIsValidForWhateverIsHeld(t *testing.T) {
	t.Parallel()
	objects := 2_000
	if testing.Short() {
		objects = 300
	}
	makers := map[string]func(random) members{
		"confirm": random.confirm, "plan": random.plan, "role": random.role, "context": random.context, "trace": random.traceObject,
	}
	for module, build := range makers {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			r := random{rand.New(rand.NewPCG(1, 2))}
			for range objects {
				data, err := json.Marshal(build(r))
				if err != nil {
					t.Fatal(err)
				}
				native, ok := keep(module, data, r)
				if !ok {
					t.Fatalf("liberal reading refuses %s", data)
				}
				canonical, err := canonicalOf(module, native)
				if err != nil {
					t.Fatalf("%s: %v", native, err)
				}
				testCanonical(t, module, native, canonical)
			}
		})
	}
}

// FuzzCanonical projects whatever liberal reading lets in as an object of any
// module.
func FuzzCanonical(f *testing.F) {
	addExamples(f)
	r := random{rand.New(rand.NewPCG(3, 4))}
	for _, o := range []members{r.confirm(), r.plan(), r.role(), r.context(), r.traceObject()} {
		data, err := json.Marshal(o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(fmt.Sprintf(`{"context_id":%q,"root":null,"events":[{}]}`, "CTX-"+hex550+"0")))
	f.Fuzz(func(t *testing.T, data []byte) {
		for module := range moduleForms {
			native, ok := keep(module, data, random{rand.New(rand.NewPCG(5, 6))})
			if !ok {
				continue
			}
			canonical, err := canonicalOf(module, native)
			if err != nil {
				t.Fatalf("%s: %v", native, err)
			}
			testCanonical(t, module, native, canonical)
		}
	})
}
