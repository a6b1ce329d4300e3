package mplp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// strictFaults gives what strict validation finds, as tests write it.
func strictFaults(t *testing.T, module, body string) []fault {
	t.Helper()
	return faults(t, ValidateStrict(module, []byte(body), DefaultLimits))
}

func TestC4_StrictAcceptsWholeObjects(t *testing.T) {
	t.Parallel()
	for module, body := range full {
		for name, text := range map[string]string{
			"as it is": body, "with comment": `{"$comment":"x",` + body[1:], "with byte order mark": "\uFEFF" + body,
		} {
			if diff := cmp.Diff([]fault(nil), strictFaults(t, module, text)); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", module, name, diff)
			}
		}
		if !official(t, module, []byte(body), true) {
			t.Errorf("the official schema refuses the %s", module)
		}
	}
}

func TestValidateStrict_Finds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, module string
		set          map[string]string // path of members to values; "" removes
		want         []fault
	}{
		{"C-5 meta", "confirm", map[string]string{"meta": ""}, []fault{{"meta", "required"}}},
		{"C-6 confirm_id", "confirm", map[string]string{"confirm_id": `"confirm-001"`}, []fault{{"confirm_id", "pattern"}}},
		{"C-7 target_type", "confirm", map[string]string{"target_type": `"step"`}, []fault{{"target_type", "enum"}}},
		{"C-8 target_id", "confirm", map[string]string{"target_id": ""}, []fault{{"target_id", "required"}}},
		{"C-9 status", "confirm", map[string]string{"status": ""}, []fault{{"status", "required"}}},
		{"C-24 status", "confirm", map[string]string{"status": `"override"`}, []fault{{"status", "enum"}}},
		{"C-10 requested_by_role", "confirm", map[string]string{"requested_by_role": ""}, []fault{{"requested_by_role", "required"}}},
		{"C-11 requested_at", "confirm", map[string]string{"requested_at": `"not-a-date"`}, []fault{{"requested_at", "format"}}},
		{"C-11 without a zone", "confirm", map[string]string{"requested_at": `"2025-12-07T00:00:00.123456"`}, []fault{{"requested_at", "format"}}},
		{"C-12 reason null", "confirm", map[string]string{"reason": `null`}, []fault{{"reason", "type_error"}}},
		{"C-18 decision", "confirm", map[string]string{"decisions[0]": `{}`}, []fault{
			{"decisions[0].decision_id", "required"}, {"decisions[0].status", "required"},
			{"decisions[0].decided_by_role", "required"}, {"decisions[0].decided_at", "required"},
		}},
		{"C-20 decision pending", "confirm", map[string]string{"decisions[0].status": `"pending"`}, []fault{{"decisions[0].status", "enum"}}},
		{"C-51 prefixed ids", "confirm", map[string]string{"target_id": `"plan-123"`}, []fault{{"target_id", "pattern"}}},
		{"C-8 upper case", "confirm", map[string]string{"target_id": `"550E8400-E29B-41D4-A716-446655440000"`}, []fault{{"target_id", "pattern"}}},
		{"product member", "confirm", map[string]string{"actions": `[]`}, []fault{{"actions", "unknown"}}},
		{"C-14 trace without span", "confirm", map[string]string{"trace.span_id": ""}, []fault{{"trace.span_id", "required"}}},
		{"C-15 event type", "confirm", map[string]string{"events[0].event_type": `"plan_approved"`}, []fault{{"events[0].event_type", "pattern"}}},
		{"C-16 governance", "confirm", map[string]string{"governance.locked": `"yes"`, "governance.phase": `1`},
			[]fault{{"governance.locked", "type_error"}, {"governance.phase", "unknown"}}},
		{"seed's meta", "confirm", map[string]string{"meta": `{"protocolVersion":"1.0.0"}`}, []fault{
			{"meta.protocolVersion", "unknown"}, {"meta.protocol_version", "required"}, {"meta.schema_version", "required"},
		}},
		{"meta", "role", map[string]string{"meta.tags": `["a","\u0061"]`, "meta.schema_version": `"1.0"`, "meta.cross_cutting": `["protocol-version"]`},
			[]fault{{"meta.schema_version", "pattern"}, {"meta.tags[1]", "unique"}, {"meta.cross_cutting[0]", "enum"}}},
		{"R-3a meta", "role", map[string]string{"meta": ""}, []fault{{"meta", "required"}}},
		{"R-3b role_id", "role", map[string]string{"role_id": `"role-architect-550e8400"`}, []fault{{"role_id", "pattern"}}},
		{"R-3c name", "role", map[string]string{"name": ""}, []fault{{"name", "required"}}},
		{"R-5 capabilities", "role", map[string]string{"capabilities": `[1]`}, []fault{{"capabilities[0]", "type_error"}}},
		{"P-3a meta", "plan", map[string]string{"meta": ""}, []fault{{"meta", "required"}}},
		{"P-3b plan_id", "plan", map[string]string{"plan_id": `7`}, []fault{{"plan_id", "type_error"}}},
		{"P-3c context_id", "plan", map[string]string{"context_id": ""}, []fault{{"context_id", "required"}}},
		{"P-3d title", "plan", map[string]string{"title": `""`}, []fault{{"title", "min_length"}}},
		{"P-3e objective", "plan", map[string]string{"objective": `""`}, []fault{{"objective", "min_length"}}},
		{"P-3f status", "plan", map[string]string{"status": `"done"`}, []fault{{"status", "enum"}}},
		{"P-3g P-22 steps", "plan", map[string]string{"steps": `[]`}, []fault{{"steps", "min_items"}, {"steps", "sa_plan_min_steps"}}},
		{"P-3g steps no array", "plan", map[string]string{"steps": `{}`}, []fault{{"steps", "type_error"}}},
		{"P-4a governance is not a plan's", "plan", map[string]string{"governance": `{}`}, []fault{{"governance", "unknown"}}},
		{"P-5 step", "plan", map[string]string{"steps[0]": `{}`}, []fault{
			{"steps[0].step_id", "required"}, {"steps[0].description", "required"}, {"steps[0].status", "required"},
			{"steps[1].dependencies[0]", "reference"},
		}},
		{"P-6 P-24 step_id twice", "plan", map[string]string{"steps[1].step_id": `"` + hex550 + `1"`, "steps[1].dependencies": `[]`},
			[]fault{{"steps[1].step_id", "sa_plan_step_unique_ids"}}},
		{"P-7 description", "plan", map[string]string{"steps[0].description": `""`}, []fault{{"steps[0].description", "min_length"}}},
		{"P-8 step status", "plan", map[string]string{"steps[0].status": `"done"`}, []fault{{"steps[0].status", "enum"}}},
		{"P-9 P-18 dependency", "plan", map[string]string{"steps[0].dependencies": `["` + hex550 + `9"]`}, []fault{{"steps[0].dependencies[0]", "reference"}}},
		{"P-10 agent_role", "plan", map[string]string{"steps[0].agent_role": `1`}, []fault{{"steps[0].agent_role", "type_error"}}},
		{"P-11 order_index negative", "plan", map[string]string{"steps[0].order_index": `-1`}, []fault{{"steps[0].order_index", "limit"}}},
		{"P-11 order_index broken", "plan", map[string]string{"steps[0].order_index": `1.5`}, []fault{{"steps[0].order_index", "type_error"}}},
		{"P-11 whole by another way", "plan", map[string]string{"steps[0].order_index": `10e-1`}, nil},
		{"P-17 P-25 cycle", "plan", map[string]string{"steps[0].dependencies": `["` + hex550 + `2"]`}, []fault{{"steps", "sa_plan_dag_acyclic"}}},
		{"context root", "context", map[string]string{"root": `{"domain":1}`}, []fault{{"root.domain", "type_error"}, {"root.environment", "required"}}},
		{"context tags", "context", map[string]string{"tags": `[""]`}, []fault{{"tags[0]", "min_length"}}},
		{"context constraints", "context", map[string]string{"constraints": `[]`}, []fault{{"constraints", "type_error"}}},
		{"trace segment", "trace", map[string]string{"segments[0].status": `"blocked"`, "segments[0].x": `1`},
			[]fault{{"segments[0].status", "enum"}, {"segments[0].x", "unknown"}}},
		{"trace status skipped is a segment's", "trace", map[string]string{"status": `"skipped"`}, []fault{{"status", "enum"}}},
		{"trace root_span", "trace", map[string]string{"root_span": ""}, []fault{{"root_span", "required"}}},
		{"comment deep down", "trace", map[string]string{"root_span.$comment": `"x"`}, []fault{{"root_span.$comment", "unknown"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := edited(t, full[tt.module], tt.set)
			if diff := cmp.Diff(tt.want, strictFaults(t, tt.module, body)); diff != "" {
				t.Errorf("faults of %s (-want +got):\n%s", body, diff)
			}
		})
	}
}

