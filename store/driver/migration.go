package driver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// Migration is one step of the schema.
type Migration struct {
	Number    int
	Name      string
	AppliedAt time.Time // zero: not yet
	Checksum  string
	Text      string
}

// LoadMigrations reads the directory migrations. Its files are named
// <number>_<name>.sql, numbered from 1 without a gap.
func LoadMigrations(files fs.ReadFileFS) []Migration {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		panic(err)
	}
	var list []Migration
	for i, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		prefix, rest, _ := strings.Cut(path.Base(name), "_")
		if n, err := strconv.Atoi(prefix); err != nil || n != i+1 {
			panic("migration out of order: " + name)
		}
		sum := sha256.Sum256(data)
		list = append(list, Migration{
			Number: i + 1, Name: strings.TrimSuffix(rest, ".sql"),
			Checksum: hex.EncodeToString(sum[:]), Text: string(data),
		})
	}
	return list
}

// Applied returns the migrations that were applied to a database, in order.
func (s *Session) Applied() (list []Migration, err error) {
	var tables int
	if _, err := s.First(s.Driver.SQL().Tables, []any{"schema_migrations"}, &tables); err != nil || tables == 0 {
		return nil, err
	}
	err = s.Query("SELECT number, name, checksum, applied_at FROM schema_migrations ORDER BY number", nil, func(r Row) error {
		var m Migration
		var micros *int64
		err := r.Scan(&m.Number, &m.Name, &m.Checksum, &micros)
		if micros != nil {
			m.AppliedAt = time.UnixMicro(*micros).UTC()
		}
		list = append(list, m)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read schema_migrations: %w", err)
	}
	return list, nil
}

// CheckApplied returns an error if this program does not know the schema that the
// migrations make.
func CheckApplied(d Driver, applied []Migration) error {
	migrations := d.Migrations()
	if n := len(applied); n > len(migrations) {
		return fmt.Errorf("its schema has number %d, newer than this program's %d: use a newer program", applied[n-1].Number, len(migrations))
	}
	for i, m := range applied {
		if m.Number != i+1 || m.Checksum != migrations[i].Checksum {
			return fmt.Errorf("its migration %d (%s) is not this program's: the schema was made by something else", m.Number, m.Name)
		}
	}
	return nil
}

// IsCurrent reports whether all of this program's migrations, and no others, were
// applied.
func IsCurrent(d Driver, applied []Migration) bool {
	return len(applied) == len(d.Migrations()) && CheckApplied(d, applied) == nil
}
