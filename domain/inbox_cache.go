package domain

import "fmt"

// inboxList is a list of the inbox as the database has it, for all who see the
// same.
type inboxList struct {
	rows []*ConfirmRow
	left map[Group]int // see listForInbox
	next string
}

// maxCachedInboxes bounds the inbox cache: most people's lists are one.
const maxCachedInboxes = 16

// cachedInbox is listForInbox with a cache. After each event all open inboxes ask
// at once, and each of 50 rows costs a proof that the log has it: without the
// cache a page takes more than ten times as long.
//
// The key has the last log entry, the filter and what the user may see. It has the
// second too: a row that something else changed is noticed in the next one. Callers
// must not change the rows.
func (s *Service) cachedInbox(r Reader, p *Principal, f ConfirmFilter, page Page) (*inboxList, error) {
	seq, err := r.NextSeq()
	if err != nil {
		return nil, err
	}
	shown := s.withVisibility(p, f)
	if shown.Visible.All {
		shown.Visible = Visibility{All: true} // whoever asks
	}
	key := fmt.Sprintf("%d %d %t %#v %#v", seq, s.clock().Unix(), p.canDecide(), shown, page)
	if list, ok := s.inboxCache.Get(key); ok {
		return list, nil
	}
	f.WithContents = true
	list := new(inboxList)
	if list.rows, list.left, list.next, err = s.listForInbox(r, p, f, page); err != nil {
		return nil, err
	}
	s.addBriefs(list.rows, s.clock())
	if err := addVotings(r, list.rows); err != nil {
		return nil, err
	}
	s.inboxCache.Put(key, list, 1)
	return list, nil
}
