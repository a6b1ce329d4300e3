package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/web/route"
)

// objects are ids of things that are there, by the family of addresses.
func (w *world) objects() map[string]string {
	w.t.Helper()
	agent := w.asker()
	return map[string]string{
		"confirms": w.post(agent, trade).ID, "approvals": "unknown", "plans": w.plan(agent, "plan-1"),
		"contexts": w.newContext(agent), "roles": "reviewer", "users": w.newUser("bystander"), "keys": agent.ID, "account": "00",
		"traces": w.trace(agent), "evidence": w.post(agent, trade).ID, "destinations": w.newDestination(), "deliveries": "00", "policies": w.newPolicy(nightWatch),
	}
}

func (w *world) newDestination() string {
	w.t.Helper()
	d, _, err := w.svc.CreateDestination(w.ctx, domain.System, domain.DestinationInput{Name: "pager", Format: domain.FormatStandard,
		Address: "https://hooks.example/secret", Types: []string{"confirm.requested"}, Details: domain.DetailsNames})
	if err != nil {
		w.t.Fatal(err)
	}
	return d.ID
}

func (w *world) newUser(name string) string {
	w.t.Helper()
	u, _, err := w.svc.AddUser(w.ctx, domain.System, name, []string{"reviewer"}, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return u.ID
}

// trace posts a trace and gives its id.
func (w *world) trace(ref domain.Ref) string {
	w.t.Helper()
	in, err := mplp.ParseTraceObject([]byte(`{"trace_id":"trace-object-1","context_id":"ctx-1"}`), w.svc.Limits().MPLP())
	if err != nil {
		w.t.Fatal(err)
	}
	t, err := w.svc.CreateTrace(w.ctx, ref, in)
	if err != nil {
		w.t.Fatal(err)
	}
	return t.ID
}

// address fills the parameters of a route.
func address(path string, objects map[string]string) string {
	family := strings.Split(strings.TrimPrefix(path, "/api/v1"), "/")[1]
	for _, name := range []string{":id", ":key", ":step_id", ":type"} {
		path = strings.ReplaceAll(path, name, objects[family])
	}
	return strings.TrimSuffix(path, "*")
}

// isForPrograms reports whether an address takes keys instead of cookies.
func isForPrograms(path string) bool { return strings.HasPrefix(path, "/api/") || path == "/mcp" }

func TestEveryRouteDeclaresWhatItNeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	declared := map[string]bool{}
	for _, r := range w.web.Routes() {
		if r.Needs == "" {
			t.Errorf("%s %s declares nothing", r.Method, r.Path)
		}
		declared[r.Method+" "+r.Path] = true
	}
	registered := map[string]bool{}
	for _, r := range w.web.EchoRoutes() {
		if r.Method != echo.RouteNotFound {
			registered[r.Method+" "+r.Path] = true
		}
	}
	if diff := cmp.Diff(registered, declared); diff != "" {
		t.Errorf("routes outside of the table (-registered +declared):\n%s", diff)
	}
}

// Whoever may nothing is told so, or that nothing is there, by every address
// that needs a capability, and changes nothing anywhere.
func TestWhoMayNothingIsRefusedEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	objects := w.objects()
	b := w.user("guest", w.role("guest", "collab.join"))
	_, form := b.form(b.get("/account"), "/account/password")
	for _, r := range w.web.Routes() {
		if r.Needs == route.Public || isForPrograms(r.Path) || r.Path == "/live" || r.Path == "/logout" {
			continue
		}
		t.Run(r.Method+" "+r.Path, func(t *testing.T) {
			b, head := b.in(t), w.head()
			answer := b.do(r.Method, address(r.Path, objects), url.Values{"csrf": form["csrf"], "name": {"new"}, "username": {"new"}, "role": {"guest"}})
			if refused := answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusNotFound; !refused && r.Needs != route.Known {
				t.Errorf("status %d", answer.StatusCode)
			}
			for family, id := range objects {
				if len(id) > 8 && answer.StatusCode == http.StatusOK && strings.Contains(answer.text, id) {
					t.Errorf("an object of %s is shown", family)
				}
			}
			if w.head() != head {
				t.Error("the log grew")
			}
		})
	}
}

func TestNobodyIsSentToSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	objects, b := w.objects(), w.browser()
	for _, r := range w.web.Routes() {
		if r.Needs == route.Public || isForPrograms(r.Path) {
			continue
		}
		t.Run(r.Method+" "+r.Path, func(t *testing.T) {
			b := b.in(t)
			path := address(r.Path, objects)
			answer := b.do(r.Method, path, nil)
			want := http.StatusSeeOther
			if r.Path == "/live" {
				want = http.StatusUnauthorized
			}
			b.want(answer, want)
			if location := answer.Header.Get("Location"); want == http.StatusSeeOther && !strings.HasPrefix(location, "/login") {
				t.Errorf("location %q", location)
			}
			b.htmx = true
			b.want(b.do(r.Method, path, nil), http.StatusUnauthorized)
		})
	}
}

// leaks are what no answer may contain: the insides of the server.
var leaks = []string{".go:", "sql", "panic", "goroutine", "runtime error"}

// masked are form tokens, keys, hashes and signatures: random letters that spell
// anything in the end.
var masked = regexp.MustCompile(`name="csrf" value="[^"]*"|[A-Za-z0-9+/_-]{32,}=*`)

func TestGarbageLeaksNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("administrator", "admin")
	_, form := b.form(b.get("/account"), "/account/password")
	garbage := "'\"><script>\x00\u202e%zz{{7*7}}../../etc"
	id := url.PathEscape("'\"><%00\u202e")
	objects := map[string]string{"confirms": id, "approvals": id, "plans": id, "contexts": id, "roles": id, "users": id, "keys": id, "account": id, "validate": id, "evidence": id, "destinations": id, "deliveries": id, "policies": id}
	query := "?" + url.Values{
		"cursor": {garbage}, "q": {garbage}, "status": {garbage}, "type": {garbage}, "from": {garbage}, "token": {garbage}, "next": {garbage}, "after": {garbage},
	}.Encode()
	for _, r := range w.web.Routes() {
		if r.Path == "/live" || r.Path == "/logout" {
			continue
		}
		t.Run(r.Method+" "+r.Path, func(t *testing.T) {
			b := b.in(t)
			fields := url.Values{"csrf": form["csrf"]}
			for _, name := range []string{"decision", "reason", "content_hash", "username", "password", "role", "name", "capabilities", "owner", "expires_days", "link", "current"} {
				fields.Set(name, garbage)
			}
			for _, path := range []string{address(r.Path, objects), address(r.Path, objects) + query} {
				answer := b.do(r.Method, path, fields)
				if answer.StatusCode >= http.StatusInternalServerError {
					t.Errorf("%s: status %d", path, answer.StatusCode)
				}
				text := strings.ToLower(masked.ReplaceAllString(answer.text, ""))
				for _, leak := range leaks {
					if strings.Contains(text, leak) && !strings.HasPrefix(r.Path, "/static/") {
						t.Errorf("%s: the answer contains %q", path, leak)
					}
				}
			}
		})
	}
}
