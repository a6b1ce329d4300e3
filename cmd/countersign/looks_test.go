package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Lists of the command line mark names that pass for others, or turn a line around.
func TestD7_CommandsMarkNames(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "countersign.db")
	invoke(t, "role", "set", "сору", "--capability", "confirm.request", "--db", db)
	addUser(t, db, "gооgle", "сору")
	addUser(t, db, "א1", "сору")
	invoke(t, "key", "create", "ａｄｍｉｎ", "--role", "сору", "--db", db)
	for command, want := range map[string][]string{
		"user list":      {"gооgle⟦mixed alphabets⟧", "א⟦right to left⟧1", "сору⟦looks like copy⟧"},
		"key list":       {"ａｄｍｉｎ⟦looks like admin⟧", "сору⟦looks like copy⟧"},
		"role list":      {"сору⟦looks like copy⟧"},
		"role show сору": {"сору⟦looks like copy⟧", "gооgle⟦mixed alphabets⟧"},
	} {
		out := invoke(t, append(strings.Fields(command), "--db", db)...)
		for _, name := range want {
			if !strings.Contains(out, name) {
				t.Errorf("%s does not mark %s:\n%s", command, name, out)
			}
		}
	}
}
