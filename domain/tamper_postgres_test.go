package domain_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Run(m)) }

// administrator changes a PostgreSQL database as somebody may who administers
// it, but does not have the signing key: triggers and references are no
// hindrance. What was changed is put back, for a copy of the whole takes longer.
type administrator struct {
	t  *testing.T
	db *pgx.Conn
}

func (a *administrator) exec(text string, args ...any) int64 {
	a.t.Helper()
	tag, err := a.db.Exec(a.t.Context(), text, args...)
	if err != nil {
		a.t.Fatalf("%s: %v", text, err)
	}
	return tag.RowsAffected()
}

// tables are those that evidence covers, with the columns that can be changed.
func (a *administrator) tables() (list []tamperTable) {
	rows, err := a.db.Query(a.t.Context(), `SELECT c.table_name::text, c.column_name::text FROM information_schema.columns c
		JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.is_generated = 'NEVER' ORDER BY c.table_name, c.ordinal_position`)
	if err != nil {
		a.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			a.t.Fatal(err)
		}
		if outOfTouch(table) {
			continue
		}
		if n := len(list); n == 0 || list[n-1].name != table {
			list = append(list, tamperTable{name: table})
		}
		last := &list[len(list)-1]
		last.columns = append(last.columns, column)
	}
	if err := rows.Err(); err != nil {
		a.t.Fatal(err)
	}
	return list
}

// while runs fn with a table changed, and puts the table back. It says whether
// the change was one: some columns hold nothing that could be another.
func (a *administrator) while(table tamperTable, change string, fn func()) bool {
	a.t.Helper()
	columns := table.name + " (" + strings.Join(table.columns, ", ") + ")"
	before, pg := a.rows(columns), a.db.PgConn()
	a.exec(change)
	changed := !bytes.Equal(before, a.rows(columns))
	if changed {
		fn()
	}
	a.exec("DELETE FROM " + table.name)
	if _, err := pg.CopyFrom(a.t.Context(), bytes.NewReader(before), "COPY "+columns+" FROM STDIN"); err != nil {
		a.t.Fatalf("%s: %v", table.name, err)
	}
	return changed
}

func (a *administrator) rows(columns string) []byte {
	a.t.Helper()
	var text bytes.Buffer
	if _, err := a.db.PgConn().CopyTo(a.t.Context(), &text, "COPY "+columns+" TO STDOUT"); err != nil {
		a.t.Fatalf("%s: %v", columns, err)
	}
	return text.Bytes()
}

// others are expressions for another value of a column, whatever its type: the
// first that the table takes is used.
func others(table, column string) []string {
	set := "UPDATE " + table + " SET " + column + " = "
	here := func(value string) string {
		return set + value + " WHERE ctid = (SELECT MAX(ctid) FROM " + table + " WHERE " + column + " IS NOT NULL)"
	}
	nowhere := func(value string) string {
		return set + value + " WHERE ctid = (SELECT MAX(ctid) FROM " + table + " WHERE " + column + " IS NULL)"
	}
	letter := func(letter string) string {
		return here("overlay(" + column + " placing '" + letter + "' from greatest(1, length(" + column + ") / 2))")
	}
	return []string{
		letter("x"), letter("y"), // one of them is not there yet
		here("set_byte(" + column + ", length(" + column + ") / 2, get_byte(" + column + ", length(" + column + ") / 2) # 1)"),
		here(column + " + 1"), here("1 - " + column), // a number, or a flag
		nowhere("'x'"), nowhere(`'\x07'::bytea`), nowhere("7"),
	}
}

