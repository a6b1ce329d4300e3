package domain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/quorum"
)

// payments is a policy that needs two people.
const payments = `{"v":1,"name":"Payments","effect":"require","match":{"tools":["pay"]},"condition":"args.amount > 100",
	"quorum":[{"role":"reviewer","approvals":1},{"role":"Human_User","approvals":1}]}`

// member returns a document with another member.
func member(document, name, value string) string {
	return strings.Replace(document, `"v":1,`, fmt.Sprintf(`"v":1,%q:%s,`, name, value), 1)
}

// policy saves a new policy in force.
func (w *world) policy(document string) *domain.PolicyVersion {
	w.t.Helper()
	saved, err := w.SavePolicy(w.ctx, domain.System, domain.PolicyInput{Document: []byte(document), Enabled: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return saved.Policy
}

func (w *world) policyDetail(idOrName string) *domain.PolicyDetail {
	w.t.Helper()
	detail, err := w.Policy(w.ctx, domain.System, idOrName)
	if err != nil {
		w.t.Fatal(err)
	}
	return detail
}

func TestPolicy_RefusalsNameThePlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone := w.key("gone", "executor")
	if err := w.RevokeKey(w.ctx, domain.System, gone.ID); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		document string
		want     string // path and code of each problem
	}{
		"no JSON":                   {`{"v":1`, " format"},
		"no object":                 {`[]`, " format"},
		"an unknown member":         {member(payments, "priority", "1"), "priority unknown"},
		"an unknown effect":         {strings.Replace(payments, "require", "approve", 1), "effect enum"},
		"a broken condition":        {strings.Replace(payments, "args.amount > 100", "args.amount >", 1), "condition condition"},
		"no quorum":                 {`{"v":1,"name":"A","effect":"require"}`, "quorum required"},
		"an unknown role":           {strings.Replace(payments, "Human_User", "finance team", 1), "quorum[1].role reference"},
		"an unknown role in match":  {strings.Replace(payments, `"match":{`, `"match":{"roles":["reviewer","nobody"],`, 1), "match.roles[1] reference"},
		"an unknown key":            {strings.Replace(payments, `"match":{`, `"match":{"keys":["nobody"],`, 1), "match.keys[0] reference"},
		"the name of a revoked key": {strings.Replace(payments, `"match":{`, `"match":{"keys":["gone"],`, 1), "match.keys[0] reference"},
		"unknown roles to escalate": {member(payments, "escalate", `[{"after":1,"role":"x","for":"y"}]`), "escalate[0].role reference, escalate[0].for reference"},
		"a role by name and by id":  {strings.Replace(payments, "Human_User", "Reviewer", 1), "quorum[1].role duplicate"},
		"a name that draws nothing": {strings.Replace(payments, "Payments", "Pay\u3164ments", 1), "name pattern"},
		"the name system":           {strings.Replace(payments, "Payments", "System", 1), "name const"},
		"spaces around a name":      {strings.Replace(payments, "Payments", " Payments", 1), "name pattern"},
	} {
		in := domain.PolicyInput{Document: []byte(tt.document), Enabled: true}
		_, err := w.SavePolicy(w.ctx, domain.System, in)
		var got []string
		for _, p := range domain.AsError(err).Problems {
			got = append(got, p.Path+" "+p.Code)
		}
		if text := strings.Join(got, ", "); text != tt.want || !strings.Contains(domain.AsError(err).Message, "name") && !strings.Contains(domain.AsError(err).Message, "The policy") {
			t.Errorf("%s: %s, want %s (%v)", name, text, tt.want, err)
		}
		if _, err := w.TryPolicy(w.ctx, domain.System, in.Document, 0); err == nil && !strings.Contains(tt.want, "name ") {
			t.Errorf("%s can be tried", name)
		}
	}
	if list, err := w.Policies(w.ctx, domain.System); err != nil || len(list) != 3 {
		t.Errorf("%d policies, %v: a refusal saved one", len(list), err)
	}
}

