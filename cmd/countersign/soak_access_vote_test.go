package main

import (
	"net/http"
	"strings"
	"testing"

	"countersign/domain"
)

// TestBarR11_VotesOfPeopleOnly: at every address that decides, only people vote on a
// request with a quorum, in a role that has a vote now, and nobody on what their own
// group requested. A refusal changes nothing in any table.
func TestBarR11_VotesOfPeopleOnly(t *testing.T) {
	t.Parallel()
	b, _ := newBar(t, "R11, votes", 0, 0)
	h := newHouse(t, tempDB(t))
	for role, capabilities := range map[string]string{"finance": "confirm.approve confirm.reject", "security": "", "lead": "confirm.approve confirm.reject", "posing": "confirm.approve confirm.reject confirm.request plan.execute"} {
		if _, err := h.CreateRole(t.Context(), domain.System, domain.RoleInput{ID: role, Name: role, Capabilities: strings.Fields(capabilities)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.SavePolicy(t.Context(), domain.System, domain.PolicyInput{Enabled: true, Document: []byte(
		`{"v":1,"name":"Payments","effect":"require","match":{"tools":["pay"]},"quorum":[{"role":"finance","approvals":1},{"role":"security","approvals":1}],
			"escalate":[{"after":200,"role":"lead","for":"security"}]}`)}); err != nil {
		t.Fatal(err)
	}
	var callers []*caller
	var codes []string
	person := func(name, code string, roles ...string) {
		h.user(name, roles...)
		callers, codes = append(callers, &caller{visitor: h.signedIn(name), name: name, user: true}), append(codes, code)
	}
	key := func(name, code, owner string, mayDecide bool, roles ...string) {
		text, _ := h.key(domain.KeyInput{Name: name, Roles: roles, Owner: owner, MayDecide: mayDecide})
		callers, codes = append(callers, &caller{visitor: &visitor{house: h, key: text}, name: name}), append(codes, code)
	}
	person("fay", "", "finance")
	person("sue", "", "security", "reviewer")
	person("owner", "self-approval", "finance", "security")
	person("rea", "role-not-held", "reviewer")
	person("root", "role-not-held", "admin")
	person("lou", "role-not-held", "lead") // too early
	person("sid", "not-found", "security") // a list of people gives no capability
	key("own", "human-required", "owner", true, "posing", "finance")
	key("own without leave", "human-required", "owner", false, "posing", "finance")
	key("lone", "not-found", "", false, "finance", "security")
	key("fays", "not-found", "fay", true, "finance", "security") // keys do not see what they cannot decide
	h.destination("kept")
	id := posts(h, "voted", "owner")
	for i, c := range callers {
		before := digest(h)
		for _, r := range h.web.Routes() {
			rule, ok := ruleOf(c.user, r)
			if !ok || !rule.decision {
				continue
			}
			got := c.asks(r.Method, rule, id, domain.Ref{}, domain.Ref{})
			want := map[string]int{"not-found": http.StatusNotFound, "": got.status}[codes[i]]
			if want == 0 {
				want = http.StatusForbidden
			}
			isRefused := got.status == http.StatusForbidden || got.status == http.StatusNotFound
			if got.status != want || isRefused == (codes[i] == "") || !c.user && !strings.Contains(got.body, codes[i]) {
				b.violated("%s: %s %s: status %d, want %s: %.300s", c.name, r.Method, r.Path, got.status, codes[i], got.body)
			}
			b.n.Add(1)
		}
		if digest(h) != before { // votes that are allowed name other content
			b.violated("%s changed something", c.name)
		}
	}
}
