package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/web/client"
)

// fake is a server that gives one answer after another, the last one for good.
type fake struct {
	*httptest.Server
	mu      sync.Mutex
	answers []http.HandlerFunc
	asked   []asked
}

// asked is a request that the fake got.
type asked struct{ line, auth, confirm, body string }

func newFake(t *testing.T, answers ...http.HandlerFunc) *fake {
	t.Helper()
	f := &fake{answers: answers}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.asked = append(f.asked, asked{r.Method + " " + r.URL.RequestURI(), r.Header.Get("Authorization"), r.Header.Get("Countersign-Confirm"), string(body)})
		answer := f.answers[0]
		if len(f.answers) > 1 {
			f.answers = f.answers[1:]
		}
		f.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) requests() []asked {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// hangUp answers nothing: the connection ends.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

const (
	posted   = `{"confirm_id":"c1","status":"pending","target_type":"other"}`
	undone   = `{"confirm_id":"c1","status":"pending","content_hash":"sha256:0"}`
	approved = `{"confirm_id":"c1","status":"approved","content_hash":"sha256:0","decisions":[{"type":"approve","args_hash":"sha256:1"}]}`
)

func transfer() *client.Confirm {
	return &client.Confirm{ID: "c1", Reason: "a < b", Timeout: 30, Actions: []client.Action{{Name: "pay", Args: json.RawMessage(`{"n":9007199254740993.10,"t":"<&>"}`)}}}
}

// What is asked keeps its bytes, and what cannot be reached is asked again.
func TestAsk(t *testing.T) {
	t.Parallel()
	f := newFake(t, hangUp, says(429, `{}`), says(503, `rubbish`), says(201, posted), says(200, undone), says(200, approved))
	c := client.New(f.URL+"/", "cs_key")
	var failures []error
	c.Retrying = func(err error) { failures = append(failures, err) }
	o, err := c.Ask(t.Context(), transfer())
	if err != nil || !o.IsApproved() || string(o.Raw) != approved {
		t.Fatalf("%+v, %v", o, err)
	}
	const body = `{"confirm_id":"c1","target_type":"other","actions":[{"name":"pay","args":{"n":9007199254740993.10,"t":"<&>"}}],"reason":"a < b","timeout":30}` + "\n"
	post := asked{"POST /api/v1/confirms?wait=50", "Bearer cs_key", "", body}
	get := asked{"GET /api/v1/confirms/c1/outcome?wait=50", "Bearer cs_key", "", ""}
	if diff := cmp.Diff([]asked{post, post, post, post, get, get}, f.requests(), cmp.AllowUnexported(asked{})); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if len(failures) != 3 {
		t.Errorf("told of %d failures, want 3: %v", len(failures), failures)
	}
}

// The id is made before the first try, so that a lost answer leads to no second request.
func TestAsk_MakesOneID(t *testing.T) {
	t.Parallel()
	f := newFake(t, hangUp, hangUp, says(422, `{"detail":"no"}`))
	confirm := transfer()
	confirm.ID = ""
	var refused *client.Problem
	if _, err := client.New(f.URL, "k").Ask(t.Context(), confirm); !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if sent := f.requests(); confirm.ID == "" || sent[0] != sent[2] || !strings.Contains(sent[0].body, confirm.ID) {
		t.Errorf("id %q, sent %v", confirm.ID, sent)
	}
}

func TestAsk_Fails(t *testing.T) {
	t.Parallel()
	elsewhere := newFake(t, says(200, approved))
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"401":           {says(401, `{"title":"No valid key","detail":"The key is revoked."}`), "401 Unauthorized: The key is revoked."},
		"422":           {says(422, `{"detail":"Invalid.","errors":[{"path":"/a","code":"x","message":"must be b"}]}`), "Invalid. /a: must be b"},
		"500":           {says(500, `rubbish`), "500 Internal Server Error"},
		"404 of others": {says(404, `[1]`), "404 Not Found"},
		"rubbish":       {says(200, `<html>Welcome</html>`), "no answer of Countersign"},
		"nothing":       {says(200, ``), "no answer of Countersign"},
		"cut off":       {says(200, approved[:len(approved)-1]), "no answer of Countersign"},
		"another's":     {says(200, strings.Replace(approved, "c1", "c2", 1)), "about another request"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, "307 Temporary Redirect"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, test.answer)
			o, err := client.New(f.URL, "cs_secret").Ask(t.Context(), transfer())
			if o != nil || err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "cs_secret") {
				t.Errorf("%v, %v; want %q", o, err, test.want)
			}
			if n := len(f.requests()); n != 1 {
				t.Errorf("asked %d times, want once", n)
			}
		})
	}
	if n := len(elsewhere.requests()); n != 0 {
		t.Errorf("%d requests followed the redirect", n)
	}
}

// A server that is away is asked until the request would have timed out.
func TestAsk_GivesUp(t *testing.T) {
	t.Parallel()
	f := newFake(t, hangUp)
	confirm := transfer()
	confirm.Timeout = 1
	began := time.Now()
	if o, err := client.New(f.URL, "k").Ask(t.Context(), confirm); err == nil {
		t.Errorf("%+v", o)
	}
	if n, took := len(f.requests()), time.Since(began); n < 2 || took > 20*time.Second {
		t.Errorf("asked %d times in %v", n, took)
	}
}

// The end of a context ends the wait, and nothing is cancelled.
func TestWait_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 1)
	f := newFake(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-arrived; stop() }()
	if o, err := client.New(f.URL, "k").Wait(ctx, "c1"); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", o, err)
	}
	if n := len(f.requests()); n != 1 {
		t.Errorf("%d requests, want one", n)
	}
}

