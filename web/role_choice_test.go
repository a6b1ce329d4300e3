package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// many makes so many roles that no form lists all of them.
func (w *world) many(n int) {
	w.t.Helper()
	for i := range n {
		w.role(fmt.Sprintf("team %03d", i), "plan.create")
	}
}

// ticked are the names of the roles that a form has ticked, and offered those of
// all that it has.
func ticked(doc *goquery.Document, form string) (ticked, offered []string) {
	doc.Find("form[action='" + form + "'] .check").Each(func(_ int, check *goquery.Selection) {
		name := strings.TrimSpace(check.Find("strong").Text())
		offered = append(offered, name)
		if _, on := check.Find("input").Attr("checked"); on {
			ticked = append(ticked, name)
		}
	})
	return ticked, offered
}

// However many roles, users and keys there are, the pages that list users and keys
// and that give roles away stay small.
func TestPagesOfUsersAndKeysStaySmall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("admin", "admin")
	w.many(200)
	other := ""
	for i := range domain.DefaultPage + 20 {
		u, _, err := w.svc.AddUser(w.ctx, domain.System, fmt.Sprintf("user %03d", i), []string{"team 100", "tester"}, "")
		if err != nil {
			t.Fatal(err)
		}
		other = u.ID
		if _, _, err := w.svc.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: fmt.Sprintf("agent %03d", i), Roles: []string{"team 101"}, Owner: u.ID}); err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range []string{"/users", "/keys", "/users/" + other, "/roles/team%20100"} {
		page := b.want(b.get(at), http.StatusOK)
		if got := len(page.text); got > 100_000 {
			t.Errorf("%s has %d bytes", at, got)
		}
		if got := page.doc(t).Find("[name=role]").Length(); got > 14 {
			t.Errorf("%s offers %d roles", at, got)
		}
	}
	if got := b.get("/keys").doc(t).Find("input#owner").Length(); got != 1 {
		t.Error("the owner of a key is chosen among all users")
	}
}

func TestListsOfUsersAndKeysGoOnPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("admin", "admin")
	if got := b.want(b.get("/users"), http.StatusOK).doc(t).Find("[role=search]").Length(); got != 0 {
		t.Error("a list of one page has a search")
	}
	last := ""
	for i := range domain.DefaultPage {
		if _, _, err := w.svc.AddUser(w.ctx, domain.System, fmt.Sprintf("team %02d", i), []string{"tester"}, ""); err != nil {
			t.Fatal(err)
		}
		last = w.agent(fmt.Sprintf("Team %02d", i), "tester").ID
	}
	w.agent("admin's", "tester")
	for _, tc := range []struct {
		path, none string
	}{{"/users", "No user matches this name"}, {"/keys", "No key matches this name or id"}} {
		t.Run(tc.path, func(t *testing.T) {
			b := b.in(t)
			names := func(path string) (list []string, doc *goquery.Document) {
				doc = b.want(b.get(path), http.StatusOK).doc(t)
				doc.Find(".list tbody strong").Each(func(_ int, name *goquery.Selection) { list = append(list, strings.TrimSpace(name.Text())) })
				return list, doc
			}
			one, first := names(tc.path)
			two, _ := names(first.Find("a[rel=next]").AttrOr("href", ""))
			if len(one) != domain.DefaultPage || len(two) != 1 || !strings.HasSuffix(two[0], "eam 49") {
				t.Errorf("%d rows, then %q", len(one), two)
			}
			if found, _ := names(tc.path + "?q=AM+07"); len(found) != 1 || !strings.HasSuffix(found[0], "eam 07") {
				t.Errorf("the search finds %q", found)
			}
			if _, doc := names(tc.path + "?q=nobody"); doc.Find(".empty h2").Text() != tc.none {
				t.Errorf("an empty search says %q", doc.Find(".empty").Text())
			}
			b.want(b.get(tc.path+"?cursor=garbage"), http.StatusUnprocessableEntity)
		})
	}
	b.page = "/keys?cursor=x&q=Team"
	revoked := b.want(b.submit(b.get("/keys?q="+last), "/keys/"+last+"/revoke"), http.StatusSeeOther)
	if got := revoked.Header.Get("Location"); got != "/keys?cursor=x&done=key-revoked&q=Team" {
		t.Errorf("after revoking the reader is at %q", got)
	}
}

