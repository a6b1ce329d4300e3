package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/web/client"
)

// desk is a server where an agent asks and somebody decides.
type desk struct {
	*running
	t              *testing.T
	key, judge     string // of the agent, and of somebody who decides
	agent, decider *client.Client
}

func newDesk(t *testing.T, args ...string) *desk {
	t.Helper()
	d := &desk{running: start(t, args...), t: t}
	addUser(t, d.db, "kim", "reviewer")
	d.key = invoke(t, "key", "create", "bot", "--role", "executor", "--db", d.db)
	d.agent = client.New(d.base, d.key)
	d.judge = invoke(t, "key", "create", "judge", "--role", "reviewer", "--owner", "kim", "--may-decide", "--db", d.db)
	d.decider = client.New(d.base, d.judge)
	return d
}

// askProcess is the program that asks, in a process of its own.
type askProcess struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr *transcript
}

// startAsk starts countersign ask for a server with this key.
func startAsk(t *testing.T, server, key string, args ...string) *askProcess {
	t.Helper()
	return startCommand(t, server, key, `{"from": "stdin"}`, append([]string{"ask"}, args...)...)
}

// startCommand starts a command that calls a server, in a process of its own.
func startCommand(t *testing.T, server, key, stdin string, words ...string) *askProcess {
	t.Helper()
	a := &askProcess{t: t, stdout: newTranscript(), stderr: newTranscript()}
	a.cmd = exec.CommandContext(t.Context(), "countersign", words...)
	a.cmd.Dir = t.TempDir()
	a.cmd.Env = append(os.Environ(), "COUNTERSIGN_URL="+server, "COUNTERSIGN_KEY="+key)
	a.cmd.Stdin = strings.NewReader(stdin)
	a.cmd.Stdout, a.cmd.Stderr = a.stdout, a.stderr
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return a
}

// id returns the id in the address that it prints.
func (a *askProcess) id() string {
	a.t.Helper()
	return a.stderr.await(a.t, 1, `(?m)^Waiting for a decision: http\S+/confirms/(\S+)$`)[1]
}

// ends waits for the end and checks the exit code and what was printed. A negative code
// is a signal.
func (a *askProcess) ends(code int, stdout, stderr string) {
	a.t.Helper()
	err := a.cmd.Wait()
	if exited := new(exec.ExitError); err != nil && !errors.As(err, &exited) {
		a.t.Fatal(err)
	}
	got := a.cmd.ProcessState.ExitCode()
	if status := a.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		got = -int(status.Signal())
	}
	if got != code || a.stdout.String() != stdout || !strings.Contains(a.stderr.String(), stderr) {
		a.t.Errorf("exit code %d, want %d\nstandard output: %s\nstandard error: %s", got, code, a.stdout, a.stderr)
	}
}

// posted waits until a request is there, and returns it.
func (d *desk) posted(id string) (confirm struct {
	Reason        string                `json:"reason"`
	Timeout       int                   `json:"timeout"`
	RequiredRole  string                `json:"required_role"`
	Actions       []client.Action       `json:"actions"`
	ReviewConfigs []client.ReviewConfig `json:"review_configs"`
}) {
	d.t.Helper()
	for {
		err := d.agent.Call(d.t.Context(), http.MethodGet, "/api/v1/confirms/"+id, nil, &confirm)
		var missing *client.Problem
		if err == nil {
			return confirm
		} else if !errors.As(err, &missing) || missing.Status != http.StatusNotFound {
			d.t.Fatal(err)
		}
	}
}

// decides decides a request as soon as it is there.
func (d *desk) decides(id string, decision object) {
	d.t.Helper()
	d.posted(id)
	var told client.Outcome
	if err := d.decider.Call(d.t.Context(), http.MethodGet, "/api/v1/confirms/"+id+"/outcome", nil, &told); err != nil {
		d.t.Fatal(err)
	}
	decision["content_hash"] = told.ContentHash
	if err := d.decider.Call(d.t.Context(), http.MethodPost, "/api/v1/confirms/"+id+"/decisions", decision, nil); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) status(id string) string {
	d.t.Helper()
	var told client.Outcome
	if err := d.agent.Call(d.t.Context(), http.MethodGet, "/api/v1/confirms/"+id+"/outcome", nil, &told); err != nil {
		d.t.Fatal(err)
	}
	return told.Status
}

var yes = object{"status": "approved"}

