package domain

import (
	"cmp"
	"context"
	"errors"

	"countersign/domain/mplp"
)

// Frame is one message of a session's stream.
type Frame struct {
	Cursor Cursor
	Data   []byte // compact JSON
}

// approvalKey returns what a session's frames call a confirm: its approval key, or its
// id if it has none.
func (c *Confirm) approvalKey() string { return cmp.Or(c.ApprovalKey, c.ID) }

// framesOf renders the frames of a confirm: of its request and, once decided, of its
// result.
func framesOf(r Reader, c *Confirm) ([]Frame, error) {
	stored, err := loadContent(r, c)
	if errors.Is(err, ErrNotFound) {
		return nil, nil // pruned: nothing is left to send
	} else if err != nil {
		return nil, err
	}
	object, err := stored.object()
	if err != nil {
		return nil, err
	}
	frames := requestFrames(c, object)
	if !c.IsFinal() {
		return frames, nil
	}
	decisions, err := loadDecisions(r, c)
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
	return numberFrames(c.RequestedSeq, c.frame("content_block_start", 0, "content_block", block), c.frame("content_block_stop", 0, "", nil))
}

func resultFrames(c *Confirm, d *Decision) []Frame {
	block := mplp.NewObject()
	if d.Cause == CauseTimeout {
		block.Set("type", mplp.String("approval_timeout"))
		block.Set("approval_key", mplp.String(c.approvalKey()))
		return numberFrames(c.DecidedSeq, c.frame("content_block_start", 1, "content_block", block), c.frame("content_block_stop", 1, "", nil))
	}
	block.Set("type", mplp.String("approval_result"))
	block.Set("approval_key", mplp.String(c.approvalKey()))
	block.Set("cause", mplp.String(string(d.Cause)))
	delta := mplp.NewObject()
	delta.Set("decisions", mplp.Array(d.decisionObjects()...))
	return numberFrames(c.DecidedSeq,
		c.frame("content_block_start", 1, "content_block", block),
		c.frame("content_block_delta", 1, "delta", delta),
		c.frame("content_block_stop", 1, "", nil))
}

// decisionObjects renders the decisions on the actions.
func (d *Decision) decisionObjects() []mplp.Raw {
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

// frame renders one frame. The result's index follows the request's.
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

func numberFrames(seq int64, frames ...[]byte) []Frame {
	list := make([]Frame, len(frames))
	for i, data := range frames {
		list[i] = Frame{Cursor: Cursor{Seq: seq, N: i}, Data: data}
	}
	return list
}

// pageFrames and pageBytes bound what of a stream is in memory while it is sent: a
// page ends with the confirm whose frames reach one of them.
const (
	pageFrames = 32
	pageBytes  = 64 << 10
)

// FollowSession sends the frames of a session's confirms, first missed ones, then new
// ones, until ctx or the server ends. It sends only what the key may see or decide:
// knowing a session's id gives no right. The error is nil when the server stops, and
// unauthenticated when the key ends.
func (s *Service) FollowSession(ctx context.Context, ref Ref, r *SessionReading, l Listener[Frame]) error {
	err := onOwnStack(func() error { // due confirms first
		_, err := s.ExpireDue(ctx, r.head)
		return err
	})
	if err != nil {
		return err
	}
	defer s.addFollower()()
	return follow(ctx, s, ref, sessionTopic(r.session), l, func() error { return s.sendFrames(ctx, ref, r, l.Send) })
}

// sendFrames sends what there is now, a page at a time.
func (s *Service) sendFrames(ctx context.Context, ref Ref, r *SessionReading, send func(Frame) error) error {
	for {
		var frames []Frame
		more := false
		err := s.readForStream(ctx, func() error {
			return s.read(ctx, ref, func(reader Reader, p *Principal) (err error) {
				frames, more, err = r.nextPage(reader, p)
				return err
			})
		})
		if err != nil {
			return err
		}
		for _, f := range frames {
			if err := send(f); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// SessionReading is how far a stream of a session has got.
type SessionReading struct {
	session string
	head    int64  // the newest log entry when the stream began
	last    Cursor // everything after it is to be sent
	// pendingAt, unless 0, selects the requests that were pending at this log number.
	// They are sent first, then whatever happened after it.
	pendingAt int64
}

// nextPage reads the next frames and reports whether there may be more.
func (r *SessionReading) nextPage(reader Reader, p *Principal) (frames []Frame, more bool, err error) {
	head, err := reader.NextSeq()
	if err != nil {
		return nil, false, err
	}
	f := SessionFilter{SessionID: r.session, Visible: p.confirmVisibility(), From: r.last.Seq, OpenAt: r.pendingAt, Limit: pageFrames}
	steps, err := reader.SessionSteps(f)
	if err != nil {
		return nil, false, err
	}
	size := 0
	for _, step := range steps {
		if len(frames) >= pageFrames || size >= pageBytes {
			return frames, true, nil
		}
		of, err := framesOf(reader, step.Confirm)
		if err != nil {
			return nil, false, err
		}
		for _, frame := range of {
			if frame.Cursor.Seq == step.Seq && r.last.isBefore(frame.Cursor) {
				frames = append(frames, frame)
				size += len(frame.Data)
			}
		}
		r.last = EndOfEntry(step.Seq)
	}
	if len(steps) == f.Limit {
		return frames, true, nil
	}
	if r.pendingAt > 0 { // all pending requests are sent: go on after that moment
		more = r.pendingAt < head
		r.last, r.pendingAt = EndOfEntry(r.pendingAt-1), 0
		return frames, more, nil
	}
	if end := EndOfEntry(head - 1); r.last.isBefore(end) {
		r.last = end
	}
	return frames, false, nil
}
