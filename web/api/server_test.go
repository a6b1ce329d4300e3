package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/credential"
	"countersign/store"
	"countersign/web/api"
	"countersign/web/route"
)

// server is the interface over a real database and real HTTP, with a clock that
// tests move.
type server struct {
	*domain.Service
	t     *testing.T
	db    *store.DB
	table *route.Table
	http  *httptest.Server
	log   *strings.Builder // what the operator is told; read it after the requests

	requests sync.WaitGroup
	agents   sync.Once // their owner is made

	mu    sync.Mutex
	clock time.Time
	waits int
}

// newServer starts a server; change may alter its limits and timeouts.
func newServer(t *testing.T, change ...func(*domain.Config, *http.Server)) *server {
	t.Helper()
	s := &server{t: t, log: &strings.Builder{}, clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	feed := domain.NewFeed()
	var err error
	s.db, err = store.Open(t.Context(), filepath.Join(t.TempDir(), "countersign.db"), store.Options{Now: s.now, Committed: feed.Publish})
	if err != nil {
		t.Fatal(err)
	}
	config := domain.Config{Feed: feed, Now: s.now, Hasher: credential.NewHasher(credential.Params{Memory: 8, Time: 1, Parallelism: 1}, 2)}
	e := echo.New()
	e.HTTPErrorHandler = func(err error, c echo.Context) { api.WriteProblem(c, s.Service, err) }
	s.http = httptest.NewUnstartedServer(e)
	e.Pre(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			s.requests.Add(1)
			defer s.requests.Done()
			return next(c)
		}
	})
	t.Cleanup(func() {
		feed.Close()
		s.http.Close()
		s.requests.Wait() // streams have connections of their own
		if err := s.db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, c := range change {
		c(&config, s.http.Config)
	}
	s.Service = domain.NewService(s.db, config)
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.table = route.NewTable(e)
	api.Mount(s.table, api.Options{Service: s.Service, Logger: slog.New(slog.NewTextHandler(s.log, nil)), Waiting: s.waiting})
	s.http.Start()
	return s
}

func (s *server) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock
}

func (s *server) waiting(_ string, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits += by
}

// awaitWaits waits until so many wait or listen.
func (s *server) awaitWaits(n int) {
	s.t.Helper()
	s.until(fmt.Sprint(n, " wait"), func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.waits == n
	})
}

// until waits for what must happen.
func (s *server) until(what string, happened func() bool) {
	s.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for late := time.Now().Add(writeTimeout); !happened(); <-tick.C {
		if time.Now().After(late) {
			s.t.Fatalf("not so after %v: %s", writeTimeout, what)
		}
	}
}

// pass moves the clock on.
func (s *server) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock = s.clock.Add(d)
}

