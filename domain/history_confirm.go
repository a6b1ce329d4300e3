package domain

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"countersign/domain/evidence"
)

// asked is a confirm, as far as the log tells.
type asked struct {
	seq   int64 // the entry that requested it
	ended int64 // the entry that decided it, if it is not pending; of an import that with which it came
	// at is when it ended, in milliseconds; while it is pending its deadline, 0 if
	// the log names none.
	at         int64
	hash       uint64 // a part of the content's hash; once it was decided, of the effective one
	plan, step int32  // places in planList and its steps
	by         int32  // who requested it, a place in History.acting
	required   int32  // place in History.required, from 1; 0: any role may decide
	actions    int32  // that were decided on
	status     pastStatus
	flags      pastFlags
}

type pastStatus uint8

const (
	pastPending pastStatus = iota
	pastApproved
	pastRejected
	pastCancelled
)

var pastStatuses = map[Status]pastStatus{Approved: pastApproved, Rejected: pastRejected, Cancelled: pastCancelled}

type pastFlags uint8

const (
	pastImported pastFlags = 1 << iota
	pastPruned
	pastUnbound // names a step that is none of its plan's
	pastCounts  // for its plan: see Plan.counts
	pastPlanned // is about a plan, which its requester may not have been let see
)

func (c *asked) is(f pastFlags) bool { return c.flags&f != 0 }

// hashPart is enough of a hash to tell it from others: nobody who could choose a
// content can choose one with the same.
func hashPart(hash string) (part uint64) {
	if digits, ok := strings.CutPrefix(hash, "sha256:"); ok && len(digits) >= 16 {
		part, _ = strconv.ParseUint(digits[:16], 16, 64) // what is no hash is nobody's
	}
	return part
}

// find is the confirm that an entry is about, nil if the log has none.
func (h *History) find(id string) (int32, *asked) {
	at, ok := h.confirms[keyOfConfirm(id)]
	if !ok {
		return 0, nil
	}
	return at, &h.asked[at]
}

func (h *History) requested(e *evidence.Entry) {
	key := keyOfConfirm(e.ConfirmID)
	if at, twice := h.confirms[key]; twice {
		h.found("confirm %s is requested a second time, after entry %d", e.ConfirmID, h.asked[at].seq)
		return
	}
	at, f := int32(len(h.asked)), factsOfRequest(e)
	h.confirms[key] = at
	h.asked = append(h.asked, asked{seq: e.Seq, hash: hashPart(e.ContentHash), step: wholePlan})
	c := &h.asked[at]
	c.by = h.numberOf(e)
	if e.PlanID != "" {
		c.plan = h.plan(e.PlanID).number
	}
	if f.TargetType == string(TargetPlan) {
		c.flags |= pastPlanned
	}
	if e.Type != evidence.EntryRequested {
		c.flags |= pastImported
		c.ended, c.at, c.status = e.Seq, e.At.UnixMilli(), pastStatuses[Status(f.Status)]
		return
	}
	if f.Timeout > 0 {
		c.at = e.At.UnixMilli() + 1000*f.Timeout
	}
	if f.RequiredRole != "" {
		c.required = h.requiredRole(f.RequiredRole)
	}
	if c.plan != 0 {
		h.aimed(c, at, f)
	}
}

// factsOfRequest is factsOf for most entries of a log: requests of no plan and no
// role, of which little counts. A name in quotes is no part of a text, in which they
// are escaped, and what warnings say has other names.
func factsOfRequest(e *evidence.Entry) (f facts) {
	if e.Type != evidence.EntryRequested || e.PlanID != "" || bytes.Contains(e.Data, []byte(`"required_role":`)) {
		return factsOf(e)
	}
	if bytes.Contains(e.Data, []byte(`"target_type":"plan"`)) {
		f.TargetType = string(TargetPlan)
	}
	if _, timeout, ok := bytes.Cut(e.Data, []byte(`"timeout":`)); ok {
		digits := bytes.IndexFunc(timeout, func(r rune) bool { return r < '0' || r > '9' })
		f.Timeout, _ = strconv.ParseInt(string(timeout[:max(digits, 0)]), 10, 64)
	}
	return f
}

