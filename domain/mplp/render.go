package mplp

import (
	"bytes"
	"slices"
	"time"
)

// CompletePlan returns a plan as it is stored: what was sent, with its id and
// the required members that were missing.
func CompletePlan(sent *Object, id string) []byte {
	complete(sent, "plan_id", id)
	return sent.Bytes()
}

// RenderPlan gives a stored plan back with the statuses of now and the events
// that followed those it was sent with. statuses are parallel to the steps.
func RenderPlan(stored []byte, status string, statuses []string, events []Raw) []byte {
	plan := split(stored)
	plan.Set("status", String(status))
	sent, _ := plan.Get("steps")
	steps := elements(sent)
	for i := range min(len(steps), len(statuses)) {
		step := split(steps[i])
		step.Set("status", String(statuses[i]))
		steps[i] = step.Bytes()
	}
	plan.Set("steps", Array(steps...))
	appendEvents(plan, events)
	return plan.Bytes()
}

// appendEvents adds events behind those that the sender gave (requirements
// C-15). A member that is no array is the sender's and stays.
func appendEvents(o *Object, events []Raw) {
	sent, ok := o.Get("events")
	if len(events) == 0 || ok && sent[0] != '[' && string(sent) != "null" {
		return
	}
	var all []Raw
	if ok && sent[0] == '[' {
		all = elements(sent)
	}
	o.Set("events", Array(append(all, events...)...))
}

// CompleteConfirm returns a confirm as it is stored: what was sent, which stays as
// it is, with its ids and the required members that were missing.
func CompleteConfirm(sent *Object, id, targetID, requestedByRole, requestedAt string) []byte {
	o := &Object{members: slices.Grow(slices.Clip(sent.members), 6)}
	complete(o, "confirm_id", id)
	fill(o, "target_id", String(targetID))
	fill(o, "status", String("pending"))
	fill(o, "requested_by_role", String(requestedByRole))
	fill(o, "requested_at", String(requestedAt))
	return o.Bytes()
}

// RenderConfirm gives a stored confirm back with the status and the decisions
// of now and the events that followed those it was sent with. Without decisions
// the member stays as it was sent.
func RenderConfirm(stored []byte, status string, decisions []Decision, events []Raw) []byte {
	confirm := split(stored)
	confirm.Set("status", String(status))
	if len(decisions) > 0 {
		records := make([]Raw, len(decisions))
		for i, d := range decisions {
			record := NewObject()
			record.Set("decision_id", String(d.ID))
			record.Set("status", String(d.Status))
			record.Set("decided_by_role", String(d.DecidedByRole))
			record.Set("decided_at", String(d.DecidedAt))
			if d.Reason != "" {
				record.Set("reason", String(d.Reason))
			}
			records[i] = record.Bytes()
		}
		confirm.Set("decisions", Array(records...))
	}
	appendEvents(confirm, events)
	return confirm.Bytes()
}

// AppendEvent adds an event to an object's. An object that came without events
// keeps those of the one stored before it: a history is only ever added to.
func AppendEvent(object, before []byte, event Raw) []byte {
	o := split(object)
	if _, sent := o.Get("events"); !sent {
		if kept, ok := Member(before, "events"); ok {
			o.Set("events", kept)
		}
	}
	appendEvents(o, []Raw{event})
	return o.Bytes()
}

// WithMember returns a stored object with one member as another object has it.
func WithMember(stored []byte, name string, from *Object) []byte {
	o := split(stored)
	if value, ok := from.Get(name); ok {
		o.Set(name, value)
	} else {
		o.Delete(name)
	}
	return o.Bytes()
}

// Member gives one member of a compact object that is known to be well-formed.
func Member(object []byte, name string) (Raw, bool) { return split(object).Get(name) }

// DraftContext is the status of a context that was posted without one: no plan
// can start in it until somebody says that it is active.
const DraftContext = "draft"

// CompleteContext returns a context as it is stored: what was sent, with its
// id, the required members that were missing and its times.
func CompleteContext(sent *Object, id string, created, updated time.Time) []byte {
	complete(sent, "context_id", id)
	fill(sent, "status", String(DraftContext))
	fill(sent, "created_at", String(RenderTime(created)))
	if updated.After(created) {
		sent.Set("updated_at", String(RenderTime(updated)))
	}
	fill(sent, "updated_at", String(RenderTime(updated)))
	return sent.Bytes()
}

// complete gives an object its id and a meta.
func complete(o *Object, name, id string) {
	fill(o, "meta", DefaultMeta())
	fill(o, name, String(id))
}

// fill sets a member that is absent or null.
func fill(o *Object, name string, value Raw) {
	if sent, ok := o.Get(name); !ok || string(sent) == "null" {
		o.Set(name, value)
	}
}

// DiffersOnlyIn says whether an object is the stored one but for one member.
// Members that the server keeps by itself, and that the sender left out, do not
// count; nor does the order of members.
func DiffersOnlyIn(name string, stored []byte, sent *Object) bool {
	kept := []string{"created_at", "updated_at", "meta"}
	before := map[string]Raw{}
	for _, m := range split(stored).members {
		before[m.name] = m.value
	}
	for _, m := range sent.members {
		if old, was := before[m.name]; m.name != name && (!was || !bytes.Equal(old, m.value)) {
			return false
		}
		delete(before, m.name)
	}
	delete(before, name)
	for _, member := range kept {
		delete(before, member)
	}
	return len(before) == 0
}

// Deadline is after how many seconds the confirm expires: the shortest timeout
// given, or with actions the default. 0 means never.
func (c *Confirm) Deadline(byDefault int64) int64 {
	var shortest int64
	take := func(seconds *int64) {
		if seconds != nil && (shortest == 0 || *seconds < shortest) {
			shortest = *seconds
		}
	}
	take(c.Timeout)
	for _, config := range c.ReviewConfigs {
		take(config.Timeout)
	}
	if shortest == 0 && len(c.Actions) > 0 {
		return byDefault
	}
	return shortest
}

// NamesStep says whether the confirm speaks of a step or span of its plan,
// rather than for the whole plan.
func (c *Confirm) NamesStep() bool {
	return c.StepID != "" || c.Trace != nil && (c.Trace.StepID != "" || c.Trace.SpanID != "")
}

// ReviewConfigJSON is the review config of the i-th action as it was sent, nil
// when there is none. A single one counts for all actions.
func (c *Confirm) ReviewConfigJSON(i int) []byte {
	sent, ok := c.Native.Get("review_configs")
	if !ok || len(c.ReviewConfigs) == 0 {
		return nil
	}
	list := elements(sent)
	if len(list) == 1 {
		i = 0
	}
	return list[i]
}
