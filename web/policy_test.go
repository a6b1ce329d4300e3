package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

const (
	nightWatch = `{"v":1,"name":"Night watch","effect":"require","match":{"tools":["page_*"]},"quorum":[{"role":"reviewer","approvals":1}]}`
	payments   = `{"v":1,"name":"Large wires","effect":"require","match":{"target_types":["other"],"tools":["wire_*","a,b"],"roles":["asker"]},` +
		`"condition":"args.amount > 10000","quorum":[{"role":"finance","approvals":1},{"role":"security","approvals":2}],"rejections":2,"timeout":5400,` +
		`"escalate":[{"after":900,"role":"architect","for":"security"}],"note":"Call the bank.\nThen decide."}`
)

// newPolicy saves an enabled policy and gives its id.
func (w *world) newPolicy(document string) string {
	w.t.Helper()
	saved, err := w.svc.SavePolicy(w.ctx, domain.System, domain.PolicyInput{Document: []byte(document), Enabled: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return saved.Policy.ID
}

// payers are an administrator, and people who may approve payments.
func (w *world) payers() *browser {
	w.t.Helper()
	w.role("finance", "confirm.approve")
	w.role("security", "confirm.approve")
	w.user("frida", "finance")
	w.user("sam", "security")
	return w.user("administrator", "admin")
}

// typed are all fields of the policy's form on a page, as a browser sends them.
func (b *browser) typed(page *answer) url.Values {
	b.t.Helper()
	fields := url.Values{}
	form := page.doc(b.t).Find(".policy-form")
	for _, field := range form.Find("input[name], textarea[name], select[name]").EachIter() {
		name, value := field.AttrOr("name", ""), field.AttrOr("value", "")
		_, isTicked := field.Attr("checked")
		switch {
		case field.Is("textarea"):
			value = strings.TrimPrefix(field.Text(), "\n")
		case field.Is("select") && field.Find("[selected]").Length() > 0:
			value = field.Find("[selected]").AttrOr("value", "")
		case field.Is("select"):
			value = field.Find("option").First().AttrOr("value", "")
		case field.Is("[type=checkbox]") && !isTicked:
			continue
		}
		fields.Add(name, value)
	}
	if fields.Get("csrf") == "" {
		b.t.Fatalf("no form of a policy on the page:\n%s", page.text)
	}
	return fields
}

// sends sends the policy's form of a page with the given names and values changed.
func (b *browser) sends(page *answer, to string, pairs ...string) *answer {
	b.t.Helper()
	fields := b.typed(page)
	for i := 0; i+1 < len(pairs); i += 2 {
		fields.Set(pairs[i], pairs[i+1])
	}
	return b.do(http.MethodPost, to, fields)
}

// An administrator builds a rule from the form alone, tries it, reads what it will do,
// saves it, and requests are held to it.
func TestPolicy_BuiltFromTheForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.payers()
	agent := w.asker()
	small, large := w.post(agent, wire(`{"amount":50}`)), w.post(agent, wire(`{"amount":50000}`))
	without := w.post(agent, wire(`{"sum":1}`))
	if link := b.get("/confirms").doc(t).Find(`nav a[href="/policies"]`); link.Length() == 0 {
		t.Error("the navigation has no policies")
	}
	page := b.want(b.get("/policies/new"), http.StatusOK)
	built := []string{"name", "Large wires", "tools", "wire_*", "member_0", "args.amount", "is_0", "over", "value_0", "10000",
		"quorum_role_0", w.roleID("finance"), "quorum_role_1", w.roleID("security")}
	head := w.head()
	tried := b.want(b.sends(page, "/policies/try", built...), http.StatusOK)
	const sentence = "For calls of wire_* with amount over 10,000, one person of finance and one of security must approve. One rejection is enough to refuse."
	result := tried.doc(t).Find("[aria-labelledby=trial]")
	if got := strings.TrimSpace(result.Find(".lead").Text()); got != sentence {
		t.Errorf("the sentence is %q", got)
	}
	if got := result.Find(".points").Text(); !strings.Contains(got, "matches 2 of the last 3 requests; 1 because") || !strings.Contains(got, "2 would have needed more than one person") ||
		!strings.Contains(got, "1 of finance, 1 of security") {
		t.Errorf("the counts are %q", got)
	}
	if result.Find(`a[href="/confirms/`+large.ID+`"]`).Length() != 1 || result.Find(`a[href="/confirms/`+small.ID+`"]`).Length() != 0 {
		t.Error("the large payment is not listed, or the small one is")
	}
	if row := result.Find(`tr:has(a[href="/confirms/` + without.ID + `"])`).Text(); !strings.Contains(row, "args.amount is missing") {
		t.Errorf("the payment without an amount says %q", row)
	}
	if w.head() != head {
		t.Error("the trial wrote something")
	}
	made := b.want(b.sends(tried, "/policies"), http.StatusSeeOther)
	own := b.want(b.get(made.Header.Get("Location")), http.StatusOK)
	if doc := own.doc(t); strings.TrimSpace(doc.Find(".confirm-head .lead").Text()) != sentence || !strings.Contains(doc.Find(".notice").Text(), "Policy saved") {
		t.Errorf("the page of the new policy:\n%s", own.text)
	}
	held := w.post(agent, wire(`{"amount":50000}`))
	if needs := w.outcome(held.ID).Requires; needs == nil || len(needs.Quorum) != 2 {
		t.Errorf("the large payment needs %+v", needs)
	}
	if needs := w.outcome(w.post(agent, wire(`{"amount":50}`)).ID).Requires; needs != nil {
		t.Errorf("the small payment needs %+v", needs)
	}
	list := b.want(b.get("/policies"), http.StatusOK).doc(t)
	if row := list.Find("tbody tr:contains('Large wires')").Text(); !strings.Contains(row, sentence) || !strings.Contains(row, "Enabled") || !strings.Contains(row, "version 1 by administrator") {
		t.Errorf("the list says %q", row)
	}
}

func wire(args string) string {
	return fmt.Sprintf(`{"target_type":"other","reason":"An invoice","actions":[{"name":"wire_transfer","args":%s}]}`, args)
}

// The form gives back exactly the document that it was filled from.
func TestPolicy_FormKeepsTheDocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.payers()
	w.asker()
	for _, document := range []string{
		payments, strings.Replace(payments, "args.amount > 10000", `args.a.size() > 2 ||\n!has(args.b)`, 1),
		`{"v":1,"name":"No deletions","effect":"reject","match":{"tools":["rm \"x\"","drop_*"]},"condition":"args.path.startsWith(\"/\") \u0026\u0026 args.n != 5","note":"Never."}`,
	} {
		id := w.newPolicy(document)
		before := w.policy(id).Document
		b.want(b.sends(b.get("/policies/"+id), "/policies/"+id), http.StatusSeeOther)
		if after := w.policy(id); after.Document != before || after.Version != 1 {
			t.Errorf("version %d (-before +after):\n%s", after.Version, cmp.Diff(before, after.Document))
		}
		b.want(b.sends(b.get("/policies/"+id), "/policies/"+id, "name", "Other"), http.StatusSeeOther)
		if got := strings.Replace(w.policy(id).Document, `"Other"`, `"`+w.policy(id).Versions[1].Name+`"`, 1); got != before {
			t.Errorf("with another name (-before +after):\n%s", cmp.Diff(before, got))
		}
		b.want(b.sends(b.get("/policies/"+id), "/policies/"+id, "name", fmt.Sprint(len(before))), http.StatusSeeOther)
	}
}

func (w *world) policy(id string) *domain.PolicyDetail {
	w.t.Helper()
	d, err := w.svc.Policy(w.ctx, domain.System, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// roleID finds a role by its name.
func (w *world) roleID(name string) string {
	w.t.Helper()
	role, _, err := w.svc.Role(w.ctx, domain.System, name)
	if err != nil {
		w.t.Fatal(err)
	}
	return role.ID
}
