package domain

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"countersign/domain/mplp"
)

// Frame is one message of a session's stream (S4), with its place.
type Frame struct {
	Cursor Cursor
	Data   []byte // compact JSON
}

// approvalKey is what a session's frames call a confirm: its approval key, or
// its id if it was not posted as an approval request.
func (c *Confirm) approvalKey() string { return cmp.Or(c.ApprovalKey, c.ID) }

// framesOf renders the frames of a confirm: those of its request and, once it
// is decided, those of its result (requirements ).
func framesOf(r Reader, c *Confirm) ([]Frame, error) {
	stored, err := contentOf(r, c)
	if errors.Is(err, ErrNotFound) {
		return nil, nil // forgotten: there is nothing left to say
	} else if err != nil {
		return nil, err
	}
	object, err := stored.object()
	if err != nil {
		return nil, err
	}
	frames := requestFrames(c, object)
	if !c.Final() {
		return frames, nil
	}
	decisions, err := r.Decisions(c.RequestedSeq)
	if err != nil || len(decisions) == 0 {
		return frames, err
	}
	return append(frames, resultFrames(c, decisions[len(decisions)-1])...), nil
}

func requestFrames(c *Confirm, object []byte) []Frame {
	block := mplp.NewObject()
	block.Set("type", mplp.String("approval_request"))
	block.Set("approval_key", mplp.String(c.approvalKey()))
	block.Set("actions", mplp.Array())
	for _, name := range []string{"actions", "review_configs"} {
		if sent, ok := mplp.Member(object, name); ok {
			block.Set(name, sent)
		}
	}
	return number(c.RequestedSeq, c.frame("content_block_start", 0, "content_block", block), c.frame("content_block_stop", 0, "", nil))
}

func resultFrames(c *Confirm, d *Decision) []Frame {
	block := mplp.NewObject()
	if d.Cause == CauseTimeout {
		block.Set("type", mplp.String("approval_timeout"))
		block.Set("approval_key", mplp.String(c.approvalKey()))
		return number(c.DecidedSeq, c.frame("content_block_start", 1, "content_block", block), c.frame("content_block_stop", 1, "", nil))
	}
	block.Set("type", mplp.String("approval_result"))
	block.Set("approval_key", mplp.String(c.approvalKey()))
	block.Set("cause", mplp.String(string(d.Cause)))
	delta := mplp.NewObject()
	delta.Set("decisions", mplp.Array(d.objects()...))
	return number(c.DecidedSeq,
		c.frame("content_block_start", 1, "content_block", block),
		c.frame("content_block_delta", 1, "delta", delta),
		c.frame("content_block_stop", 1, "", nil))
}

// objects are the decisions on the actions as S4 writes them.
func (d *Decision) objects() []mplp.Raw {
	list := make([]mplp.Raw, len(d.Actions))
	for i, a := range d.Actions {
		o := mplp.NewObject()
		o.Set("type", mplp.String(a.Type))
		if a.Type == ActionEdit {
			edited := mplp.NewObject()
			edited.Set("name", mplp.String(a.Name))
			edited.Set("args", mplp.Raw(a.Args))
			o.Set("edited_action", edited.Bytes())
		}
		if a.Message != "" {
			o.Set("message", mplp.String(a.Message))
		}
		if a.Filled {
			o.Set("filled", mplp.Bool(true))
		}
		list[i] = o.Bytes()
	}
	return list
}

// frame writes one frame; the result's index follows the request's.
func (c *Confirm) frame(kind string, offset int64, member string, value *mplp.Object) []byte {
	o := mplp.NewObject()
	o.Set("type", mplp.String(kind))
	o.Set("index", mplp.Int(c.FrameIndex+offset))
	if member != "" {
		o.Set(member, value.Bytes())
	}
	if member == "content_block" && c.MessageID != "" {
		o.Set("message_id", mplp.String(c.MessageID))
	}
	return o.Bytes()
}

func number(seq int64, frames ...[]byte) []Frame {
	list := make([]Frame, len(frames))
	for i, data := range frames {
		list[i] = Frame{Cursor: Cursor{Seq: seq, N: i}, Data: data}
	}
	return list
}

// FollowSession sends the frames of a session's confirms, first what the
// listener has missed, then what happens, until ctx or the server ends. Without
// a cursor what it has missed is every pending request. Only what the key may
// see or decide is sent: knowing a session's id gives no right. The error is nil
// when the server stops, and unauthenticated when the key ends.
func (s *Service) FollowSession(ctx context.Context, ref Ref, sessionID string, after *Cursor, send func(Frame) error) error {
	woken := newSignal()
	stop, err := s.ListenSession(ctx, ref, sessionID, func() { woken.give(nil) })
	if err != nil {
		return err
	}
	defer stop()
	for {
		missed, last, err := s.SessionFrames(ctx, ref, sessionID, after)
		if err != nil {
			return err
		}
		for _, f := range missed {
			if err := send(f); err != nil {
				return err
			}
		}
		after = &last
		select {
		case <-woken:
		case <-s.feed.Done():
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// SessionFrames lists what FollowSession would send now, and the cursor to go on
// from.
func (s *Service) SessionFrames(ctx context.Context, ref Ref, sessionID string, after *Cursor) (missed []Frame, last Cursor, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) (err error) {
		if after != nil {
			last = *after
			missed, err = sessionFrames(r, p, sessionID, last, false)
			return err
		}
		// From here on everything counts, not only what is pending.
		head, err := r.NextSeq()
		if err != nil {
			return err
		}
		last = EndOf(head - 1)
		missed, err = sessionFrames(r, p, sessionID, Cursor{}, true)
		return err
	})
	for _, f := range missed {
		if last.before(f.Cursor) {
			last = f.Cursor
		}
	}
	return missed, last, err
}

// sessionFrames lists a session's frames after a place, or those of its pending
// requests.
func sessionFrames(r Reader, p *Principal, sessionID string, after Cursor, pending bool) (frames []Frame, err error) {
	f := ConfirmFilter{SessionID: sessionID, Visible: p.visibility()}
	if pending {
		f.Status = Pending
	} else {
		f.ChangedSince = &after.Seq
	}
	for page := (Page{Limit: MaxPage}); ; {
		rows, next, err := r.Confirms(f, page)
		if err == nil {
			err = allProven(rows)
		}
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			of, err := framesOf(r, &row.Confirm)
			if err != nil {
				return nil, err
			}
			for _, frame := range of {
				if pending || after.before(frame.Cursor) {
					frames = append(frames, frame)
				}
			}
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	slices.SortFunc(frames, func(a, b Frame) int {
		return cmp.Or(cmp.Compare(a.Cursor.Seq, b.Cursor.Seq), cmp.Compare(a.Cursor.N, b.Cursor.N))
	})
	return frames, nil
}
