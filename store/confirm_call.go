package store

import (
	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/driver"
)

// callTerm is the term under which the search index has a call. No word begins with a
// control character, so that no search finds it.
func callTerm(digest string) string { return "\x01" + digest }

// callTerms are the terms of all calls of a content that was stored.
func callTerms(content *domain.ConfirmContent) ([]string, error) {
	c, err := evidence.ParseContent(content.Content)
	if err != nil {
		return nil, err
	}
	list := domain.CallDigests(c.Actions)
	for i, digest := range list {
		list[i] = callTerm(digest)
	}
	return list, nil
}

// ConfirmsOfCall implements domain.ConfirmListReader along the search index: calls by
// their terms, tools by the first word of their names.
func (r *reader) ConfirmsOfCall(f domain.CallFilter, limit int) (hits []domain.CallHit, err error) {
	w := callQuery(f)
	if w == nil {
		return nil, nil
	}
	s := w.page("c.confirm_id, c.status", "", nil, limit-1)
	err = r.Conn.Query(s.String(), s.args, func(rows driver.Row) error {
		var hit domain.CallHit
		err := rows.Scan(&hit.ID, &hit.Status)
		hits = append(hits, hit)
		return err
	})
	return hits, confirms.wrap("find calls of", err)
}

// callQuery is the query for a filter, nil if nothing can pass it.
func callQuery(f domain.CallFilter) *listQuery {
	term := callTerm(f.Digest)
	if f.Digest == "" {
		words := terms(1, f.Tool)
		if len(words) == 0 {
			return nil
		}
		term = words[0]
	}
	w := &listQuery{keyset: byReceipt, candidates: []condition{hit("volatile_search", "term", term)}}
	w.visible(f.Visible)
	w.where("c.imported = 0 AND c.requested_seq <> ?", f.Except)
	if f.Digest == "" {
		w.where("c.requested_by = ? AND c.status = 'approved' AND c.cause = 'human'", f.By.String())
	} else {
		w.where("(c.status IN ('pending', 'approved') OR c.status = 'rejected' AND c.cause = 'human')")
	}
	return w
}
