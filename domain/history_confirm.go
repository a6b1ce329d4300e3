package domain

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"countersign/domain/evidence"
)

// pastConfirm is a confirm as the log has it.
type pastConfirm struct {
	seq   int64 // the entry that requested it
	ended int64 // the entry that decided it, or imported it; 0 while pending
	// at is when it ended, in milliseconds; while it is pending its deadline, 0 if it
	// has none.
	at         int64
	hash       uint64 // prefix of the content hash; once decided, of the effective hash
	plan, step int32  // indexes in planList and in its steps
	by         int32  // who requested it, an index in actorList
	required   int32  // index in History.required plus 1; 0: any role may decide
	actions    int32  // how many were decided on
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
	pastUnbound // names a step that its plan does not have
	pastCounts  // counts for its plan: see Plan.counts
	pastPlanned // is about a plan, perhaps one that its requester did not see
)

func (c *pastConfirm) is(f pastFlags) bool { return c.flags&f != 0 }

// hashPrefix returns the first 64 bits of a hash, enough to tell contents apart: nobody
// can choose a content whose hash begins like a given one.
func hashPrefix(hash string) (part uint64) {
	if digits, ok := strings.CutPrefix(hash, "sha256:"); ok && len(digits) >= 16 {
		part, _ = strconv.ParseUint(digits[:16], 16, 64) // 0 if it is not a hash
	}
	return part
}

// find returns the confirm with an id, nil if the log has none.
func (h *History) find(id string) (int32, *pastConfirm) {
	at, ok := h.confirms[keyOfConfirm(id)]
	if !ok {
		return 0, nil
	}
	return at, &h.confirmList[at]
}

func (h *History) followRequest(e *evidence.Entry) {
	key := keyOfConfirm(e.ConfirmID)
	if at, twice := h.confirms[key]; twice {
		h.report("request %s is requested a second time, after entry %d", e.ConfirmID, h.confirmList[at].seq)
		return
	}
	at, f := int32(len(h.confirmList)), factsOfRequest(e)
	h.confirms[key] = at
	h.confirmList = append(h.confirmList, pastConfirm{seq: e.Seq, hash: hashPrefix(e.ContentHash), step: noStep})
	c := &h.confirmList[at]
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
		h.linkToPlan(c, at, f)
	}
	if bytes.Contains(e.Data, []byte(`"quorum":`)) { // most have none
		h.followVoting(e, at)
	}
}

// factsOfRequest is factsOf for most entries of a log, requests without a plan or role,
// of which few facts matter. A quoted name cannot be part of a text, where quotes are
// escaped, and warnings have other names.
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

// findKnown is find, and reports an entry about a confirm that was never requested, or
// was requested for another plan.
func (h *History) findKnown(e *evidence.Entry, what string) (int32, *pastConfirm) {
	at, c := h.find(e.ConfirmID)
	switch {
	case c == nil && h.partial:
	case c == nil:
		h.report("%s request %s, which was never requested", what, e.ConfirmID)
	case e.PlanID != h.planList[c.plan].id:
		h.report("%s request %s, which was requested for another plan", what, e.ConfirmID)
	}
	return at, c
}

// followDecision checks a final decision and records it.
func (h *History) followDecision(e *evidence.Entry, status Status) {
	at, c := h.findKnown(e, "a decision on")
	if c == nil {
		return
	}
	switch {
	case c.is(pastImported):
		h.report("a decision on request %s, which is an import", e.ConfirmID)
		return
	case c.status != pastPending:
		h.report("a second decision of request %s, which entry %d had decided", e.ConfirmID, c.ended)
		return
	}
	f := factsOf(e)
	h.checkDecision(e, at, c, f, status)
	h.checkFindings(e, f)
	h.endVoting(e, at)
	if hashPrefix(e.ContentHash) != c.hash {
		h.report("a decision on request %s with another content than was requested", e.ConfirmID)
	}
	c.status, c.ended, c.at, c.hash = pastStatuses[status], e.Seq, e.At.UnixMilli(), hashPrefix(e.EffectiveHash)
	c.actions = int32(len(e.Decisions))
	if status == Rejected && slices.ContainsFunc(e.Decisions, func(d evidence.EntryDecision) bool { return d.Type != ActionReject }) {
		allowed := make([]bool, len(e.Decisions))
		for i, d := range e.Decisions {
			allowed[i] = d.Type != ActionReject
		}
		h.partlyApproved[at] = allowed
	}
	if c.is(pastCounts) {
		h.planList[c.plan].resolve(c)
	}
}

// checkDecision checks who decided, for which cause, and when.
func (h *History) checkDecision(e *evidence.Entry, at int32, c *pastConfirm, f facts, status Status) {
	late := c.at > 0 && e.At.UnixMilli() > c.at // the deadline may be within this millisecond
	switch cause := Cause(e.Cause); {
	case cause == CauseHuman && e.Kind == string(KindUser) && status != Cancelled,
		cause == CauseAgent && e.Kind == string(KindAgent) && status != Cancelled:
		if late {
			h.report("request %s was %s after its deadline", e.ConfirmID, status)
		}
		if v := h.votings[at]; v != nil {
			h.checkVoter(e, c, v, f, status)
			return
		}
		h.checkAuthority(e, c, f, status)
	case cause == CausePolicy && e.Kind == string(KindSystem) && status == Rejected && f.Policy != nil:
		h.checkPolicy(e, *f.Policy)
	case cause == CauseTimeout && e.Kind == string(KindSystem) && status == Rejected:
		if c.at > 0 && e.At.Add(clockSlack).UnixMilli() < c.at {
			h.report("request %s timed out before its deadline", e.ConfirmID)
		}
	case cause == CauseCancelled && status == Cancelled:
	default:
		h.report("request %s was %s with the cause %s by %s, which nobody does", e.ConfirmID, status, e.Cause, e.Kind)
	}
}

