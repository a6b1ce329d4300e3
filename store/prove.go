package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/domain/evidence"
)

// A row that the log covers is believed only if the entry whose number it has is
// in the signed tree and names the row with its digest. Every read of a covered
// row comes through here: whoever changes a row without the signing key makes it
// unreadable, and gains nothing.
//
// Two things a row's own entry cannot show, and a verification of the whole database
// does: that a row is missing, and that it is the row of an earlier entry. Later
// entries are looked for where it matters (isLatest), but along columns that nobody
// signs.

// claim is what a row that was read says of itself.
type claim struct {
	table, key string
	digest     evidence.Hash
	seq        int64 // of the entry that names it
	err        error // why it could not be read: nothing proves it then
}

// newClaim returns the claim of a row with these values, of which the last is the
// number of the entry.
func newClaim(s *shape, values []any) (claim, error) {
	digest, err := evidence.RowDigest(s.columns, values)
	if err != nil {
		return claim{}, fmt.Errorf("%s: %w", s.name, err)
	}
	seq, isNumber := values[len(values)-1].(int64)
	if !isNumber {
		seq = -1 // no entry has it
	}
	return claim{table: s.name, key: rowKey(values[:s.keys]), digest: digest, seq: seq}, nil
}

// unproven is the answer about a row that the log does not prove.
func (c claim) unproven() error {
	return &domain.Error{Code: domain.CodeEvidenceUnavailable, Message: "What is stored is not what the log says. Nothing is told or done on it: an administrator should verify the database.",
		Err: errors.Join(fmt.Errorf("%w: %s %s, entry %d", domain.ErrUnproven, c.table, c.key, c.seq), c.err)}
}

// prove returns an error unless the log proves all the rows.
func (r *reader) prove(claims ...claim) error {
	proven, err := r.proven(claims)
	if err != nil {
		return err
	}
	if i := slices.Index(proven, false); i >= 0 {
		return claims[i].unproven()
	}
	return nil
}

// proven reports of each row whether the log proves it.
func (r *reader) proven(claims []claim) ([]bool, error) {
	list := make([]bool, len(claims))
	var seqs []int64
	for i, c := range claims {
		if r.tx != nil && c.seq == r.tx.next { // no entry covers it yet
			list[i] = slices.ContainsFunc(r.tx.rows, c.isNamedBy)
		} else {
			seqs = append(seqs, c.seq)
		}
	}
	entries, err := r.provenEntries(seqs)
	if err != nil {
		return nil, err
	}
	for i, c := range claims {
		if e := entries[c.seq]; e != nil {
			list[i] = list[i] || slices.ContainsFunc(e.Rows, c.isNamedBy)
		}
	}
	return list, nil
}

// maxLater bounds how many later entries are looked at.
const maxLater = 200

// isLatest refuses a row if a later entry, found by the value in a column of the log,
// names the same row.
func (r *reader) isLatest(c claim, column, value string) error {
	isLater := false
	rest := fmt.Sprintf("WHERE %s = $1 AND seq > $2 ORDER BY seq DESC LIMIT %d", column, maxLater)
	err := r.leaves(rest, []any{value, c.seq}, func(e *evidence.Entry, _ []byte) {
		isLater = isLater || slices.ContainsFunc(e.Rows, func(row evidence.Row) bool { return row.Table == c.table && row.Key == c.key })
	})
	if err == nil && isLater {
		err = c.unproven()
	}
	return err
}

// isNone returns ErrNotFound for a row that there is not, unless the newest entry that
// names it, found by its key in a column of the log, says that it is there.
func (r *reader) isNone(c claim, column string) error {
	isNamed, isThere := false, false
	rest := fmt.Sprintf("WHERE %s = $1 ORDER BY seq DESC LIMIT %d", column, maxLater)
	err := r.leaves(rest, []any{c.key}, func(e *evidence.Entry, _ []byte) {
		for _, row := range e.Rows {
			if !isNamed && row.Table == c.table && row.Key == c.key {
				isNamed, isThere = true, row.Digest != nil
			}
		}
	})
	switch {
	case err != nil:
		return err
	case isThere:
		return c.unproven()
	}
	return domain.ErrNotFound
}

// namedRows returns the rows of a table that an entry says are there, and whose
// keys have the prefix.
func (r *reader) namedRows(seq int64, table, prefix string) (list []evidence.Row, err error) {
	var rows []evidence.Row
	if r.tx != nil && seq == r.tx.next { // no entry covers them yet
		rows = r.tx.rows
	} else {
		entries, err := r.provenEntries([]int64{seq})
		if err != nil {
			return nil, err
		}
		if e := entries[seq]; e != nil {
			rows = e.Rows
		}
	}
	for _, row := range rows {
		if row.Table == table && row.Digest != nil && strings.HasPrefix(row.Key, prefix) {
			list = append(list, row)
		}
	}
	return list, nil
}

// isNamedBy reports whether an entry's row is the one that was read.
func (c claim) isNamedBy(r evidence.Row) bool {
	return string(r.Digest) == string(c.digest[:]) && r.Key == c.key && r.Table == c.table
}

// proofs are the entries that were proven in a transaction: most rows of it are
// named by the same few.
type proofs struct {
	isRead     bool // the checkpoint was read
	checkpoint evidence.Checkpoint
	entries    map[int64]*evidence.Entry
}

// maxProofs bounds what a transaction remembers.
const maxProofs = 512

// appended returns an entry that the writer's group has appended, as it will be
// signed: what is stored of it by now is not asked. It is nil where there is none.
func (r *reader) appended(seq int64) *evidence.Entry {
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

// provenEntries returns those of the entries that the newest signed checkpoint
// proves to be in the log, and those that the writer's group has appended.
func (r *reader) provenEntries(seqs []int64) (map[int64]*evidence.Entry, error) {
	checkpoint, err := r.checkpointed()
	if err != nil {
		return nil, err
	}
	p := &r.c.proofs
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
	for some := range slices.Chunk(missing, manyRows) {
		s := new(statement)
		s.where([]condition{numbers("seq", some)})
		entries, _, err := r.provenLeaves(s.String(), s.args)
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

// provenLeaves reads entries, leaves those out that are not proven, and counts them.
func (r *reader) provenLeaves(rest string, args []any) (list []*evidence.Entry, unproven int, err error) {
	checkpoint, err := r.checkpointed()
	if err != nil {
		return nil, 0, err
	}
	leaves, proven := map[int64]evidence.Hash{}, map[int64]bool{}
	err = r.leaves(rest, args, func(e *evidence.Entry, data []byte) {
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

// checkpointed returns the newest signed checkpoint, which is read once in a
// transaction. An empty log has none, and the zero checkpoint stands for it.
func (r *reader) checkpointed() (evidence.Checkpoint, error) {
	p := &r.c.proofs
	if p.isRead {
		return p.checkpoint, nil
	}
	_, c, err := r.Checkpoint()
	if err != nil && err != domain.ErrNotFound {
		return c, notAsSigned(err)
	}
	*p = proofs{isRead: true, checkpoint: c}
	return c, nil
}

// notAsSigned is the answer where the log itself is not what was signed.
func notAsSigned(err error) error {
	return &domain.Error{Code: domain.CodeEvidenceUnavailable, Message: "The log cannot be read as it was signed. Nothing can be told or done until it can.",
		Err: fmt.Errorf("%w: %w: %w", domain.ErrUnproven, errTampered, err)}
}

// numbers is the condition that a column has one of the numbers.
func numbers(column string, list []int64) condition {
	texts := make([]string, len(list))
	c := among(column, texts)
	for i, n := range list {
		c.values[i] = n
	}
	return c
}
