package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

// process is a server in a process of its own: this test binary, called as the
// program.
type process struct {
	cmd            *exec.Cmd
	base           string
	ready          time.Duration // from start until it listened
	stdout, stderr *transcript
	ended          chan error
}

// spawn starts a server and waits until it listens.
func spawn(t *testing.T, db string, args ...string) *process {
	t.Helper()
	return spawnAs(t, []string{"countersign"}, db, args...)
}

// spawnAs starts a server by the command that the words begin.
func spawnAs(t *testing.T, words []string, db string, args ...string) *process {
	t.Helper()
	began := time.Now()
	p := launch(t, words, db, args...)
	p.base = p.stdout.await(t, 1, listening.String())[1]
	p.ready = time.Since(began)
	return p
}

// listening is what a server prints once it answers.
var listening = regexp.MustCompile(`(?m)^listening on (http\S+)$`)

// launch starts a server and waits for nothing.
func launch(t *testing.T, words []string, db string, args ...string) *process {
	t.Helper()
	p := &process{stdout: newTranscript(), stderr: newTranscript(), ended: make(chan error, 1)}
	words = append(slices.Clone(words), "serve", "--db", db, "--listen", "127.0.0.1:0",
		"--limits", "creates=1000000000,burst=1000000000,pending=1000000000,waits=1000000")
	p.cmd = exec.Command(words[0], append(words[1:], unverified(args)...)...)
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	p.cmd.Env = surroundings(db)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // of what has ended, nothing
	return p
}

// listens waits until a server that was launched listens, and says whether it
// did before it ended.
func (p *process) listens(t *testing.T) bool {
	t.Helper()
	late := time.After(patience)
	for {
		text, grown := p.stdout.now()
		if found := listening.FindStringSubmatch(text); found != nil {
			p.base = found[1]
			return true
		}
		select {
		case <-grown:
		case err := <-p.ended:
			p.ended <- err
			return false
		case <-late:
			t.Fatalf("the server neither listens nor ends:\n%s", p.stderr)
		}
	}
}

// conclude gives what a server ended with. One that does not end by itself is
// told to.
func (p *process) conclude(t *testing.T, byItself bool) error {
	t.Helper()
	if !byItself {
		_ = p.cmd.Process.Signal(syscall.SIGTERM) // to what has ended, nothing
	}
	select {
	case err := <-p.ended:
		return err
	case <-time.After(patience):
		t.Fatalf("the server did not end:\n%s", p.stderr)
		return nil
	}
}

// signal sends a signal and waits for the end.
func (p *process) signal(t *testing.T, s os.Signal) error {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-p.ended:
		return err
	case <-time.After(patience):
		t.Fatalf("the server did not end:\n%s", p.stderr)
		return nil
	}
}

func (p *process) kill(t *testing.T) { _ = p.signal(t, syscall.SIGKILL) }

// furnished makes a database with an agent's key and one that may decide.
func furnished(t *testing.T, db string) (asker, decider string) {
	t.Helper()
	opened(t, db, func(h *house) {
		h.user("owner", "reviewer")
		asker, _ = h.key(domain.KeyInput{Name: "asker", Roles: []string{"executor"}})
		decider, _ = h.key(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "owner", MayDecide: true})
	})
	return asker, decider
}

// opened opens a database file without a server for as long as fn runs.
func opened(t *testing.T, file string, fn func(h *house)) {
	t.Helper()
	h, err := reopen(t, file)
	if err != nil {
		t.Fatal(err)
	}
	fn(h)
	if err := h.db.Close(); err != nil {
		t.Fatal(err)
	}
}

// reopen opens a database file without a server. The caller closes it.
func reopen(t *testing.T, file string) (*house, error) {
	t.Helper()
	h := &house{t: t, file: file, feed: domain.NewFeed()}
	var err error
	if h.db, err = store.Open(t.Context(), file, placed(file, store.Options{Now: time.Now})); err != nil {
		return nil, err
	}
	h.Service = domain.NewService(h.db, domain.Config{Limits: unlimited(), Hasher: cheap()})
	if err := h.Prepare(t.Context()); err != nil {
		return nil, errors.Join(err, h.db.Close())
	}
	return h, nil
}

// asks sends JSON with a key and reads the answer into out. An error is that of
// the connection: whether it was done is unknown.
func asks(ctx context.Context, c *http.Client, key, method, address, body string, out any) (status int, err error) {
	status, text, err := fetches(ctx, c, key, method, address, body)
	if err == nil && out != nil && status < http.StatusMultipleChoices {
		err = json.Unmarshal(text, out)
	}
	return status, err
}

// fetches is asks for whoever reads refusals too.
func fetches(ctx context.Context, c *http.Client, key, method, address, body string) (status int, text []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}

// verified runs evidence verify over a database, where the program has it.
func verified(t *testing.T, db string) error {
	t.Helper()
	if findCommand([]string{"evidence", "verify"}) == nil {
		return nil
	}
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"evidence", "verify", "--db", db}, environment(db), strings.NewReader(""), &stdout, &stderr)
	if code != exitDone {
		return errors.New(strings.TrimSpace(stdout.String() + stderr.String()))
	}
	return nil
}
