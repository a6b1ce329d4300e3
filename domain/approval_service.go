package domain

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"countersign/domain/mplp"
)

// PostApproval stores an approval request (S4): one confirm of target type
// other with an approval key. Without a key the next "<session>_<n>" is given.
func (s *Service) PostApproval(ctx context.Context, ref Ref, in *mplp.Approval) (posted *PostedConfirm, err error) {
	if in.Key == "" && in.Confirm.SessionID == "" {
		return nil, Invalid("session_id", "required", "Send an approval_key, or a session_id to make one from.")
	}
	sent, err := s.posting(in.Confirm)
	if err != nil {
		return nil, err
	}
	sent.asked.ApprovalKey, sent.asked.FrameIndex = in.Key, in.Index
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		if in.Key == "" {
			key, err := nextApprovalKey(tx, in.Confirm.SessionID)
			if err != nil {
				return err
			}
			sent.asked.ApprovalKey = key
			sent.Native.Set("approval_key", mplp.String(key))
			sent.digest()
		}
		posted, err = s.postConfirm(tx, p, sent)
		return err
	})
	return posted, err
}

// nextApprovalKey makes a key that is free. A client may have chosen some of the keys
// itself, so each further look goes up to twice as far: all who write wait meanwhile.
// How far nobody can tell, or they would have chosen all the keys that are looked at.
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

// Approval gives what became of an approval request; see Outcome.
func (s *Service) Approval(ctx context.Context, ref Ref, key string, wait time.Duration) (*Outcome, error) {
	find := func(r Reader) (*Confirm, error) { return byApprovalKey(r, key) }
	o, _, err := s.outcome(ctx, ref, find)
	if err != nil || wait <= 0 || o.Settled() {
		return o, err
	}
	return s.await(ctx, ref, o.Confirm.ID, find, wait)
}

// byApprovalKey finds a confirm by what its session's frames call it: its
// approval key, or its id if it was posted without one.
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

// DecideApproval carries out S4's approval command. Its clients have no content
// hash; the log says so.
func (s *Service) DecideApproval(ctx context.Context, ref Ref, key string, in *mplp.ApprovalCommand) (*Outcome, error) {
	if in.Key != "" && in.Key != key {
		return nil, Invalid("approval_key", "const", "The approval key does not agree with the address.")
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
