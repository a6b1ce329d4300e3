package store

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"countersign/domain"
	"countersign/domain/glyph"
	"countersign/domain/mplp"
)

// column binds a column to a member of a struct, in both directions: one list
// of columns is all that a table's reading, writing and digests are made from.
type column struct {
	name string
	field
}

// field gives the value to store, which is nil, int64, string or []byte, and
// takes the one read.
type field interface {
	sql.Scanner
	value() any
}

// text is a string; the empty one is NULL.
func text[T ~string](p *T) field { return textField[T]{p} }

type textField[T ~string] struct{ p *T }

func (f textField[T]) value() any {
	if *f.p == "" {
		return nil
	}
	return string(*f.p)
}

func (f textField[T]) Scan(src any) error {
	s, err := as[string](src)
	*f.p = T(s)
	return err
}

// blob is a byte string; the empty one is NULL. Sessions give what they have read
// away: it is nobody else's.
func blob(p *[]byte) field { return blobField{p} }

type blobField struct{ p *[]byte }

func (f blobField) value() any {
	if len(*f.p) == 0 {
		return nil
	}
	return *f.p
}

func (f blobField) Scan(src any) error {
	b, err := as[[]byte](src)
	*f.p = b
	return err
}

// number is an integer; 0 is 0.
func number[T ~int | ~int64](p *T) field { return numberField[T]{p} }

type numberField[T ~int | ~int64] struct{ p *T }

func (f numberField[T]) value() any { return int64(*f.p) }

func (f numberField[T]) Scan(src any) error {
	n, err := as[int64](src)
	*f.p = T(n)
	return err
}

// optionalNumber is an integer; 0 is NULL.
func optionalNumber[T ~int | ~int64](p *T) field { return optionalNumberField[T]{numberField[T]{p}} }

type optionalNumberField[T ~int | ~int64] struct{ numberField[T] }

func (f optionalNumberField[T]) value() any {
	if *f.p == 0 {
		return nil
	}
	return int64(*f.p)
}

// flag is 0 or 1.
func flag(p *bool) field { return flagField{p} }

type flagField struct{ p *bool }

func (f flagField) value() any {
	if *f.p {
		return int64(1)
	}
	return int64(0)
}

func (f flagField) Scan(src any) error {
	n, err := as[int64](src)
	*f.p = n != 0
	return err
}

// time is a time in Unix microseconds; the zero time is NULL.
func moment(p *time.Time) field { return momentField{p} }

type momentField struct{ p *time.Time }

func (f momentField) value() any { return micros(*f.p) }

func (f momentField) Scan(src any) error {
	*f.p = time.Time{}
	n, err := as[int64](src)
	if src != nil && err == nil {
		*f.p = time.UnixMicro(n).UTC()
	}
	return err
}

func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// ref names a principal as the log does.
func ref(p *domain.Ref) field { return refField{p} }

type refField struct{ p *domain.Ref }

func (f refField) value() any { return f.p.String() }

func (f refField) Scan(src any) error {
	s, err := as[string](src)
	*f.p = domain.ParseRef(s)
	return err
}

// list is JSON text; the empty list is NULL.
func list[T any](p *[]T) field { return listField[T]{p} }

type listField[T any] struct{ p *[]T }

func (f listField[T]) value() any {
	if len(*f.p) == 0 {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // arguments are kept as they were sent
	if err := enc.Encode(*f.p); err != nil {
		return err // no type of column: the insert refuses it
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func (f listField[T]) Scan(src any) error {
	*f.p = nil
	s, err := as[string](src)
	if err != nil || s == "" {
		return err
	}
	return json.Unmarshal([]byte(s), f.p)
}

// folded is derived from a name, to compare names by. Rows are found by it, so what
// is stored must be that; its column comes after the name's.
func folded(p *string) field { return foldedField{p} }

type foldedField struct{ p *string }

func (f foldedField) value() any { return glyph.Fold(*f.p) }

func (f foldedField) Scan(src any) error { return derived(f, src) }

// canonical is derived from an id, as folded is from a name.
func canonical(module string, p *string) field { return canonicalField{module, p} }

type canonicalField struct {
	module string
	p      *string
}

func (f canonicalField) value() any { return mplp.CanonicalID(f.module, *f.p) }

func (f canonicalField) Scan(src any) error { return derived(f, src) }

// derived refuses a column that does not hold what the field derives.
func derived(f field, src any) error {
	if want := f.value(); src != want {
		return fmt.Errorf("column holds %q, not %q", src, want)
	}
	return nil
}

// as is src as a T, or the zero T for NULL.
func as[T any](src any) (T, error) {
	v, ok := src.(T)
	if !ok && src != nil {
		return v, fmt.Errorf("column holds a %T, not a %T", src, v)
	}
	return v, nil
}