// entries is how many entries the log has.
func (s *server) entries() (n int64) {
	s.t.Helper()
	err := s.db.View(s.t.Context(), func(r domain.Reader) (err error) {
		n, err = r.NextSeq()
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// client sends requests with a key; an empty key sends none.
type client struct {
	s   *server
	t   *testing.T
	key string
}

// on is the client for a subtest.
func (c *client) on(t *testing.T) *client { return &client{c.s, t, c.key} }

// agent makes a key of the user who owns all of these: they are one group.
func (s *server) agent(roles ...string) *client {
	s.t.Helper()
	s.agents.Do(func() { s.owner("agents") })
	return s.keyFor(domain.KeyInput{Name: "agent-" + strings.Join(roles, "-"), Roles: roles, Owner: "agents"})
}

// decider makes a key that may decide, with an owner of its own.
func (s *server) decider(name string, roles ...string) *client {
	s.t.Helper()
	s.owner(name)
	return s.keyFor(domain.KeyInput{Name: name, Roles: roles, Owner: name, MayDecide: true})
}

// owner makes a user who answers for keys.
func (s *server) owner(name string) {
	s.t.Helper()
	if _, _, err := s.AddUser(s.t.Context(), domain.System, name, []string{"reviewer"}, ""); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) keyFor(in domain.KeyInput) *client {
	s.t.Helper()
	_, text, err := s.CreateKey(s.t.Context(), domain.System, in)
	if err != nil {
		s.t.Fatal(err)
	}
	return &client{s, s.t, text}
}

// role makes a role that holds capabilities.
func (s *server) role(name string, capabilities ...string) string {
	s.t.Helper()
	if _, err := s.CreateRole(s.t.Context(), domain.System, domain.RoleInput{Name: name, Capabilities: capabilities}); err != nil {
		s.t.Fatal(err)
	}
	return name
}

// reply is what a server answered.
type reply struct {
	t      *testing.T
	status int
	header http.Header
	body   string
}

// send makes a request; headers are names and values in turn.
func (c *client) send(ctx context.Context, method, path, body string, headers ...string) (reply, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.s.http.URL+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := c.s.http.Client().Do(r)
	if err != nil {
		return reply{}, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return reply{c.t, answer.StatusCode, answer.Header, string(text)}, err
}

func (c *client) do(method, path, body string, headers ...string) reply {
	c.t.Helper()
	r, err := c.send(c.t.Context(), method, path, body, headers...)
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

func (c *client) get(path string) reply {
	c.t.Helper()
	return c.do(http.MethodGet, path, "")
}

func (c *client) post(path, body string) reply {
	c.t.Helper()
	return c.do(http.MethodPost, path, body)
}

// decide decides on the content that a confirm has now.
func (c *client) decide(confirm reply, status string) reply {
	c.t.Helper()
	return c.post("/confirms/"+confirm.text("confirm_id")+"/decisions", `{"status":"`+status+`","content_hash":`+confirm.header.Get("ETag")+`}`)
}

// want asserts the status and gives the reply back.
func (r reply) want(status int) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

// problem asserts a problem document with the status and slug.
func (r reply) problem(status int, slug string) reply {
	r.t.Helper()
	r.want(status)
	if got, want := r.header.Get("Content-Type"), "application/problem+json"; got != want {
		r.t.Errorf("Content-Type %q, want %q", got, want)
	}
	if got, want := r.text("type"), "/problems/"+slug; got != want {
		r.t.Errorf("type %q, want %q: %s", got, want, r.body)
	}
	for _, name := range []string{"title", "detail", "instance", "request_id"} {
		if r.text(name) == "" {
			r.t.Errorf("the problem has no %s: %s", name, r.body)
		}
	}
	if got := r.member("status"); got != json.Number(strconv.Itoa(status)) {
		r.t.Errorf("status %v in the body, want %d", got, status)
	}
	if got := r.text("request_id"); got != r.header.Get("X-Request-Id") {
		r.t.Errorf("request_id %q differs from the header's %q", got, r.header.Get("X-Request-Id"))
	}
	return r
}

// fault asserts a problem's only error.
func (r reply) fault(path, code string) {
	r.t.Helper()
	var p struct {
		Errors []struct{ Path, Code, Message string }
	}
	r.decode(&p)
	if len(p.Errors) != 1 || p.Errors[0].Path != path || p.Errors[0].Code != code || p.Errors[0].Message == "" {
		r.t.Errorf("errors %+v, want one of %s at %s", p.Errors, code, path)
	}
}

func (r reply) decode(v any) {
	r.t.Helper()
	dec := json.NewDecoder(strings.NewReader(r.body))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		r.t.Fatalf("%v in %s", err, r.body)
	}
}

func (r reply) member(name string) any {
	r.t.Helper()
	var object map[string]any
	r.decode(&object)
	return object[name]
}

// text is a member that is a string, or empty.
func (r reply) text(name string) string {
	r.t.Helper()
	text, _ := r.member(name).(string)
	return text
}

// ids lists a member of every item of a list.
func (r reply) ids(name string) []string {
	r.t.Helper()
	var l struct{ Items []map[string]any }
	r.decode(&l)
	ids := []string{}
	for _, item := range l.Items {
		ids = append(ids, item[name].(string))
	}
	return ids
}

// gives asserts that the body is the object that was sent, with nothing but
// some further members.
func (r reply) gives(sent string, further ...string) {
	r.t.Helper()
	var want, got map[string]any
	r.decode(&got)
	reply{t: r.t, body: sent}.decode(&want)
	for _, name := range further {
		if _, ok := want[name]; !ok {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("object (-sent +got):\n%s", diff)
	}
}

// example is a JSON example of the protocol.
func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const (
	toolCall = `{"target_type":"other","reason":"Buy low","actions":[{"name":"execute_trade","args":{"symbol":"VNM","quantity":100}}]}`
	twoCalls = `{"target_type":"other","actions":[{"name":"delete_table","args":{"table":"users"}},{"name":"send_mail","args":{"to":"all"}}]}`
	draft    = `{"plan_id":"plan-1","context_id":"ctx-1","title":"Fix the login","objective":"No more errors","steps":[{"step_id":"s1","description":"Read"},{"step_id":"s2","description":"Write","dependencies":["s1"]}]}`
)
