package store

import (
	"fmt"

	"countersign/domain/evidence"
)

// connScanner scans over a connection that does other things too.
type connScanner struct{ c *conn }

func (s connScanner) scan(text string, fn func([]evidence.Value) error) error {
	var stored []any
	var values []evidence.Value
	return s.c.each(text, nil, func(rows row) error {
		if values == nil {
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			stored, values = make([]any, len(columns)), make([]evidence.Value, len(columns))
		}
		if err := rows.Scan(pointers(stored)...); err != nil {
			return err
		}
		for i := range stored {
			var err error
			if values[i], err = valueOf(stored[i]); err != nil {
				return err
			}
		}
		return fn(values)
	})
}

func valueOf(stored any) (evidence.Value, error) {
	switch v := stored.(type) {
	case nil:
		return evidence.Value{}, nil
	case int64:
		return evidence.Value{Kind: evidence.Integer, Int: v}, nil
	case string:
		return evidence.Value{Kind: evidence.Text, Bytes: []byte(v)}, nil
	case []byte:
		return evidence.Value{Kind: evidence.Blob, Bytes: v}, nil
	}
	return evidence.Value{}, fmt.Errorf("column holds a %T", stored)
}
