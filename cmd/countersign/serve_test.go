package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/store"
	"countersign/web/client"
)

// patience bounds how long a test waits for what must happen.
const patience = time.Minute

// transcript is what a program has printed so far.
type transcript struct {
	mu    sync.Mutex
	text  bytes.Buffer
	grown chan struct{} // closed and replaced by each write
}

func newTranscript() *transcript { return &transcript{grown: make(chan struct{})} }

func (w *transcript) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.grown)
	w.grown = make(chan struct{})
	return w.text.Write(p)
}

func (w *transcript) String() string {
	text, _ := w.now()
	return text
}

func (w *transcript) now() (text string, grown <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String(), w.grown
}

// await waits for the n-th match of a pattern and gives it with its groups.
func (w *transcript) await(t *testing.T, n int, pattern string) []string {
	t.Helper()
	expression := regexp.MustCompile(pattern)
	late := time.After(patience)
	for {
		text, grown := w.now()
		if found := expression.FindAllStringSubmatch(text, n); len(found) == n {
			return found[n-1]
		}
		select {
		case <-grown:
		case <-late:
			t.Fatalf("%q was not printed %d times; what was:\n%s", pattern, n, text)
		}
	}
}

// running is a server that run serves inside the test.
type running struct {
	base, db       string
	stdout, stderr *transcript
	code           chan int
	cancel         context.CancelFunc
	ended          sync.Once
}

// start serves on a free port until the test ends. Without --db or --demo the
// database is new.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	r := &running{stdout: newTranscript(), stderr: newTranscript(), code: make(chan int, 1)}
	if i := slices.Index(args, "--db"); i >= 0 {
		r.db = args[i+1]
	} else if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--demo") }) {
		r.db = filepath.Join(t.TempDir(), "countersign.db")
		args = append(args, "--db", r.db)
	}
	if !slices.Contains(args, "--listen") {
		args = append(args, "--listen", "127.0.0.1:0")
	}
	args = unverified(args)
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() {
		r.code <- run(ctx, append([]string{"serve"}, args...), noEnvironment, strings.NewReader(""), r.stdout, r.stderr)
	}()
	t.Cleanup(func() { r.stop(t) })
	r.base = r.stdout.await(t, 1, `(?m)^listening on (http\S+)$`)[1]
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--demo") }) {
		r.db = r.stdout.await(t, 1, `Its data is in (\S+) and is deleted`)[1]
	}
	return r
}

// unverified spares a server the verifications of its database, which take from
// what tests measure, unless the test says how often they are.
func unverified(args []string) []string {
	if slices.Contains(args, "--verify-every") {
		return args
	}
	return append(args, "--verify-every", "0")
}

// stop ends the server as a signal would, and checks that it ends well and in
// time. It may be called again.
func (r *running) stop(t *testing.T) {
	t.Helper()
	r.ended.Do(func() {
		r.cancel()
		select {
		case code := <-r.code:
			if code != exitDone {
				t.Errorf("serve: exit code %d, standard error:\n%s", code, r.stderr)
			}
		case <-time.After(stopTimeout + time.Second):
			t.Errorf("serve: still running %v after it was stopped", stopTimeout)
		}
	})
}

// startServer serves on a free port until the test ends or stop is called.
func startServer(t *testing.T, args ...string) (baseURL, db string, stop func()) {
	t.Helper()
	r := start(t, args...)
	return r.base, r.db, func() { r.stop(t) }
}

func noEnvironment(string) string { return "" }

// invoke runs a command that must succeed and gives what it prints.
func invoke(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, noEnvironment, strings.NewReader(""), &stdout, &stderr); code != exitDone {
		t.Fatalf("countersign %s: exit code %d: %s", strings.Join(args, " "), code, &stderr)
	}
	return strings.TrimSuffix(stdout.String(), "\n")
}

// get reads an address, without the bearer if key is "".
func get(t *testing.T, address, key string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	return send(t, request)
}