func TestPolicy_EverySaveIsAVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.user("admin", "admin")
	saved, err := w.SavePolicy(w.ctx, admin, domain.PolicyInput{Document: []byte(payments)})
	if err != nil {
		t.Fatal(err)
	}
	first := saved.Policy
	edit := func(version int64, document string, enabled bool) (*domain.SavedPolicy, error) {
		w.pass(1e9)
		return w.SavePolicy(w.ctx, admin, domain.PolicyInput{ID: first.ID, Version: version, Document: []byte(document), Enabled: enabled})
	}
	larger := strings.Replace(payments, "> 100", "> 200", 1)
	second, err := edit(1, larger, false)
	if err != nil || second.Policy.Version != 2 || second.Policy.ID != first.ID {
		t.Fatalf("%+v, %v", second, err)
	}
	_, err = edit(1, payments, true)
	w.wantCode(err, domain.CodeContentChanged)
	if e := domain.AsError(err); !strings.Contains(e.Message, "Somebody saved version 2") {
		t.Error(e.Message)
	}
	entries := len(w.entryTypes())
	if same, err := edit(2, " "+larger, false); err != nil || same.Policy.Version != 2 || len(w.entryTypes()) != entries {
		t.Errorf("a save that changes nothing: %+v, %v", same, err)
	}
	if third, err := w.EnablePolicy(w.ctx, admin, "PAYMENTS"); err != nil || third.Policy.Version != 3 || !third.Policy.Enabled || third.Policy.Document != second.Policy.Document {
		t.Errorf("enabled: %+v, %v", third, err)
	}
	_, err = w.EnablePolicy(w.ctx, admin, first.ID)
	w.wantCode(err, domain.CodeInvalidTransition)
	if fourth, err := w.DisablePolicy(w.ctx, admin, first.ID); err != nil || fourth.Policy.Version != 4 || fourth.Policy.Enabled {
		t.Errorf("disabled: %+v, %v", fourth, err)
	}
	_, err = w.DisablePolicy(w.ctx, admin, first.ID)
	w.wantCode(err, domain.CodeInvalidTransition)
	_, err = w.DisablePolicy(w.ctx, admin, "nobody")
	w.wantCode(err, domain.CodeNotFound)

	detail := w.policyDetail("payments")
	var versions []string
	for _, v := range detail.Versions {
		versions = append(versions, fmt.Sprintf("%d %v %s %v", v.Version, v.Enabled, v.SavedByName, v.Sentence != ""))
	}
	if want := []string{"4 false admin true", "3 true admin true", "2 false admin true", "1 false admin true"}; !slices.Equal(versions, want) {
		t.Errorf("versions %q, want %q", versions, want)
	}
	if detail.Version != 4 || detail.Doc.Condition != "args.amount > 200" {
		t.Errorf("current: %+v", detail.PolicyRow)
	}
	list, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{ObjectID: first.ID, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var logged []string
	for _, e := range list {
		logged = append(logged, e.Type+" "+string(e.Data))
	}
	fact := func(version int, enabled bool, document string) string {
		return fmt.Sprintf(`{"enabled":%v,"hash":%q,"name":"Payments","version":%d}`, enabled, quorum.PolicyHash([]byte(document)), version)
	}
	old, now := first.Document, second.Policy.Document
	want := []string{"policy.created " + fact(1, false, old), "policy.modified " + fact(2, false, now), "policy.modified " + fact(3, true, now), "policy.disabled " + fact(4, false, now)}
	if diff := cmp.Diff(want, logged); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestPolicy_NamesAreUniqueAndFew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.policy(payments)
	other := w.policy(strings.Replace(payments, "Payments", "Others", 1))
	rename := func(name string) error {
		_, err := w.SavePolicy(w.ctx, domain.System, domain.PolicyInput{ID: other.ID, Version: 1, Document: []byte(strings.Replace(payments, "Payments", name, 1)), Enabled: true})
		return err
	}
	_, err := w.SavePolicy(w.ctx, domain.System, domain.PolicyInput{Document: []byte(strings.Replace(payments, "Payments", "PAYMENTS", 1))})
	w.wantCode(err, domain.CodeIDTaken)
	w.wantCode(rename("payments"), domain.CodeIDTaken)
	w.wantCode(rename("ｐａｙｍｅｎｔｓ"), domain.CodeIDTaken) // full width
	w.wantCode(rename(first.ID), domain.CodeIDTaken)
	w.wantCode(rename("OTHERS"), "")
	for i := 5; i < domain.MaxPolicies; i++ {
		w.policy(strings.Replace(payments, "Payments", fmt.Sprint("Policy ", i), 1))
	}
	_, err = w.SavePolicy(w.ctx, domain.System, domain.PolicyInput{Document: []byte(strings.Replace(payments, "Payments", "Too many", 1))})
	w.wantCode(err, domain.CodeTooLarge)
	_, err = w.DisablePolicy(w.ctx, domain.System, "Policy 5")
	w.wantCode(err, "")
}

