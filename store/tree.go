package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/domain/evidence"
)

// Leaf is an entry's bytes, verbatim.
func (r *reader) Leaf(seq int64) (entry []byte, err error) {
	err = r.c.row("SELECT entry FROM log WHERE seq = $1", []any{seq}, blob(&entry))
	return entry, err
}

// ReadHashes implements evidence.Hashes.
func (r *reader) ReadHashes(indexes []int64) ([]evidence.Hash, error) {
	return evidence.ReadHashes(indexes, r.numbered("log", "seq"), r.numbered("log_hashes", "idx"))
}

// numbered reads hashes by their numbers, which stand in a column of the table.
func (r *reader) numbered(table, column string) func(numbers []int64) ([]evidence.Hash, error) {
	return func(numbers []int64) (list []evidence.Hash, err error) {
		for some := range slices.Chunk(numbers, manyRows) {
			stored := map[int64][]byte{}
			marks, args := make([]string, len(some)), make([]any, len(some))
			for i, number := range some {
				marks[i], args[i] = fmt.Sprintf("$%d", i+1), number
			}
			text := fmt.Sprintf("SELECT %[1]s, hash FROM %[2]s WHERE %[1]s IN (%[3]s)", column, table, strings.Join(marks, ", "))
			err := r.c.each(text, args, func(rows row) error {
				var number int64
				var hash []byte
				err := rows.Scan(&number, blob(&hash))
				stored[number] = hash
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("tree: %w", err)
			}
			for _, number := range some {
				var hash evidence.Hash
				if copy(hash[:], stored[number]) != len(stored[number]) || len(stored[number]) != len(hash) {
					return nil, notAsSigned(fmt.Errorf("hash %d of %s is missing", number, table))
				}
				list = append(list, hash)
			}
		}
		return list, nil
	}
}

// insertNodes stores new inner nodes from an index on.
func (c *conn) insertNodes(index int64, hashes []evidence.Hash) error {
	values := make([]any, 0, 2*len(hashes))
	for i := range hashes {
		values = append(values, index+int64(i), hashes[i][:])
	}
	return c.insertRows("log_hashes (idx, hash)", 2, values, "")
}

// head is the newest checkpoint as it is stored; "" when the log is empty.
func (r *reader) head() (signed string, err error) {
	err = r.c.row("SELECT checkpoint FROM log_head WHERE id = 1", nil, text(&signed))
	if err == domain.ErrNotFound {
		return "", nil
	}
	return signed, err
}

// Checkpoint is the newest one, with the signature checked.
func (r *reader) Checkpoint() (signed string, c evidence.Checkpoint, err error) {
	if signed, err = r.head(); err != nil {
		return "", c, err
	}
	if signed == "" {
		return "", c, domain.ErrNotFound
	}
	if r.tx != nil && r.tx.isRestored() {
		c, err = evidence.PeekCheckpoint(signed)
		return signed, c, err
	}
	if c, err = r.keys.open(signed); err == nil && c.Size < r.c.atLeast {
		err = fmt.Errorf("%w: the log has %d entries, and had %d", ErrRollback, c.Size, r.c.atLeast)
	}
	if err != nil && !errors.Is(err, errNoKey) {
		err = notAsSigned(err)
	}
	return signed, c, err
}

// VKey is the public half of the key that signs now.
func (r *reader) VKey() (string, error) {
	if _, _, err := r.Checkpoint(); err != nil {
		return "", err
	}
	return r.keys.current().VKey(), nil
}

// handovers are the checkpoints with which keys took over, in order.
func (r *reader) handovers() (list []evidence.Handover, err error) {
	err = r.c.each("SELECT size, checkpoint FROM log_handovers ORDER BY size", nil, func(rows row) error {
		var h evidence.Handover
		err := rows.Scan(&h.Size, &h.Signed)
		list = append(list, h)
		return err
	})
	return list, err
}
