package domain

import (
	"context"
	"fmt"
	"time"
)

// Verification is the state of the periodic verifications of the whole database, as
// this process knows it. It is not stored: after a restart the first verification
// decides again.
type Verification struct {
	// Of the last one that was finished.
	Ended           time.Time // zero: none has
	Took            time.Duration
	Entries         int64    // of the log
	Findings        []string // what is not as it was logged, the first of them; none: all is
	OmittedFindings int      // findings beyond these

	Failure  string // why a later one could not be run; empty: none failed
	FailedAt time.Time

	Running bool
	Began   time.Time // the last one, or the one that is running
	Next    time.Time // zero: the server makes none
}

// IsTampered reports whether the last finished verification found changes.
func (v Verification) IsTampered() bool { return len(v.Findings) > 0 }

// Verification returns what SetVerification set last.
func (s *Service) Verification() Verification {
	if v := s.verification.Load(); v != nil {
		return *v
	}
	return Verification{}
}

// SetVerification sets the state; whoever runs the verifications calls it at each
// change. While the database is found changed, nothing is decided or consumed, and the
// gate resumes nothing.
func (s *Service) SetVerification(v Verification) { s.verification.Store(&v) }

// checkNotTampered refuses what must not rest on a database that was found changed.
func (s *Service) checkNotTampered() error {
	if !s.Verification().IsTampered() {
		return nil
	}
	return refuse(CodeEvidenceUnavailable, "%s Nothing can be decided or used until a later verification finds no changes. Ask an administrator.", tamperedMessage)
}

const tamperedMessage = "The last verification found that the database was changed."

// minVerifyInterval is how long after the start of a verification another one may be
// requested.
const minVerifyInterval = time.Minute

// VerifyNow requests a verification before the next one is due. Needs trace.read.
func (s *Service) VerifyNow(ctx context.Context, ref Ref) error {
	err := s.read(ctx, ref, func(_ Reader, p *Principal) error { return p.require(TraceRead) })
	if err != nil {
		return err
	}
	v := s.Verification()
	left := minVerifyInterval - s.clock().Sub(v.Began)
	switch {
	case v.Next.IsZero():
		return refuse(CodeInvalidTransition, "This server does not verify its database. It was started with --verify-every 0.")
	case v.Running:
		return errVerifying()
	case left > 0:
		return &Error{Code: CodeRateLimited, RetryAfter: left,
			Message: fmt.Sprintf("The last verification began less than %v ago. Try again in %d s.", minVerifyInterval, int(left.Seconds())+1)}
	}
	select {
	case s.verifyNow <- struct{}{}:
		return nil
	default: // somebody else was quicker
		return errVerifying()
	}
}

func errVerifying() error {
	return &Error{Code: CodeRateLimited, RetryAfter: minVerifyInterval / 6, Message: "A verification is running. Try again when it has ended."}
}

// VerificationWanted receives when a verification is requested.
func (s *Service) VerificationWanted() <-chan struct{} { return s.verifyNow }
