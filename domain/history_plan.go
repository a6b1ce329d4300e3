package domain

import (
	"strings"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// pastPlan is a plan as the log has it. Before it is created it is only what confirms
// name.
type pastPlan struct {
	id         string
	number     int32
	exists     bool // has been created
	imported   bool
	locked     bool
	status     PlanStatus
	hash       uint64 // prefix
	by         int32  // who posted it, an index in actorList
	size       int    // steps
	done       int    // completed and skipped steps
	failed     int    // failed steps
	incomplete bool   // the log does not list all steps that were blocked or unblocked

	earlyConfirms []int32     // requested before the plan was created
	pending       int         // pending confirms about no single step
	unbound       int         // rejected confirms that name no step of the plan
	whole         pastBinding // the latest of the whole plan
	places        map[string]int32
	steps         []pastStep // those that the log tells of
}

// pastStep is a step of a plan.
type pastStep struct {
	status  StepStatus
	pending int
	own     pastBinding // the latest
	// used is the entry that consumed it first, 0 for none, and usedBy the approval
	// that it used.
	used   int64
	usedBy int32
}

// pastBinding is a confirm that counts for a step, and the hash that the plan had then.
type pastBinding struct {
	seq  int64 // the entry that requested it, 0 for none
	hash uint64
}

// noStep is the step index of confirms about the whole plan.
const noStep int32 = -1

// plan returns the plan with an id, whether it was created or only named.
func (h *History) plan(id string) *pastPlan {
	p := h.plans[id]
	if p == nil {
		p = &pastPlan{id: strings.Clone(id), number: int32(len(h.planList))}
		h.plans[p.id] = p
		h.planList = append(h.planList, p)
	}
	return p
}

func (p *pastPlan) step(id string) (int32, *pastStep) {
	at, known := p.places[id]
	if !known {
		at = int32(len(p.steps))
		if p.places == nil {
			p.places = map[string]int32{}
		}
		p.places[strings.Clone(id)] = at
		p.steps = append(p.steps, pastStep{status: StepPending})
	}
	return at, &p.steps[at]
}

// linkToPlan records a confirm that names a plan. If it was requested before the plan
// existed, or by someone who may not see it, it counts only within one group and lets
// nothing run.
func (h *History) linkToPlan(c *pastConfirm, at int32, f facts) {
	p := h.planList[c.plan]
	if f.StepID != "" {
		c.step, _ = p.step(f.StepID)
	}
	if f.Unbound {
		c.flags |= pastUnbound
	}
	switch {
	case !p.exists:
		p.earlyConfirms = append(p.earlyConfirms, at)
	case f.Unknown:
		h.linkUnseen(at)
	default:
		h.bindToPlan(at, p.hash)
	}
}

// linkUnseen records a confirm whose requester did not see the plan, once the plan
// exists.
func (h *History) linkUnseen(at int32) {
	c := &h.confirmList[at]
	if h.actorList[c.by].group() == h.actorList[h.planList[c.plan].by].group() {
		h.bindToPlan(at, 0)
	}
}

// bindToPlan makes a confirm count for its plan.
func (h *History) bindToPlan(at int32, hash uint64) {
	c := &h.confirmList[at]
	c.flags |= pastCounts
	p := h.planList[c.plan]
	switch v := (pastBinding{c.seq, hash}); {
	case c.is(pastUnbound):
	case c.step == noStep:
		p.whole = v
	default:
		p.steps[c.step].own = v
	}
	*p.pendingCount(c)++
	if c.status != pastPending {
		p.resolve(c)
	}
}

// pendingCount returns the counter of pending confirms that this confirm belongs to.
func (p *pastPlan) pendingCount(c *pastConfirm) *int {
	if c.step == noStep {
		return &p.pending
	}
	return &p.steps[c.step].pending
}

// resolve records the decision of a confirm that counts.
func (p *pastPlan) resolve(c *pastConfirm) {
	*p.pendingCount(c)--
	if c.is(pastUnbound) && c.status == pastRejected {
		p.unbound++
	}
}

// checkStepUse checks the use of an approval for a step: the gate must have said RESUME
// because of it (see Service.decideGate), and no other approval may be used for the
// step later.
func (h *History) checkStepUse(e *evidence.Entry, at int32, stepID string) {
	c := &h.confirmList[at]
	p, place := h.planList[c.plan], c.step
	if stepID != "" {
		place, _ = p.step(stepID)
	}
	if place == noStep || c.step != noStep && c.step != place {
		h.report("a use of request %s for the step %q of plan %s, for which it does not speak", e.ConfirmID, stepID, p.id)
		return
	}
	step := &p.steps[place]
	why := ""
	speaks := step.own
	if speaks.seq == 0 {
		speaks = p.whole
	}
	switch {
	case !p.exists:
		why = "there was no such plan"
	case p.pending > 0 || step.pending > 0:
		why = "a request for it was pending"
	case p.unbound > 0:
		why = "a request that names no step of the plan was rejected"
	case speaks.seq != c.seq:
		why = "another request spoke for it"
	case p.imported:
		why = "the plan was an import"
	case p.locked:
		why = "the plan was locked"
	case p.status != PlanApproved && p.status != PlanInProgress:
		why = "the plan was " + string(p.status)
	case speaks.hash != p.hash:
		why = "the plan had been changed since"
	}
	if why != "" && !h.partial {
		h.report("a use of request %s for a step of plan %s, which the gate did not let run: %s", e.ConfirmID, p.id, why)
	}
	switch {
	case step.used != 0 && (step.usedBy != at || c.actions == 0):
		h.report("a second use of a step of plan %s, by request %s, which entry %d had used", p.id, e.ConfirmID, step.used)
	case step.used == 0:
		step.used, step.usedBy = e.Seq, at
	}
}

// followPlan checks a change of a plan and records it.
func (h *History) followPlan(e *evidence.Entry, event string) {
	p, f := h.plan(e.PlanID), factsOf(e)
	if event == "created" || event == "imported" {
		h.addPlan(e, p, f)
		return
	}
	if !p.exists {
		h.report("plan %s is %s, and was never created", p.id, event)
		return
	}
	if event == "revised" {
		h.followRevision(e, p, f)
		return
	}
	from, to := PlanStatus(f.From), PlanStatus(f.Status)
	switch {
	case planMoves[event] == "":
		return
	case p.imported || p.locked:
		h.report("plan %s is %s, and was an import or locked", p.id, event)
	case from != p.status:
		h.report("plan %s is %s from %s, and it was %s", p.id, event, from, p.status)
	case !from.CanMove(to) || to != planMoves[event]:
		h.report("plan %s is %s: it does not go from %s to %s", p.id, event, from, to)
	case hashPrefix(e.ContentHash) != p.hash:
		h.report("plan %s is %s with another content than it had", p.id, event)
	case (event == "approved" || event == "rejected") && !h.hasDecision(e, p, f, pastStatuses[Status(event)]):
		h.report("plan %s is %s, and no decision was made about it", p.id, event)
	case event == "completed" && p.done != p.size:
		h.report("plan %s is completed, and %d of its %d steps are", p.id, p.done, p.size)
	case event == "started" && f.ContextID != "" && h.contexts[f.ContextID] != ContextActive:
		h.report("plan %s is started, and its context was not active", p.id)
	case event == "failed" && p.failed == 0:
		h.report("plan %s is failed, and none of its steps is", p.id)
	}
	p.status = to
}

// planMoves is the status that an entry of a plan leads to, by its verb.
var planMoves = map[string]PlanStatus{
	"proposed": PlanProposed, "approved": PlanApproved, "rejected": PlanDraft, "started": PlanInProgress,
	"completed": PlanCompleted, "failed": PlanFailed, "cancelled": PlanCancelled,
}

// addPlan records a new plan.
func (h *History) addPlan(e *evidence.Entry, p *pastPlan, f facts) {
	if p.exists {
		h.report("plan %s is created a second time", p.id)
		return
	}
	p.exists, p.imported, p.locked, p.status = true, e.Type == "plan.imported", f.Locked, PlanStatus(f.Status)
	if !p.imported && p.status != PlanDraft {
		h.report("plan %s is created as %s", p.id, p.status)
	}
	p.hash, p.size = hashPrefix(e.ContentHash), steps(f)
	p.by = h.numberOf(e)
	for _, at := range p.earlyConfirms {
		h.linkUnseen(at)
	}
	p.earlyConfirms = nil
}

func steps(f facts) int {
	if f.Steps == nil {
		return 0
	}
	return *f.Steps
}

// followRevision checks a rewritten draft, or a changed lock, and records it.
func (h *History) followRevision(e *evidence.Entry, p *pastPlan, f facts) {
	same := hashPrefix(e.ContentHash) == p.hash
	switch {
	case f.Steps == nil && !same:
		h.report("plan %s is revised while it was locked", p.id)
	case f.Steps == nil:
	case p.status != PlanDraft || p.imported || p.locked:
		h.report("plan %s is revised, and was no draft", p.id)
	default:
		p.hash, p.size = hashPrefix(e.ContentHash), steps(f)
	}
	p.locked = f.Locked
}

// hasDecision reports whether the entry before decided the confirm that this entry
// names, and whether that confirm was about the whole plan as it is.
func (h *History) hasDecision(e *evidence.Entry, p *pastPlan, f facts, status pastStatus) bool {
	_, c := h.find(f.ConfirmID)
	return c != nil && c.ended == e.Seq-1 && c.status == status && c.plan == p.number && c.step == noStep &&
		!c.is(pastUnbound) && !c.is(pastImported) && (p.whole.seq != c.seq || p.whole.hash == p.hash)
}

// followStep checks a move of a step with its consequences and records them.
func (h *History) followStep(e *evidence.Entry, event string) {
	p, f := h.plan(e.PlanID), factsOf(e)
	from, to := StepStatus(f.From), StepStatus(f.Status)
	place, step := p.step(f.StepID)
	switch {
	case !p.exists || p.imported || p.locked || p.status != PlanInProgress:
		h.report("step %s of plan %s is %s, and the plan was not running", f.StepID, p.id, event)
	case !p.canHaveBeen(step, from):
		h.report("step %s of plan %s is %s from %s, and it was %s", f.StepID, p.id, event, from, step.status)
	case !from.CanMove(to) || e.Type != to.event():
		h.report("step %s of plan %s is %s: it does not go from %s to %s", f.StepID, p.id, event, from, to)
	}
	p.move(place, to)
	p.incomplete = p.incomplete || f.MoreSteps > 0
	for _, follow := range []struct {
		ids      []string
		from, to StepStatus
	}{{f.Blocked, StepPending, StepBlocked}, {f.Unblocked, StepBlocked, StepPending}} {
		for _, id := range follow.ids {
			at, other := p.step(id)
			if !p.canHaveBeen(other, follow.from) {
				h.report("step %s of plan %s is %s because of step %s, and it was %s", id, p.id, follow.to, f.StepID, other.status)
			}
			p.move(at, follow.to)
		}
	}
}

// canHaveBeen reports whether a step may have had a status.
func (p *pastPlan) canHaveBeen(s *pastStep, status StepStatus) bool {
	waits := func(s StepStatus) bool { return s == StepPending || s == StepBlocked }
	return s.status == status || p.incomplete && waits(s.status) && waits(status)
}

// move changes the status of a step.
func (p *pastPlan) move(place int32, to StepStatus) {
	s := &p.steps[place]
	for _, n := range []struct {
		status StepStatus
		by     int
	}{{s.status, -1}, {to, 1}} {
		if n.status.isSatisfied() {
			p.done += n.by
		}
		if n.status == StepFailed {
			p.failed += n.by
		}
	}
	s.status = to
}

// ReadPlan parses a stored plan: the columns that repeat it, and its hash.
func ReadPlan(content []byte) (*Plan, error) {
	sent, err := mplp.ParseStoredPlan(content)
	if err != nil {
		return nil, err
	}
	p := new(Plan)
	return p, p.fill(sent)
}
