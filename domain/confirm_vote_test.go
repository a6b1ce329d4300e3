package domain_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

const transfer = `{"target_type":"other","actions":[{"name":"wire_transfer","args":{"amount":25000,"currency":"EUR","iban":"DE02120300000000202051"}}]}`

// votingWorld is a server on which transfers need one of finance and one of security.
type votingWorld struct {
	*world
	agent              domain.Ref
	fay, finn, sue, ed domain.Ref // of finance, finance, security, and both
}

func newVotingWorld(t *testing.T, more string) *votingWorld {
	t.Helper()
	return votingOn(newWorld(t), more)
}

func votingOn(on *world, more string) *votingWorld {
	on.t.Helper()
	w := &votingWorld{world: on}
	w.role("finance", "confirm.approve", "confirm.reject")
	w.role("security")
	w.role("ops_lead")
	w.agent = w.key("robot", w.role("asker", "confirm.request", "plan.*"))
	w.fay, w.finn = w.user("fay", "finance"), w.user("finn", "finance")
	w.sue, w.ed = w.user("sue", "security", "reviewer"), w.user("ed", "finance", "security")
	w.policy(`{"v":1,"name":"Large transfers","effect":"require","match":{"tools":["wire_*"]},"condition":"args.amount > 10000",
		"quorum":[{"role":"finance","approvals":1},{"role":"security","approvals":1}]` + more + `}`)
	return w
}

// vote decides in a role.
func (w *world) vote(by domain.Ref, c *domain.Confirm, status domain.Status, role string) (*domain.Outcome, error) {
	return w.Decide(w.ctx, by, c.ID, domain.DecisionInput{Status: status, ContentHash: c.ContentHash, DecidedByRole: role})
}

func (w *world) mustVote(by domain.Ref, c *domain.Confirm, status domain.Status, role string) *domain.Outcome {
	w.t.Helper()
	o, err := w.vote(by, c, status, role)
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

// edited decides with other arguments.
func (w *world) edited(by domain.Ref, c *domain.Confirm, args string) (*domain.Outcome, error) {
	return w.Decide(w.ctx, by, c.ID, domain.DecisionInput{ContentHash: c.ContentHash, Actions: editTo(args)})
}

func editTo(args string) []mplp.ActionDecision {
	return []mplp.ActionDecision{{Type: "edit", Name: "wire_transfer", Args: json.RawMessage(args)}}
}

// counts are the approvals of each threshold.
func counts(o *domain.Outcome) string {
	if o.Requires == nil {
		return string(o.Confirm.Status)
	}
	var parts []string
	for _, q := range o.Requires.Quorum {
		parts = append(parts, fmt.Sprintf("%s %d of %d", q.Role, q.Approved, q.Approvals))
	}
	return strings.Join(parts, ", ")
}

func TestVote_AllThresholdsMustBeMet(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	c := w.post(w.agent, transfer)
	if got := counts(w.outcome(c.ID)); got != "finance 0 of 1, security 0 of 1" {
		t.Errorf("at first %s", got)
	}
	if got := counts(w.mustVote(w.fay, c, domain.Approved, "")); got != "finance 1 of 1, security 0 of 1" {
		t.Errorf("after finance %s", got)
	}
	if got := counts(w.mustVote(w.finn, c, domain.Approved, "")); got != "finance 1 of 1, security 0 of 1" {
		t.Errorf("a second of finance fills the seat of security: %s", got)
	}
	o := w.mustVote(w.sue, c, domain.Approved, "")
	if o.Confirm.Status != domain.Approved || o.Decision.DecidedByRole != "security" {
		t.Errorf("after security %+v", o.Confirm)
	}
	object, err := w.ConfirmJSON(w.ctx, w.agent, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	var decided struct {
		Status    string
		Decisions []struct{ Status, DecidedByRole string }
	}
	if err := json.Unmarshal(object.Native, &decided); err != nil || decided.Status != "approved" || len(decided.Decisions) != 3 || decided.Decisions[2].Status != "approved" {
		t.Errorf("%v: %s", err, object.Native)
	}
	if proof, err := w.Prove(w.ctx, domain.System, c.ID); err != nil || !proof.Proven {
		t.Errorf("%+v, %v", proof, err)
	}
	types := w.entryTypes()
	if got := strings.Join(types[len(types)-4:], " "); got != "confirm.requested confirm.voted confirm.voted confirm.approved" {
		t.Errorf("entries %s", got)
	}
}

func TestVote_WhereNothingMatchesNothingChanges(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	c := w.post(w.agent, strings.Replace(transfer, "25000", "9999", 1))
	detail, err := w.Confirm(w.ctx, w.fay, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	if c.Quorum != 0 || detail.Voting != nil || strings.Contains(string(detail.Stored.Content), "requires") {
		t.Errorf("%s", detail.Stored.Content)
	}
	if o := w.mustDecide(w.fay, c, domain.Approved); o.Confirm.Status != domain.Approved {
		t.Errorf("one decision leaves it %s", o.Confirm.Status)
	}
}

func TestVote_Refusals(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	c := w.post(w.agent, transfer)
	decider := w.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"finance"}, MayDecide: true, Owner: w.fay.ID})
	_, err := w.Decide(w.ctx, decider, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash})
	w.wantCode(err, domain.CodeNotFound) // keys do not see what they cannot decide
	own := w.keyFor(domain.KeyInput{Name: "own", Roles: []string{"asker", "finance"}, MayDecide: true, Owner: w.finn.ID})
	mine := w.post(own, transfer)
	_, err = w.vote(own, mine, domain.Approved, "")
	w.wantCode(err, domain.CodeHumanRequired)
	_, err = w.vote(w.finn, mine, domain.Approved, "")
	w.wantCode(err, domain.CodeSelfApproval)
	_, err = w.vote(w.fay, c, domain.Approved, "security")
	w.wantCode(err, domain.CodeRoleNotHeld)
	_, err = w.vote(w.user("rea", "reviewer"), c, domain.Rejected, "")
	w.wantCode(err, domain.CodeRoleNotHeld)
	_, err = w.vote(w.user("plain", "security"), c, domain.Approved, "")
	w.wantCode(err, domain.CodeNotFound) // a role without capabilities is a list of people
	_, err = w.Decide(w.ctx, w.fay, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash, UserEditContent: "Do it tomorrow."})
	w.wantCode(err, domain.CodeInvalid)
	if got := counts(w.outcome(c.ID)); got != "finance 0 of 1, security 0 of 1" {
		t.Errorf("refused votes count: %s", got)
	}
}

