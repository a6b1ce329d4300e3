package domain

import (
	"strings"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// pastPlan is a plan, as far as the log tells. Before it is created it is what
// confirms name.
type pastPlan struct {
	id       string
	number   int32
	there    bool // it was created
	imported bool
	locked   bool
	status   PlanStatus
	hash     uint64 // a part of it
	by       int32  // who posted it, a place in History.acting
	size     int    // steps
	done     int    // steps that nobody has to wait for
	failed   int    // steps
	vague    bool   // the log does not list all steps that were blocked or freed

	early   []int32 // confirms that were requested before it was there
	pending int     // confirms of no single step that are
	unbound int     // that were rejected
	whole   voice   // the latest of the whole plan
	places  map[string]int32
	steps   []pastStep // those that the log tells of
}

// pastStep is a step of a plan.
type pastStep struct {
	status  StepStatus
	pending int
	own     voice // the latest
	// used is the entry that consumed it first, 0 for none, and usedBy whose
	// approval that was.
	used   int64
	usedBy int32
}

// voice is a confirm that speaks for a step, and the hash that the plan had then.
type voice struct {
	seq  int64 // the entry that requested it, 0 for none
	hash uint64
}

// wholePlan stands for the place of a step: there is none.
const wholePlan int32 = -1

// plan is the plan with an id, whether it was created or only named.
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

// aimed takes a confirm that names a plan. What is requested before there is the
// plan, or by who may not see it, counts only if both are of one group, and lets
// nothing run.
func (h *History) aimed(c *asked, at int32, f facts) {
	p := h.planList[c.plan]
	if f.StepID != "" {
		c.step, _ = p.step(f.StepID)
	}
	if f.Unbound {
		c.flags |= pastUnbound
	}
	switch {
	case !p.there:
		p.early = append(p.early, at)
	case f.Unknown:
		h.unseen(at)
	default:
		h.speaks(at, p.hash)
	}
}

// unseen takes a confirm whose requester did not see the plan that it names, once
// there is the plan.
func (h *History) unseen(at int32) {
	c := &h.asked[at]
	if h.acting[c.by].group() == h.acting[h.planList[c.plan].by].group() {
		h.speaks(at, 0)
	}
}

// speaks has a confirm count for its plan.
func (h *History) speaks(at int32, hash uint64) {
	c := &h.asked[at]
	c.flags |= pastCounts
	p := h.planList[c.plan]
	switch v := (voice{c.seq, hash}); {
	case c.is(pastUnbound):
	case c.step == wholePlan:
		p.whole = v
	default:
		p.steps[c.step].own = v
	}
	*p.waiting(c)++
	if c.status != pastPending {
		p.heard(c)
	}
}

// waiting counts what is pending and speaks for as much as a confirm does.
func (p *pastPlan) waiting(c *asked) *int {
	if c.step == wholePlan {
		return &p.pending
	}
	return &p.steps[c.step].pending
}

// heard takes the decision of a confirm that counts.
func (p *pastPlan) heard(c *asked) {
	*p.waiting(c)--
	if c.is(pastUnbound) && c.status == pastRejected {
		p.unbound++
	}
}

// consumedStep takes the use of an approval for a step of its plan: only if the gate
// said RESUME because of it (see Service.verdict), and by no other approval after
// that.
func (h *History) consumedStep(e *evidence.Entry, at int32, stepID string) {
	c := &h.asked[at]
	p, place := h.planList[c.plan], c.step
	if stepID != "" {
		place, _ = p.step(stepID)
	}
	if place == wholePlan || c.step != wholePlan && c.step != place {
		h.found("a consumption of confirm %s for the step %q of plan %s, for which it does not speak", e.ConfirmID, stepID, p.id)
		return
	}
	step := &p.steps[place]
	why := ""
	speaks := step.own
	if speaks.seq == 0 {
		speaks = p.whole
	}
	switch {
	case !p.there:
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
		h.found("a consumption of confirm %s for a step of plan %s, which the gate did not let run: %s", e.ConfirmID, p.id, why)
	}
	switch {
	case step.used != 0 && (step.usedBy != at || c.actions == 0):
		h.found("a second consumption of a step of plan %s, by confirm %s, which entry %d had consumed", p.id, e.ConfirmID, step.used)
	case step.used == 0:
		step.used, step.usedBy = e.Seq, at
	}
}

// planned takes a change of a plan.
func (h *History) planned(e *evidence.Entry, event string) {
	p, f := h.plan(e.PlanID), factsOf(e)
	if event == "created" || event == "imported" {
		h.posted(e, p, f)
		return
	}
	if !p.there {
		h.found("plan %s is %s, and was never created", p.id, event)
		return
	}
	if event == "revised" {
		h.revised(e, p, f)
		return
	}
	from, to := PlanStatus(f.From), PlanStatus(f.Status)
	switch {
	case planMoves[event] == "":
		return
	case p.imported || p.locked:
		h.found("plan %s is %s, and was an import or locked", p.id, event)
	case from != p.status:
		h.found("plan %s is %s from %s, and it was %s", p.id, event, from, p.status)
	case !from.CanMove(to) || to != planMoves[event]:
		h.found("plan %s is %s: it does not go from %s to %s", p.id, event, from, to)
	case hashPart(e.ContentHash) != p.hash:
		h.found("plan %s is %s with another content than it had", p.id, event)
	case (event == "approved" || event == "rejected") && !h.decidedFor(e, p, f, pastStatuses[Status(event)]):
		h.found("plan %s is %s, and no decision was made about it", p.id, event)
	case event == "completed" && p.done != p.size:
		h.found("plan %s is completed, and %d of its %d steps are", p.id, p.done, p.size)
	case event == "started" && f.ContextID != "" && h.contexts[f.ContextID] != ContextActive:
		h.found("plan %s is started, and its context was not active", p.id)
	case event == "failed" && p.failed == 0:
		h.found("plan %s is failed, and none of its steps is", p.id)
	}
	p.status = to
}

// planMoves is where the entries of a plan's moves lead.
var planMoves = map[string]PlanStatus{
	"proposed": PlanProposed, "approved": PlanApproved, "rejected": PlanDraft, "started": PlanInProgress,
	"completed": PlanCompleted, "failed": PlanFailed, "cancelled": PlanCancelled,
}

// posted takes a new plan.
func (h *History) posted(e *evidence.Entry, p *pastPlan, f facts) {
	if p.there {
		h.found("plan %s is created a second time", p.id)
		return
	}
	p.there, p.imported, p.locked, p.status = true, e.Type == "plan.imported", f.Locked, PlanStatus(f.Status)
	if !p.imported && p.status != PlanDraft {
		h.found("plan %s is created as %s", p.id, p.status)
	}
	p.hash, p.size = hashPart(e.ContentHash), steps(f)
	p.by = h.numberOf(e)
	for _, at := range p.early {
		h.unseen(at)
	}
	p.early = nil
}

func steps(f facts) int {
	if f.Steps == nil {
		return 0
	}
	return *f.Steps
}

// revised takes a draft that was written anew, or the lock of a plan that was set
// or taken away.
func (h *History) revised(e *evidence.Entry, p *pastPlan, f facts) {
	same := hashPart(e.ContentHash) == p.hash
	switch {
	case f.Steps == nil && !same:
		h.found("plan %s is revised while it was locked", p.id)
	case f.Steps == nil:
	case p.status != PlanDraft || p.imported || p.locked:
		h.found("plan %s is revised, and was no draft", p.id)
	default:
		p.hash, p.size = hashPart(e.ContentHash), steps(f)
	}
	p.locked = f.Locked
}

// decidedFor says whether the entry before it decided the confirm that it follows
// from, and that was of the whole plan as it is.
func (h *History) decidedFor(e *evidence.Entry, p *pastPlan, f facts, status pastStatus) bool {
	_, c := h.find(f.ConfirmID)
	return c != nil && c.ended == e.Seq-1 && c.status == status && c.plan == p.number && c.step == wholePlan &&
		!c.is(pastUnbound) && !c.is(pastImported) && (p.whole.seq != c.seq || p.whole.hash == p.hash)
}

// stepped takes a move of a step, and what followed from it.
func (h *History) stepped(e *evidence.Entry, event string) {
	p, f := h.plan(e.PlanID), factsOf(e)
	from, to := StepStatus(f.From), StepStatus(f.Status)
	place, step := p.step(f.StepID)
	switch {
	case !p.there || p.imported || p.locked || p.status != PlanInProgress:
		h.found("step %s of plan %s is %s, and the plan was not running", f.StepID, p.id, event)
	case !p.may(step, from):
		h.found("step %s of plan %s is %s from %s, and it was %s", f.StepID, p.id, event, from, step.status)
	case !from.CanMove(to) || e.Type != to.event():
		h.found("step %s of plan %s is %s: it does not go from %s to %s", f.StepID, p.id, event, from, to)
	}
	p.move(place, to)
	p.vague = p.vague || f.MoreSteps > 0
	for _, follow := range []struct {
		ids      []string
		from, to StepStatus
	}{{f.Blocked, StepPending, StepBlocked}, {f.Unblocked, StepBlocked, StepPending}} {
		for _, id := range follow.ids {
			at, other := p.step(id)
			if !p.may(other, follow.from) {
				h.found("step %s of plan %s is %s because of step %s, and it was %s", id, p.id, follow.to, f.StepID, other.status)
			}
			p.move(at, follow.to)
		}
	}
}

// may says whether a step may have had a status.
func (p *pastPlan) may(s *pastStep, status StepStatus) bool {
	waits := func(s StepStatus) bool { return s == StepPending || s == StepBlocked }
	return s.status == status || p.vague && waits(s.status) && waits(status)
}

// move gives a step another status.
func (p *pastPlan) move(place int32, to StepStatus) {
	s := &p.steps[place]
	for _, n := range []struct {
		status StepStatus
		by     int
	}{{s.status, -1}, {to, 1}} {
		if n.status.satisfied() {
			p.done += n.by
		}
		if n.status == StepFailed {
			p.failed += n.by
		}
	}
	s.status = to
}

// ReadPlan reads a plan as it is stored: what its row repeats of it, and the hash of
// what is approved.
func ReadPlan(content []byte) (*Plan, error) {
	sent, err := mplp.ParseStoredPlan(content)
	if err != nil {
		return nil, err
	}
	p := new(Plan)
	return p, p.fill(sent)
}
