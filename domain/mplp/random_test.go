package mplp

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// random makes objects as odd as liberal reading lets them be.
type random struct{ *rand.Rand }

type members = map[string]any

const hex550 = "550e8400-e29b-41d4-a716-44665544000"

func (r random) chance(percent int) bool { return r.IntN(100) < percent }

func pick[T any](r random, list ...T) T { return list[r.IntN(len(list))] }

func (r random) id() string {
	n := r.IntN(9)
	return pick(r,
		fmt.Sprint(hex550, n), strings.ToUpper(fmt.Sprint(hex550, n)), fmt.Sprint("plan-", hex550, n),
		strings.ToUpper(fmt.Sprint("x-", hex550, n)), fmt.Sprint("123e4567-e89b-12d3-a456-42661417400", n),
		fmt.Sprint("s", n), fmt.Sprint("a.b:c_d-", n), fmt.Sprint(strings.Repeat("k", 127), n))
}

func (r random) time() string {
	return pick(r, "2025-12-07T00:00:00.000Z", "2025-12-07T00:05:00", "2025-12-07 00:00:00.123456", "2025-12-22t10:00:00z",
		"2025-12-22T10:00:00+01:00", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999-00:00")
}

func (r random) text() string {
	return pick(r, "", "t", "é\u2028<&>\"\\", "\x00\u001f", strings.Repeat("long ", 50), "1.0.0", "confirm")
}

func (r random) filled() string { return "f" + r.text() }

// any is any JSON value.
func (r random) any(depth int) any {
	switch n := r.IntN(10); {
	case n == 0:
		return nil
	case n == 1:
		return pick(r, json.Number("9007199254740993"), json.Number("1e400"), json.Number("-0.0"), json.Number("1.50"))
	case n == 2:
		return r.chance(50)
	case n < 6 || depth == 0:
		return pick(r, r.text(), r.id(), r.time())
	case n < 8:
		return r.list(3, func(int) any { return r.any(depth - 1) })
	default:
		return r.open(depth - 1)
	}
}

func (r random) open(depth int) any {
	o := members{}
	for range r.IntN(4) {
		o[pick(r, "a", "é", "step_id", "native_ids", "sent.step_id", "status", "locked", "x-1")] = r.any(depth)
	}
	return o
}

func (r random) list(most int, element func(int) any) []any {
	list := make([]any, r.IntN(most+1))
	for i := range list {
		list[i] = element(i)
	}
	return list
}

func (r random) texts() any { return r.list(3, func(int) any { return r.text() }) }

// object keeps the required members, leaves some of the others out, makes some
// null and adds some that nobody knows.
func (r random) object(o members, required ...string) members {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		switch {
		case slices.Contains(required, name):
		case r.chance(30):
			delete(o, name)
		case r.chance(10):
			o[name] = nil
		}
	}
	for r.chance(20) {
		o[pick(r, "x", "risk", "owner-team", "é", "")] = r.any(3)
	}
	return o
}

// common adds what all objects have.
func (r random) common(o members) members {
	o["meta"] = r.object(members{
		"protocolVersion": pick[any](r, "1.0.0", "v1", 1), "protocol_version": pick[any](r, "1.1.0", "1.0", nil, "1.0.0\n"), "schema_version": r.any(1),
		"source": r.any(1), "created_at": pick[any](r, r.time(), r.any(1)), "updatedAt": r.time(), "updated_by": r.any(1),
		"tags": pick(r, r.any(2), r.texts()), "cross_cutting": r.list(3, func(int) any { return pick[any](r, "security", "event-bus", "protocol-version", 7) }),
	})
	o["governance"] = r.object(members{
		"lifecyclePhase": r.text(), "truthDomain": r.text(), "locked": r.chance(20),
		"lastConfirmRef": pick[any](r, r.open(1), members{"$ref": "confirm-123"},
			r.object(members{"id": r.any(0), "module": r.any(0), "description": r.any(0)}), members{"id": r.id(), "module": "plan"}),
	})
	o["trace"] = r.span()
	o["events"] = r.list(4, func(int) any { return r.event() })
	return o
}

func (r random) span() any {
	return r.object(members{
		"trace_id": r.id(), "span_id": r.id(), "parent_span_id": r.id(), "context_id": r.id(), "attributes": r.open(3),
	})
}

