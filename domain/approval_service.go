package domain

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"countersign/domain/mplp"
)

// PostApproval stores an approval request: a confirm of target type other with an
// approval key. Without a key it gets the next "<session>_<n>".
func (s *Service) PostApproval(ctx context.Context, ref Ref, in *mplp.Approval) (posted *PostedConfirm, err error) {
	if in.Key == "" && in.Confirm.SessionID == "" {
		return nil, Invalid("session_id", "required", "Send an approval_key, or a session_id to create one from.")
	}
	sent, err := s.parseConfirm(in.Confirm)
	if err != nil {
		return nil, err
	}
	sent.row.ApprovalKey, sent.row.FrameIndex = in.Key, in.Index
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if in.Key == "" {
			key, err := nextApprovalKey(tx, in.Confirm.SessionID)
			if err != nil {
				return err
			}
			sent.row.ApprovalKey = key
			sent.Native.Set("approval_key", mplp.String(key))
			sent.computeDigest()
		}
		posted, err = s.postConfirm(tx, p, sent)
		return err
	})
	return posted, err
}

// nextApprovalKey returns a free key. Clients may have taken some keys themselves, so
// each further step is random and up to twice as wide. The search stays short, for
// other writers wait for it, and nobody can take every key that it tries.
func nextApprovalKey(r Reader, sessionID string) (string, error) {
	n, err := r.ApprovalCount(sessionID)
	if err != nil {
		return "", err
	}
	n++
	for step := 1; ; n, step = n+1+rand.IntN(step), 2*step {
		key := fmt.Sprintf("%s_%d", sessionID, n)
		if _, err := r.ConfirmByApprovalKey(key); errors.Is(err, ErrNotFound) {
			return key, nil
		} else if err != nil {
			return "", err
		}
	}
}

// Approval returns the outcome of an approval request; see Outcome.
func (s *Service) Approval(ctx context.Context, ref Ref, key string, wait time.Duration) (*Outcome, error) {
	find := func(r Reader) (*Confirm, error) { return byApprovalKey(r, key) }
	o, _, err := s.readOutcome(ctx, ref, find)
	if err != nil || wait <= 0 || o.IsFinal() {
		return o, err
	}
	return s.awaitOutcome(ctx, ref, o.Confirm.ID, find, wait)
}

// byApprovalKey finds a confirm by its approval key, or by its id if it has none: that
// is how a session's frames call it.
func byApprovalKey(r Reader, key string) (*Confirm, error) {
	c, err := r.ConfirmByApprovalKey(key)
	if !errors.Is(err, ErrNotFound) {
		return c, err
	}
	if c, err = r.Confirm(key); err == nil && c.ApprovalKey != "" {
		return nil, ErrNotFound
	}
	return c, err
}

// DecideApproval carries out an approval command. Its clients may send no content hash;
// the log says so then.
func (s *Service) DecideApproval(ctx context.Context, ref Ref, key string, in *mplp.ApprovalCommand) (*Outcome, error) {
	if in.Key != "" && in.Key != key {
		return nil, Invalid("approval_key", "const", "The approval key does not match the address.")
	}
	d := DecisionInput{
		Actions: in.Decisions, ContentHash: in.ContentHash, HashOptional: true, FillFromFirst: true,
		Reason: in.Reason, UserEditContent: in.UserEditContent, DecidedByRole: in.DecidedByRole,
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	made, err := s.decide(ctx, ref, func(r Reader) (*Confirm, error) {
		c, err := byApprovalKey(r, key)
		if err == nil && in.SessionID != "" && in.SessionID != c.SessionID {
			return nil, ErrNotFound
		}
		return c, err
	}, d)
	return made.Outcome, err
}