func send(t *testing.T, request *http.Request) (status int, body string) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestServe_FirstRun(t *testing.T) {
	t.Parallel()
	r := start(t)
	link := r.stdout.await(t, 1, `(?m)^set up the first administrator: (http\S+/setup\?token=[\w-]{43})$`)[1]
	want := fmt.Sprintf("listening on %s\nset up the first administrator: %s\n", r.base, link)
	if diff := cmp.Diff(want, r.stdout.String()); diff != "" {
		t.Errorf("standard output (-want +got):\n%s", diff)
	}
	if status, body := get(t, link, ""); status != http.StatusOK || !strings.Contains(body, `name="password"`) {
		t.Errorf("the link: status %d, page:\n%s", status, body)
	}
	r.stop(t)

	invoke(t, "user", "add", "kim", "--role", "admin", "--db", r.db)
	again := start(t, "--db", r.db)
	if got, want := again.stdout.String(), "listening on "+again.base+"\n"; got != want {
		t.Errorf("with a user there is no set-up link: got %q, want %q", got, want)
	}
}

func TestServe_CommandsHoldAtOnce(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := invoke(t, "key", "create", "bot", "--role", "executor", "--db", r.db)
	address := r.base + "/api/v1/confirms"
	if status, body := get(t, address, key); status != http.StatusOK {
		t.Errorf("a key made while the server runs: status %d: %s", status, body)
	}
	invoke(t, "key", "revoke", "bot", "--db", r.db)
	if status, _ := get(t, address, key); status != http.StatusUnauthorized {
		t.Errorf("a key revoked while the server runs: status %d, want 401", status)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	invoke(t, "backup", copied, "--db", r.db)
	copyFile(t, r.db+".key", copied+".key")
	if list := invoke(t, "key", "list", "--db", copied); !strings.Contains(list, "bot") {
		t.Errorf("the backup of a running server lacks the key:\n%s", list)
	}
	r.stop(t)
	for line := range strings.Lines(r.stderr.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("the log has a line that is no JSON: %s", line)
		}
	}
	if secret := key[len("cs_000000000000_"):]; strings.Contains(r.stderr.String(), secret) {
		t.Error("the log has the secret of a key")
	}
}

