package domain

import "context"

// ConfirmRows finds confirms as lists show them, by their ids, but for their
// decisions. Those that are unknown, or not for the reader to see, are left out.
func (s *Service) ConfirmRows(ctx context.Context, ref Ref, ids []string) (rows map[string]*ConfirmRow, err error) {
	rows = make(map[string]*ConfirmRow, len(ids))
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		list, err := r.ConfirmRows(ids)
		for _, row := range list {
			if p.sees(&row.Confirm) {
				rows[row.ID] = row
			}
		}
		return err
	})
	return rows, err
}
