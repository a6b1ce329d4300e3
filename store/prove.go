package store

import (
	"errors"
	"fmt"
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
func newClaim(s *schema, values []any) (claim, error) {
	digest, err := evidence.RowDigest(s.columns, values)
	if err != nil {
		return claim{}, fmt.Errorf("%s: %w", s.name, err)
	}
	seq, isNumber := values[len(values)-1].(int64)
	if !isNumber {
		seq = -1 // no entry has it
	}
	return claim{table: s.name, key: evidence.RowKey(values[:s.keys]), digest: digest, seq: seq}, nil
}

// unproven is the answer about a row that the log does not prove.
func (c claim) unproven() error {
	return domain.ErrRowUnproven.Because(errors.Join(fmt.Errorf("%w: %s %s, entry %d", domain.ErrUnproven, c.table, c.key, c.seq), c.err))
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
	list, seqs := make([]bool, len(claims)), make([]int64, len(claims))
	for i, c := range claims {
		seqs[i] = c.seq
	}
	rows, err := r.NamedRows(seqs...)
	for i, c := range claims {
		list[i] = slices.ContainsFunc(rows[c.seq], c.isNamedBy)
	}
	return list, err
}

// maxLater bounds how many later entries are looked at.
const maxLater = 200

// isLatest refuses a row if a later entry, found by the value in a column of the log,
// names the same row.
func (r *reader) isLatest(c claim, column, value string) error {
	isLater := false
	rest := fmt.Sprintf("WHERE %s = $1 AND seq > $2 ORDER BY seq DESC LIMIT %d", column, maxLater)
	err := r.EachEntry(rest, []any{value, c.seq}, func(e *evidence.Entry, _ []byte) {
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
	err := r.EachEntry(rest, []any{c.key}, func(e *evidence.Entry, _ []byte) {
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

// presentRows returns the rows of a table that an entry says are there, and whose
// keys have the prefix.
func (r *reader) presentRows(seq int64, table, prefix string) (list []evidence.Row, err error) {
	rows, err := r.NamedRows(seq)
	if err != nil {
		return nil, err
	}
	for _, row := range rows[seq] {
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
