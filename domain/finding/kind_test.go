package finding

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Whatever is found is counted by its kind: the rules name no kind that is not listed.
func TestKinds_HaveEveryRule(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?:Kind: +|say\()"([a-z -]+)"`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range named.FindAllStringSubmatch(string(source), -1) {
			if !slices.Contains(Kinds, Kind(found[1])) {
				t.Errorf("%s: Kinds has no %q", file, found[1])
			}
		}
	}
}
