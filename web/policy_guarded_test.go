package web_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/domain"
)

// A change that a policy guards becomes a request, whose page shows the difference, and is
// made once it is approved there.
func TestPolicies_GuardedChangeIsRequested(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.payers()
	w.role("audit", "confirm.approve", "confirm.reject")
	auditor := w.user("aud", "audit")
	w.newPolicy(`{"v":1,"name":"Guard","effect":"require","match":{"tools":["policy.modify"]},"quorum":[{"role":"audit","approvals":1}]}`)
	id := w.newPolicy(strings.Replace(payments, `"tools":["wire_*","a,b"],"roles":["asker"]`, `"tools":["wire_*"]`, 1))

	page := admin.want(admin.get("/policies/"+id), http.StatusOK)
	fields := admin.typed(page)
	fields.Set("quorum_approvals_1", "1")
	fields.Set("rejections", "1")
	saved := admin.want(admin.do(http.MethodPost, "/policies/"+id, fields), http.StatusSeeOther)
	request := saved.Header.Get("Location")
	if !strings.HasPrefix(request, "/confirms/") {
		t.Fatalf("saving leads to %s", request)
	}
	if detail, err := w.svc.Policy(w.ctx, domain.System, id); err != nil || detail.PolicyVersion.Version != 1 {
		t.Fatalf("it was saved at once: %+v, %v", detail, err)
	}
	page = auditor.want(auditor.get(request), http.StatusOK)
	change := page.doc(t).Find(".what .diff").Text()
	if !strings.Contains(change, `"rejections": 1`) || !strings.Contains(change, `"rejections": 2`) {
		t.Errorf("the request shows the change as %q", change)
	}
	path, _, _ := strings.Cut(request, "?")
	auditor.want(auditor.submit(page, path+"/decision", "decision", "approve"), http.StatusSeeOther)
	if detail, err := w.svc.Policy(w.ctx, domain.System, id); err != nil || detail.PolicyVersion.Version != 2 || detail.Doc.Quorum[1].Approvals != 1 {
		t.Errorf("after it was approved: %+v, %v", detail, err)
	}
}

// The difference stands in place of the arguments only if it shows all of them.
func TestPolicies_DifferenceHidesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reviewer, agent := w.user("rea", "reviewer"), w.asker()
	for args, want := range map[string]int{`"before":{"a":1},"after":{"a":2}`: 1, `"before":{"a":1},"after":{"a":2},"wipe":true`: 0, `"before":{"a":1}`: 0} {
		c := w.post(agent, `{"target_type":"extension","target_id":"x","actions":[{"name":"policy.modify","args":{`+args+`}}]}`)
		if got := reviewer.want(reviewer.get("/confirms/"+c.ID), http.StatusOK).doc(t).Find(".what .diff").Length(); got != want {
			t.Errorf("%s: %d differences, want %d", args, got, want)
		}
	}
}
