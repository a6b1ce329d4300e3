package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme_ClaimsWhatTestsShow: every test that the README names is there, and
// every threat has its line.
func TestReadme_ClaimsWhatTestsShow(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range function.FindAllSubmatch(text, -1) {
			declared[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w+)`").FindAllSubmatch(readme, -1)
	if len(named) < 42 {
		t.Errorf("only %d tests are named", len(named))
	}
	for _, name := range named {
		if !declared[string(name[1])] {
			t.Errorf("there is no %s", name[1])
		}
	}
	for i := 1; i <= 42; i++ {
		if line := fmt.Sprintf("\n| T%02d | ", i); strings.Count(string(readme), line) != 1 {
			t.Errorf("T%02d has no line of its own", i)
		}
	}
}