func (h *History) requiredRole(id string) int32 {
	i := slices.Index(h.required, id)
	if i < 0 {
		i = len(h.required)
		h.required = append(h.required, strings.Clone(id))
	}
	return int32(i) + 1
}

// known is find, and reports what cannot be: an entry about a confirm that was
// never requested, or with another plan or content than it was requested with.
func (h *History) known(e *evidence.Entry, what string) (int32, *asked) {
	at, c := h.find(e.ConfirmID)
	switch {
	case c == nil && h.partial:
	case c == nil:
		h.found("%s confirm %s, which was never requested", what, e.ConfirmID)
	case e.PlanID != h.planList[c.plan].id:
		h.found("%s confirm %s, which was requested for another plan", what, e.ConfirmID)
	}
	return at, c
}

// decided takes a final decision.
func (h *History) decided(e *evidence.Entry, status Status) {
	at, c := h.known(e, "a decision on")
	if c == nil {
		return
	}
	switch {
	case c.is(pastImported):
		h.found("a decision on confirm %s, which is an import", e.ConfirmID)
		return
	case c.status != pastPending:
		h.found("a second decision of confirm %s, which entry %d had decided", e.ConfirmID, c.ended)
		return
	}
	f := factsOf(e)
	h.consented(e, c, f, status)
	if hashPart(e.ContentHash) != c.hash {
		h.found("a decision on confirm %s with another content than was requested", e.ConfirmID)
	}
	c.status, c.ended, c.at, c.hash = pastStatuses[status], e.Seq, e.At.UnixMilli(), hashPart(e.EffectiveHash)
	c.actions = int32(len(e.Decisions))
	if status == Rejected && slices.ContainsFunc(e.Decisions, func(d evidence.EntryDecision) bool { return d.Type != ActionReject }) {
		allowed := make([]bool, len(e.Decisions))
		for i, d := range e.Decisions {
			allowed[i] = d.Type != ActionReject
		}
		h.mixed[at] = allowed
	}
	if c.is(pastCounts) {
		h.planList[c.plan].heard(c)
	}
}

// consented holds a decision to whoever made it, and to its time.
func (h *History) consented(e *evidence.Entry, c *asked, f facts, status Status) {
	late := c.at > 0 && e.At.UnixMilli() > c.at // the deadline itself may lie within this millisecond
	switch cause := Cause(e.Cause); {
	case cause == CauseHuman && e.Kind == string(KindUser) && status != Cancelled,
		cause == CauseAgent && e.Kind == string(KindAgent) && status != Cancelled:
		if late {
			h.found("confirm %s was %s after its deadline", e.ConfirmID, status)
		}
		h.authorized(e, c, f, status)
	case cause == CauseTimeout && e.Kind == string(KindSystem) && status == Rejected:
		if c.at > 0 && e.At.Add(clockSlack).UnixMilli() < c.at {
			h.found("confirm %s timed out before its deadline", e.ConfirmID)
		}
	case cause == CauseCancelled && status == Cancelled:
	default:
		h.found("confirm %s was %s with the cause %s by %s, which nobody does", e.ConfirmID, status, e.Cause, e.Kind)
	}
}

// authorized is Service.authority in retrospect.
func (h *History) authorized(e *evidence.Entry, c *asked, f facts, status Status) {
	a := h.actors[e.Principal]
	if a == nil || h.partial {
		return // acted has said so
	}
	if !a.decides {
		h.found("confirm %s was %s by %s, which may not decide", e.ConfirmID, status, e.Principal)
	}
	if a.requests(h.acting[c.by]) && (!f.SelfApproval || e.Kind != string(KindUser)) {
		h.found("confirm %s was %s by who had requested it", e.ConfirmID, status)
	}
	d := &Decision{Status: status}
	for _, logged := range e.Decisions {
		d.Actions = append(d.Actions, ActionDecision{Type: logged.Type})
	}
	var held []Capability
	acting := ""
	for _, id := range a.roles {
		r := h.roles[id]
		if r == nil {
			continue
		}
		held = append(held, r.capabilities...)
		if r.name == e.Role {
			acting = id
		}
	}
	list := needed(d)
	missing := slices.IndexFunc(list, func(c Capability) bool { return !grants(held, c) })
	switch {
	case acting == "":
		h.found("confirm %s was %s in the role %s, which %s did not hold", e.ConfirmID, status, e.Role, e.Principal)
	case missing >= 0:
		h.found("confirm %s was %s by %s, who did not hold %s", e.ConfirmID, status, e.Principal, list[missing])
	case c.required != 0 && h.required[c.required-1] != acting:
		h.found("confirm %s was %s in the role %s, and requires another", e.ConfirmID, status, e.Role)
	}
}

