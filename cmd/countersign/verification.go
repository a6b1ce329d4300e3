package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"countersign/domain"
	"countersign/web"
)

const (
	// firstVerification is how long after its start a server first verifies its
	// database: by then it answers, and the head file is written.
	firstVerification = 2 * time.Second
	// verifyAgain is when a verification that could not be run is tried again, and
	// twice as long after each that could not either, up to the usual interval.
	verifyAgain = time.Minute
	// verifyPatience is how long one may take. While it reads a SQLite database
	// the journal only grows.
	verifyPatience = time.Hour
	// findingsLogged bounds how many findings the log names.
	findingsLogged = 10
)

// verifier verifies the server's database, now and then and one at a time, in a
// process of its own: what a verification takes of memory is given back when it
// ends, and it can have a low priority.
type verifier struct {
	svc         *domain.Service
	logger      *slog.Logger
	every       time.Duration
	environment []string // of the process: it has no flags, which others could read
	state       domain.Verification
	// verify runs one verification. An error says that it came to no result, which
	// says nothing of the database.
	verify func(context.Context) (*verifyReport, error)
}

// newVerifier verifies the database of the call, nil if it never shall.
func (s *server) newVerifier(c *call, o *serveOptions) *verifier {
	if o.verifyEvery == 0 {
		return nil
	}
	v := &verifier{svc: s.svc, logger: s.logger, every: time.Duration(o.verifyEvery)}
	for name, value := range map[string]string{"db": c.db, "signing-key": o.signingKey, "head": o.head} {
		v.environment = append(v.environment, variable(name)+"="+value)
	}
	v.verify = v.spawn
	v.plan(min(v.every, firstVerification))
	return v
}

// plan says when the next verification is due.
func (v *verifier) plan(pause time.Duration) {
	v.state.Running, v.state.Next = false, v.svc.Now().Add(pause)
	v.svc.SetVerification(v.state)
}

// run verifies until ctx ends. That ends a verification too.
func (v *verifier) run(ctx context.Context) {
	again := verifyAgain
	for {
		due := time.NewTimer(v.state.Next.Sub(v.svc.Now()))
		select {
		case <-due.C:
		case <-v.svc.VerificationWanted():
			due.Stop()
		case <-ctx.Done():
			due.Stop()
			return
		}
		began := time.Now()
		v.state.Running, v.state.Began = true, v.svc.Now()
		v.svc.SetVerification(v.state)
		report, err := v.verify(ctx)
		if ctx.Err() != nil {
			return
		}
		pause := v.every
		if err != nil {
			v.state.Failure, v.state.FailedAt = err.Error(), v.svc.Now()
			pause = min(again, v.every)
			again = 2 * pause
			v.logger.Error("the verification of the database could not be run", "error", err)
		} else {
			again = verifyAgain
			v.found(report, time.Since(began))
		}
		// Nodes that were started together do not go on verifying together.
		v.plan(pause - pause/20 + rand.N(pause/10+1))
	}
}

// found tells everybody what a verification has found that came to its end.
func (v *verifier) found(r *verifyReport, took time.Duration) {
	v.state = domain.Verification{
		Ended: v.svc.Now(), Took: took, Entries: r.Entries, Findings: r.Findings, More: r.More, Began: v.state.Began, Next: v.state.Next,
	}
	v.svc.SetVerification(v.state) // before the log says so
	if !v.state.Tampered() {
		v.logger.Info("the database was verified", "took", took, "entries", r.Entries, "contents", r.Contents)
		return
	}
	v.logger.Error("the database was changed by something else than this program: nothing is decided until a verification finds nothing",
		"findings", r.Findings[:min(len(r.Findings), findingsLogged)], "count", len(r.Findings)+r.More, "took", took)
}

// spawn runs one verification in a process of its own.
func (v *verifier) spawn(ctx context.Context) (*verifyReport, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, verifyPatience, fmt.Errorf("it did not end within %v", verifyPatience))
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	cmd.Args = []string{"countersign", "evidence", "verify", "--json"}
	cmd.Env = append(os.Environ(), v.environment...)
	var stdout bytes.Buffer
	var stderr beginning
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = runBelow(cmd)
	if err != nil && context.Cause(ctx) != nil {
		return nil, context.Cause(ctx)
	}
	if cmd.ProcessState == nil {
		return nil, err
	}
	return readVerification(cmd.ProcessState.ExitCode(), stdout.Bytes(), err, stderr.String())
}

// readVerification says what the process found. That it found something is said by
// its exit code, whatever becomes of the words.
func readVerification(code int, printed []byte, failed error, stderr string) (*verifyReport, error) {
	r := new(verifyReport)
	unread := json.Unmarshal(printed, r)
	switch {
	case code == int(exitTampered):
		if unread != nil || len(r.Findings) == 0 {
			r.Findings = []string{"the list of what was found could not be read"}
		}
		return r, nil
	case code == exitDone && unread == nil && r.Result == resultVerified && len(r.Findings) == 0:
		return r, nil
	case code == int(exitUnknown) && unread == nil:
		return nil, errors.New(strings.Join(r.Unknown, "; "))
	}
	switch {
	case failed != nil:
	case unread != nil:
		failed = fmt.Errorf("what it printed is no report: %w", unread)
	default:
		failed = fmt.Errorf("it ended well and yet its result is %q", r.Result)
	}
	if stderr != "" {
		failed = fmt.Errorf("%w: %s", failed, stderr)
	}
	return nil, failed
}

// runBelow runs a command at a lower priority than the server's. The thread that
// starts it lives as long: where the command ends with its parent, it ends with
// the thread.
func runBelow(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	lower(cmd.Process.Pid)
	return cmd.Wait()
}

// beginning keeps the first words of what is written to it.
type beginning struct{ strings.Builder }

func (b *beginning) Write(text []byte) (int, error) {
	const enough = 2 << 10
	b.Builder.Write(text[:min(len(text), max(0, enough-b.Len()))])
	return len(text), nil
}

// verificationCheck makes a server not ready whose database was found changed.
func verificationCheck(svc *domain.Service) web.Check {
	return web.Check{Name: "verification", Ask: func(context.Context) error {
		if v := svc.Verification(); v.Tampered() {
			return fmt.Errorf("the last verification found %d changes, the first is: %s", len(v.Findings)+v.More, v.Findings[0])
		}
		return nil
	}}
}
