package domain_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// allowed says what each package may import of this module, by prefix. A
// package that is not listed may import nothing of it.
var allowed = map[string][]string{
	"countersign/domain":             {"countersign/domain/"},
	"countersign/domain/credential":  {},
	"countersign/domain/evidence":    {"countersign/domain/quorum"},
	"countersign/domain/mplp":        {},
	"countersign/domain/dag":         {},
	"countersign/domain/glyph":       {},
	"countersign/domain/lru":         {},
	"countersign/domain/reading":     {"countersign/domain/glyph"},
	"countersign/domain/finding":     {"countersign/domain/glyph", "countersign/domain/reading"},
	"countersign/domain/policy":      {"countersign/domain/mplp", "countersign/domain/quorum"},
	"countersign/domain/quorum":      {},
	"countersign/store":              {"countersign/domain", "countersign/store/audit", "countersign/store/driver", "countersign/store/ledger", "countersign/store/postgres", "countersign/store/sqlite"},
	"countersign/store/audit":        {"countersign/domain/evidence", "countersign/store/driver"},
	"countersign/store/driver":       {"countersign/domain/evidence"},
	"countersign/store/ledger":       {"countersign/domain", "countersign/store/driver"},
	"countersign/store/postgres":     {"countersign/domain/evidence", "countersign/store/driver"},
	"countersign/store/sqlite":       {"countersign/domain/evidence", "countersign/store/driver"},
	"countersign/store/storetest":    {"countersign/domain"},
	"countersign/store/postgrestest": {},
	"countersign/static":             {},
	"countersign/views":              {"countersign/domain"},
	"countersign/web":                {"countersign/domain", "countersign/views", "countersign/static", "countersign/web/"},
	"countersign/web/client":         {},
	"countersign/web/argsform":       {"countersign/domain", "countersign/views"},
	"countersign/web/budget":         {"countersign/domain"},
	"countersign/web/native":         {"countersign/domain/mplp"},
	"countersign/web/gateway":        {"countersign/domain/mplp", "countersign/web/client", "countersign/web/native"},
	"countersign/web/mcp":            {"countersign/domain", "countersign/web/api", "countersign/web/budget", "countersign/web/route"},
	"countersign/web/notify":         {"countersign/domain", "countersign/web/api"},
	"countersign/web/route":          {"countersign/domain"},
	"countersign/web/sse":            {},
	"countersign/web/api":            {"countersign/domain", "countersign/web/budget", "countersign/web/native", "countersign/web/route", "countersign/web/sse"},
	"countersign/cmd/countersign":    {"countersign/"},
	"countersign/cmd/bench":          {"countersign/domain", "countersign/store", "countersign/cmd/bench/load"},
	"countersign/cmd/bench/load":     {},
}

// outside says what else these packages may import beside the standard library: the
// root of the domain, and what counts votes for a verification.
var outside = map[string][]string{
	"countersign/domain":        {"github.com/google/uuid"},
	"countersign/domain/quorum": {},
}

func TestArrows_PointInward(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "countersign/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; seen++ {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		may, known := allowed[p.ImportPath]
		if !known {
			t.Errorf("%s is new: say here what it may import", p.ImportPath)
		}
		others, isKept := outside[p.ImportPath]
		for _, imported := range p.Imports {
			switch {
			case strings.HasPrefix(imported, "countersign/"):
				if !hasPrefix(imported, may) {
					t.Errorf("%s must not import %s", p.ImportPath, imported)
				}
			case isKept && strings.Contains(imported, ".") && !hasPrefix(imported, others):
				t.Errorf("%s must not import %s", p.ImportPath, imported)
			}
		}
	}
	if seen < len(allowed)/2 {
		t.Errorf("only %d packages were looked at", seen)
	}
}

func hasPrefix(path string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}
