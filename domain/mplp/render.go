package mplp

import (
	"bytes"
	"slices"
	"time"
)

// CompletePlan returns a plan as it is stored: what was sent, with its id and missing
// required members.
func CompletePlan(sent *Object, id string) []byte {
	setIDAndMeta(sent, "plan_id", id)
	return sent.Bytes()
}

// RenderPlan returns a stored plan with its present statuses, parallel to the steps,
// and new events after those it came with.
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

// appendEvents adds events after those that the sender gave. A member that is not an
// array is left alone.
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

// CompleteConfirm returns a confirm as it is stored: what was sent, with its ids and
// missing required members.
func CompleteConfirm(sent *Object, id, targetID, requestedByRole, requestedAt string) []byte {
	o := &Object{members: slices.Grow(slices.Clip(sent.members), 6)}
	setIDAndMeta(o, "confirm_id", id)
	setDefault(o, "target_id", String(targetID))
	setDefault(o, "status", String("pending"))
	setDefault(o, "requested_by_role", String(requestedByRole))
	setDefault(o, "requested_at", String(requestedAt))
	return o.Bytes()
}

// RenderConfirm returns a stored confirm with its present status and decisions, and new
// events after those it came with. Without decisions the member stays as it was sent.
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

// AppendEvent adds an event to an object. An object without events takes over those of
// the object stored before it, so that a history only grows.
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

// WithMember returns a stored object with one member replaced by another object's.
func WithMember(stored []byte, name string, from *Object) []byte {
	o := split(stored)
	if value, ok := from.Get(name); ok {
		o.Set(name, value)
	} else {
		o.Delete(name)
	}
	return o.Bytes()
}

// Member returns one member of a compact object, which must be well-formed.
func Member(object []byte, name string) (Raw, bool) { return split(object).Get(name) }

// DraftContext is the status of a context that was posted without one. No plan can
// start in it.
const DraftContext = "draft"

// CompleteContext returns a context as it is stored: what was sent, with its id,
// missing required members and its times.
func CompleteContext(sent *Object, id string, created, updated time.Time) []byte {
	setIDAndMeta(sent, "context_id", id)
	setDefault(sent, "status", String(DraftContext))
	setDefault(sent, "created_at", String(RenderTime(created)))
	if updated.After(created) {
		sent.Set("updated_at", String(RenderTime(updated)))
	}
	setDefault(sent, "updated_at", String(RenderTime(updated)))
	return sent.Bytes()
}

// setIDAndMeta sets the id of an object, and a meta if it has none.
func setIDAndMeta(o *Object, name, id string) {
	setDefault(o, "meta", DefaultMeta())
	setDefault(o, name, String(id))
}

// setDefault sets a member that is absent or null.
func setDefault(o *Object, name string, value Raw) {
	if sent, ok := o.Get(name); !ok || string(sent) == "null" {
		o.Set(name, value)
	}
}

// DiffersOnlyIn reports whether an object equals the stored one except for one member.
// The order of members does not count, nor do members that the server sets and the
// sender left out.
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

// Deadline returns after how many seconds the confirm expires: the shortest timeout, or
// with actions the default. 0 means never.
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

// NamesStep reports whether the confirm names a step or span of its plan instead of the
// whole plan.
func (c *Confirm) NamesStep() bool {
	return c.StepID != "" || c.Trace != nil && (c.Trace.StepID != "" || c.Trace.SpanID != "")
}

// ReviewConfigJSON returns the review config of the i-th action as it was sent, nil if
// there is none. A single one counts for all actions.
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
