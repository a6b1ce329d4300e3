package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listening is what servers print when they are ready, before their address.
const listening = "listening on http://"

// lifted are the limits of one key that would end a benchmark: a key here stands
// for many agents.
const lifted = "creates=1000000000,burst=1000000000,pending=1000000000,waits=50000"

// Names in the databases that are measured.
const (
	database = "countersign.db"
	reader   = "reader" // a user who may see and decide everything
	keys     = 4        // agents, and as many who decide
)

// access is how to get into a database.
type access struct {
	Agents, Deciders []string
	Password         string // the reader's
}

// furnish makes a database with users and keys, through the command line.
// How to get into it is kept in dir.
func (b *bench) furnish(ctx context.Context, dir, db string) (a access, err error) {
	a.Password = rand.Text()
	say := func(stdin string, words ...string) (string, error) {
		return b.command(ctx, dir, stdin, append(words, "--db", db)...)
	}
	if _, err = say(a.Password, "user", "add", reader, "--role", "reviewer", "--role", "architect", "--password-stdin"); err != nil {
		return a, err
	}
	for _, owner := range []string{"owner", "asker"} {
		if _, err = say("", "user", "add", owner, "--role", "reviewer"); err != nil {
			return a, err
		}
	}
	for i := range keys {
		agent, err := say("", "key", "create", fmt.Sprint("agent-", i), "--role", "executor", "--role", "planner", "--owner", "asker")
		if err != nil {
			return a, err
		}
		decider, err := say("", "key", "create", fmt.Sprint("decider-", i), "--role", "reviewer", "--owner", "owner", "--may-decide")
		if err != nil {
			return a, err
		}
		a.Agents, a.Deciders = append(a.Agents, agent), append(a.Deciders, decider)
	}
	text, err := json.Marshal(a)
	if err != nil {
		return a, err
	}
	return a, os.WriteFile(filepath.Join(dir, "access.json"), text, 0o600)
}

func readAccess(dir string) (a access, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "access.json"))
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(text, &a)
}

// command runs one of the product's commands in dir and gives what it printed.
func (b *bench) command(ctx context.Context, dir, stdin string, words ...string) (string, error) {
	cmd := exec.CommandContext(ctx, b.binary, words...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("countersign %s: %w\n%s%s", strings.Join(words[:2], " "), err, &stdout, &stderr)
	}
	return strings.TrimSpace(stdout.String()), nil
}

// verify holds the database in dir to its log.
func (b *bench) verify(ctx context.Context, dir string) error {
	return b.verifyAt(ctx, dir, filepath.Join(dir, database))
}

// verifyAt holds a database to its log, whose files are in dir.
func (b *bench) verifyAt(ctx context.Context, dir, db string) error {
	_, err := b.command(ctx, dir, "", "evidence", "verify", "--db", db)
	return err
}

// product is a running Countersign.
type product struct {
	*process
	access
	dir, address string
}

// serve starts the product on the database in dir.
func (b *bench) serve(ctx context.Context, dir string) (*product, error) {
	return b.serveBy(ctx, dir, b.binary, serveWords(dir, "127.0.0.1:0")...)
}

// serveBy starts it by a command line.
func (b *bench) serveBy(ctx context.Context, dir, program string, words ...string) (*product, error) {
	a, err := readAccess(dir)
	if err != nil {
		return nil, err
	}
	p, err := start(ctx, dir, program, words...)
	if err != nil {
		return nil, err
	}
	address, err := p.line(listening)
	if err != nil {
		p.kill()
		return nil, err
	}
	return &product{p, a, dir, address}, nil
}

func serveWords(dir, listen string) []string {
	return serveWordsAt(filepath.Join(dir, database), listen)
}

// serveWordsAt leaves verifications out, which would be measured too.
func serveWordsAt(db, listen string, more ...string) []string {
	return append([]string{"serve", "--db", db, "--listen", listen, "--limits", lifted, "--verify-every", "0"}, more...)
}

// with runs fn against a product on a fresh database, stops it, and verifies
// what it left.
func (b *bench) with(ctx context.Context, fn func(p *product) error) error {
	dir, err := b.fresh()
	if err != nil {
		return err
	}
	return errors.Join(b.on(ctx, dir, fn), b.verify(ctx, dir), os.RemoveAll(dir))
}

// on runs fn against a product on the database in dir, and stops it.
func (b *bench) on(ctx context.Context, dir string, fn func(p *product) error) error {
	p, err := b.serve(ctx, dir)
	if err != nil {
		return err
	}
	defer p.kill()
	if err := fn(p); err != nil {
		return p.failed(err)
	}
	return p.stop()
}

// fresh makes a directory with a furnished, otherwise empty database.
func (b *bench) fresh() (string, error) {
	dir, err := os.MkdirTemp(b.work, "run-")
	if err != nil {
		return "", err
	}
	return dir, copyFiles(b.template, dir)
}
