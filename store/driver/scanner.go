package driver

import (
	"fmt"

	"countersign/domain/evidence"
)

// Scanner reads what there is much of. It belongs to one goroutine at a time.
type Scanner interface {
	// Scan runs a query and calls fn for every row with its values, which it may not
	// keep.
	Scan(text string, fn func([]evidence.Value) error) error
}

// ScannerOf returns a scanner over a connection that does other things too.
func ScannerOf(c Conn) Scanner { return connScanner{c} }

type connScanner struct{ c Conn }

func (s connScanner) Scan(text string, fn func([]evidence.Value) error) error {
	var stored []any
	var values []evidence.Value
	return s.c.Query(text, nil, func(rows Row) error {
		if values == nil {
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			stored, values = make([]any, len(columns)), make([]evidence.Value, len(columns))
		}
		if err := rows.Scan(Pointers(stored)...); err != nil {
			return err
		}
		for i := range stored {
			if err := SetValue(&values[i], stored[i]); err != nil {
				return err
			}
		}
		return fn(values)
	})
}

// SetValue sets a value to one that was stored. It reuses the bytes that were there.
func SetValue(v *evidence.Value, stored any) error {
	bytes := v.Bytes[:0]
	*v = evidence.Value{}
	switch stored := stored.(type) {
	case nil:
	case int64:
		v.Kind, v.Int = evidence.Integer, stored
	case string:
		v.Kind, v.Bytes = evidence.Text, append(bytes, stored...)
	case []byte:
		v.Kind, v.Bytes = evidence.Blob, append(bytes, stored...)
	default:
		return fmt.Errorf("a column holds a %T", stored)
	}
	return nil
}

// Pointers returns a pointer to each of the values, to scan a row into.
func Pointers(values []any) []any {
	p := make([]any, len(values))
	for i := range values {
		p[i] = &values[i]
	}
	return p
}

// Texts runs a query for names and texts.
func Texts(c Conn, query string, args ...any) (map[string]string, error) {
	texts := map[string]string{}
	err := c.Query(query, args, func(rows Row) error {
		var name, text string
		err := rows.Scan(&name, &text)
		texts[name] = text
		return err
	})
	return texts, err
}
