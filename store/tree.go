package store

import (
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
	all := make([]evidence.Hash, len(indexes))
	list := all // what is left to fill
	for some := range slices.Chunk(indexes, manyRows) {
		stored := map[int64][]byte{}
		marks, args := make([]string, len(some)), make([]any, len(some))
		for i, index := range some {
			marks[i], args[i] = fmt.Sprintf("$%d", i+1), index
		}
		text := "SELECT idx, hash FROM log_hashes WHERE idx IN (" + strings.Join(marks, ", ") + ")"
		err := r.c.each(text, args, func(rows row) error {
			var index int64
			var hash []byte
			err := rows.Scan(&index, blob(&hash))
			stored[index] = hash
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("tree: %w", err)
		}
		for i, index := range some {
			if hash := stored[index]; copy(list[i][:], hash) != len(hash) || len(hash) != len(list[i]) {
				return nil, fmt.Errorf("tree hash %d: %w", index, domain.ErrNotFound)
			}
		}
		list = list[len(some):]
	}
	return all, nil
}

// insertHashes stores new hashes from an index on.
func (c *conn) insertHashes(index int64, hashes []evidence.Hash) error {
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
	c, err = r.keys.open(signed)
	return signed, c, err
}

// VKey is the public half of the key that signs now.
func (r *reader) VKey() (string, error) {
	signed, _, err := r.Checkpoint()
	if err != nil {
		return "", err
	}
	if _, err := r.keys.open(signed); err != nil {
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
