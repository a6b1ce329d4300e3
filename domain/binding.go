package domain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"countersign/domain/mplp"
)

// bind resolves the step that a confirm is about, from the first of these that is sent:
// the member step_id, trace.attributes.step_id, a span_id that is a step id,
// "span-<step id>", "span-step-<n>" (the n-th step by order). A name that matches no
// step gives BoundUnknown.
func bind(in *mplp.Confirm, steps []mplp.Step) (Binding, string) {
	named := in.StepID
	if named == "" && in.Trace != nil {
		named = in.Trace.StepID
	}
	if named != "" {
		if hasStep(steps, named) {
			return BoundStep, named
		}
		return BoundUnknown, ""
	}
	if in.Trace == nil || in.Trace.SpanID == "" {
		return BoundPlan, ""
	}
	span := in.Trace.SpanID
	if hasStep(steps, span) {
		return BoundStep, span
	}
	rest, prefixed := strings.CutPrefix(span, "span-")
	if prefixed && hasStep(steps, rest) {
		return BoundStep, rest
	}
	if number, ok := strings.CutPrefix(rest, "step-"); prefixed && ok {
		n, err := strconv.Atoi(number)
		if ordered := orderSteps(steps); err == nil && n >= 1 && n <= len(ordered) && strconv.Itoa(n) == number {
			return BoundStep, ordered[n-1].ID
		}
	}
	return BoundUnknown, ""
}

func hasStep(steps []mplp.Step, id string) bool {
	return slices.ContainsFunc(steps, func(s mplp.Step) bool { return s.ID == id })
}

// orderSteps sorts by order_index. Steps without one keep their order behind the
// others.
func orderSteps(steps []mplp.Step) []mplp.Step {
	ordered := slices.Clone(steps)
	slices.SortStableFunc(ordered, func(a, b mplp.Step) int {
		switch {
		case a.OrderIndex == nil && b.OrderIndex == nil:
			return 0
		case a.OrderIndex == nil:
			return 1
		case b.OrderIndex == nil:
			return -1
		}
		return cmp.Compare(*a.OrderIndex, *b.OrderIndex)
	})
	return ordered
}