func TestPolicy_NeedsItsCapability(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.policy(payments)
	reads, modifies, neither := w.role("reads", "policy.read"), w.role("modifies", "policy.modify"), w.role("neither", "role.*", "destination.*")
	for _, by := range []struct {
		who           string
		ref           domain.Ref
		reads, writes domain.Code
	}{
		{"a user who may nothing", w.user("u0", neither), domain.CodeMissingCapability, domain.CodeMissingCapability},
		{"a user who reads", w.user("u1", reads), "", domain.CodeMissingCapability},
		{"a user who modifies", w.user("u2", modifies), "", ""},
		{"a key that may nothing", w.key("k0", neither), domain.CodeMissingCapability, domain.CodeMissingCapability},
		{"a key that reads", w.key("k1", reads), "", domain.CodeMissingCapability},
		{"a key that modifies", w.key("k2", modifies), "", ""},
		{"the command line", domain.System, "", ""},
	} {
		_, listed := w.Policies(w.ctx, by.ref)
		_, shown := w.Policy(w.ctx, by.ref, "payments")
		_, tried := w.TryPolicy(w.ctx, by.ref, []byte(payments), 1)
		document := []byte(strings.Replace(payments, "Payments", by.who, 1))
		_, saved := w.SavePolicy(w.ctx, by.ref, domain.PolicyInput{Document: document, Enabled: true})
		_, disabled := w.DisablePolicy(w.ctx, by.ref, "payments")
		if disabled == nil {
			_, disabled = w.EnablePolicy(w.ctx, by.ref, "payments")
		}
		for what, got := range map[string]error{"list": listed, "show": shown, "try": tried} {
			if domain.ErrorCode(got) != by.reads {
				t.Errorf("%s: %s: %v, want %q", by.who, what, got, by.reads)
			}
		}
		for what, got := range map[string]error{"save": saved, "disable and enable": disabled} {
			if domain.ErrorCode(got) != by.writes {
				t.Errorf("%s: %s: %v, want %q", by.who, what, got, by.writes)
			}
		}
	}
}

func TestPolicy_NamesLeadBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	role, err := w.CreateRole(w.ctx, domain.System, domain.RoleInput{Name: "Finance team"})
	if err != nil {
		t.Fatal(err)
	}
	bot, gone := w.key("Pay bot", "executor"), w.key("gone", "executor")
	document := fmt.Sprintf(`{"v":1,"name":"Payments","effect":"require","match":{"keys":["pay BOT",%q],"roles":["executor"]},
		"quorum":[{"role":"finance team","approvals":2}],"escalate":[{"after":60,"role":"Reviewer","for":"Finance Team"}]}`, gone.ID)
	v := w.policy(document)
	if err := w.RevokeKey(w.ctx, domain.System, gone.ID); err != nil {
		t.Fatal(err)
	}
	detail := w.policyDetail(v.ID)
	if d := detail.Doc; d.Quorum[0].Role != role.ID || !slices.Equal(d.Match.Keys, []string{bot.ID, gone.ID}) || d.Escalate[0].For != role.ID {
		t.Errorf("stored: %s", detail.Document)
	}
	if d := detail.Named; d.Quorum[0].Role != "Finance team" || !slices.Equal(d.Match.Keys, []string{"Pay bot", gone.ID}) || d.Escalate[0].Role != "reviewer" {
		t.Errorf("shown: %s", d.Marshal())
	}
	if want := "by the key Pay bot or gone by holders of executor, two people of Finance team must approve."; !strings.Contains(detail.Sentence, want) {
		t.Errorf("%s lacks %s", detail.Sentence, want)
	}
	again, err := w.SavePolicy(w.ctx, domain.System, domain.PolicyInput{ID: v.ID, Version: 1, Document: detail.Named.Marshal(), Enabled: true})
	if err != nil || again.Policy.Version != 1 {
		t.Errorf("what is shown is another policy: %+v, %v", again, err)
	}
}

func TestPolicy_KeepsItsRoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.role("finance")
	w.role("lead")
	w.role("asker")
	v := w.policy(`{"v":1,"name":"Payments","effect":"require","match":{"roles":["asker"]},"quorum":[{"role":"finance","approvals":1}],"escalate":[{"after":9,"role":"lead","for":"finance"}]}`)
	for _, name := range []string{"finance", "lead", "asker"} {
		role, use, err := w.Role(w.ctx, domain.System, name)
		if err != nil || len(use.Policies) != 1 || use.Policies[0] != (domain.Holder{ID: v.ID, Name: "Payments"}) || !use.IsUsed() {
			t.Errorf("%s: %+v, %v", name, use, err)
		}
		err = w.DeleteRole(w.ctx, domain.System, role.ID)
		w.wantCode(err, domain.CodeRoleInUse)
		if e := domain.AsError(err); !strings.Contains(e.Message, "Policies that name it: Payments.") {
			t.Error(e.Message)
		}
	}
	if _, err := w.DisablePolicy(w.ctx, domain.System, v.ID); err != nil {
		t.Fatal(err)
	}
	role, _, err := w.Role(w.ctx, domain.System, "finance")
	if err != nil {
		t.Fatal(err)
	}
	w.wantCode(w.DeleteRole(w.ctx, domain.System, role.ID), "")
	_, err = w.EnablePolicy(w.ctx, domain.System, v.ID)
	w.wantCode(err, domain.CodeInvalid)
	if e := domain.AsError(err); len(e.Problems) != 2 || e.Problems[0].Path != "quorum[0].role" {
		t.Errorf("%+v", e.Problems)
	}
	if row := w.policyDetail(v.ID); row.Doc == nil || !strings.Contains(row.Sentence, role.ID) {
		t.Errorf("a policy whose role is gone: %+v", row.PolicyRow)
	}
}

