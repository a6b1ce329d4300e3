package domain

import "context"

// Listen is listen for a confirm, without what was told.
func (s *Service) Listen(ctx context.Context, ref Ref, confirmID string, wake func()) (stop func(), err error) {
	return s.listen(ctx, ref, confirmID, func(*Outcome) { wake() })
}
