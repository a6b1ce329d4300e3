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
	// database. By then it answers, and the head file is written.
	firstVerification = 2 * time.Second
	// verifyRetryPause is the pause after a verification that could not run. It
	// doubles after each further failure, up to the usual interval.
	verifyRetryPause = time.Minute
	// verifyTimeout bounds one verification. While it reads a SQLite database the
	// journal only grows.
	verifyTimeout = time.Hour
	// findingsLogged bounds how many findings the log lists.
	findingsLogged = 10
)

// verifier verifies the server's database at intervals, one run at a time. Each
// run is a process of its own: its memory is freed when it ends, and it has a low
// priority.
type verifier struct {
	svc         *domain.Service
	logger      *slog.Logger
	every       time.Duration
	environment []string // of the process; flags could be read by others
	state       domain.Verification
	// verify runs one verification. An error means that there is no result.
	verify func(context.Context) (*verifyReport, error)
}

// newVerifier returns the verifier of the call's database, or nil if it is never
// verified.
func (s *server) newVerifier(c *call, o *serveOptions) *verifier {
	if o.verifyEvery == 0 {
		return nil
	}
	v := &verifier{svc: s.svc, logger: s.logger, every: time.Duration(o.verifyEvery)}
	for name, value := range map[string]string{"db": c.db, "signing-key": o.signingKey, "head": o.head} {
		v.environment = append(v.environment, variable(name)+"="+value)
	}
	v.verify = v.runProcess
	v.schedule(min(v.every, firstVerification))
	return v
}

// schedule sets when the next verification is due.
func (v *verifier) schedule(pause time.Duration) {
	v.state.Running, v.state.Next = false, v.svc.Now().Add(pause)
	v.svc.SetVerification(v.state)
}

// run verifies until ctx ends, which also ends a verification.
func (v *verifier) run(ctx context.Context) {
	again := verifyRetryPause
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
			v.logger.Error("the database could not be verified", "error", err)
		} else {
			again = verifyRetryPause
			v.report(report, time.Since(began))
		}
		// Jitter: nodes that start together should not verify together.
		v.schedule(pause - pause/20 + rand.N(pause/10+1))
	}
}

// report publishes the result of a verification.
func (v *verifier) report(r *verifyReport, took time.Duration) {
	v.state = domain.Verification{
		Ended: v.svc.Now(), Took: took, Entries: r.Entries, Findings: r.Findings, OmittedFindings: r.More, Began: v.state.Began, Next: v.state.Next,
	}
	v.svc.SetVerification(v.state) // before the log reports it
	if !v.state.IsTampered() {
		v.logger.Info("the database was verified", "took", took, "entries", r.Entries, "contents", r.Contents)
		return
	}
	v.logger.Error("the database was changed by something other than this program: nothing can be decided until a verification finds no changes",
		"findings", r.Findings[:min(len(r.Findings), findingsLogged)], "count", len(r.Findings)+r.More, "took", took)
}

// runProcess runs one verification in a process of its own.
func (v *verifier) runProcess(ctx context.Context) (*verifyReport, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, verifyTimeout, fmt.Errorf("it did not end within %v", verifyTimeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	cmd.Args = []string{"countersign", "evidence", "verify", "--json"}
	cmd.Env = append(os.Environ(), v.environment...)
	var stdout bytes.Buffer
	var stderr prefixBuffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = runAtLowPriority(cmd)
	if err != nil && context.Cause(ctx) != nil {
		return nil, context.Cause(ctx)
	}
	if cmd.ProcessState == nil {
		return nil, err
	}
	return readVerification(cmd.ProcessState.ExitCode(), stdout.Bytes(), err, stderr.String())
}

// readVerification returns the result of the process. The exit code alone decides
// whether it found something, even if its output cannot be read.
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
		failed = fmt.Errorf("its report cannot be read: %w", unread)
	default:
		failed = fmt.Errorf("it succeeded, but its result is %q", r.Result)
	}
	if stderr != "" {
		failed = fmt.Errorf("%w: %s", failed, stderr)
	}
	return nil, failed
}

// runAtLowPriority runs a command at a lower priority than the server's. It keeps
// its thread: on Linux the command is killed when the thread that started it ends.
func runAtLowPriority(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	lowerPriority(cmd.Process.Pid)
	return cmd.Wait()
}

// prefixBuffer keeps the beginning of what is written to it.
type prefixBuffer struct{ strings.Builder }

func (b *prefixBuffer) Write(text []byte) (int, error) {
	const enough = 2 << 10
	b.Builder.Write(text[:min(len(text), max(0, enough-b.Len()))])
	return len(text), nil
}

// verificationCheck fails while the last verification found a changed database.
func verificationCheck(svc *domain.Service) web.Check {
	return web.Check{Name: "verification", Ask: func(context.Context) error {
		if v := svc.Verification(); v.IsTampered() {
			return fmt.Errorf("the last verification found %d changes, the first is: %s", len(v.Findings)+v.OmittedFindings, v.Findings[0])
		}
		return nil
	}}
}
