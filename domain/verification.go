package domain

import (
	"context"
	"fmt"
	"time"
)

// Verification is what this process knows of the verifications of the whole
// database that it makes now and then. It is kept nowhere: after a restart the
// first one decides again.
type Verification struct {
	// Of the last one that came to its end.
	Ended    time.Time // zero: none has
	Took     time.Duration
	Entries  int64    // of the log
	Findings []string // what is not as it was logged, the first of them; none: all is
	More     int      // findings beyond these

	Failure  string // why the last one since then could not be run; empty: it could
	FailedAt time.Time

	Running bool
	Began   time.Time // the last one, or the one that is running
	Next    time.Time // zero: the server makes none
}

// Tampered says whether the database was found changed, and no later verification
// has found it as it should be.
func (v Verification) Tampered() bool { return len(v.Findings) > 0 }

// Verification gives what SetVerification was told last.
func (s *Service) Verification() Verification {
	if v := s.verification.Load(); v != nil {
		return *v
	}
	return Verification{}
}

// SetVerification is told of each change by whoever runs the verifications. From
// then on, and while the database is found changed, nothing is decided or
// consumed, and the gate resumes nothing.
func (s *Service) SetVerification(v Verification) { s.verification.Store(&v) }

// unchanged refuses what must not rest on a database that was found changed.
func (s *Service) unchanged() error {
	if !s.Verification().Tampered() {
		return nil
	}
	return refuse(CodeEvidenceUnavailable, "%s Nothing is decided or used until a later one finds it as it should be. Ask an administrator of this server.", foundChanged)
}

const foundChanged = "The last verification found that the database was changed."

// verifyPause is how long after the last verification began another one may be
// asked for.
const verifyPause = time.Minute

// VerifyNow asks for a verification before the next one is due. Needs trace.read.
func (s *Service) VerifyNow(ctx context.Context, ref Ref) error {
	err := s.read(ctx, ref, func(_ Reader, p *Principal) error { return p.needs(TraceRead) })
	if err != nil {
		return err
	}
	v := s.Verification()
	left := verifyPause - s.clock().Sub(v.Began)
	switch {
	case v.Next.IsZero():
		return refuse(CodeInvalidTransition, "This server does not verify its database: it was started with --verify-every 0.")
	case v.Running:
		return verifying()
	case left > 0:
		return &Error{Code: CodeRateLimited, RetryAfter: left,
			Message: fmt.Sprintf("The last verification began less than %v ago. Try again in %d s.", verifyPause, int(left.Seconds())+1)}
	}
	select {
	case s.verifyNow <- struct{}{}:
		return nil
	default: // somebody else was quicker
		return verifying()
	}
}

func verifying() error {
	return &Error{Code: CodeRateLimited, RetryAfter: verifyPause / 6, Message: "A verification is running. Look again when it has ended."}
}

// VerificationWanted tells whoever runs the verifications that somebody wants one
// now.
func (s *Service) VerificationWanted() <-chan struct{} { return s.verifyNow }
