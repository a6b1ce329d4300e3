package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"countersign/store/postgrestest"
)

func TestMain(m *testing.M) {
	testscript.Main(withPostgreSQL{withBrowser{m}}, map[string]func(){"countersign": main, hasty: hastyMain, bank: bankMain})
}

// withPostgreSQL runs the tests and stops the database server that they used.
type withPostgreSQL struct{ testscript.TestingM }

func (m withPostgreSQL) Run() int { return postgrestest.Run(m.TestingM) }

// TestScripts runs the program as operators do.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv(variable("verify-every"), "0")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"postgres": func(ts *testscript.TestScript, _ bool, _ []string) { // a new database, for all that follows
				ts.Setenv("COUNTERSIGN_DB", postgrestest.Database(t))
			},
		},
	})
}

// exits checks the exit code: exits CODE COMMAND…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG…]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

func TestManualNamesEveryCommand(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var documented, want []string
	for line := range strings.Lines(string(manual)) {
		if line, ok := strings.CutPrefix(strings.TrimSpace(line), "//\tcountersign "); ok {
			documented = append(documented, line)
		}
	}
	for _, cmd := range commands() {
		want = append(want, strings.TrimPrefix(cmd.line(), "usage: countersign "))
	}
	if diff := cmp.Diff(want, documented); diff != "" {
		t.Errorf("doc.go and the commands differ (-commands +doc.go):\n%s", diff)
	}
}
