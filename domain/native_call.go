package domain

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// NativeCall is what a harness asks about, in one or several actions.
type NativeCall struct {
	// ID is the id of the first confirm about this call. It follows from who asks and
	// from what identifies the call, so that asking again finds what was asked before.
	ID string
	// IsSameCall reports whether a content asks about the same actions.
	IsSameCall func(*evidence.Content) bool
	Executions []string // ids of the executions, one for each action
	// IsAskedOnce is set when the identity is that of one execution: once decided, the
	// answer stays. Otherwise the same call may come again, and is asked about again.
	IsAskedOnce bool
	Waited      string // id of the confirm that the caller was told to wait for, or empty
}

// reuseTime is how long an approval that nobody has used waits for the call to come
// back.
const reuseTime = 10 * time.Minute

// AwaitNative returns the outcome of a confirm that PostNative gave for a call, with its
// content once it is decided. It waits up to wait for the decision. What is approved is
// used by these executions when it returns. When another execution of the same call was
// faster, the outcome is still pending: asking again makes a new request.
func (s *Service) AwaitNative(ctx context.Context, ref Ref, c *Confirm, call NativeCall, wait time.Duration) (*Outcome, *evidence.Content, error) {
	o := &Outcome{Confirm: c}
	until := s.clock().Add(wait)
	for left := wait; left > 0 || c.IsFinal(); left = until.Sub(s.clock()) {
		var err error
		if o, err = s.Outcome(ctx, ref, c.ID, left); err != nil {
			return nil, nil, err
		}
		if o.IsFinal() || s.feed.isDone() {
			break
		}
	}
	if !o.IsFinal() {
		return o, nil, nil
	}
	content, err := s.useNative(ctx, ref, o, call)
	if ErrorCode(err) == CodeConsumed && !call.IsAskedOnce {
		pending := *o.Confirm
		pending.Status = Pending
		return &Outcome{Confirm: &pending}, nil, nil
	}
	return o, content, err
}

// maxNativeTries bounds how often the same call is looked for again.
const maxNativeTries = 3

// PostNative returns the confirm that answers a call: the pending one about the same
// call, one that was approved a short time ago and not used, or a new one. newConfirm
// makes it under an id, and instead of another confirm that was rejected or timed out
// (empty: of none). Needs plan.execute: who cannot use an approval need not ask for one.
func (s *Service) PostNative(ctx context.Context, ref Ref, call NativeCall, newConfirm func(id, supersedes string) (*mplp.Confirm, error)) (*Confirm, error) {
	post := func(id, supersedes string) (*PostedConfirm, error) {
		in, err := newConfirm(id, supersedes)
		if err != nil {
			return nil, err
		}
		sent, err := s.parseConfirm(in)
		if err != nil {
			return nil, err
		}
		var posted *PostedConfirm
		err = s.write(ctx, ref, func(tx Tx, p *Principal) (err error) {
			if err = p.require(PlanExecute); err == nil {
				posted, err = s.postConfirm(tx, p, sent)
			}
			return err
		})
		return posted, err
	}
	if call.Waited == "" { // most calls are new
		posted, err := post(call.ID, "")
		if err == nil && posted.Created {
			return posted.Confirm, nil
		} else if err != nil && ErrorCode(err) != CodeIDTaken {
			return nil, err
		}
	}
	for tries := 0; ; tries++ {
		found, id, supersedes, err := s.findNative(ctx, ref, call)
		if err != nil || found != nil {
			return found, err
		}
		posted, err := post(id, supersedes)
		if ErrorCode(err) == CodeIDTaken && tries < maxNativeTries {
			continue // the same call was posted at the same moment, otherwise worded
		} else if err != nil {
			return nil, err
		}
		return posted.Confirm, nil
	}
}

// findNative returns the confirm that answers a call, or else the id for a new one and
// what that supersedes.
func (s *Service) findNative(ctx context.Context, ref Ref, call NativeCall) (found *Confirm, id, supersedes string, err error) {
	due := ""
	look := func(r Reader, p *Principal) error {
		if err := p.require(PlanExecute); err != nil {
			return err
		}
		c, next, err := findLatest(r, call)
		id = nativeID(call.ID, next)
		if err != nil || c == nil {
			return err
		}
		if due == "" && c.IsDue(s.clock()) {
			due = c.ID
			return nil
		}
		isAnswer, err := s.answersNative(r, p, c, call)
		if isAnswer {
			found = c
		} else if c.Status != Approved {
			supersedes = c.ID
		}
		return err
	}
	if err = s.read(ctx, ref, look); err == nil && due != "" {
		if err = s.expireOne(ctx, due); err == nil {
			err = s.read(ctx, ref, look)
		}
	}
	return found, id, supersedes, err
}

