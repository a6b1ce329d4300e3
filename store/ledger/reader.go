package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/driver"
)

// Reader reads the log over one connection: in a snapshot, or in a transaction.
type Reader struct {
	Conn   *driver.Session
	keys   *keyFile
	proofs *proofs
	tx     *Tx // nil in a snapshot
}

// Row scans the first row of a query. It returns domain.ErrNotFound if there is none.
func (r *Reader) Row(text string, args []any, dest ...any) error {
	isFound, err := r.Conn.First(text, args, dest...)
	if err == nil && !isFound {
		return domain.ErrNotFound
	}
	return err
}

// NextSeq returns the number of the next entry. A transaction counts the entries that it
// and its group have appended.
func (r *Reader) NextSeq() (next int64, err error) {
	if r.tx != nil {
		return r.tx.next, nil
	}
	_, err = r.Conn.First("SELECT COALESCE(MAX(seq) + 1, 0) FROM log", nil, &next)
	return next, err
}

// CommittedSize returns how many entries the log had when the transaction began.
func (r *Reader) CommittedSize() (int64, error) {
	if r.tx != nil {
		return r.tx.first, nil
	}
	c, err := r.checkpointed()
	return c.Size, err
}

// Leaf returns the stored bytes of an entry.
func (r *Reader) Leaf(seq int64) (entry []byte, err error) {
	err = r.Row("SELECT entry FROM log WHERE seq = $1", []any{seq}, &entry)
	return entry, err
}

// ReadHashes implements evidence.Hashes.
func (r *Reader) ReadHashes(indexes []int64) ([]evidence.Hash, error) {
	return evidence.ReadHashes(indexes, r.numbered("log", "seq"), r.numbered("log_hashes", "idx"))
}

// numbered returns a function that reads hashes by their numbers in a column.
func (r *Reader) numbered(table, column string) func(numbers []int64) ([]evidence.Hash, error) {
	return func(numbers []int64) (list []evidence.Hash, err error) {
		for some := range slices.Chunk(numbers, driver.MaxRows) {
			stored := map[int64][]byte{}
			condition, args := among(column, some)
			text := fmt.Sprintf("SELECT %s, hash FROM %s WHERE %s", column, table, condition)
			err := r.Conn.Query(text, args, func(rows driver.Row) error {
				var number int64
				var hash []byte
				err := rows.Scan(&number, &hash)
				stored[number] = hash
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("tree: %w", err)
			}
			for _, number := range some {
				var hash evidence.Hash
				if copy(hash[:], stored[number]) != len(stored[number]) || len(stored[number]) != len(hash) {
					return nil, NotAsSigned(fmt.Errorf("hash %d of %s is missing", number, table))
				}
				list = append(list, hash)
			}
		}
		return list, nil
	}
}

// among returns the condition that a column has one of the numbers.
func among(column string, numbers []int64) (condition string, args []any) {
	marks := make([]string, len(numbers))
	for i, number := range numbers {
		marks[i], args = fmt.Sprintf("$%d", i+1), append(args, number)
	}
	return column + " IN (" + strings.Join(marks, ", ") + ")", args
}

// insertNodes stores new inner nodes from an index on.
func insertNodes(s *driver.Session, index int64, hashes []evidence.Hash) error {
	values := make([]any, 0, 2*len(hashes))
	for i := range hashes {
		values = append(values, index+int64(i), hashes[i][:])
	}
	return s.InsertRows("log_hashes (idx, hash)", 2, values, "")
}

// head returns the newest checkpoint as it is stored, "" if the log is empty.
func (r *Reader) head() (signed string, err error) {
	_, err = r.Conn.First("SELECT checkpoint FROM log_head WHERE id = 1", nil, &signed)
	return signed, err
}

// Checkpoint returns the newest checkpoint, with its signature checked.
func (r *Reader) Checkpoint() (signed string, c evidence.Checkpoint, err error) {
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
	if c, err = r.keys.open(signed); err == nil && c.Size < r.proofs.minSize {
		err = fmt.Errorf("%w: the log has %d entries, and had %d", ErrRollback, c.Size, r.proofs.minSize)
	}
	if err != nil && !errors.Is(err, ErrNoKey) {
		err = NotAsSigned(err)
	}
	return signed, c, err
}

// VKey returns the public half of the key that signs now.
func (r *Reader) VKey() (string, error) {
	if _, _, err := r.Checkpoint(); err != nil {
		return "", err
	}
	return r.keys.current().VKey(), nil
}