func TestVote_OneForEachUser(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	c := w.post(w.agent, transfer)
	w.mustVote(w.ed, c, domain.Approved, "finance")
	before := len(w.entryTypes())
	if got := counts(w.mustVote(w.ed, c, domain.Approved, "finance")); got != "finance 1 of 1, security 0 of 1" || len(w.entryTypes()) != before {
		t.Errorf("the same vote again: %s, %d entries more", got, len(w.entryTypes())-before)
	}
	if got := counts(w.mustVote(w.ed, c, domain.Approved, "")); got != "finance 1 of 1, security 0 of 1" || len(w.entryTypes()) != before {
		t.Errorf("the same vote again, in no role: %s", got)
	}
	if got := counts(w.mustVote(w.ed, c, domain.Approved, "security")); got != "finance 0 of 1, security 1 of 1" {
		t.Errorf("in the other role: %s", got)
	}
	if o := w.mustVote(w.finn, c, domain.Approved, ""); o.Confirm.Status != domain.Approved {
		t.Errorf("%+v", o.Confirm)
	}
}

func TestVote_Veto(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	c := w.post(w.agent, transfer)
	w.mustVote(w.fay, c, domain.Approved, "")
	if o := w.mustVote(w.fay, c, domain.Rejected, ""); o.Confirm.Status != domain.Rejected || o.Decision.Cause != domain.CauseHuman {
		t.Errorf("an approval turned into a rejection leaves %+v", o.Confirm)
	}
	_, err := w.vote(w.sue, c, domain.Approved, "")
	w.wantCode(err, domain.CodeAlreadyDecided)

	two := newVotingWorld(t, `,"rejections":2`)
	c = two.post(two.agent, transfer)
	if o := two.mustVote(two.fay, c, domain.Rejected, ""); o.Confirm.Status != domain.Pending {
		t.Fatalf("one of two rejections ends it: %+v", o.Confirm)
	}
	_, err = two.vote(two.fay, c, domain.Approved, "")
	two.wantCode(err, domain.CodeAlreadyVoted)
	if o := two.mustVote(two.sue, c, domain.Rejected, ""); o.Confirm.Status != domain.Rejected {
		t.Errorf("two rejections leave %+v", o.Confirm)
	}
}

