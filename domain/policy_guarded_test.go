package domain_test

import (
	"strings"
	"testing"

	"countersign/domain"
)

// guardedWorld is a server on which a change of a policy needs one of audit.
func guardedWorld(t *testing.T) (w *votingWorld, admin, auditor domain.Ref) {
	t.Helper()
	w = newVotingWorld(t, "")
	w.role("audit", "confirm.approve", "confirm.reject", "policy.read")
	w.policy(`{"v":1,"name":"Guard","effect":"require","match":{"tools":["policy.modify"]},"quorum":[{"role":"audit","approvals":1}]}`)
	return w, w.user("boss", w.role("policies", "policy.*", "confirm.*")), w.user("aud", "audit")
}

const weaker = `{"v":1,"name":"Large transfers","effect":"require","match":{"tools":["wire_*"]},"quorum":[{"role":"finance","approvals":1}]}`

func TestGuardedPolicy_TakesEffectOnceItIsApproved(t *testing.T) {
	t.Parallel()
	w, admin, auditor := guardedWorld(t)
	before := w.policyDetail("Large transfers")
	saved, err := w.SavePolicy(w.ctx, admin, domain.PolicyInput{ID: before.ID, Version: 1, Document: []byte(weaker), Enabled: true})
	if err != nil || saved.Policy != nil || saved.Confirm == nil {
		t.Fatalf("%+v, %v", saved, err)
	}
	if now := w.policyDetail(before.ID); now.PolicyVersion.Version != 1 {
		t.Fatalf("it is in force already: version %d", now.PolicyVersion.Version)
	}
	_, err = w.vote(admin, saved.Confirm, domain.Approved, "")
	w.wantCode(err, domain.CodeSelfApproval)
	if o := w.mustVote(auditor, saved.Confirm, domain.Approved, ""); o.Confirm.Status != domain.Approved {
		t.Fatalf("%+v", o.Confirm)
	}
	now := w.policyDetail(before.ID)
	if now.PolicyVersion.Version != 2 || now.SavedBy != admin || len(now.Doc.Quorum) != 1 || !now.Enabled {
		t.Errorf("%+v", now.PolicyVersion)
	}
	types := w.entryTypes()
	if got := strings.Join(types[len(types)-2:], " "); got != "confirm.approved policy.modified" {
		t.Errorf("entries %s", got)
	}
	w.close()
	wantVerified(t, "the change", verify(t, w.file, ""))
}

func TestGuardedPolicy_NobodyTurnsTheGuardOffAlone(t *testing.T) {
	t.Parallel()
	w, admin, auditor := guardedWorld(t)
	saved, err := w.DisablePolicy(w.ctx, admin, "Guard")
	if err != nil || saved.Confirm == nil || !w.policyDetail("Guard").Enabled {
		t.Fatalf("%+v, %v", saved, err)
	}
	w.mustVote(auditor, saved.Confirm, domain.Rejected, "")
	if !w.policyDetail("Guard").Enabled {
		t.Error("a rejected change was made")
	}
	if saved, err = w.DisablePolicy(w.ctx, admin, "Guard"); err != nil {
		t.Fatal(err)
	}
	w.mustVote(auditor, saved.Confirm, domain.Approved, "")
	if detail := w.policyDetail("Guard"); detail.Enabled || detail.PolicyVersion.Version != 2 {
		t.Errorf("%+v", detail.PolicyVersion)
	}
}

func TestGuardedPolicy_IsCreated(t *testing.T) {
	t.Parallel()
	w, admin, auditor := guardedWorld(t)
	saved, err := w.SavePolicy(w.ctx, admin, domain.PolicyInput{Document: []byte(strings.Replace(weaker, "Large transfers", "Other", 1)), Enabled: true})
	if err != nil || saved.Confirm == nil {
		t.Fatalf("%+v, %v", saved, err)
	}
	w.mustVote(auditor, saved.Confirm, domain.Approved, "")
	if detail := w.policyDetail("Other"); detail.PolicyVersion.Version != 1 || detail.ID != saved.Confirm.TargetID {
		t.Errorf("%+v", detail.PolicyVersion)
	}
}

func TestGuardedPolicy_ChangedMeanwhile(t *testing.T) {
	t.Parallel()
	w, admin, auditor := guardedWorld(t)
	detail := w.policyDetail("Large transfers")
	saved, err := w.SavePolicy(w.ctx, admin, domain.PolicyInput{ID: detail.ID, Version: 1, Document: []byte(weaker), Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.DisablePolicy(w.ctx, domain.System, detail.ID); err != nil {
		t.Fatal(err)
	}
	_, err = w.vote(auditor, saved.Confirm, domain.Approved, "")
	w.wantCode(err, domain.CodeContentChanged)
	if o := w.outcome(saved.Confirm.ID); o.IsFinal() {
		t.Errorf("%+v", o.Confirm)
	}
}

// An agent that calls its request a change of a policy changes none.
func TestGuardedPolicy_AgentsChangeNothing(t *testing.T) {
	t.Parallel()
	w, _, auditor := guardedWorld(t)
	detail := w.policyDetail("Large transfers")
	c := w.post(w.agent, `{"target_type":"extension","target_id":"`+detail.ID+`","actions":[{"name":"policy.modify","args":{"before":null,"after":`+weaker[:len(weaker)-1]+`,"enabled":true}}}]}`)
	if o := w.mustVote(auditor, c, domain.Approved, ""); o.Confirm.Status != domain.Approved {
		t.Fatalf("%+v", o.Confirm)
	}
	if now := w.policyDetail(detail.ID); now.PolicyVersion.Version != 1 {
		t.Errorf("version %d", now.PolicyVersion.Version)
	}
}

// What is pending under a policy keeps what it required.
func TestGuardedPolicy_PendingRequestsKeepWhatTheyRequired(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	c := w.post(w.agent, transfer)
	detail := w.policyDetail("Large transfers")
	if _, err := w.SavePolicy(w.ctx, domain.System, domain.PolicyInput{ID: detail.ID, Version: 1, Document: []byte(weaker), Enabled: true}); err != nil {
		t.Fatal(err)
	}
	w.post(w.agent, transfer)
	if detail = w.policyDetail(detail.ID); detail.Pending != 2 || detail.Versions[0].Pending != 1 || detail.Versions[1].Pending != 1 {
		t.Errorf("%d are pending, %d under the new version, %d under the old one", detail.Pending, detail.Versions[0].Pending, detail.Versions[1].Pending)
	}
	if got := counts(w.mustVote(w.fay, c, domain.Approved, "")); got != "finance 1 of 1, security 0 of 1" {
		t.Errorf("after the policy was weakened: %s", got)
	}
	if o := w.mustVote(w.fay, w.post(w.agent, transfer), domain.Approved, ""); o.Confirm.Status != domain.Approved {
		t.Errorf("a new request is still under the old version: %s", counts(o))
	}
}