// A page that was the last and has no rows any more says so, and nothing of a search
// that nobody made.
func TestPageOfRolesThatAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("admin", "admin")
	w.many(domain.DefaultPage)
	next := b.get("/roles").doc(t).Find("a[rel=next]").AttrOr("href", "")
	b.want(b.get(next), http.StatusOK).doc(t).Find(".list tbody strong").Each(func(_ int, name *goquery.Selection) {
		if err := w.svc.DeleteRole(w.ctx, domain.System, strings.TrimSpace(name.Text())); err != nil {
			t.Fatal(err)
		}
	})
	empty := b.want(b.get(next), http.StatusOK).doc(t).Find(".empty")
	if got := empty.Find("h2").Text(); got != "No more entries" || empty.Find("a[href='/roles']").Length() != 1 {
		t.Errorf("the page says %q", empty.Text())
	}
}

// Among many roles those to give are found by a part of their names. Looking for
// them changes nothing and loses nothing, and what is held is always there.
func TestRolesToGiveAreFoundByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("admin", "admin")
	w.many(40)
	other := w.user("other", "team 030").ref.ID
	for _, tc := range []struct {
		name, page, action string
		fields             url.Values
		kept               string // a field that keeps what was typed
		ticked             []string
	}{
		{"an invitation", "/users", "/users", url.Values{"username": {"newcomer"}, "role": {"reviewer"}}, "#username", []string{"reviewer"}},
		{"a key", "/keys", "/keys", url.Values{"name": {"newcomer"}, "role": {"reviewer"}}, "#name", []string{"reviewer"}},
		{"a user's roles", "/users/" + other, "/users/" + other + "/roles", url.Values{"role": {"team 030", "reviewer"}}, "", []string{"team 030", "reviewer"}},
		{"a user's last role", "/users/" + other, "/users/" + other + "/roles", url.Values{}, "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, head := b.in(t), w.head()
			_, form := b.form(b.get(tc.page), tc.action)
			for name, values := range tc.fields {
				form[name] = values
			}
			form.Set("find", "role")
			form.Set("find_role", "AM 007")
			found := b.want(b.do(http.MethodPost, tc.action, form), http.StatusOK).doc(t)
			if w.head() != head {
				t.Error("looking for a role changed something")
			}
			on, offered := ticked(found, tc.action)
			if diff := cmp.Diff(tc.ticked, on); diff != "" {
				t.Errorf("ticked (-want +got):\n%s", diff)
			}
			if !strings.Contains(strings.Join(offered, ", "), "team 007") || len(offered) > 3 {
				t.Errorf("offered are %q", offered)
			}
			if strings.HasPrefix(tc.page, "/users/") && offered[0] != "team 030" {
				t.Errorf("the role held is not there: %q", offered)
			}
			if tc.kept != "" && found.Find(tc.kept).AttrOr("value", "") != "newcomer" {
				t.Error("what was typed is lost")
			}
			if notices := found.Find(".notice, .field-error").Text(); notices != "" {
				t.Errorf("the page complains: %s", notices)
			}
			form.Set("find_role", "nobody")
			if got := b.want(b.do(http.MethodPost, tc.action, form), http.StatusOK).doc(t).Find("form[action='" + tc.action + "'] .hint").Text(); !strings.Contains(got, "No other role matches.") {
				t.Errorf("a search that finds nothing says %q", got)
			}
		})
	}
}

// Who may not look up roles saves what a user holds as it was.
func TestRolesHeldStayThoughTheyCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("warden", w.role("user warden", "user.*", "plan.create"))
	w.role("hidden", "trace.read")
	other := w.user("other", "hidden").ref.ID
	role, _, err := w.svc.Role(w.ctx, domain.System, "hidden")
	if err != nil {
		t.Fatal(err)
	}
	at := "/users/" + other
	page := b.want(b.get(at), http.StatusOK).doc(t)
	if got := page.Find("section:has(h2:contains('Capabilities'))").Text(); strings.Contains(got, "none") || !strings.Contains(got, "role.read") {
		t.Errorf("of what the role allows, which is not the reader's to see, the page says %q", got)
	}
	on, offered := ticked(page, at+"/roles")
	if diff := cmp.Diff([]string{role.ID}, on); diff != "" {
		t.Errorf("ticked (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{role.ID, "user warden"}, offered); diff != "" {
		t.Errorf("offered (-want +got):\n%s", diff)
	}
}