func TestAsk(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const big = `{"n":9007199254740993.10, "t": "a<b"}`
	edit := object{"decisions": []object{{"type": "edit", "edited_action": object{"name": "pay", "args": json.RawMessage(`{"n":9007199254740995, "t":"c&d"}`)}}}}
	for name, test := range map[string]struct {
		args           []string
		decision       object // nil: none
		code           int
		stdout, stderr string
	}{
		"approved":               {[]string{"pay", "--args", big}, yes, 0, "", "Approved by reviewer.\n"},
		"approved with a reason": {[]string{"pay"}, object{"status": "approved", "reason": "Well\n\x1b[31mdone"}, 0, "", "Approved by reviewer: Well  [31mdone\n"},
		"no edit is made":        {[]string{"pay", "--args", big, "--allow-edit"}, yes, 0, `{"n":9007199254740993.10,"t":"a<b"}` + "\n", "Approved"},
		"edited":                 {[]string{"pay", "--allow-edit"}, edit, 0, `{"n":9007199254740995,"t":"c&d"}` + "\n", "Approved"},
		"rejected":               {[]string{"pay", "--allow-edit"}, object{"status": "rejected", "reason": "No"}, 77, "", "Rejected by reviewer: No\n"},
		"no reason":              {[]string{"pay"}, object{"status": "rejected"}, 77, "", "Rejected by reviewer, without a reason.\n"},
		"timed out":              {[]string{"pay", "--timeout", "1"}, nil, 75, "", "Timed out after 1 s: nobody decided. This is not a refusal.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := startAsk(t, d.base, d.key, test.args...)
			if id := a.id(); test.decision != nil {
				decision := object{}
				for k, v := range test.decision {
					decision[k] = v
				}
				d.decides(id, decision)
			}
			a.ends(test.code, test.stdout, test.stderr)
		})
	}
}

// What is asked for is what the command line says, and edits are offered only where
// their arguments come back.
func TestAsk_Content(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := startAsk(t, d.base, d.key, "pay", "--args", "-", "--reason", "Why", "--timeout", "60", "--role", "reviewer", "--json")
	got := d.posted(a.id())
	if got.Reason != "Why" || got.Timeout != 60 || got.RequiredRole != "reviewer" || string(got.Actions[0].Args) != `{"from":"stdin"}` {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff([]string{"approve", "reject"}, got.ReviewConfigs[0].AllowedDecisions); diff != "" {
		t.Error(diff)
	}
	if err := d.agent.Cancel(t.Context(), a.id(), "Not needed"); err != nil {
		t.Fatal(err)
	}
	outcome := a.stdout.await(t, 1, `(?s)^\{.*\}\n$`)[0]
	var told client.Outcome
	if err := json.Unmarshal([]byte(outcome), &told); err != nil || told.ConfirmID != a.id() || told.Status != "cancelled" {
		t.Errorf("%s: %v", outcome, err)
	}
	a.ends(77, outcome, "Reason: Not needed.")
}

// A deadline that nobody chose would be shorter than a policy's.
func TestAsk_NamesNoTimeoutUnlessTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := startAsk(t, d.base, d.key, "pay")
	if got := d.posted(a.id()); got.Timeout != 0 {
		t.Errorf("it names %d s", got.Timeout)
	}
	d.decides(a.id(), yes)
	a.ends(0, "", "Approved")
}

// A command runs once, as it was shown, and its exit code is the program's.
func TestAsk_RunsTheCommand(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	file := filepath.Join(t.TempDir(), "ran")
	args := []string{"--id", "deploy-1", "--", "sh", "-c", `echo "$1"; pwd >> "$2"; exit 7`, "sh", "a > b", file}
	a := startAsk(t, d.base, d.key, args...)
	var shown struct {
		Argv []string
		Cwd  string
	}
	action := d.posted(a.id()).Actions[0]
	if err := json.Unmarshal(action.Args, &shown); err != nil || action.Name != "sh" || !strings.Contains(string(action.Args), "a > b") {
		t.Errorf("%s %s: %v", action.Name, action.Args, err)
	}
	if diff := cmp.Diff(args[3:], shown.Argv); diff != "" {
		t.Error(diff)
	}
	d.decides("deploy-1", object{"status": "approved"})
	a.ends(7, "a > b\n", "Approved by reviewer.")
	if ran, err := os.ReadFile(file); err != nil || string(ran) != shown.Cwd+"\n" || shown.Cwd == "" {
		t.Errorf("ran in %q (%v), want %q", ran, err, shown.Cwd)
	}

	again := exec.CommandContext(t.Context(), "countersign", append([]string{"ask"}, args...)...)
	again.Dir, again.Env = a.cmd.Dir, a.cmd.Env
	text, err := again.CombinedOutput()
	if again.ProcessState.ExitCode() != 69 || !strings.Contains(string(text), "already used this approval") {
		t.Errorf("again: %v, %s", err, text)
	}
	if ran, _ := os.ReadFile(file); strings.Count(string(ran), "\n") != 1 {
		t.Errorf("one approval, several runs: %q", ran)
	}
}