// TestBarR4_EveryTamperingIsDetectedOnPostgreSQL: whatever of any column, row or
// of the structure an administrator of the database changes there, evidence
// verify says so, and says nothing once it is put back. COUNTERSIGN_SOAK=1
// changes every column, else some of each table.
func TestBarR4_EveryTamperingIsDetectedOnPostgreSQL(t *testing.T) {
	t.Parallel()
	url, files := postgrestest.Database(t), filepath.Join(t.TempDir(), "outside")
	w := openWorldAt(t, url, files)
	w.history(func() {})
	w.post(w.key("bot", "executor"), toolCall)
	w.close()
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	a := &administrator{t, db}
	report := func() *evidence.Report { return verifyAt(t, url, files, "") }
	wantVerified(t, "the database as it is", report())

	a.exec("SET session_replication_role = replica") // no triggers, no references
	mutations, columns, every := 0, 0, 12
	if os.Getenv("COUNTERSIGN_SOAK") == "1" {
		every = 1
	}
	detected := func(what string) func() {
		return func() {
			t.Helper()
			if mutations++; !report().IsTampered() {
				t.Errorf("not detected: %s", what)
			}
		}
	}
	for _, table := range a.tables() {
		if !a.while(table, "DELETE FROM "+table.name+" WHERE ctid = (SELECT MAX(ctid) FROM "+table.name+")", detected("a row less in "+table.name)) {
			t.Errorf("%s has no rows: the history has to fill it", table.name)
		}
		for _, column := range table.columns {
			columns++
			if columns%every != 0 || table.name+"."+column == "log_head.id" { // which cannot be but 1
				continue
			}
			a.anyOf(table, others(table.name, column), detected("change "+table.name+"."+column))
		}
	}
	for _, change := range []struct{ what, do, undo string }{
		{"a trigger more", "CREATE TRIGGER sneak BEFORE UPDATE ON confirms FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()", "DROP TRIGGER sneak ON confirms"},
		{"a trigger off", "ALTER TABLE log DISABLE TRIGGER log_append_only", "ALTER TABLE log ENABLE TRIGGER log_append_only"},
		{"a column more", "ALTER TABLE decisions ADD COLUMN extra TEXT", "ALTER TABLE decisions DROP COLUMN extra"},
		{"a rule", "CREATE RULE deaf AS ON INSERT TO decisions DO INSTEAD NOTHING", "DROP RULE deaf ON decisions"},
	} {
		a.exec(change.do)
		detected(change.what)()
		a.exec(change.undo)
	}
	a.exec("RESET session_replication_role")
	wantVerified(t, "the database put back", report())
	t.Logf(`{"bar":"R4, PostgreSQL","n":%d}`, mutations)
}

// anyOf runs fn with the first of the changes that the table takes and that
// changes it.
func (a *administrator) anyOf(table tamperTable, changes []string, fn func()) {
	a.t.Helper()
	for _, change := range changes {
		tx, err := a.db.Begin(a.t.Context())
		if err != nil {
			a.t.Fatal(err)
		}
		_, refused := tx.Exec(a.t.Context(), change)
		if err := tx.Rollback(a.t.Context()); err != nil {
			a.t.Fatal(err)
		}
		if refused == nil && a.while(table, change, fn) {
			return
		}
	}
	a.t.Errorf("nothing of %s could be changed: %s", table.name, changes[0])
}

// postgresSneaks are triggers that change what the program writes, or reads back.
var postgresSneaks = func() (list [][2]string) {
	for _, s := range [][2]string{
		{"BEFORE UPDATE ON users", "NEW.password := 'x'; RETURN NEW"},
		{"BEFORE UPDATE ON users", "NEW.disabled := 0; RETURN NEW"},
		{"BEFORE UPDATE ON keys", "NEW.revoked_at := NULL; RETURN NEW"},
		{"BEFORE UPDATE ON confirms", "NEW.requested_group := 'keys'; NEW.required_role := NULL; RETURN NEW"},
		{"BEFORE UPDATE ON confirms", "NEW.status := 'approved'; RETURN NEW"},
		{"BEFORE UPDATE ON plans", "NEW.status := 'approved'; RETURN NEW"},
		{"BEFORE INSERT ON decisions", "NEW.status := 'approved'; RETURN NEW"},
		{"BEFORE INSERT ON confirms", "NEW.required_role := NULL; RETURN NEW"},
		{"BEFORE INSERT ON consumptions", "RETURN NULL"},
		{"BEFORE INSERT ON decisions", "RETURN NULL"},
		{"BEFORE DELETE ON user_roles", "RETURN NULL"},
		{"BEFORE DELETE ON roles", "RETURN NULL"},
		{"AFTER INSERT ON log", "UPDATE confirms SET status = 'approved'; RETURN NULL"},
	} {
		table := s[0][strings.LastIndex(s[0], " ")+1:]
		list = append(list, [2]string{
			"CREATE FUNCTION sneak() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN " + s[1] + "; END$$; CREATE TRIGGER sneak " + s[0] + " FOR EACH ROW EXECUTE FUNCTION sneak()",
			"DROP TRIGGER sneak ON " + table + "; DROP FUNCTION sneak()"})
	}
	return list
}()