func TestVote_EditsInheritNothing(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	c := w.post(w.agent, transfer)
	w.mustVote(w.fay, c, domain.Approved, "")
	const less = `{"amount":11000,"currency":"EUR","iban":"DE02120300000000202051"}`
	o, err := w.edited(w.sue, c, less)
	if err != nil || o.Confirm.Status != domain.Pending {
		t.Fatalf("an edit takes over the approval of what was asked: %+v, %v", o, err)
	}
	if o, err = w.edited(w.fay, c, less); err != nil || o.Confirm.Status != domain.Approved || o.Confirm.EffectiveHash == c.ContentHash {
		t.Fatalf("both approve the edit: %+v, %v", o, err)
	}
	bundle, err := w.ConfirmBundle(w.ctx, domain.System, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := evidence.BundleKey(bundle)
	report, err := evidence.VerifyBundle(bundle, key, "", domain.NewPartialHistory().Check)
	if err != nil || !report.IsVerified() {
		t.Errorf("%v: %+v", err, report)
	}
}

func TestVote_RecountAtTheEnd(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*votingWorld) error{
		"disabled": func(w *votingWorld) error { return w.DisableUser(w.ctx, domain.System, w.fay.ID) },
		"demoted": func(w *votingWorld) error {
			return w.AssignRoles(w.ctx, domain.System, w.fay.ID, []string{"reviewer"})
		},
		"role edited": func(w *votingWorld) error {
			_, err := w.UpdateRole(w.ctx, domain.System, "finance", domain.RoleInput{Name: "finance", Capabilities: []string{"confirm.reject"}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newVotingWorld(t, "")
			c := w.post(w.agent, transfer)
			w.mustVote(w.fay, c, domain.Approved, "")
			if err := lose(w); err != nil {
				t.Fatal(err)
			}
			if got := counts(w.mustVote(w.sue, c, domain.Approved, "")); got != "finance 0 of 1, security 1 of 1" {
				t.Errorf("counted is %s", got)
			}
		})
	}
}

func TestVote_TimesOutWithItsCount(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, `,"timeout":3600`)
	c := w.post(w.agent, transfer)
	w.mustVote(w.fay, c, domain.Approved, "")
	w.pass(time.Hour)
	if o := w.outcome(c.ID); o.Text != "Timed out after 3600 s: 1 of 2 approvals. This is not a refusal." {
		t.Errorf("%+v: %s", o.Confirm, o.Text)
	}
}

func TestVote_Escalation(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, `,"timeout":3600,"escalate":[{"after":900,"role":"ops_lead","for":"security"}]`)
	lead := w.user("lead", "ops_lead", "reviewer")
	c := w.post(w.agent, transfer)
	w.mustVote(w.fay, c, domain.Approved, "")
	waits := func() int {
		t.Helper()
		pending, err := w.Pending(w.ctx, lead)
		if err != nil {
			t.Fatal(err)
		}
		return len(pending.Mine)
	}
	w.pass(899 * time.Second)
	_, err := w.vote(lead, c, domain.Approved, "")
	w.wantCode(err, domain.CodeRoleNotHeld)
	if n := waits(); n != 0 {
		t.Errorf("%d wait for the lead too early", n)
	}
	w.pass(time.Second)
	if n := waits(); n != 1 {
		t.Errorf("%d wait for the lead", n)
	}
	if err := w.EscalateDue(w.ctx); err != nil {
		t.Fatal(err)
	}
	if types := w.entryTypes(); types[len(types)-1] != "confirm.escalated" {
		t.Errorf("the last entry is %s", types[len(types)-1])
	}
	before := len(w.entryTypes())
	if err := w.EscalateDue(w.ctx); err != nil || len(w.entryTypes()) != before {
		t.Errorf("told again: %v", err)
	}
	if o := w.mustVote(lead, c, domain.Approved, ""); o.Confirm.Status != domain.Approved || o.Decision.DecidedByRole != "ops_lead" {
		t.Errorf("%+v", o.Confirm)
	}
}

func TestVote_InboxSaysWhatWaitsForWhom(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	c := w.post(w.agent, transfer)
	state := func(who domain.Ref) string {
		t.Helper()
		list, err := w.Inbox(w.ctx, who, domain.ConfirmFilter{Status: domain.Pending}, domain.Page{})
		if err != nil || len(list.Rows) != 1 {
			t.Fatalf("%d rows, %v", len(list.Rows), err)
		}
		mine, err := w.Inbox(w.ctx, who, domain.ConfirmFilter{Mine: true}, domain.Page{})
		if err != nil {
			t.Fatal(err)
		}
		row := list.Rows[0]
		return fmt.Sprintf("%d of %d, mine %t %d %d", row.Voting.Approved, row.Voting.Needed, row.Mine, len(mine.Rows), len(list.Pending.Mine))
	}
	if got := state(w.fay); got != "0 of 2, mine true 1 1" {
		t.Errorf("before: %s", got)
	}
	w.mustVote(w.fay, c, domain.Approved, "")
	for who, want := range map[domain.Ref]string{w.fay: "1 of 2, mine false 0 0", w.sue: "1 of 2, mine true 1 1", w.user("rea", "reviewer"): "1 of 2, mine false 0 0"} {
		if got := state(who); got != want {
			t.Errorf("%s: %s, want %s", who, got, want)
		}
	}
}