func TestAsk_RunsNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	answer := func(status int, body string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	const decided = `{"confirm_id":"c1","content_hash":"sha256:0","status":"approved","cause":"human","decisions":[`
	for name, test := range map[string]struct {
		server, key, stderr string
		args                []string
	}{
		"no such key":        {d.base, "cs_none", "401 Unauthorized", nil},
		"no such role":       {d.base, d.key, "no role nobody", []string{"--role", "nobody"}},
		"500":                {answer(500, `{}`), "k", "500 Internal Server Error", nil},
		"rubbish":            {answer(200, `<p>approved`), "k", "no answer of Countersign", nil},
		"nothing":            {answer(200, ``), "k", "no answer of Countersign", nil},
		"no decision":        {answer(200, decided+`]}`), "k", "could not be asked", nil},
		"a rejected action":  {answer(200, decided+`{"type":"reject"}]}`), "k", "not this action", nil},
		"an edit":            {answer(200, decided+`{"type":"edit","edited_action":{"name":"a","args":{}}}]}`), "k", "were edited", nil},
		"an import":          {answer(200, strings.Replace(decided, "approved", "unsubstantiated", 1)+`]}`), "k", "is unsubstantiated", nil},
		"another's answer":   {answer(200, decided+`{"type":"approve"}]}`), "k", "about another request", []string{"--id", "c2"}},
		"the use is refused": {refusesUse(t, decided+`{"type":"approve","args_hash":"sha256:1"}]}`), "k", "409 Conflict: Already used.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := startAsk(t, test.server, test.key, append(append([]string{"--id", "c1"}, test.args...), "--", "touch", "ran")...)
			a.ends(69, "", test.stderr)
			if _, err := os.Stat(filepath.Join(a.cmd.Dir, "ran")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the command ran: %v", err)
			}
		})
	}
	a := startAsk(t, d.base, d.key, "--", "touch", "ran")
	d.decides(a.id(), object{"status": "rejected"})
	a.ends(77, "", "Rejected")
	if _, err := os.Stat(filepath.Join(a.cmd.Dir, "ran")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the command ran: %v", err)
	}
}

// refusesUse serves an approval that cannot be used.
func refusesUse(t *testing.T, outcome string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/consume") {
			w.WriteHeader(http.StatusConflict)
			outcome = `{"detail":"Already used."}`
		}
		_, _ = io.WriteString(w, outcome)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A signal cancels the request. What was killed can go on with the same id.
func TestAsk_Signals(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, test := range map[string]struct {
		signal syscall.Signal
		code   int
		status string
	}{
		"SIGINT":  {syscall.SIGINT, 130, "cancelled"},
		"SIGTERM": {syscall.SIGTERM, 143, "cancelled"},
		"SIGKILL": {syscall.SIGKILL, -9, "pending"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := startAsk(t, d.base, d.key, "--id", name, "pay", "--json")
			d.posted(name)
			if err := a.cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			a.ends(test.code, "", "")
			if got := d.status(name); got != test.status {
				t.Errorf("the request is %s, want %s", got, test.status)
			}
			if test.status != "pending" {
				return
			}
			again := startAsk(t, d.base, d.key, "--id", name, "pay")
			d.decides(again.id(), object{"status": "approved"})
			again.ends(0, "", "Approved")
			other := startAsk(t, d.base, d.key, "--id", name, "pay", "--args", `{"n":2}`)
			other.ends(69, "", "409 Conflict")
		})
	}
}

// From its start a command gets the signals itself.
func TestAsk_SignalsTheCommand(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := startAsk(t, d.base, d.key, "--", "sh", "-c", "echo up; exec sleep 600")
	d.decides(a.id(), object{"status": "approved"})
	a.stdout.await(t, 1, "up")
	if err := a.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	a.ends(-int(syscall.SIGTERM), "up\n", "Approved")
}

// A server that is not there yet, or goes away while it waits, is asked again.
func TestAsk_WaitsForTheServer(t *testing.T) {
	t.Parallel()
	address, db := closedAddress(t), filepath.Join(t.TempDir(), "countersign.db")
	key := invoke(t, "key", "create", "early", "--role", "executor", "--db", db)
	a := startAsk(t, "http://"+address, key, "--id", "early", "pay")
	a.stderr.await(t, 1, `No answer yet \(.*refused\), trying again\.`)
	d := newDesk(t, "--db", db, "--listen", address)
	d.agent = client.New(d.base, key)
	d.posted("early")
	d.stop(t)
	back := &desk{running: start(t, "--db", db, "--listen", address), t: t, agent: d.agent, decider: d.decider}
	back.decides("early", object{"status": "approved"})
	a.ends(0, "", "Approved by reviewer.")
}