// nativeID is the id of the n-th confirm about a call, from 0.
func nativeID(id string, n int) string {
	if n == 0 {
		return id
	}
	return id + "-" + strconv.Itoa(n+1)
}

// findLatest returns the newest confirm about a call, nil for none, and the number of
// the next. Ids are given without gaps, so that few have to be looked at.
func findLatest(r Reader, call NativeCall) (latest *Confirm, next int, err error) {
	find := func(n int) (*Confirm, error) {
		c, err := r.Confirm(nativeID(call.ID, n))
		if errors.Is(err, ErrNotFound) {
			return nil, nil
		}
		return c, err
	}
	step := 1
	for ; ; step *= 2 {
		c, err := find(next + step - 1)
		if err != nil {
			return nil, 0, err
		}
		if c == nil {
			break
		}
		latest, next = c, next+step
		if call.IsAskedOnce {
			return latest, next, nil
		}
	}
	for step /= 2; step > 0; step /= 2 {
		c, err := find(next + step - 1)
		if err != nil {
			return nil, 0, err
		}
		if c != nil {
			latest, next = c, next+step
		}
	}
	return latest, next, nil
}

// nativeContent returns the content of a confirm. It refuses a confirm of another
// principal or about another call: ids follow from calls, so anybody can compute the id
// and post something else under it. It returns ErrNotFound if the content was deleted.
func nativeContent(r Reader, p *Principal, c *Confirm, call NativeCall) (*evidence.Content, error) {
	if c.RequestedBy != p.Ref || c.Imported {
		return nil, errOtherCall
	}
	stored, err := loadContent(r, c)
	if err != nil {
		return nil, err
	}
	content, err := evidence.ParseContent(stored.Content)
	if err == nil && (len(content.Actions) != len(call.Executions) || !call.IsSameCall(content)) {
		err = errOtherCall
	}
	return content, err
}

var errOtherCall = refuse(CodeIDTaken, "Another request already has the id of this call.")

// answersNative reports whether a confirm is the one to answer with.
func (s *Service) answersNative(r Reader, p *Principal, c *Confirm, call NativeCall) (bool, error) {
	content, err := nativeContent(r, p, c, call)
	switch {
	case errors.Is(err, ErrNotFound) && !call.IsAskedOnce:
		return false, nil
	case err != nil:
		return false, notFoundOr(err, "request")
	case call.IsAskedOnce || !c.IsFinal():
		return true, nil
	}
	isUsed, isPostedFor := false, true
	for i, execution := range call.Executions {
		isPostedFor = isPostedFor && content.Actions[i].ToolUseID == execution
		used, err := r.Consumption(c.RequestedSeq, "action:"+strconv.Itoa(i))
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return false, err
		case used.ExecutionID != execution:
			return false, nil
		default:
			isUsed = true
		}
	}
	if isUsed || c.ID == call.Waited || c.Status != Approved && isPostedFor {
		return true, nil
	}
	return c.Status == Approved && s.clock().Sub(c.DecidedAt) <= reuseTime, nil
}

// useNative uses all approved actions in one transaction, and returns the content.
func (s *Service) useNative(ctx context.Context, ref Ref, o *Outcome, call NativeCall) (content *evidence.Content, err error) {
	read := func(r Reader, p *Principal) error {
		content, err = nativeContent(r, p, o.Confirm, call)
		return notFoundOr(err, "request")
	}
	if !o.hasApprovedAction() {
		err = s.read(ctx, ref, read)
		return content, err
	}
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if err := read(tx, p); err != nil {
			return err
		}
		for i, d := range o.Decision.Actions {
			if d.Type == ActionReject {
				continue
			}
			index := int64(i)
			if _, _, err := s.consume(tx, p, ConsumeInput{ConfirmID: o.Confirm.ID, ExecutionID: call.Executions[i], Action: &index, ArgsHash: d.ArgsHash}); err != nil {
				return err
			}
		}
		return nil
	})
	return content, err
}

// hasApprovedAction reports whether at least one action may run.
func (o *Outcome) hasApprovedAction() bool {
	return o.Decision != nil && slices.ContainsFunc(o.Decision.Actions, func(d ActionDecision) bool { return d.Type != ActionReject })
}
