package domain

import "context"

// Listen is listen for a confirm, without what was told.
func (s *Service) Listen(ctx context.Context, ref Ref, confirmID string, wake func()) (stop func(), err error) {
	return s.subscribe(ctx, ref, confirmID, func(*Outcome) { wake() })
}

// FramePages reads all frames of a session, as a stream does.
func FramePages(s *Service, ref Ref, sessionID string, page func([]Frame)) error {
	r := &SessionReading{session: sessionID, last: Cursor{Seq: -1}}
	for more := true; more; {
		err := s.read(context.Background(), ref, func(reader Reader, p *Principal) error {
			frames, goesOn, err := r.nextPage(reader, p)
			page(frames)
			more = goesOn
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// EscalateDue is what the clock does when a role may vote in place of another.
func (s *Service) EscalateDue(ctx context.Context) error {
	_, err := s.escalateDue(ctx)
	return err
}
