package sqlite

import (
	sqldriver "database/sql/driver"
	"errors"
	"io"

	"countersign/domain/evidence"
	"countersign/store/driver"
)

// scanner reads a file for verification, by the million of rows: it asks the
// driver itself, which copies a value once. It belongs to one goroutine at a time.
type scanner struct {
	*conn
}

func openScanner(name string) (*scanner, error) {
	c, err := openName(name)
	if err != nil {
		return nil, err
	}
	return &scanner{conn: c}, nil
}

// Scan runs a query and calls fn for every row with its values, which it may not
// keep.
func (s *scanner) Scan(query string, fn func([]evidence.Value) error) error {
	return classified(s.pinned.Raw(func(conn any) error {
		rows, err := conn.(sqldriver.QueryerContext).QueryContext(background, query, nil)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // Next has what failed
		stored := make([]sqldriver.Value, len(rows.Columns()))
		values := make([]evidence.Value, len(stored))
		for {
			if err := rows.Next(stored); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			for i := range stored {
				if err := driver.SetValue(&values[i], stored[i]); err != nil {
					return err
				}
			}
			if err := fn(values); err != nil {
				return err
			}
		}
	}))
}