func TestPolicy_CountsWhoMayVote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.role("finance")
	two := strings.Replace(payments, `{"role":"reviewer","approvals":1}`, `{"role":"finance","approvals":2}`, 1)
	w.user("Kim", "finance", "human_user")
	w.user("Ada", "finance")                                      // may not approve
	w.user("Eve", "finance", w.role("rejects", "confirm.reject")) // neither
	gone := w.user("Bob", "finance", "reviewer")
	w.keyFor(domain.KeyInput{Name: "bot", Roles: []string{"finance", "reviewer"}, Owner: "Kim"})
	shortages := func() []domain.Shortage {
		t.Helper()
		trial, err := w.TryPolicy(w.ctx, domain.System, []byte(two), 1)
		if err != nil {
			t.Fatal(err)
		}
		if trial.Holders[0].Role != "finance" || trial.Holders[1] != (domain.RoleHolders{Role: "human_user", Holders: 1}) {
			t.Errorf("%+v", trial.Holders)
		}
		return trial.Shortages
	}
	if list := shortages(); len(list) != 0 {
		t.Errorf("two may vote: %+v", list)
	}
	if err := w.DisableUser(w.ctx, domain.System, gone.ID); err != nil {
		t.Fatal(err)
	}
	want := []domain.Shortage{{Role: "finance", Needed: 2, Holders: 1}}
	if diff := cmp.Diff(want, shortages()); diff != "" {
		t.Errorf("one may vote (-want +got):\n%s", diff)
	}
	saved, err := w.SavePolicy(w.ctx, domain.System, domain.PolicyInput{Document: []byte(two), Enabled: true})
	if err != nil || len(saved.Warnings) != 1 || saved.Warnings[0].Code != domain.CodeUnattainable {
		t.Errorf("%+v, %v", saved, err)
	}
	if diff := cmp.Diff(want, w.policyDetail("payments").Shortages); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

// insertVersion writes a version as a program of another version might.
func (w *world) insertVersion(v *domain.PolicyVersion) {
	w.t.Helper()
	v.SavedBy, v.SavedAt = domain.System, w.now()
	if err := w.db.Tx(w.ctx, func(tx domain.Tx) error {
		if err := tx.InsertPolicy(v); err != nil {
			return err
		}
		return tx.Append(&evidence.Entry{Type: "policy.created", At: w.now(), Principal: "system", Kind: "system", ObjectID: v.ID})
	}); err != nil {
		w.t.Fatal(err)
	}
}

func TestPolicy_WhatCannotBeReadFailsClosed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, document string
		want           domain.Code // of a post that no condition matches
	}{
		{"a condition of another version", strings.Replace(payments, "args.amount > 100", "args.amount.round() > 100", 1), ""},
		{"a member of another version", member(payments, "max_age", "300"), domain.CodeEvidenceUnavailable},
		{"an effect of another version", strings.Replace(payments, `"require"`, `"approve"`, 1), domain.CodeEvidenceUnavailable},
		{"no JSON", "{", domain.CodeEvidenceUnavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			asker, admin := w.key("asker", "executor"), w.user("admin", "admin")
			document := strings.Replace(tt.document, "Human_User", "human_user", 1)
			w.insertVersion(&domain.PolicyVersion{ID: "p1", Version: 1, Name: "Payments", Enabled: true, Document: document})
			posted, err := w.tryPost(asker, `{"target_type":"other","actions":[{"name":"pay","args":{"amount":1}}]}`)
			w.wantCode(err, tt.want)
			if err == nil && posted.Confirm.Quorum != 2 {
				t.Errorf("a condition that is unknown does not count as matching: %+v", posted.Confirm)
			}
			row := w.policyDetail("p1")
			if row.Broken == "" || (row.Doc == nil) != (tt.want != "") || row.Versions[0].Broken == "" {
				t.Errorf("shown as %+v", row.PolicyRow)
			}
			_, err = w.DisablePolicy(w.ctx, admin, "p1")
			w.wantCode(err, tt.want) // it may be what guards policies
			_, err = w.DisablePolicy(w.ctx, domain.System, "p1")
			if tt.want == "" {
				w.wantCode(err, domain.CodeInvalidTransition)
				return
			}
			w.wantCode(err, "")
			if _, err := w.tryPost(asker, `{"target_type":"other","actions":[{"name":"pay","args":{"amount":1}}]}`); err != nil {
				t.Errorf("after it was disabled: %v", err)
			}
		})
	}
}