// checkAuthority applies the rules of Service.authorizeDecision to the log.
func (h *History) checkAuthority(e *evidence.Entry, c *pastConfirm, f facts, status Status) {
	a := h.actors[e.Principal]
	if a == nil || h.partial {
		return // checkActor has reported it
	}
	if !a.decides {
		h.report("request %s was %s by %s, which may not decide", e.ConfirmID, status, e.Principal)
	}
	if a.isOwnRequest(h.actorList[c.by]) && (!f.SelfApproval || e.Kind != string(KindUser)) {
		h.report("request %s was %s by who had requested it", e.ConfirmID, status)
	}
	acting := ""
	for _, id := range a.roles {
		if r := h.roles[id]; r != nil && r.name == e.Role {
			acting = id
		}
	}
	held, list := h.heldBy(a), neededOf(e, status)
	missing := slices.IndexFunc(list, func(c Capability) bool { return !grants(held, c) })
	switch {
	case acting == "":
		h.report("request %s was %s in the role %s, which %s did not hold", e.ConfirmID, status, e.Role, e.Principal)
	case missing >= 0:
		h.report("request %s was %s by %s, who did not hold %s", e.ConfirmID, status, e.Principal, list[missing])
	case c.required != 0 && h.required[c.required-1] != acting && h.votings[h.confirms[keyOfConfirm(e.ConfirmID)]] == nil:
		h.report("request %s was %s in the role %s, and requires another", e.ConfirmID, status, e.Role)
	}
}

// heldBy returns the capabilities that an actor holds now.
func (h *History) heldBy(a *actor) (held []Capability) {
	for _, id := range a.roles {
		if r := h.roles[id]; r != nil {
			held = append(held, r.capabilities...)
		}
	}
	return held
}

// neededOf returns what the decision of an entry needs.
func neededOf(e *evidence.Entry, status Status) []Capability {
	d := &Decision{Status: status}
	for _, logged := range e.Decisions {
		d.Actions = append(d.Actions, ActionDecision{Type: logged.Type})
	}
	return neededCapabilities(d)
}

// pastUse is a part of an approval that may be used once.
type pastUse struct {
	confirm int32 // index in confirmList
	action  int32 // -1: the whole confirm
}

// followConsumption checks a use of an approval and records it.
func (h *History) followConsumption(e *evidence.Entry) {
	at, c := h.findKnown(e, "a consumption of")
	if c == nil {
		return
	}
	f := factsOf(e)
	part, ok := pastUse{at, -1}, f.Subject == "confirm"
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
		h.report("a use of request %s, which is an import", e.ConfirmID)
		return
	case c.status == pastPending || c.status == pastCancelled || c.status == pastRejected && h.partlyApproved[at] == nil:
		h.report("a use of request %s, which was not approved", e.ConfirmID)
		return
	case !ok || (part.action < 0) != (c.actions == 0) || part.action >= c.actions:
		h.report("a use of request %s (%s), which has no such part", e.ConfirmID, f.Subject)
		return
	case c.status == pastRejected && !h.partlyApproved[at][part.action]:
		h.report("a use of request %s (%s), which was not approved", e.ConfirmID, f.Subject)
	case c.ended < h.restoredSeq:
		h.report("a use of request %s, which was approved before the restore of entry %d", e.ConfirmID, h.restoredSeq)
	case hashPrefix(e.EffectiveHash) != c.hash:
		h.report("a use of request %s with another content than was approved", e.ConfirmID)
	case c.is(pastUnbound) || c.is(pastPlanned) && c.plan == 0:
		h.report("a use of request %s, which lets no step of a plan run", e.ConfirmID)
		return
	}
	if c.plan != 0 {
		h.checkStepUse(e, at, step)
	}
	if c.plan == 0 || part.action >= 0 { // else checkStepUse has checked it
		if before, twice := h.uses[part]; twice {
			h.report("a second use of request %s (%s), which entry %d had used", e.ConfirmID, f.Subject, before)
		}
		h.uses[part] = e.Seq
	}
}

// followPrune checks that a content was allowed to be forgotten.
func (h *History) followPrune(e *evidence.Entry) {
	_, c := h.findKnown(e, "the content was forgotten of")
	if c == nil {
		return
	}
	f := factsOf(e)
	plan := h.planList[c.plan]
	switch {
	case c.is(pastPruned):
		h.report("the content of request %s was deleted a second time", e.ConfirmID)
	case c.status == pastPending:
		h.report("the content of request %s was deleted, which was pending", e.ConfirmID)
	case f.OlderThan != nil && c.at+1000**f.OlderThan > e.At.Add(clockSlack).UnixMilli():
		h.report("the content of request %s was deleted, which had ended less than %d s before", e.ConfirmID, *f.OlderThan)
	case f.DecidedSeq != 0 && f.DecidedSeq != c.ended:
		h.report("the content of request %s was deleted as decided by entry %d, and entry %d decided it", e.ConfirmID, f.DecidedSeq, c.ended)
	case plan.status == PlanProposed || plan.status == PlanApproved || plan.status == PlanInProgress:
		h.report("the content of request %s was deleted, whose plan %s was %s", e.ConfirmID, e.PlanID, plan.status)
	}
	c.flags |= pastPruned
}
