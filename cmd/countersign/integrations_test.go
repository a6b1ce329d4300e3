//go:build integrations

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestIntegrations runs the packages that agents are made of against a server, in the
// folder where make integrations installs them.
func TestIntegrations(t *testing.T) {
	installed := os.Getenv("COUNTERSIGN_INTEGRATIONS")
	files, err := filepath.Glob("testdata/integrations/*.mjs")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(installed, filepath.Base(file)), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	d := newDesk(t)
	decider := invoke(t, "key", "create", "second-judge", "--role", "reviewer", "--owner", "kim", "--may-decide", "--db", d.db)
	binary, err := exec.LookPath("countersign")
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "node", "--test", "--test-timeout=120000")
	run.Dir = installed
	run.Env = append(os.Environ(), "COUNTERSIGN_URL="+d.base, "COUNTERSIGN_KEY="+d.key, "DECIDER_KEY="+decider, "COUNTERSIGN_BINARY="+binary)
	if output, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	} else {
		t.Logf("%s", output)
	}
}