func (r random) event() any {
	return pick[any](r, r.open(3),
		members{"event_family": "pipeline_stage", "event_type": "plan_approved", "payload": members{"plan_id": r.id()}},
		r.object(members{
			"event_id": pick[any](r, r.id(), r.any(1)), "event_type": pick[any](r, "plan.created", "Step-3", "3", "plan_9_x", "é", r.any(1)),
			"source": pick[any](r, "plan", r.any(1)), "timestamp": pick[any](r, r.time(), r.any(1)), "trace_id": pick[any](r, r.id(), r.any(1)), "data": r.any(2),
		}))
}

func (r random) confirm() members {
	target, id := pick(r, targetTypes...), r.id()
	o := r.common(members{
		"confirm_id": r.id(), "target_type": target, "target_id": id, "step_id": r.id(), "status": pick(r, confirmStatuses...),
		"requested_by_role": r.filled(), "requested_at": r.time(), "reason": r.text(), "required_role": r.filled(), "supersedes": r.id(),
		"on_reject": pick(r, "abort", "recover"), "session_id": r.id(), "message_id": r.text(), "timeout": 1 + r.IntN(1000), "plan_id": id,
		"approval_key": r.any(1), "index": r.any(1), "actions": []any{members{"name": "execute_trade", "args": r.open(4)}},
		"review_configs": []any{members{"timeout": 5, "allowed_decisions": []string{"approve"}}},
		"decisions": r.list(3, func(int) any {
			return r.object(members{
				"decision_id": r.id(), "status": pick(r, decisionStatuses...), "decided_by_role": r.filled(), "decided_at": r.time(), "reason": r.text(),
			}, "status", "decided_by_role")
		}),
	})
	return r.object(o, "target_type", "target_id", "actions")
}

func (r random) plan() members {
	var ids []string
	steps := make([]any, 1+r.IntN(6))
	for i := range steps {
		dependencies := r.list(min(i, 3), func(int) any { return pick(r, ids...) })
		// Some of these come out the same in canonical form.
		id := pick(r, r.id(), fmt.Sprint(pick(r, "", "s-", "t-", "S-"), hex550, i%3))
		if slices.Contains(ids, id) {
			id = fmt.Sprint("step", i)
		}
		ids = append(ids, id)
		steps[i] = r.object(members{
			"step_id": id, "description": r.filled(), "status": pick(r, stepStatuses...), "dependencies": dependencies,
			"agent_role": r.text(), "order_index": r.IntN(9),
		}, "step_id", "description")
	}
	o := r.common(members{
		"plan_id": r.id(), "context_id": r.id(), "title": r.filled(), "objective": r.filled(), "status": pick(r, planStatuses...), "steps": steps,
	})
	return r.object(o, "context_id", "title", "objective", "steps")
}

func (r random) role() members {
	return r.object(r.common(members{
		"role_id": r.id(), "name": r.filled(), "description": r.text(), "capabilities": r.texts(), "created_at": r.time(), "updated_at": r.time(),
	}), "name")
}

func (r random) context() members {
	return r.object(r.common(members{
		"context_id": r.id(), "title": r.filled(), "status": pick(r, contextStatuses...), "summary": r.text(), "language": r.text(),
		"owner_role": r.text(), "tags": r.texts(), "constraints": r.open(3), "created_at": r.time(), "updated_at": r.time(),
		"root": r.object(members{"domain": r.text(), "environment": r.text(), "entry_point": r.any(1)}),
	}))
}

func (r random) traceObject() members {
	return r.object(r.common(members{
		"trace_id": r.id(), "context_id": r.id(), "plan_id": r.id(), "root_span": r.span(), "status": pick(r, traceStatuses...),
		"started_at": r.time(), "finished_at": r.time(),
		"segments": r.list(3, func(int) any {
			return r.object(members{
				"segment_id": r.id(), "parent_segment_id": r.id(), "label": r.text(), "status": pick(r, segmentStatuses...),
				"started_at": r.time(), "finished_at": r.time(), "attributes": r.open(2),
			}, "segment_id", "label", "status")
		}),
	}), "context_id")
}
