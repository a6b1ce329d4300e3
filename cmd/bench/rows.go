package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver of the product

	"countersign/cmd/bench/load"
)

// table is rows to be written.
type table struct {
	insert string
	rows   [][]any
}

// "the same rows by the driver alone, 64 a commit" writes the rows that the product wrote for a number of requests into
// the same schema, without the product.
func (r *round) rowsAlone(ctx context.Context) {
	const perCommit = 64
	sample, dir, n := r.fresh(), r.fresh(), r.size.rows
	r.on(ctx, sample, func(s *server) {
		must(load.Run(ctx, 64, load.Window{Steps: int64(n)}, s.create()))
	})
	db := must(sql.Open("sqlite", "file:"+filepath.Join(dir, database)+"?"+writerSettings.Encode()))
	db.SetMaxOpenConns(1)
	defer db.Close()
	tables := writtenRows(ctx, db, filepath.Join(sample, database))
	began := time.Now()
	for from := 0; from < n; from += perCommit {
		tx := must(db.BeginTx(ctx, nil))
		for _, t := range tables {
			insert := must(tx.PrepareContext(ctx, t.insert))
			for _, row := range t.rows[len(t.rows)*from/n : len(t.rows)*min(from+perCommit, n)/n] {
				must(insert.ExecContext(ctx, row...))
			}
		}
		check(tx.Commit())
	}
	r.set("the same rows by the driver alone, 64 a commit", "1/s", float64(n)/time.Since(began).Seconds())
	check(os.RemoveAll(sample))
	check(os.RemoveAll(dir))
}

// writerSettings are those of the connection with which the product writes.
var writerSettings = url.Values{"_txlock": {"immediate"}, "_pragma": {
	"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)",
	"foreign_keys(1)", "trusted_schema(0)", "temp_store(MEMORY)", "cache_size(-16384)", "secure_delete(1)",
}}

// writtenRows reads the rows that the database at source has and db has not.
func writtenRows(ctx context.Context, db *sql.DB, source string) (tables []table) {
	must(db.ExecContext(ctx, "ATTACH ? AS sample", source))
	for _, name := range query(ctx, db, "SELECT name FROM sample.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid") {
		var columns, order string // without generated columns; what refers to a confirm comes in its order
		check(db.QueryRowContext(ctx, "SELECT group_concat(name, ', '), iif(max(name = 'requested_seq'), 'requested_seq', 1) FROM pragma_table_info(?)", name[0]).Scan(&columns, &order))
		tables = append(tables, table{
			insert: fmt.Sprintf("INSERT OR REPLACE INTO main.%s (%s) VALUES (?%s)", name[0], columns, strings.Repeat(", ?", strings.Count(columns, ","))),
			rows:   query(ctx, db, fmt.Sprintf("SELECT %[1]s FROM sample.%[2]s EXCEPT SELECT %[1]s FROM main.%[2]s ORDER BY %[3]s", columns, name[0], order)),
		})
	}
	return tables
}

func query(ctx context.Context, db *sql.DB, text string) (list [][]any) {
	rows := must(db.QueryContext(ctx, text))
	defer rows.Close()
	columns := len(must(rows.Columns()))
	for rows.Next() {
		row, into := make([]any, columns), make([]any, columns)
		for i := range row {
			into[i] = &row[i]
		}
		check(rows.Scan(into...))
		list = append(list, row)
	}
	check(rows.Err())
	return list
}
