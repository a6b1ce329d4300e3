package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/prometheus/procfs"

	"countersign/cmd/bench/load"
)

const (
	// lifted are the limits of one key, which here stands for many agents.
	lifted = "creates=1000000000,burst=1000000000,pending=1000000000,waits=50000"

	listening = "listening on http://" // servers print it when they are ready
	database  = "countersign.db"
)

// access is how to get into a database. It is kept beside it.
type access struct {
	Agents, Deciders []string // keys
	Password         string   // of the user named reader
}

// furnish makes a database with users and keys through the command line.
func (b *bench) furnish(ctx context.Context, dir, db string) {
	a := access{Password: rand.Text()}
	command := func(stdin, line string) string {
		return b.command(ctx, dir, stdin, append(strings.Fields(line), "--db", db)...)
	}
	command(a.Password, "user add reader --role reviewer --role architect --password-stdin")
	command("", "user add owner --role reviewer")
	command("", "user add asker --role reviewer")
	for i := range 4 {
		a.Agents = append(a.Agents, command("", fmt.Sprintf("key create agent-%d --role executor --role planner --owner asker", i)))
		a.Deciders = append(a.Deciders, command("", fmt.Sprintf("key create decider-%d --role reviewer --owner owner --may-decide", i)))
	}
	check(os.WriteFile(filepath.Join(dir, "access.json"), must(json.Marshal(a)), 0o600))
}

// command runs one of the program's commands and returns what it printed.
func (b *bench) command(ctx context.Context, dir, stdin string, words ...string) string {
	cmd := exec.CommandContext(ctx, b.binary, words...)
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, strings.NewReader(stdin), b.log
	return strings.TrimSpace(string(must(cmd.Output())))
}

func (b *bench) verify(ctx context.Context, dir, db string) string {
	return b.command(ctx, dir, "", "evidence", "verify", "--json", "--db", db)
}

// fresh makes a directory with a furnished, otherwise empty database.
func (b *bench) fresh() string {
	dir := must(os.MkdirTemp(b.work, "run-"))
	check(os.CopyFS(dir, os.DirFS(b.template)))
	check(os.Chmod(filepath.Join(dir, database+".key"), 0o600)) // the copy is for everybody
	return dir
}

// server is a running program that answers at address.
type server struct {
	cmd     *exec.Cmd
	address string
	access
}

// start starts a server and waits until it listens.
func (b *bench) start(ctx context.Context, dir, program string, words ...string) *server {
	cmd := exec.CommandContext(ctx, program, words...)
	cmd.Dir, cmd.Stderr = dir, b.log
	stdout := must(cmd.StdoutPipe())
	check(cmd.Start())
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if address, found := strings.CutPrefix(lines.Text(), listening); found {
			return &server{cmd: cmd, address: address}
		}
	}
	panic(failure{fmt.Errorf("%s does not listen: %w", program, cmd.Wait())})
}

// serve starts the program on a database. Verifications would be measured too.
func (b *bench) serve(ctx context.Context, dir, db string, more ...string) *server {
	words := []string{"serve", "--db", db, "--listen", "127.0.0.1:0", "--limits", lifted, "--verify-every", "0"}
	return b.startFurnished(ctx, dir, b.binary, append(words, more...)...)
}

// startFurnished starts a server on a database with users and keys.
func (b *bench) startFurnished(ctx context.Context, dir, program string, words ...string) *server {
	s := b.start(ctx, dir, program, words...)
	check(json.Unmarshal(must(os.ReadFile(filepath.Join(dir, "access.json"))), &s.access))
	return s
}

// on runs fn beside a server on the database in dir.
func (b *bench) on(ctx context.Context, dir string, fn func(s *server)) {
	s := b.serve(ctx, dir, filepath.Join(dir, database))
	defer s.kill()
	fn(s)
	s.stop()
}

// onFresh runs fn beside a server on a fresh database. Afterwards the server is
// killed and started again. What fn returns must still be there, and the log must
// verify.
func (r *round) onFresh(ctx context.Context, fn func(s *server) []load.Confirm) {
	dir := r.fresh()
	s := r.serve(ctx, dir, filepath.Join(dir, database))
	defer s.kill()
	acknowledged := fn(s)
	s.kill()
	r.readBackFrom(ctx, dir, acknowledged)
}

// readBackFrom starts a server on the database of one that was killed. What that one
// acknowledged must still be there, and the log must verify.
func (r *round) readBackFrom(ctx context.Context, dir string, acknowledged []load.Confirm) {
	r.on(ctx, dir, func(s *server) {
		lost := must(load.ReadBack(ctx, s.address, s.Agents[0], acknowledged))
		r.set("acknowledged writes lost after kill -9", "", float64(lost))
		if lost > 0 {
			check(fmt.Errorf("%d acknowledged writes are lost", lost))
		}
	})
	r.verify(ctx, dir, filepath.Join(dir, database))
	check(os.RemoveAll(dir))
}

// stop ends the server in an orderly way.
func (s *server) stop() {
	check(s.cmd.Process.Signal(syscall.SIGTERM))
	check(s.cmd.Wait())
}

// kill ends the server at once, unless it has ended.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// agent returns the i-th agent.
func (s *server) agent(i int) *load.Agent {
	n := i % len(s.Agents)
	return &load.Agent{Asks: load.Client{Address: s.address}, Decides: load.Client{Address: s.address}, Key: s.Agents[n], DeciderKey: s.Deciders[n], Body: requestBody}
}

// trip makes the step of a client who makes round trips.
func (s *server) trip(i int) load.Step { return s.agent(i).Trip }

// oneRequest is trip for an agent who posts and waits at once.
func (s *server) oneRequest(i int) load.Step { return s.agent(i).OneRequest }

// create makes the step of a client who creates requests with the keys of all
// agents.
func (s *server) create() func(int) load.Step {
	var requests [][]byte
	for _, key := range s.Agents {
		requests = append(requests, load.Post("/api/v1/confirms", requestBody, load.Bearer(key)))
	}
	return load.Send(s.address, http.StatusCreated, requests...)
}

var csrfToken = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// signIn signs the reader in and returns the header with the session's cookie.
func (s *server) signIn(ctx context.Context) (header string) {
	client := load.Client{Address: s.address}
	page := must(client.Do(ctx, load.Get("/login"), http.StatusOK))
	form := url.Values{"csrf": {string(csrfToken.FindSubmatch(page.Body)[1])}, "username": {"reader"}, "password": {s.Password}}
	answer := must(client.Do(ctx, load.Post("/login", []byte(form.Encode()), "Content-Type: application/x-www-form-urlencoded",
		"Sec-Fetch-Site: same-origin", cookie(page)), http.StatusSeeOther))
	return cookie(answer)
}

func cookie(a load.Answer) string {
	value, _, _ := strings.Cut(a.Header.Get("Set-Cookie"), ";")
	return "Cookie: " + value
}

func (s *server) process() procfs.Proc { return must(procfs.NewProc(s.cmd.Process.Pid)) }