// TestPasswordResetIsNoInvitation: a user whose password was voided was no guest.
func TestPasswordResetIsNoInvitation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("admin", "admin")
	other := w.user("other", "tester").ref.ID
	if _, _, err := w.svc.AddUser(w.ctx, domain.System, "newcomer", []string{"tester"}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.ResetUser(w.ctx, domain.System, "newcomer"); err != nil { // whose link was lost
		t.Fatal(err)
	}
	page := b.want(b.submit(b.get("/users/"+other), "/users/"+other+"/reset"), http.StatusOK).doc(t)
	if got := page.Find(".kicker .badge").Text(); !strings.Contains(got, "Password reset") {
		t.Errorf("the user's page says %q", got)
	}
	list := b.get("/users").doc(t)
	for name, want := range map[string]string{"other": "Password reset", "newcomer": "Invited", "admin": "Active"} {
		if got := list.Find("tr:has(strong:contains('" + name + "')) td[data-label=Status]").Text(); !strings.Contains(got, want) {
			t.Errorf("%s: the list says %q", name, got)
		}
	}
}

// Every list without rows says in a sentence what to do.
func TestEmptyListsSayWhatToDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("admin", "admin"), w.asker()
	draft := w.plan(agent, "plan-1")
	w.newContext(agent)
	fresh := newWorld(t).user("admin", "admin")
	for _, tc := range []struct {
		name   string
		b      *browser
		path   string
		at, do string // where it is said; the control or the words that say it
	}{
		{"inbox", fresh, "/confirms", ".empty", "a[href='/connect']"},
		{"nothing decided", fresh, "/confirms?status=decided", ".empty", "a[href='/confirms']"},
		{"inbox, narrowed", fresh, "/confirms?q=nothing", ".empty", "a"},
		{"plans", fresh, "/plans", ".empty", "pre"},
		{"plans of a status", fresh, "/plans?status=failed", ".empty", "a[href='/plans']"},
		{"contexts", fresh, "/contexts", ".empty", "pre"},
		{"keys", fresh, "/keys", ".empty", "p:contains('Create one with the form on this page')"},
		{"keys, narrowed", b, "/keys?q=nothing", ".empty", "a[href='/keys']"},
		{"users, narrowed", b, "/users?q=nothing", ".empty", "a[href='/users']"},
		{"roles, narrowed", b, "/roles?q=nothing", ".empty", "a[href='/roles']"},
		{"log, narrowed", b, "/log?confirm_id=nothing", ".empty", "a[href='/log']"},
		{"confirms of a draft", b, "/plans/" + draft, "aside", ".hint:contains('Proposing the plan creates the first one.')"},
		{"plans of a context", b, "/contexts/ctx-login-service", "aside", ".hint:contains('Agents name a context in the plans they post.')"},
		{"uses of a role", b, "/roles/tester", "aside", ".hint:contains('to new keys under Keys')"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := tc.b.in(t)
			if said := b.want(b.get(tc.path), http.StatusOK).doc(t).Find(tc.at); said.Find(tc.do).Length() == 0 {
				t.Errorf("it says %q", strings.Join(strings.Fields(said.Text()), " "))
			}
		})
	}
}

// A trace calls its plan and its confirms what other pages call them.
func TestTraceCallsThingsByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("admin", "admin"), w.asker()
	w.postPlan(agent, `{"plan_id":"p-1","context_id":"ctx-1","title":"Fix the login","objective":"No more errors","trace":{"trace_id":"trace-1"},"steps":[{"step_id":"s1","description":"Read the log"}]}`)
	step := w.post(agent, `{"trace":{"trace_id":"trace-1"},"target_type":"plan","target_id":"p-1","step_id":"s1"}`)
	c := w.post(agent, `{"trace":{"trace_id":"trace-1"},`+trade[1:])
	page := b.want(b.get("/traces/trace-1"), http.StatusOK).doc(t)
	for address, want := range map[string]string{"/plans/p-1": "Fix the login", "/confirms/" + c.ID: "“execute_trade”"} {
		if got := page.Find("p a[href='" + address + "'], .timeline a[href='" + address + "']").Text(); got != want {
			t.Errorf("%s is called %q", address, got)
		}
	}
	if got := page.Find(".timeline tr:has(a[href='/confirms/" + step.ID + "'])").Text(); !strings.Contains(got, "step “s1”") {
		t.Errorf("the confirm of a step says %q", got)
	}
	if got := page.Find(".log tr:has(a[href='/confirms/" + c.ID + "'])").Text(); !strings.Contains(got, "execute_trade") {
		t.Errorf("its entry says %q", got)
	}
}