// TestBarR4b_TamperingWhileItRunsOnPostgreSQL is the same as on SQLite.
// COUNTERSIGN_SOAK=1 plays 1,000 times.
func TestBarR4b_TamperingWhileItRunsOnPostgreSQL(t *testing.T) {
	t.Parallel()
	const seed = 20260104
	plays := 3
	if os.Getenv("COUNTERSIGN_SOAK") == "1" {
		plays = 1_000
	}
	began := time.Now()
	url, file := postgrestest.Database(t), filepath.Join(t.TempDir(), "outside")
	w := openWorldAt(t, url, file)
	watcher := openPostgresIntruder(t, url)
	st := set(t, w, url, watcher)
	readers := w.readers()
	must[any](t)(nil, watcher.conn.close())
	w.close()
	admin := must[*pgx.Conn](t)(pgx.Connect(t.Context(), regexp.MustCompile(`/test\w+$`).ReplaceAllString(url, "/postgres")))
	defer func() { must[any](t)(nil, admin.Close(t.Context())) }()
	sum := newTally()
	folder := t.TempDir()
	for n := range plays {
		urls, files := [2]string{}, [2]string{filepath.Join(folder, "changed"), filepath.Join(folder, "twin")}
		for i := range urls {
			urls[i] = postgrestest.Copy(t, url)
			copyFiles(t, files[i], file, ".key", ".head")
		}
		p := &play{t: t, number: n, random: rand.New(rand.NewPCG(seed, uint64(n))), stage: st, readers: readers, triggers: postgresSneaks, root: st.root, tokens: st.tokens, links: st.links}
		i := openPostgresIntruder(t, urls[0])
		p.run(st.open(t, urls[0], files[0]), st.open(t, urls[1], files[1]), i, func() *evidence.Report {
			must[any](t)(nil, i.conn.close())
			return verifyAt(t, urls[0], files[0], "")
		}, sum)
		for _, url := range urls {
			if _, err := admin.Exec(t.Context(), "DROP DATABASE "+pgx.Identifier{url[strings.LastIndex(url, "/")+1:]}.Sanitize()); err != nil {
				t.Fatal(err)
			}
		}
	}
	sum.end(t, "R4b, PostgreSQL", seed, began)
}

// What a trigger puts into a row that the program changes is not signed.
func TestA1_TriggersChangeNothingThatIsSignedOnPostgreSQL(t *testing.T) {
	t.Parallel()
	url, file := postgrestest.Database(t), filepath.Join(t.TempDir(), "outside")
	w := openWorldAt(t, url, file)
	agent, reviewer, owner := w.worker(), w.user("reviewer", "reviewer"), w.user("owner", "reviewer")
	w.role("finance", "confirm.*")
	c := w.post(agent, `{"confirm_id":"c","target_type":"other","required_role":"reviewer","actions":[{"name":"pay","args":{}}]}`)
	i := openPostgresIntruder(t, url)
	for _, step := range []struct {
		what string
		act  func() error
	}{
		{"NEW.password", func() error { return w.AssignRoles(w.ctx, domain.System, owner.ID, []string{"finance"}) }},
		{"NEW.disabled", func() error { return w.DisableUser(w.ctx, domain.System, owner.ID) }},
		{"NEW.requested_group", func() error { _, err := w.decide(reviewer, c, domain.Rejected); return err }},
		{"ON roles", func() error { return w.DeleteRole(w.ctx, domain.System, "finance") }},
		{"AFTER INSERT ON log", func() error { _, err := w.decide(reviewer, c, domain.Rejected); return err }},
	} {
		what, act := step.what, step.act
		sneak := postgresSneaks[slices.IndexFunc(postgresSneaks, func(s [2]string) bool { return strings.Contains(s[0], what) })]
		i.change(sneak[0])
		err := act()
		i.change(sneak[1])
		if err == nil && what != "AFTER INSERT ON log" {
			t.Errorf("%s: it is done", what)
		}
		if report := verifyAt(t, url, file, ""); err != nil && !report.IsVerified() {
			t.Errorf("%s: refused, and %q", what, report.Findings)
		} else if err == nil && !report.IsTampered() {
			t.Errorf("%s: done, and nothing is found", what)
		}
		if what == "AFTER INSERT ON log" {
			break // what it has changed stays so
		}
	}
	must[any](t)(nil, i.conn.close())
}