// use is a part of an approval that is used once.
type use struct {
	confirm int32 // place in asked
	action  int32 // -1: all of it
}

// consumed takes a use of an approval.
func (h *History) consumed(e *evidence.Entry) {
	at, c := h.known(e, "a consumption of")
	if c == nil {
		return
	}
	f := factsOf(e)
	part, ok := use{at, -1}, f.Subject == "confirm"
	step, isStep := strings.CutPrefix(f.Subject, "step:")
	if action, isAction := strings.CutPrefix(f.Subject, "action:"); isAction {
		n, err := strconv.ParseInt(action, 10, 32)
		part.action, ok = int32(n), err == nil && n >= 0
	} else if isStep {
		ok = f.StepID == "" || f.StepID == step
	}
	if !isStep {
		step = f.StepID
	}
	switch {
	case c.is(pastImported):
		h.found("a consumption of confirm %s, which is an import", e.ConfirmID)
		return
	case c.status == pastPending || c.status == pastCancelled || c.status == pastRejected && h.mixed[at] == nil:
		h.found("a consumption of confirm %s, which was not approved", e.ConfirmID)
		return
	case !ok || (part.action < 0) != (c.actions == 0) || part.action >= c.actions:
		h.found("a consumption of confirm %s (%s), which has no such part", e.ConfirmID, f.Subject)
		return
	case c.status == pastRejected && !h.mixed[at][part.action]:
		h.found("a consumption of confirm %s (%s), which was not approved", e.ConfirmID, f.Subject)
	case c.ended < h.restored:
		h.found("a consumption of confirm %s, which was approved before the restore of entry %d", e.ConfirmID, h.restored)
	case hashPart(e.EffectiveHash) != c.hash:
		h.found("a consumption of confirm %s with another content than was approved", e.ConfirmID)
	case c.is(pastUnbound) || c.is(pastPlanned) && c.plan == 0:
		h.found("a consumption of confirm %s, which lets no step of a plan run", e.ConfirmID)
		return
	}
	if c.plan != 0 {
		h.consumedStep(e, at, step)
	}
	if c.plan == 0 || part.action >= 0 { // else the step says so
		if before, twice := h.used[part]; twice {
			h.found("a second consumption of confirm %s (%s), which entry %d had consumed", e.ConfirmID, f.Subject, before)
		}
		h.used[part] = e.Seq
	}
}

// pruned takes a content that was forgotten.
func (h *History) pruned(e *evidence.Entry) {
	_, c := h.known(e, "the content was forgotten of")
	if c == nil {
		return
	}
	f := factsOf(e)
	plan := h.planList[c.plan]
	switch {
	case c.is(pastPruned):
		h.found("the content of confirm %s was forgotten a second time", e.ConfirmID)
	case c.status == pastPending:
		h.found("the content of confirm %s was forgotten, which was pending", e.ConfirmID)
	case f.OlderThan != nil && c.at+1000**f.OlderThan > e.At.Add(clockSlack).UnixMilli():
		h.found("the content of confirm %s was forgotten, which had ended less than %d s before", e.ConfirmID, *f.OlderThan)
	case f.DecidedSeq != 0 && f.DecidedSeq != c.ended:
		h.found("the content of confirm %s was forgotten as decided by entry %d, and entry %d decided it", e.ConfirmID, f.DecidedSeq, c.ended)
	case plan.status == PlanProposed || plan.status == PlanApproved || plan.status == PlanInProgress:
		h.found("the content of confirm %s was forgotten, whose plan %s was %s", e.ConfirmID, e.PlanID, plan.status)
	}
	c.flags |= pastPruned
}
