package web_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"countersign/domain"
	"countersign/domain/credential"
	"countersign/domain/mplp"
	"countersign/static"
	"countersign/store"
	"countersign/web"
	"countersign/web/notify"
)

// world is a server over a real database, with a clock that tests move.
type world struct {
	t    *testing.T
	ctx  context.Context
	svc  *domain.Service
	db   *store.DB
	file string // of the database
	feed *domain.Feed
	web  *web.Server
	url  string
	// sender sends to destinations. Tests that have a receiver put another one here.
	sender *notify.Sender

	mu    sync.Mutex
	clock time.Time
	tick  time.Duration // by which each look at the clock moves it
}

func newWorld(t *testing.T, change ...func(*web.Config)) *world {
	t.Helper()
	w := &world{t: t, ctx: t.Context(), feed: domain.NewFeed(), clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	w.sender = notify.New(notify.Options{BaseURL: &url.URL{Scheme: "https", Host: "countersign.example"}})
	var err error
	w.file = filepath.Join(t.TempDir(), "countersign.db")
	w.db, err = store.Open(w.ctx, w.file, store.Options{Now: w.now, Committed: w.feed.Publish})
	if err != nil {
		t.Fatal(err)
	}
	w.svc = domain.NewService(w.db, domain.Config{
		Feed: w.feed, Now: w.now, Hasher: credential.NewHasher(credential.Params{Memory: 8, Time: 1, Parallelism: 1}, 2),
		CheckAddress: func(address string) error { return w.sender.CheckURL(address) },
	})
	if err := w.svc.Prepare(w.ctx); err != nil {
		t.Fatal(err)
	}
	assets, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	config := web.Config{Service: w.svc, Assets: assets, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Checks: []web.Check{{Name: "database", Ask: w.db.Ready}},
		Send: func(ctx context.Context, d *domain.Dispatch) domain.DeliveryResult { return w.sender.Send(ctx, d) }}
	for _, c := range change {
		c(&config)
	}
	w.web = web.New(config)
	var requests sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		defer requests.Done()
		w.web.ServeHTTP(rw, r)
	}))
	w.url = server.URL
	t.Cleanup(func() {
		w.feed.Close()
		server.Close()
		requests.Wait() // streams have connections of their own
		if err := w.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// sql changes the database as something else would.
func (w *world) sql(texts ...string) {
	w.t.Helper()
	db, err := sql.Open("sqlite", w.file)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, text := range texts {
		if _, err := db.Exec(text); err != nil {
			w.t.Fatalf("%s: %v", text, err)
		}
	}
	if err := db.Close(); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(w.tick)
	return w.clock
}

// pass moves the clock on.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

const password = "a quiet harbour at dawn"

// user adds a user with roles and gives a browser in which they are signed in.
func (w *world) user(name string, roles ...string) *browser {
	w.t.Helper()
	u, _, err := w.svc.AddUser(w.ctx, domain.System, name, roles, password)
	if err != nil {
		w.t.Fatal(err)
	}
	b := w.browser()
	b.ref = domain.Ref{Kind: domain.KindUser, ID: u.ID}
	login := b.get("/login")
	b.want(b.submit(login, "/login", "username", name, "password", password), http.StatusSeeOther)
	return b
}

// role creates a role with capabilities and gives its name.
func (w *world) role(name string, capabilities ...string) string {
	w.t.Helper()
	if _, err := w.svc.CreateRole(w.ctx, domain.System, domain.RoleInput{Name: name, Capabilities: capabilities}); err != nil {
		w.t.Fatal(err)
	}
	return name
}

// agent adds a key without an owner.
func (w *world) agent(name string, roles ...string) domain.Ref {
	w.t.Helper()
	k, _, err := w.svc.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: name, Roles: roles})
	if err != nil {
		w.t.Fatal(err)
	}
	return domain.Ref{Kind: domain.KindAgent, ID: k.ID}
}

// asker adds a key that may ask for anything.
func (w *world) asker() domain.Ref {
	w.t.Helper()
	return w.agent("agent", w.role("asker", "confirm.request", "plan.*", "context.*"))
}

// post posts a confirm written as JSON.
func (w *world) post(ref domain.Ref, text string) *domain.Confirm {
	w.t.Helper()
	in, err := mplp.ParseConfirm([]byte(text), w.svc.Limits().MPLP())
	if err != nil {
		w.t.Fatal(err)
	}
	posted, err := w.svc.PostConfirm(w.ctx, ref, in)
	if err != nil {
		w.t.Fatal(err)
	}
	return posted.Confirm
}

