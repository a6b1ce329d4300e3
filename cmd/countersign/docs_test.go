package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"countersign/domain/policy"
)

var root = filepath.Join("..", "..")

// sources returns the content of every file of the repository with one of the
// extensions, by path.
func sources(t *testing.T, extensions ...string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); path != root && (strings.HasPrefix(name, ".") || name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		for _, extension := range extensions {
			if strings.HasSuffix(path, extension) {
				text, err := os.ReadFile(path)
				texts[path] = string(text)
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestDocs_NameTestsThatExist: what the documents promise is shown by the tests
// that they name.
func TestDocs_NameTestsThatExist(t *testing.T) {
	t.Parallel()
	declared := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	for _, text := range sources(t, "_test.go") {
		for _, found := range function.FindAllStringSubmatch(text, -1) {
			declared[found[1]] = true
		}
	}
	named := 0
	for path, text := range sources(t, ".md") {
		for _, found := range regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w+)`").FindAllStringSubmatch(text, -1) {
			named++
			if !declared[found[1]] {
				t.Errorf("%s names %s, which does not exist", path, found[1])
			}
		}
	}
	if named < 100 {
		t.Errorf("the documents name only %d tests", named)
	}
}

// TestDocs_EveryThreatHasItsLine: the threats are numbered without a gap.
func TestDocs_EveryThreatHasItsLine(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "domain", "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 42; i++ {
		if line := fmt.Sprintf("\n| T%02d | ", i); strings.Count(string(text), line) != 1 {
			t.Errorf("T%02d has no line of its own", i)
		}
	}
}

// TestDocs_LinksLeadSomewhere: each relative link of a document is a file.
func TestDocs_LinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	links := 0
	for path, text := range sources(t, ".md") {
		for _, found := range regexp.MustCompile(`\]\(([^)#]+)\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), found[1])); err != nil {
				t.Errorf("%s links to %s: %v", path, found[1], err)
			}
		}
	}
	if links < 10 {
		t.Errorf("the documents have only %d links", links)
	}
}

// TestDocs_PoliciesAreValid: the policies in the document can be saved as they stand there.
func TestDocs_PoliciesAreValid(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("POLICIES.md")
	if err != nil {
		t.Fatal(err)
	}
	policies := 0
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(text, -1) {
		if !bytes.Contains(block[1], []byte(`"effect"`)) {
			continue
		}
		policies++
		if d, err := policy.Parse(block[1]); err != nil || len(d.Warnings()) > 0 {
			t.Errorf("%v of\n%s", err, block[1])
		}
	}
	if policies < 2 {
		t.Errorf("there are only %d policies", policies)
	}
}

// TestReadme_IsShort: a newcomer finishes it.
func TestReadme_IsShort(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(text, []byte("\n")); lines > 150 || len(text) > 10<<10 {
		t.Errorf("README.md has %d lines and %d bytes, want at most 150 and 10 KiB", lines, len(text))
	}
}