// What is forgotten while a server runs is not in its journal any more, also when
// prune comes to no good end.
func TestServe_PruneForgetsInTheJournalToo(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		hears io.Writer // what is printed too
		code  int
		want  string
	}{
		"to its end":          {io.Discard, exitDone, "deleted the content of 1 requests\n"},
		"and nobody hears it": {brokenWriter{}, exitFailed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			agent := client.New(r.base, invoke(t, "key", "create", "bot", "--role", "executor", "--db", r.db))
			var asked posted
			body := object{"target_type": "other", "actions": []object{{"name": "pay", "args": object{"to": "SECRETPAYEE"}}}}
			if err := agent.Call(t.Context(), http.MethodPost, "/api/v1/confirms", body, &asked); err != nil {
				t.Fatal(err)
			}
			if err := agent.Call(t.Context(), http.MethodPost, "/api/v1/confirms/"+asked.ConfirmID+"/cancel", object{}, &object{}); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			args := []string{"prune", "--older-than", "1us", "--db", r.db}
			code := run(t.Context(), args, noEnvironment, strings.NewReader(""), io.MultiWriter(tt.hears, &stdout), &stderr)
			if code != tt.code || stdout.String() != tt.want {
				t.Errorf("exit code %d, want %d; printed %q, want %q: %s", code, tt.code, &stdout, tt.want, &stderr)
			}
			for _, file := range []string{r.db, r.db + "-wal"} {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Contains(data, []byte("SECRETPAYEE")) {
					t.Errorf("it is still in %s", file)
				}
			}
			if err := agent.Call(t.Context(), http.MethodPost, "/api/v1/confirms", body, &asked); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// brokenWriter is a standard output that nobody reads any more.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A server goes on when nobody reads its log any more.
func TestServe_OutlivesWhoReadsItsLog(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := newTranscript()
	cmd := exec.Command("countersign", "serve", "--db", filepath.Join(t.TempDir(), "a.db"), "--listen", "127.0.0.1:0")
	cmd.Stdout, cmd.Stderr = stdout, write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // of what has ended, nothing
	base := stdout.await(t, 1, listening.String())[1]
	if err := errors.Join(write.Close(), read.Close()); err != nil {
		t.Fatal(err)
	}
	for range 2 { // each is a line of the log
		if status, _ := get(t, base+"/healthz", ""); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
	if err := errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait()); err != nil {
		t.Error(err)
	}
}

// Of two who wait where one may, one is refused, and then the other does wait.
func TestServe_StopAnswersWaits(t *testing.T) {
	t.Parallel()
	r := start(t, "--limits", "waits=1")
	key := invoke(t, "key", "create", "bot", "--role", "executor", "--db", r.db)
	agent := client.New(r.base, key)
	var asked struct {
		ApprovalKey string `json:"approval_key"`
	}
	if err := agent.Call(t.Context(), http.MethodPost, "/api/v1/approvals", exampleFrame(), &asked); err != nil {
		t.Fatal(err)
	}
	type answer struct {
		status int
		body   []byte
		err    error
	}
	answers := make(chan answer, 2)
	for range cap(answers) {
		go func() {
			var got answer
			got.status, got.body, got.err = fetches(t.Context(), http.DefaultClient, key, http.MethodGet, r.base+"/api/v1/approvals/"+asked.ApprovalKey+"?wait=60", "")
			answers <- got
		}()
	}
	if got := <-answers; got.status != http.StatusTooManyRequests {
		t.Fatalf("who came second was told %d %s (%v), want 429", got.status, got.body, got.err)
	}
	r.stop(t)
	select {
	case got := <-answers:
		var told client.Outcome
		if got.err != nil || got.status != http.StatusOK || json.Unmarshal(got.body, &told) != nil || told.Status != string(domain.Pending) {
			t.Errorf("who waited was told %d %s (%v), want 200 and pending", got.status, got.body, got.err)
		}
	case <-time.After(patience):
		t.Error("who waited was never answered")
	}
}

func exampleFrame() object {
	frame := example("trade")
	frame["session_id"] = "abc-123"
	return frame
}

func TestServe_Names(t *testing.T) {
	t.Parallel()
	base, _, _ := startServer(t, "--host", "countersign.test")
	for _, test := range []struct {
		name, host string
		want       int
	}{
		{"its address", "", http.StatusOK},
		{"a name that was allowed", "countersign.test", http.StatusOK},
		{"another name", "evil.test", http.StatusMisdirectedRequest},
	} {
		t.Run(test.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/login", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = test.host
			if status, _ := send(t, request); status != test.want {
				t.Errorf("status %d, want %d", status, test.want)
			}
		})
	}
}

func TestServe_BaseURL(t *testing.T) {
	t.Parallel()
	r := start(t, "--listen", "0.0.0.0:0", "--base-url", "https://countersign.test/")
	if r.base != "https://countersign.test" {
		t.Errorf("listening on %s", r.base)
	}
	r.stdout.await(t, 1, `: https://countersign\.test/setup\?token=`)
}

func TestServe_AddressInUse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"serve", "--listen", taken.Addr().String(), "--db", filepath.Join(t.TempDir(), "a.db")},
		noEnvironment, strings.NewReader(""), &stdout, &stderr)
	if code != exitFailed || stdout.Len() > 0 || !strings.Contains(stderr.String(), "address already in use") {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, &stdout, &stderr)
	}
}

// The outcome of a failed commit is unknown, so the process must end.
func TestServe_StopsWhenTheDatabaseFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("input/output error")
	s := &server{feed: domain.NewFeed(), http: &http.Server{}, failed: make(chan error, 1), logger: slog.New(slog.DiscardHandler)}
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), store.Options{Committed: s.feed.Publish})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s.svc = domain.NewService(db, domain.Config{Feed: s.feed})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.fail(broken)
	s.fail(errors.New("a later one"))
	if err := s.serve(t.Context(), listener, func(context.Context) {}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

// Whoever takes the file away under a server is told, and nothing more is
// promised that would end with the process.
func TestServe_StopsWhenItsFileIsGone(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "a.db")
	p := spawn(t, db)
	if err := os.Remove(db); err != nil {
		t.Fatal(err)
	}
	if err := p.conclude(t, true); err == nil {
		t.Error("the server ended as if it had been told to")
	}
	want := "countersign: the database failed: the file " + db + " was removed or replaced while it was in use, and what was written since then may be lost: stop the server first\n" +
		"Check its file and its disk, then start the server again\n"
	if text, _ := p.stderr.now(); !strings.HasSuffix(text, want) {
		t.Errorf("standard error ends with %.400q, want %q", text, want)
	}
}
