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