// plan posts a plan of three steps in a row and gives its id.
func (w *world) plan(ref domain.Ref, id string) string {
	w.t.Helper()
	in, err := mplp.ParsePlan(fmt.Appendf(nil, `{"plan_id":%q,"context_id":"ctx-1","title":"Fix the login","objective":"No more errors",
		"steps":[{"step_id":"s1","description":"Read the log"},{"step_id":"s2","description":"Write the fix","dependencies":["s1"]},
		{"step_id":"s3","description":"Deploy it","dependencies":["s2"]}]}`, id), w.svc.Limits().MPLP())
	if err != nil {
		w.t.Fatal(err)
	}
	posted, err := w.svc.PostPlan(w.ctx, ref, in)
	if err != nil {
		w.t.Fatal(err)
	}
	return posted.Plan.ID
}

// head is the number that the next log entry gets.
func (w *world) head() int64 {
	w.t.Helper()
	last, err := w.svc.LastSeq(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return last + 1
}

// outcome looks at a confirm as the system.
func (w *world) outcome(id string) *domain.Outcome {
	w.t.Helper()
	o, err := w.svc.Outcome(w.ctx, domain.System, id, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

// browser keeps cookies and follows no redirects.
type browser struct {
	*world
	t      *testing.T
	client *http.Client
	ref    domain.Ref
	htmx   bool   // send what htmx sends
	page   string // where forms are sent from, if that is told
}

func (w *world) browser() *browser {
	w.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &browser{world: w, t: w.t, client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// in is the same browser in a subtest.
func (b *browser) in(t *testing.T) *browser {
	same := *b
	same.t = t
	return &same
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	text string
}

// doc parses the answer as HTML.
func (a *answer) doc(t *testing.T) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(a.text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func (b *browser) get(path string) *answer { b.t.Helper(); return b.do(http.MethodGet, path, nil) }

// do sends a request as a page of the server would.
func (b *browser) do(method, path string, form url.Values) *answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.ctx, method, b.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if method != http.MethodGet {
		r.Header.Set("Origin", b.url)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.page != "" {
		r.Header.Set("Referer", b.url+b.page)
	}
	if b.htmx {
		r.Header.Set("HX-Request", "true")
		r.Header.Set("HX-Request-Type", "partial")
	}
	return b.send(r)
}

func (b *browser) send(r *http.Request) *answer {
	b.t.Helper()
	response, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return &answer{response, string(body)}
}

// submit sends the form of a page whose action is the address (a query aside),
// with its hidden fields and the given names and values.
func (b *browser) submit(page *answer, action string, pairs ...string) *answer {
	b.t.Helper()
	target, form := b.form(page, action)
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return b.do(http.MethodPost, target, form)
}

// form finds a form and its hidden fields.
func (b *browser) form(page *answer, action string) (target string, fields url.Values) {
	b.t.Helper()
	fields = url.Values{}
	page.doc(b.t).Find("form[method=post]").EachWithBreak(func(_ int, form *goquery.Selection) bool {
		target = form.AttrOr("action", "")
		if path, _, _ := strings.Cut(target, "?"); path != action {
			target = ""
			return true
		}
		form.Find("input[type=hidden]").Each(func(_ int, input *goquery.Selection) {
			fields.Add(input.AttrOr("name", ""), input.AttrOr("value", ""))
		})
		return false
	})
	if target == "" {
		b.t.Fatalf("no form to %s on the page (%d):\n%s", action, page.StatusCode, page.text)
	}
	return target, fields
}

func (b *browser) want(a *answer, status int) *answer {
	b.t.Helper()
	if a.StatusCode != status {
		b.t.Fatalf("%s %s: status %d, want %d\n%s", a.Request.Method, a.Request.URL.Path, a.StatusCode, status, a.text)
	}
	return a
}

// newContext posts a context and gives its id.
func (w *world) newContext(ref domain.Ref) string {
	w.t.Helper()
	in, err := mplp.ParseContext([]byte(`{"context_id":"ctx-login-service","title":"Login service","status":"active","summary":"Where people sign in"}`), w.svc.Limits().MPLP())
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := w.svc.CreateContext(w.ctx, ref, in)
	if err != nil {
		w.t.Fatal(err)
	}
	return c.ID
}
