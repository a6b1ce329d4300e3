package ledger

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/driver"
)

// NamedRows returns the rows that the entries with these numbers name, by number. Entries
// that the log does not prove are left out. Under the number of a transaction's next
// entry are the rows that it has written since the last one.
func (r *Reader) NamedRows(seqs ...int64) (map[int64][]evidence.Row, error) {
	entries, err := r.EntriesAt(seqs)
	if err != nil {
		return nil, err
	}
	rows := make(map[int64][]evidence.Row, len(entries))
	for seq, e := range entries {
		rows[seq] = e.Rows
	}
	if r.tx != nil {
		rows[r.tx.next] = r.tx.rows
	}
	return rows, nil
}

// ProvenEntries returns the entries that the rest of a query selects. One that the signed
// log does not prove fails them all: the caller must not miss it.
func (r *Reader) ProvenEntries(rest string, args ...any) ([]*evidence.Entry, error) {
	list, unproven, err := r.provenLeaves(rest, args)
	if err == nil && unproven > 0 {
		err = NotAsSigned(fmt.Errorf("%d entries are not those that were signed", unproven))
	}
	return list, err
}

// EachEntry calls fn with the entries that the rest of a query selects, and their bytes.
// They are not proven.
func (r *Reader) EachEntry(rest string, args []any, fn func(e *evidence.Entry, data []byte)) error {
	err := r.Conn.Query("SELECT seq, entry FROM log "+rest, args, func(rows driver.Row) error {
		var seq int64
		var data []byte
		if err := rows.Scan(&seq, &data); err != nil {
			return err
		}
		e, err := evidence.ParseEntry(data)
		if err == nil && e.Seq != seq {
			err = fmt.Errorf("entry %d stands in the place of entry %d", e.Seq, seq)
		}
		if err != nil {
			return NotAsSigned(err)
		}
		fn(e, data)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	return nil
}

// proofs is what a transaction, or a group of them, has proven: most rows are named by
// the same few entries.
type proofs struct {
	// minSize is how many entries the log had when the transaction began, as far as this
	// process knows. A log with fewer was put back.
	minSize    int64
	isRead     bool // the checkpoint was read
	checkpoint evidence.Checkpoint
	entries    map[int64]*evidence.Entry
}

// maxProofs bounds what a transaction remembers.
const maxProofs = 512

// appended returns an entry that the writer's group has appended, as it will be signed;
// nil if there is none.
func (r *Reader) appended(seq int64) *evidence.Entry {
	if r.tx == nil {
		return nil
	}
	for _, list := range [...][]*evidence.Entry{r.tx.before, r.tx.entries} {
		if len(list) > 0 && seq >= list[0].Seq && seq <= list[len(list)-1].Seq {
			return list[seq-list[0].Seq]
		}
	}
	return nil
}

// EntriesAt returns the entries with these numbers, by number: those that the newest
// checkpoint proves, and those that the writer's group has appended.
func (r *Reader) EntriesAt(seqs []int64) (map[int64]*evidence.Entry, error) {
	checkpoint, err := r.checkpointed()
	if err != nil {
		return nil, err
	}
	p := r.proofs
	found := map[int64]*evidence.Entry{}
	var missing []int64
	for _, seq := range seqs {
		if e := p.entries[seq]; e != nil {
			found[seq] = e
		} else if e := r.appended(seq); e != nil {
			found[seq] = e
		} else if !slices.Contains(missing, seq) && seq < checkpoint.Size {
			missing = append(missing, seq)
		}
	}
	for some := range slices.Chunk(missing, driver.MaxRows) {
		condition, args := among("seq", some)
		entries, _, err := r.provenLeaves("WHERE "+condition, args)
		if err != nil {
			return nil, err
		}
		if len(p.entries)+len(entries) > maxProofs || p.entries == nil {
			p.entries = map[int64]*evidence.Entry{}
		}
		for _, e := range entries {
			found[e.Seq], p.entries[e.Seq] = e, e
		}
	}
	return found, nil
}

// provenLeaves reads entries. It leaves out those that are not proven, and counts them.
func (r *Reader) provenLeaves(rest string, args []any) (list []*evidence.Entry, unproven int, err error) {
	checkpoint, err := r.checkpointed()
	if err != nil {
		return nil, 0, err
	}
	leaves, proven := map[int64]evidence.Hash{}, map[int64]bool{}
	err = r.EachEntry(rest, args, func(e *evidence.Entry, data []byte) {
		list = append(list, e)
		if own := r.appended(e.Seq); own != nil {
			proven[e.Seq] = bytes.Equal(data, own.Marshal())
		} else {
			leaves[e.Seq] = evidence.LeafHash(data)
		}
	})
	if err != nil {
		return nil, 0, err
	}
	inTree, err := evidence.ProveAll(checkpoint, leaves, r)
	if err != nil {
		return nil, 0, err
	}
	maps.Copy(proven, inTree)
	read := len(list)
	list = slices.DeleteFunc(list, func(e *evidence.Entry) bool { return !proven[e.Seq] })
	return list, read - len(list), nil
}

// checkpointed returns the newest checkpoint, which is read once in a transaction. For an
// empty log it is the zero checkpoint.
func (r *Reader) checkpointed() (evidence.Checkpoint, error) {
	p := r.proofs
	if p.isRead {
		return p.checkpoint, nil
	}
	_, c, err := r.Checkpoint()
	if err != nil && err != domain.ErrNotFound {
		return c, NotAsSigned(err)
	}
	p.isRead, p.checkpoint = true, c
	return c, nil
}

// NotAsSigned returns the refusal to use a log that is not as it was signed.
func NotAsSigned(err error) error {
	return domain.ErrLogUnproven.Because(fmt.Errorf("%w: %w: %w", domain.ErrUnproven, errTampered, err))
}
