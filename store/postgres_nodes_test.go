package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store"
	"countersign/store/postgrestest"
)

// Nodes that start at once on an empty database make one schema.
func TestNodesStartTogether(t *testing.T) {
	t.Parallel()
	database, o := postgrestest.Database(t), files(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			db, err := store.Open(context.Background(), database, o)
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(db.Ready(context.Background()), db.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// Two nodes write at once: each publishes every entry, in the log's order and
// once, and the log is whole.
func TestNodesShareALog(t *testing.T) {
	t.Parallel()
	const callers, each = 8, 10
	database, o := postgres(t), files(t)
	var nodes []*store.DB
	var heard []*published
	for range 2 {
		p := newPublished()
		o.Committed = p.take
		nodes, heard = append(nodes, open(t, database, o)), append(heard, p)
	}
	var wg sync.WaitGroup
	for caller := range callers {
		wg.Go(func() {
			for n := range each {
				if err := addRole(nodes[caller%2], fmt.Sprintf("%d-%d", caller, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	first, second := heard[0].await(t, callers*each), heard[1].await(t, callers*each)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("published (-one node +the other):\n%s", diff)
	}
	slices.Sort(first)
	if n := len(slices.Compact(first)); n != callers*each {
		t.Errorf("%d entries, want %d", n, callers*each)
	}
	if r := verify(t, database, o); !r.IsVerified() {
		t.Errorf("%+v", r)
	}
}

// verify verifies a database as the command does.
func verify(t *testing.T, database string, o store.Options) *evidence.Report {
	t.Helper()
	vkey, err := store.VKey(o.SigningKey)
	if err != nil {
		t.Fatal(err)
	}
	a := evidence.NewAudit()
	signed, err := store.Audit(t.Context(), database, a)
	if err != nil {
		t.Fatal(err)
	}
	return a.Finish(signed, vkey)
}

// A node that signs with a key of its own would make two logs of one.
func TestNodeWithAnotherKey(t *testing.T) {
	t.Parallel()
	database := postgres(t)
	if err := addRole(open(t, database, files(t)), "r"); err != nil {
		t.Fatal(err)
	}
	without := files(t)
	if err := addRole(open(t, database, without), "r2"); err == nil || !strings.Contains(err.Error(), "signing key is missing") {
		t.Errorf("without a key: error %v", err)
	}
	other := files(t)
	if err := addRole(open(t, postgres(t), other), "r"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), database, other); err == nil || !strings.Contains(err.Error(), "must share") {
		t.Errorf("with another key: error %v", err)
	}
}

// A node that stands still in the middle of a transaction does not hold up the
// others: the database ends its connection, and nothing of it happened.
func TestNodeThatStandsStill(t *testing.T) {
	t.Parallel()
	database, o := postgres(t), files(t)
	frozen, other := open(t, database+"?idle_in_transaction_session_timeout=2s", o), open(t, database, o)
	thaw, answer := make(chan struct{}), make(chan error)
	began := make(chan struct{})
	go func() {
		answer <- frozen.Tx(context.Background(), func(tx domain.Tx) error {
			if err := tx.InsertRole(&domain.Role{ID: "frozen", Name: "frozen"}); err != nil {
				return err
			}
			close(began)
			<-thaw
			return tx.Append(&evidence.Entry{Type: "role.created", ObjectID: "frozen"})
		})
	}()
	<-began
	if err := addRole(other, "meanwhile"); err != nil {
		t.Errorf("on the other node: %v", err)
	}
	close(thaw)
	if err := <-answer; domain.ErrorCode(err) != domain.CodeEvidenceUnavailable || !strings.Contains(err.Error(), "did not happen") {
		t.Errorf("on the node that stood still: %v", err)
	}
	if err := addRole(frozen, "after"); err != nil {
		t.Errorf("when it goes on: %v", err)
	}
	if hasRole(t, other, "frozen") {
		t.Error("what did not happen is there")
	}
}

// meddle changes a database as something else would.
func meddle(t *testing.T, database, text string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }() // what it did is done
	if _, err := conn.Exec(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}

// A copy that lags behind takes over while a node runs: what the node has
// committed is not in it, and nothing is signed over that.
func TestDatabasePutBack(t *testing.T) {
	t.Parallel()
	for name, grow := range map[string]bool{"shorter": false, "as long, but another": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database, o := postgres(t), files(t)
			db := open(t, database, o)
			if err := addRole(db, "first"); err != nil {
				t.Fatal(err)
			}
			meddle(t, database, `CREATE TABLE kept AS SELECT checkpoint FROM log_head`)
			if err := addRole(db, "second"); err != nil {
				t.Fatal(err)
			}
			meddle(t, database, `ALTER TABLE log DISABLE TRIGGER USER; ALTER TABLE log_hashes DISABLE TRIGGER USER;
				DELETE FROM log WHERE seq > 0; DELETE FROM log_hashes WHERE idx > 0; DELETE FROM roles WHERE role_id = 'second';
				UPDATE log_head SET size = 1, checkpoint = (SELECT checkpoint FROM kept)`)
			if grow {
				elsewhere := store.Options{SigningKey: o.SigningKey, Head: files(t).Head}
				other := open(t, database, elsewhere)
				for _, id := range []string{"other", "another"} {
					if err := addRole(other, id); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := addRole(db, "third"); !errors.Is(err, store.ErrRollback) {
				t.Errorf("error %v, want %v", err, store.ErrRollback)
			}
		})
	}
}

// What hangs on the tables of the program and was not made by it is found.
func TestAlteredSchema(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, change, want string
	}{
		{"nothing", "SELECT 1", ""},
		{"a table of somebody else's", "CREATE TABLE theirs (n INT)", ""},
		{"a trigger", `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
			CREATE TRIGGER extra BEFORE INSERT ON decisions FOR EACH ROW EXECUTE FUNCTION f()`, "trigger decisions.extra"},
		{"a trigger that is off", "ALTER TABLE log DISABLE TRIGGER log_append_only", "trigger log.log_append_only"},
		{"a trigger that is gone", "DROP TRIGGER decisions_fixed ON decisions", "trigger decisions.decisions_fixed"},
		{"a function", `CREATE OR REPLACE FUNCTION decisions_fixed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`, "function decisions_fixed"},
		{"a rule", "CREATE RULE extra AS ON INSERT TO decisions DO ALSO DELETE FROM volatile_counts", "rule decisions.extra"},
		{"a policy", "ALTER TABLE roles ENABLE ROW LEVEL SECURITY; CREATE POLICY extra ON roles USING (false)", "policy roles.extra"},
		{"a column", "ALTER TABLE users ADD extra TEXT", "column users.extra"},
		{"a default", "ALTER TABLE confirms ALTER imported SET DEFAULT 1", "column confirms.imported"},
		{"an order", `ALTER TABLE plans ALTER title TYPE TEXT COLLATE "POSIX"`, "column plans.title"},
		{"a constraint", "ALTER TABLE decisions DROP CONSTRAINT decisions_requested_seq_fkey", "constraint decisions.decisions_requested_seq_fkey"},
		{"an index", "DROP INDEX confirms_pending", "index confirms.confirms_pending"},
		{"a child", "CREATE TABLE child () INHERITS (consumptions)", "child consumptions.child"},
		{"a table", "DROP TABLE volatile_links", "table volatile_links"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			database, o := postgres(t), files(t)
			if err := addRole(open(t, database, o), "r"); err != nil {
				t.Fatal(err)
			}
			meddle(t, database, tt.change)
			report := verify(t, database, o)
			found := slices.ContainsFunc(report.Findings, func(f string) bool { return strings.Contains(f, tt.want) })
			if report.IsVerified() != (tt.want == "") || tt.want != "" && !found {
				t.Errorf("findings %q, want %q", report.Findings, tt.want)
			}
		})
	}
}

// What an administrator sets for all who use a database does not keep it from
// being verified.
func TestAudit_WhateverIsSetForTheDatabase(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{
		"statement_timeout = '1ms'", "idle_in_transaction_session_timeout = '1ms'", "default_transaction_read_only = on",
		"default_transaction_isolation = 'serializable'", "client_encoding = 'LATIN1'", "bytea_output = 'escape'", "standard_conforming_strings = off",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			database, o := postgres(t), files(t)
			db := open(t, database, o)
			if err := errors.Join(addRole(db, "rôle"), db.Close()); err != nil {
				t.Fatal(err)
			}
			meddle(t, database, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET `+strings.ReplaceAll(setting, "'", "''")+`', current_database()); END $$`)
			if report := verify(t, database, o); !report.IsVerified() {
				t.Errorf("findings %q, unknown %q", report.Findings, report.Unknown)
			}
		})
	}
}