// edited replaces, adds and removes values by their paths.
func edited(t *testing.T, body string, set map[string]string) string {
	t.Helper()
	var edit func(path string, raw Raw) Raw
	edit = func(path string, raw Raw) Raw {
		if text, ok := set[path]; ok {
			return Raw(text)
		}
		switch raw[0] {
		case '{':
			out := NewObject()
			o := split(raw)
			for at := range set {
				if name, ok := strings.CutPrefix(at, path); ok && !strings.ContainsAny(strings.TrimPrefix(name, "."), ".[") {
					name = strings.TrimPrefix(name, ".")
					if _, has := o.Get(name); !has {
						o.Set(name, Raw(set[at]))
					}
				}
			}
			for _, m := range o.members {
				if value := edit(join(path, m.name), m.value); len(value) > 0 {
					out.Set(m.name, value)
				}
			}
			return out.Bytes()
		case '[':
			list := elements(raw)
			for i := range list {
				list[i] = edit(fmt.Sprintf("%s[%d]", path, i), list[i])
			}
			return Array(list...)
		}
		return raw
	}
	compact, err := Compact([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return string(edit("", compact))
}

func TestValidateStrict_Refuses(t *testing.T) {
	t.Parallel()
	var syntax *SyntaxError
	if err := ValidateStrict("role", []byte(`{"a":1,"a":2}`), DefaultLimits); !errors.As(err, &syntax) {
		t.Errorf("a duplicate key gives %v, want a SyntaxError", err)
	}
	if err := ValidateStrict("ticket", []byte(`{}`), DefaultLimits); err == nil || errors.As(err, &syntax) {
		t.Errorf("an unknown module gives %v", err)
	}
	small := DefaultLimits
	small.Steps, small.Edges = 1, 0
	for limit, l := range map[string]Limits{"steps": small, "edges": {Depth: 32, NumberLen: 64, Steps: 2}} {
		got := faults(t, ValidateStrict("plan", []byte(full["plan"]), l))
		if diff := cmp.Diff([]fault{{"steps", "limit"}}, got); diff != "" {
			t.Errorf("too many %s (-want +got):\n%s", limit, diff)
		}
	}
}

// TestP20_StrictSaysBoth reads the plan module's messages out of one plan with
// both faults, and the steps of the cycle beside them.
func TestP20_StrictSaysBoth(t *testing.T) {
	t.Parallel()
	body := edited(t, full["plan"], map[string]string{
		"steps[0].dependencies": `["` + hex550 + `1"]`, "steps[1].dependencies": `["` + hex550 + `9"]`,
	})
	err := ValidateStrict("plan", []byte(body), DefaultLimits)
	want := &Invalid{Problems: []Problem{
		{"steps[1].dependencies[0]", "reference", "Step " + hex550 + "2 depends on non-existent " + hex550 + "9"},
		{"steps", "sa_plan_dag_acyclic", "Cyclic dependency detected"},
	}, Notes: []Warning{{"steps", "cycle", "Step " + hex550 + "1 depends on " + hex550 + "1."}}}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

// replacements are what mutations put in the place of a value: something of
// each type, and something near the border of each rule.
var replacements = []string{
	`null`, `true`, `0`, `-1`, `-0.0`, `1.5`, `10e-1`, `1E400`, `-1e-999999999999999999999`, `""`, `"x"`, `[]`, `[null]`, `["a","a"]`, `["` + hex550 + `1"]`, `{}`, `{"x":1}`,
	`"` + hex550 + `0"`, `"` + hex550 + `0\n"`, `"550E8400-e29b-41d4-a716-446655440000"`, `"550e8400-e29b-51d4-a716-446655440000"`,
	`"550e8400-e29b-41d4-c716-446655440000"`, `"550e8400e29b41d4a716446655440000"`,
	`"2025-12-07T00:00:00"`, `"2025-12-07 00:00:00Z"`, `"2025-12-07t23:59:60z"`, `"2025-12-07T23:59:60+01:00"`, `"2025-12-08T00:59:60.5+01:00"`,
	`"2025-02-29T00:00:00Z"`, `"2024-02-29T00:00:00.123456789012-23:59"`, `"2025-12-07T24:00:00Z"`, `"2025-12-07T00:00:00+24:00"`, `"0000-01-01T00:00:00Z"`,
	`"2025-12-07T00:00:61Z"`, `"2025-12-07T00:00:00.Z"`, `"1.0.0"`, `"1.0.0\n"`, `"1.0"`, `"pending"`, `"skipped"`, `"plan"`, `"security"`, `"a.b2.c"`, `"a..b"`, `"a_b"`, `"A.b"`,
}

// mutations calls yield with every object that differs from body in one place:
// a value removed, replaced, or given an unknown member or an element twice.
func mutations(body Raw, yield func(string)) {
	var walk func(raw Raw, put func(Raw))
	walk = func(raw Raw, put func(Raw)) {
		for _, other := range replacements {
			put(Raw(other))
		}
		switch raw[0] {
		case '{':
			with := split(raw)
			with.Set("x", Raw(`1`))
			put(with.Bytes())
			for _, m := range split(raw).members {
				less := split(raw)
				less.Delete(m.name)
				put(less.Bytes())
				walk(m.value, func(value Raw) {
					changed := split(raw)
					changed.Set(m.name, value)
					put(changed.Bytes())
				})
			}
		case '[':
			put(Array(append(elements(raw), elements(raw)...)...))
			for i, e := range elements(raw) {
				walk(e, func(value Raw) {
					list := elements(raw)
					list[i] = value
					put(Array(list...))
				})
			}
		}
	}
	walk(body, func(raw Raw) {
		if raw[0] == '{' {
			yield(string(raw))
		}
	})
}

// TestC4_StrictAgreesWithOfficial compares the verdict on every mutation with
// that of the official schemas, which know nothing of graphs. Every code is
// seen.
func TestC4_StrictAgreesWithOfficial(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	tried := 0
	for module, body := range full {
		compact, err := Compact([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		mutations(compact, func(text string) {
			tried++
			problems := strictFaults(t, module, text)
			valid := true
			for _, p := range problems {
				seen[p.Code]++
				if p.Code == "syntax" {
					t.Fatalf("%s is refused as JSON", text)
				}
				if p.Code != "reference" && !strings.HasPrefix(p.Code, "sa_") {
					valid = false
				}
			}
			if official(t, module, []byte(text), valid) != valid {
				t.Errorf("%s %s: strict validation says %v, the official schema does not", module, text, problems)
			}
			if !json.Valid([]byte(text)) {
				t.Fatalf("%s is no JSON", text)
			}
		})
	}
	for _, code := range []string{
		"required", "type_error", "enum", "format", "pattern", "min_items", "min_length", "unique", "unknown", "limit",
		"reference", "sa_plan_min_steps", "sa_plan_step_unique_ids", "sa_plan_dag_acyclic",
	} {
		if seen[code] == 0 {
			t.Errorf("no mutation of %d is told %s", tried, code)
		}
	}
	if tried < 5_000 {
		t.Errorf("only %d mutations", tried)
	}
}
