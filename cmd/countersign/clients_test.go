package main

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestClients runs the tests of the clients for other languages. They use the files
// that the server gives to anybody.
func TestClients(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	dir := t.TempDir()
	for _, name := range []string{"countersign.mjs", "countersign.d.ts", "package.json", "countersign.py"} {
		status, text := get(t, d.base+"/clients/"+name, "")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil || status != http.StatusOK {
			t.Fatalf("%s: status %d, %v", name, status, err)
		}
	}
	if err := os.CopyFS(dir, os.DirFS("testdata/clients")); err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string][]string{
		"JavaScript": {"node", "countersign.test.mjs"},
		"Python":     {"python3", "-m", "unittest", "test_countersign"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithTimeout(t.Context(), 2*patience)
			defer stop()
			cmd := exec.CommandContext(ctx, command[0], command[1:]...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "COUNTERSIGN_URL="+d.base, "COUNTERSIGN_KEY="+d.key, "JUDGE_KEY="+d.judge)
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v (make test-tools installs what is missing):\n%s", err, text)
			}
		})
	}
}