// A certificate that is not trusted does not get better.
func TestCall_RefusesAForeignCertificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(says(200, approved))
	t.Cleanup(server.Close)
	if _, err := client.New(server.URL, "k").Wait(t.Context(), "c1"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
}

func TestConsumeAndCancel(t *testing.T) {
	t.Parallel()
	f := newFake(t, hangUp, says(200, `{}`), says(200, `{}`), says(409, `{"detail":"Another execution already used this approval."}`))
	c := client.New(f.URL, "k")
	if err := c.Consume(t.Context(), "c1", "x1", 2, "sha256:1"); err != nil {
		t.Error(err)
	}
	if err := c.Cancel(t.Context(), "a/b", "stopped"); err != nil {
		t.Error(err)
	}
	if err := c.Consume(t.Context(), "c1", "x2", 0, "sha256:1"); err == nil || !strings.Contains(err.Error(), "already used") {
		t.Error(err)
	}
	consume := asked{"POST /api/v1/gate/consume", "Bearer k", "", `{"action":2,"args_hash":"sha256:1","confirm_id":"c1","execution_id":"x1"}` + "\n"}
	cancel := asked{"POST /api/v1/confirms/a%2Fb/cancel", "Bearer k", "", `{"reason":"stopped"}` + "\n"}
	if diff := cmp.Diff([]asked{consume, consume, cancel}, f.requests()[:3], cmp.AllowUnexported(asked{})); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// native answers as the server does to a harness.
func native(status, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Countersign-Confirm", "c9")
		w.Header().Set("Countersign-Status", status)
		_, _ = io.WriteString(w, body)
	}
}

// A native call is repeated with the confirm that it was told and one execution id.
func TestNative(t *testing.T) {
	t.Parallel()
	const in, out = `{"n":1.0, "x":"<"}`, `{"decision": "allow"}`
	f := newFake(t, hangUp, native("pending", `{}`), native("approved", out))
	got, err := client.New(f.URL, "k").Native(t.Context(), "gemini", json.RawMessage(in), url.Values{"reason": {"a b"}})
	want := &client.Native{Body: json.RawMessage(out), ConfirmID: "c9", Status: "approved"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	sent := f.requests()
	at, err := url.Parse(strings.TrimPrefix(sent[0].line, "POST "))
	if err != nil || at.Path != "/api/v1/native/gemini" || at.Query().Get("wait") != "50" || at.Query().Get("reason") != "a b" || at.Query().Get("execution_id") == "" {
		t.Errorf("asked at %v, %v", at, err)
	}
	first := asked{sent[0].line, "Bearer k", "", in}
	again := first
	again.confirm = "c9"
	if diff := cmp.Diff([]asked{first, first, again}, sent, cmp.AllowUnexported(asked{})); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// At the deadline the caller has the answer of the undecided request, which blocks.
func TestNative_Undecided(t *testing.T) {
	t.Parallel()
	f := newFake(t, native("pending", `{"decision":"deny"}`))
	ctx, stop := context.WithTimeout(t.Context(), 2500*time.Millisecond)
	defer stop()
	got, err := client.New(f.URL, "k").Native(ctx, "gemini", json.RawMessage(`{}`), nil)
	if err != nil || got.Status != "pending" || string(got.Body) != `{"decision":"deny"}` {
		t.Errorf("%+v, %v", got, err)
	}
	if line := f.requests()[0].line; !strings.HasSuffix(line, "wait=0") {
		t.Errorf("asked %q although half a second was left", line)
	}
}

func TestNative_Fails(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"no status": says(200, `{"decision":"allow"}`),
		"no JSON":   native("approved", `allow`),
		"422":       says(422, `{}`),
		"500":       says(500, `{"decision":"allow"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, answer)
			if got, err := client.New(f.URL, "k").Native(t.Context(), "gemini", json.RawMessage(`{}`), nil); err == nil {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ answer, words, args string }{
		"approved":        {`{"status":"approved","cause":"human","decided_by_role":"lead","decisions":[{"type":"approve"}]}`, "Approved by lead.", `{"n":1.0}`},
		"edited":          {`{"status":"approved","cause":"human","decided_by_role":"lead","reason":"Less","decisions":[{"type":"edit","edited_action":{"args":{"n":9007199254740993}}}]}`, "Approved by lead: Less", `{"n":9007199254740993}`},
		"edit, no args":   {`{"status":"approved","cause":"human","decided_by_role":"lead","decisions":[{"type":"edit","edited_action":{}}]}`, "Approved by lead.", ""},
		"rejected":        {`{"status":"rejected","cause":"human","decided_by_role":"lead","reason":"No","decisions":[{"type":"reject","message":"Never"}]}`, "Rejected by lead: Never", ""},
		"no reason":       {`{"status":"rejected","cause":"agent","decided_by_role":"lead"}`, "Rejected by lead, without a reason.", ""},
		"timed out":       {`{"status":"rejected","cause":"timeout","reason":"Timed out."}`, "Timed out.", ""},
		"import":          {`{"status":"unsubstantiated","cause":"import"}`, "The request is unsubstantiated.", ""},
		"approved by who": {`{"status":"approved"}`, "The request is approved.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o client.Outcome
			if err := json.Unmarshal([]byte(test.answer), &o); err != nil {
				t.Fatal(err)
			}
			args, err := o.EffectiveArgs(0, json.RawMessage(`{"n":1.0}`))
			if o.Words() != test.words || string(args) != test.args || (err == nil) != (test.args != "") {
				t.Errorf("%q, %s, %v", o.Words(), args, err)
			}
		})
	}
}