func TestVote_KeysLearnNumbersOnly(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	reader := w.keyFor(domain.KeyInput{Name: "reader", Roles: []string{"asker", w.role("tracer", "trace.read")}})
	c := w.post(reader, transfer)
	w.mustVote(w.fay, c, domain.Approved, "")
	events, _, err := w.Events(w.ctx, reader, domain.EventFilter{ConfirmID: c.ID})
	if err != nil || slices.ContainsFunc(events, func(e domain.Event) bool { return e.Type == "confirm.voted" }) {
		t.Errorf("a key sees votes: %v, %v", events, err)
	}
	bundle, err := w.ConfirmBundle(w.ctx, reader, c.ID)
	if err != nil || strings.Contains(string(bundle), w.fay.ID) {
		t.Errorf("a bundle for a key names who voted: %v", err)
	}
	if events, _, err = w.Events(w.ctx, w.user("audit", "tracer"), domain.EventFilter{ConfirmID: c.ID}); err != nil || len(events) == 0 || events[len(events)-1].Type != "confirm.voted" {
		t.Errorf("an auditor sees %v, %v", events, err)
	}
}

func TestPolicy_RejectsAtOnce(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	w.policy(`{"v":1,"name":"No crypto","effect":"reject","condition":"args.currency == 'BTC'","note":"Never in coins."}`)
	posted, err := w.tryPost(w.agent, strings.Replace(transfer, "EUR", "BTC", 1))
	if err != nil {
		t.Fatal(err)
	}
	var object struct{ Status string }
	if json.Unmarshal(posted.Native, &object) != nil || object.Status != "rejected" {
		t.Errorf("answered %s", posted.Native)
	}
	o := w.outcome(posted.Confirm.ID)
	if o.Confirm.Status != domain.Rejected || o.Decision.Cause != domain.CausePolicy || o.Decision.DecidedByRole != "system" || o.Text != "Never in coins." {
		t.Errorf("%+v, %s", o.Decision, o.Text)
	}
	if n, _ := w.Pending(w.ctx, w.fay); n.All != 0 {
		t.Errorf("%d are pending", n.All)
	}
}

func TestVote_ThoseWhoVoteAreTold(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, `,"timeout":3600,"escalate":[{"after":900,"role":"ops_lead","for":"security"}]`)
	of := func(role string) *domain.Destination {
		return w.destination(role, func(in *domain.DestinationInput) {
			in.Types, in.Roles = []string{"confirm.requested", "confirm.voted", "confirm.escalated", "confirm.approved"}, []string{role}
		})
	}
	finance, lead, reviewer := of("finance"), of("ops_lead"), of("reviewer")
	c := w.post(w.agent, transfer)
	w.mustVote(w.fay, c, domain.Approved, "")
	w.pass(900 * time.Second)
	if err := w.EscalateDue(w.ctx); err != nil {
		t.Fatal(err)
	}
	w.mustVote(w.sue, c, domain.Approved, "")
	wantTold(t, w.deliver(finance), "confirm.requested "+c.ID, "confirm.voted "+c.ID, "confirm.approved "+c.ID)
	wantTold(t, w.deliver(lead), "confirm.escalated "+c.ID, "confirm.approved "+c.ID)
	wantTold(t, w.deliver(reviewer))
}

func TestVote_Unattainable(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	if err := w.DisableUser(w.ctx, domain.System, w.sue.ID); err != nil {
		t.Fatal(err)
	}
	warned := func(by domain.Ref) bool {
		t.Helper()
		posted, err := w.tryPost(by, transfer)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(posted.Warnings, func(warning mplp.Warning) bool { return warning.Code == "unattainable" })
	}
	if warned(w.agent) {
		t.Error("warned, and Ed is of security too")
	}
	if !warned(w.keyFor(domain.KeyInput{Name: "eds", Roles: []string{"asker"}, Owner: w.ed.ID})) {
		t.Error("not warned: Ed would have to approve his own request")
	}
}

func TestPolicy_RejectedProposalGoesBackToDraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.worker()
	w.policy(`{"v":1,"name":"No plans","effect":"reject","match":{"target_types":["plan"]}}`)
	id := w.plan(agent, "plan-1")
	c, err := w.ProposePlan(w.ctx, agent, id, domain.ProposeInput{})
	if err != nil || c.Status != domain.Rejected || c.Cause != domain.CausePolicy {
		t.Fatalf("%+v, %v", c, err)
	}
	if status := w.planStatus(id); status != domain.PlanDraft {
		t.Errorf("the plan is %s", status)
	}
	if o := w.outcome(c.ID); o.Text != "The policy No plans does not allow this." {
		t.Errorf("%s", o.Text)
	}
}
