package postgres

import (
	sqldriver "database/sql/driver"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// PostgreSQL's text holds neither U+0000 nor what is no UTF-8; both occur, in
// JSON strings and in what people ask for. Every such byte is written as
// U+001B and two hex digits, and so is U+001B itself: what is read is what was
// written, whatever it was, and its digests are SQLite's.
const escape = '\x1b'

func escaped(s string) string {
	if strings.IndexByte(s, 0) < 0 && strings.IndexByte(s, escape) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == 0 || r == escape || r == utf8.RuneError && n == 1 {
			b.WriteByte(escape)
			b.WriteString(hex.EncodeToString([]byte{s[0]}))
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func unescaped(s string) string {
	before, rest, found := strings.Cut(s, string(escape))
	if !found {
		return s
	}
	var b strings.Builder
	for found {
		b.WriteString(before)
		if c, err := hex.DecodeString(rest[:min(2, len(rest))]); err == nil && len(c) == 1 {
			b.WriteByte(c[0])
			rest = rest[2:]
		} else {
			b.WriteByte(escape) // not written by this program
		}
		before, rest, found = strings.Cut(rest, string(escape))
	}
	b.WriteString(before)
	return b.String()
}

// escapedArgs are the arguments of a statement as they are sent.
func escapedArgs(args []any) []any {
	sent := args
	for i, arg := range args {
		text, ok := arg.(string)
		if !ok {
			continue
		}
		if e := escaped(text); e != text {
			if &sent[0] == &args[0] {
				sent = slices.Clone(args) // the caller digests its own
			}
			sent[i] = e
		}
	}
	return sent
}

// textCodec is pgx's codec of text, which reads the escapes. For plain strings
// pgx asks no codec: see postgresRow.
type textCodec struct{ pgtype.TextCodec }

func (c textCodec) DecodeDatabaseSQLValue(m *pgtype.Map, oid uint32, format int16, src []byte) (sqldriver.Value, error) {
	return c.DecodeValue(m, oid, format, src)
}

func (c textCodec) DecodeValue(m *pgtype.Map, oid uint32, format int16, src []byte) (any, error) {
	if src == nil {
		return nil, nil
	}
	return unescaped(string(src)), nil
}

// postgresRow is a row whose strings are read through the codec too.
type postgresRow struct{ pgx.Rows }

// Columns are the names of the columns.
func (r postgresRow) Columns() ([]string, error) {
	fields := r.FieldDescriptions()
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names, nil
}

func (r postgresRow) Scan(dest ...any) error {
	through := make([]any, len(dest))
	for i, d := range dest {
		switch p := d.(type) {
		case *string:
			through[i] = readString{p}
		case **string:
			through[i] = readNullable{p}
		default:
			through[i] = d
		}
	}
	return r.Rows.Scan(through...)
}

type readString struct{ p *string }

func (r readString) Scan(src any) error {
	s, ok := src.(string)
	if !ok {
		return fmt.Errorf("column holds a %T, not a string", src)
	}
	*r.p = s
	return nil
}

type readNullable struct{ p **string }

func (r readNullable) Scan(src any) error {
	*r.p = nil
	if src == nil {
		return nil
	}
	*r.p = new(string)
	return readString{*r.p}.Scan(src)
}
