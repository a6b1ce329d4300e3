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
	p := &process{stdout: newTranscript(), stderr: newTranscript(), ended: make(chan error, 1)}
	p.cmd = exec.Command("countersign", append([]string{"serve", "--db", db, "--listen", "127.0.0.1:0",
		"--limits", "creates=1000000000,burst=1000000000,pending=1000000000,waits=1000000"}, args...)...)
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	began := time.Now()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // of what has ended, nothing
	p.base = p.stdout.await(t, 1, `(?m)^listening on (http\S+)$`)[1]
	p.ready = time.Since(began)
	return p
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
	h := &house{t: t, file: file, feed: domain.NewFeed()}
	var err error
	if h.db, err = store.Open(t.Context(), file, store.Options{Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	h.Service = domain.NewService(h.db, domain.Config{Limits: unlimited(), Hasher: cheap()})
	if err := h.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	fn(h)
	if err := h.db.Close(); err != nil {
		t.Fatal(err)
	}
}

// asks sends JSON with a key and reads the answer into out. An error is that of
// the connection: whether it was done is unknown.
func asks(ctx context.Context, c *http.Client, key, method, address, body string, out any) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err
	}
	if out != nil && answer.StatusCode < http.StatusMultipleChoices {
		return answer.StatusCode, json.Unmarshal(text, out)
	}
	return answer.StatusCode, nil
}

// verified runs evidence verify over a database, where the program has it.
func verified(t *testing.T, db string) error {
	t.Helper()
	if find([]string{"evidence", "verify"}) == nil {
		return nil
	}
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"evidence", "verify", "--db", db}, noEnvironment, strings.NewReader(""), &stdout, &stderr)
	if code != exitDone {
		return errors.New(strings.TrimSpace(stdout.String() + stderr.String()))
	}
	return nil
}
