package domain

import "context"

// Listen is listen for a confirm, without what was told.
func (s *Service) Listen(ctx context.Context, ref Ref, confirmID string, wake func()) (stop func(), err error) {
	return s.listen(ctx, ref, confirmID, func(*Outcome) { wake() })
}

// SessionFrames are those that FollowSession would send now.
func (s *Service) SessionFrames(ctx context.Context, ref Ref, sessionID string, after *Cursor) (list []Frame, err error) {
	r := &sessionReading{session: sessionID, last: Cursor{Seq: -1}, replays: after == nil}
	if after != nil {
		r.last = *after
	}
	err = s.sendFrames(ctx, ref, r, func(f Frame) error {
		list = append(list, f)
		return nil
	})
	return list, err
}
