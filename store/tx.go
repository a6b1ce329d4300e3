package store

import (
	"countersign/store/driver"
	"countersign/store/ledger"
)

// reader reads in a snapshot for View, or in a transaction.
type reader struct {
	*ledger.Reader
	cache *accessCache
	use   *cacheUse
}

// tx is one transaction.
type tx struct {
	reader
	*ledger.Tx
}

// strings are the values of a query's only column.
func (r *reader) strings(text string, args ...any) ([]string, error) {
	var list []string
	err := r.Conn.Query(text, args, func(rows driver.Row) error {
		var s string
		err := rows.Scan(&s)
		list = append(list, s)
		return err
	})
	return list, err
}
