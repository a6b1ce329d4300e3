package domain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	// rowInFunction is one part of a test function's name, as in
	// TestR15_R16_SeededRoles.
	rowInFunction = regexp.MustCompile(`^([CRFPA])([0-9]+[a-z]?)$`)
	// rowsInName are the ids that a subtest's name begins with, as in
	// "P-16b P-16f follow".
	rowsInName = regexp.MustCompile(`^(?:[CRFPA]-[0-9]+[a-z]?[ ,:]+)*[CRFPA]-[0-9]+[a-z]?\b`)
	rowID      = regexp.MustCompile(`[CRFPA]-[0-9]+[a-z]?`)
	family     = regexp.MustCompile(`^[CRFPA]-[0-9]+`)
)

// TestRows_EachHasATest holds the tests of the module to REQUIREMENTS.md: the name
// of a test or subtest begins with each row's id, and with no other id. A number
// that only rows with a letter have (R-15 for R-15a to R-15d) may head a test and
// counts for none of them.
func TestRows_EachHasATest(t *testing.T) {
	t.Parallel()
	rows, families := readRows(t)
	if len(rows) != 210 {
		t.Errorf("%d rows, want 210", len(rows))
	}
	tested := map[string]bool{}
	for id, place := range namedRows(t, moduleRoot(t)) {
		switch {
		case slices.Contains(rows, id):
			tested[id] = true
		case !families[id]:
			t.Errorf("%s: %s is no row", place, id)
		}
	}
	var missing []string
	for _, id := range rows {
		if !tested[id] {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		t.Errorf("%d rows have no test: %s", len(missing), strings.Join(missing, " "))
	}
}

// readRows returns the ids of the rows, and the numbers that have letters.
func readRows(t *testing.T) (ids []string, families map[string]bool) {
	t.Helper()
	text, err := os.ReadFile("REQUIREMENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	families = map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || !rowID.MatchString(cells[1]) {
			continue // a heading
		}
		id := strings.TrimSpace(cells[1])
		if strings.TrimSpace(cells[2]) == "" || slices.Contains(ids, id) {
			t.Errorf("the line %q is no row of its own", line)
		}
		ids = append(ids, id)
		families[family.FindString(id)] = true
	}
	return ids, families
}

// moduleRoot is the folder of go.mod.
func moduleRoot(t *testing.T) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for folder != filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		folder = filepath.Dir(folder)
	}
	t.Fatal("no go.mod above the test")
	return ""
}

// namedRows finds the ids in the names of all tests, with one place of each.
func namedRows(t *testing.T, root string) map[string]string {
	t.Helper()
	found, files := map[string]string{}, token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, id := range rowsOf(n) {
				found[id] = files.Position(n.Pos()).String()
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// rowsOf gives the ids that a test function or the name of a subtest has.
func rowsOf(n ast.Node) []string {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return rowsOfFunction(n.Name.Name)
	case *ast.CallExpr: // t.Run("P-16b …", …)
		if called, ok := n.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "Run" && len(n.Args) > 0 {
			return rowsOfName(n.Args[0])
		}
	case *ast.CompositeLit: // a row of a table whose first field is its name
		if len(n.Elts) > 1 {
			return rowsOfName(n.Elts[0])
		}
	case *ast.KeyValueExpr: // name: "P-16b …", or the key of a map of tests
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "name" {
			return rowsOfName(n.Value)
		}
		return rowsOfName(n.Key)
	}
	return nil
}

func rowsOfFunction(name string) (ids []string) {
	rest, ok := strings.CutPrefix(name, "Test")
	if !ok {
		return nil
	}
	for part := range strings.SplitSeq(rest, "_") {
		match := rowInFunction.FindStringSubmatch(part)
		if match == nil {
			return ids
		}
		ids = append(ids, match[1]+"-"+match[2])
	}
	return ids
}

func rowsOfName(e ast.Expr) []string {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return nil
	}
	name, err := strconv.Unquote(literal.Value)
	if err != nil {
		return nil
	}
	return rowID.FindAllString(rowsInName.FindString(name), -1)
}

func TestRows_AreReadFromNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"TestC36_C37_C38_Decision": "C-36 C-37 C-38", "TestP14b_Abandoned": "P-14b", "TestASCII": "", "TestE2E_SignIn": "", "C25_Helper": "",
	} {
		if got := strings.Join(rowsOfFunction(name), " "); got != want {
			t.Errorf("%s names %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"direct (R-11)": "", "seen by R-9d": "", " C-1": "", "C-36 approved": "C-36", "P-16b, P-16f follow C-1": "P-16b P-16f", "A-19b": "A-19b",
	} {
		literal := &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(name)}
		if got := strings.Join(rowsOfName(literal), " "); got != want {
			t.Errorf("%q names %q, want %q", name, got, want)
		}
	}
}
