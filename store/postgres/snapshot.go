package postgres

import (
	"context"
	"fmt"
	"strings"

	"countersign/store/driver"
)

// CheckPages finds nothing: what verification reads of a table it reads whole, and
// the server's own tools check its files.
func (d *Driver) CheckPages(driver.Scanner) ([]string, error) { return nil, nil }

// Indexes are none: the server's own tools check them, as they do its files.
func (d *Driver) Indexes(driver.Conn) (map[string]*driver.Indexed, error) { return nil, nil }

func (d *Driver) Scanners(_ context.Context, c driver.Conn) ([]driver.Scanner, func(), error) {
	return []driver.Scanner{driver.ScannerOf(c)}, func() {}, c.Script(statements.BeginRead)
}

// describe lists what the tables of the current schema are made of, by kind and
// name, and the functions beside them.
const describe = `
WITH tables AS (
	SELECT c.*, quote_ident(n.nspname) || '.' AS prefix FROM pg_catalog.pg_class c
	JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind NOT IN ('i', 'I', 't', 'S', 'c')
)
SELECT 'table ' || relname::text, concat_ws(' ', relkind, relpersistence, relrowsecurity, relforcerowsecurity) FROM tables
UNION ALL
SELECT 'column ' || t.relname || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, l.collname,
	a.attgenerated, a.attidentity, pg_get_expr(e.adbin, e.adrelid))
	FROM tables t JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
	LEFT JOIN pg_catalog.pg_attrdef e ON e.adrelid = t.oid AND e.adnum = a.attnum
	LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation
UNION ALL
SELECT 'constraint ' || t.relname || '.' || k.conname, concat_ws(' ', replace(pg_get_constraintdef(k.oid), t.prefix, ''), k.convalidated)
	FROM tables t JOIN pg_catalog.pg_constraint k ON k.conrelid = t.oid WHERE k.contype <> 'n'
UNION ALL
SELECT 'index ' || t.relname || '.' || i.relname, concat_ws(' ', replace(pg_get_indexdef(x.indexrelid), t.prefix, ''), x.indisvalid)
	FROM tables t JOIN pg_catalog.pg_index x ON x.indrelid = t.oid JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
UNION ALL
SELECT 'trigger ' || t.relname || '.' || g.tgname, concat_ws(' ', replace(pg_get_triggerdef(g.oid), t.prefix, ''), g.tgenabled)
	FROM tables t JOIN pg_catalog.pg_trigger g ON g.tgrelid = t.oid WHERE NOT g.tgisinternal
UNION ALL
SELECT 'rule ' || t.relname || '.' || r.rulename, concat_ws(' ', replace(pg_get_ruledef(r.oid), t.prefix, ''), r.ev_enabled)
	FROM tables t JOIN pg_catalog.pg_rewrite r ON r.ev_class = t.oid
UNION ALL
SELECT 'policy ' || t.relname || '.' || p.polname, concat_ws(' ', p.polcmd, p.polpermissive, pg_get_expr(p.polqual, p.polrelid))
	FROM tables t JOIN pg_catalog.pg_policy p ON p.polrelid = t.oid
UNION ALL
SELECT 'child ' || t.relname || '.' || c.relname, 'inherits' FROM tables t JOIN pg_catalog.pg_inherits h ON h.inhparent = t.oid
	JOIN pg_catalog.pg_class c ON c.oid = h.inhrelid
UNION ALL
SELECT 'function ' || p.proname || '.' || pg_get_function_identity_arguments(p.oid),
	concat_ws(' ', p.prorettype::regtype, l.lanname, p.prosecdef, p.proconfig, p.prosrc)
	FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang WHERE p.pronamespace = current_schema()::regnamespace`

// Schema leaves out what does not hang on a table or function of this program:
// others may have theirs in the same database.
func (d *Driver) Schema(c driver.Conn, want map[string]string) (map[string]string, error) {
	all, err := driver.Texts(c, describe)
	if err != nil {
		return nil, err
	}
	ours := map[string]bool{}
	for name := range want {
		ours[owner(name)] = true
	}
	for name := range all {
		if !ours[owner(name)] {
			delete(all, name)
		}
	}
	return all, nil
}

// owner is the table or function that something described hangs on.
func owner(name string) string {
	kind, rest, _ := strings.Cut(name, " ")
	of, _, _ := strings.Cut(rest, ".")
	return fmt.Sprint(kind == "function", of)
}

// FreshSchema makes everything in a schema of its own and undoes it: what the
// server writes back of a definition depends on its version.
func (d *Driver) FreshSchema(ctx context.Context, applied int) (map[string]string, error) {
	c, err := d.open(ctx, driver.Admin)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }() // nothing is kept
	scratch := "countersign_" + strings.ToLower(d.node)
	text := fmt.Sprintf("BEGIN; CREATE SCHEMA %s; SET LOCAL search_path TO %s; %s", scratch, scratch, statements.Record)
	for _, m := range d.Migrations()[:applied] {
		text += ";\n" + m.Text
	}
	if err := c.Script(text); err != nil {
		return nil, fmt.Errorf("the schema to compare with could not be made: %w", err)
	}
	made, err := driver.Texts(c, describe)
	if err != nil {
		return nil, err
	}
	return made, c.Script("ROLLBACK")
}
