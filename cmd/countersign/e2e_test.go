package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"countersign/web/client"
)

// The password of every account in the end-to-end tests.
const password = "a quiet harbour at dawn"

// chromium is the one browser of all end-to-end tests. Each test gets windows
// of its own, with their own cookies.
var chromium browser

type browser struct {
	once  sync.Once
	ctx   context.Context
	leave context.CancelFunc
	err   error
}

// open starts the browser with the first test that needs it.
func (b *browser) open(t *testing.T) context.Context {
	t.Helper()
	b.once.Do(func() {
		var program string
		if program, b.err = exec.LookPath("chromium"); b.err != nil {
			return
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], // with a profile of its own, which goes when it ends
			chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(patience),
			chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
			chromedp.Flag("lang", "en-US"))
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		b.leave = stop
		b.ctx, _ = chromedp.NewContext(allocator, // chromedp.Cancel ends it
			chromedp.WithErrorf(func(string, ...any) {})) // it complains of events that are younger than itself
		b.err = chromedp.Run(b.ctx)
	})
	if b.err != nil {
		t.Fatalf("Chromium does not start, run make test-tools: %v", b.err)
	}
	return b.ctx
}

// window opens a window with cookies of its own, until the test ends.
func (b *browser) window(t *testing.T) context.Context {
	t.Helper()
	root := b.open(t)
	executor := cdp.WithExecutor(root, chromedp.FromContext(root).Browser)
	profile, err := target.CreateBrowserContext().Do(executor)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := target.CreateTarget("about:blank").WithBrowserContextID(profile).WithNewWindow(true).Do(executor)
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := chromedp.NewContext(root, chromedp.WithTargetID(tab))
	t.Cleanup(func() {
		leave()
		if err := target.DisposeBrowserContext(profile).Do(executor); err != nil {
			t.Errorf("closing the window: %v", err)
		}
	})
	return ctx
}

// Close ends the browser, if one was started. It asks first: a browser that is
// killed leaves its profile behind.
func (b *browser) Close() error {
	if b.ctx == nil {
		return nil
	}
	defer b.leave()
	return chromedp.Cancel(b.ctx)
}

// withBrowser runs the tests and closes the browser that they used.
type withBrowser struct{ *testing.M }

func (m withBrowser) Run() int {
	code := m.M.Run()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "closing Chromium:", err)
		return 1
	}
	return code
}

// slots bounds how many end-to-end tests run at once: a browser that is short
// of processors shows a page late, and what is late looks like broken.
var slots = make(chan struct{}, 2)

// takeTurn lets the test run beside others, until it ends.
func takeTurn(t *testing.T) {
	t.Parallel()
	slots <- struct{}{}
	t.Cleanup(func() { <-slots })
}

// stage is a running server with an administrator, two reviewers and an agent.
type stage struct {
	*running
	t     *testing.T
	agent *client.Client
}

// newStage serves a database in which everybody has an account: "admin",
// "reviewer" and "second" with the same password, and the key of "agent-7".
func newStage(t *testing.T, args ...string) *stage {
	t.Helper()
	takeTurn(t)
	db := filepath.Join(t.TempDir(), "countersign.db")
	for name, role := range map[string]string{"admin": "admin", "reviewer": "reviewer", "second": "reviewer"} {
		addUser(t, db, name, role)
	}
	invoke(t, "role", "set", "asker", "--capability", "confirm.request", "--db", db)
	key := invoke(t, "key", "create", "agent-7", "--role", "planner", "--role", "executor", "--role", "architect", "--role", "asker", "--db", db)
	s := &stage{running: start(t, append(args, "--db", db)...), t: t}
	s.agent = client.New(s.base, key)
	return s
}

func addUser(t *testing.T, db, name string, roles ...string) {
	t.Helper()
	args := []string{"user", "add", name, "--password-stdin", "--db", db}
	for _, role := range roles {
		args = append(args, "--role", role)
	}
	var stderr bytes.Buffer
	if code := run(t.Context(), args, noEnvironment, strings.NewReader(password+"\n"), &bytes.Buffer{}, &stderr); code != exitDone {
		t.Fatalf("user add %s: exit code %d: %s", name, code, &stderr)
	}
}

// pending is what a posted request is known by.
type pending struct {
	ConfirmID   string `json:"confirm_id"`
	ContentHash string `json:"content_hash"`
}

// asks posts a confirm as the agent and gives its id.
func (s *stage) asks(confirm any) pending {
	s.t.Helper()
	var told pending
	s.calls(http.MethodPost, "/api/v1/confirms", confirm, &told)
	return told
}

// asksFor posts a confirm of tool calls, each with its arguments.
func (s *stage) asksFor(reason string, actions ...object) pending {
	s.t.Helper()
	return s.asks(object{"target_type": "other", "reason": reason, "actions": actions})
}

// trade is an example of a tool call.
func trade() object {
	return object{"name": "execute_trade", "args": object{"symbol": "VNM", "quantity": 100, "side": "buy"}}
}

// waits asks for the outcome of a confirm, as an agent does that cannot go on
// without it. What it is told comes once it is decided.
func (s *stage) waits(id string) <-chan client.Outcome {
	s.t.Helper()
	answers := make(chan client.Outcome, 1)
	go func() {
		defer close(answers)
		var told client.Outcome
		if err := s.agent.Call(s.t.Context(), http.MethodGet, "/api/v1/confirms/"+id+"/outcome?wait=60", nil, &told); err != nil {
			s.t.Errorf("waiting for %s: %v", id, err)
		}
		answers <- told
	}()
	return answers
}

// told gives the outcome of a confirm that is decided.
func (s *stage) told(id string) (told client.Outcome) {
	s.t.Helper()
	s.calls(http.MethodGet, "/api/v1/confirms/"+id+"/outcome", nil, &told)
	return told
}

func (s *stage) calls(method, path string, body, out any) {
	s.t.Helper()
	if err := s.agent.Call(s.t.Context(), method, path, body, out); err != nil {
		s.t.Fatal(err)
	}
}
