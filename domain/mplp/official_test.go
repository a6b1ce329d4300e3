package mplp

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// officialSchemas compiles the protocol's published schemas by module. They are
// not part of this repository: where nobody has put them beside it there are
// none, and the tests are left with their own expectations.
var officialSchemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	folder := beside("shared", "mplp-schemas")
	if _, err := os.Stat(folder); err != nil {
		return nil
	}
	compiler := jsonschema.NewCompiler()
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".schema.json") {
			return err
		}
		file, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
		if err != nil {
			return err
		}
		return compiler.AddResource(document.(map[string]any)["$id"].(string), document)
	})
	if err != nil {
		panic(err)
	}
	schemas := map[string]*jsonschema.Schema{}
	for module := range moduleForms {
		schemas[module] = compiler.MustCompile("https://schemas.mplp.dev/v1.0/mplp-" + module + ".schema.json")
	}
	return schemas
})

// beside is a path beside the folder of this repository.
func beside(path ...string) string {
	root, err := filepath.Abs(".")
	if err != nil {
		panic(err)
	}
	for root != filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		root = filepath.Dir(root)
	}
	return filepath.Join(append([]string{root, ".."}, path...)...)
}

// official says whether the published schema accepts an object, or, without
// the schemas, gives otherwise.
func official(t *testing.T, module string, data []byte, otherwise bool) bool {
	t.Helper()
	schema, ok := officialSchemas()[module]
	if !ok {
		return otherwise
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return schema.Validate(document) == nil
}

// testCanonical holds what a projection gave to the schemas and to itself.
func testCanonical(t *testing.T, module string, native, canonical []byte) {
	t.Helper()
	if err := ValidateStrict(module, canonical, stored); err != nil {
		t.Fatalf("%s\nbecame %s,\nwhich is not valid: %v", native, canonical, err)
	}
	if !official(t, module, canonical, true) {
		t.Fatalf("%s\nbecame %s,\nwhich the official schema refuses", native, canonical)
	}
	again, err := canonicalOf(module, canonical)
	if err != nil || !bytes.Equal(again, canonical) {
		t.Fatalf("%s\nbecame %s,\nand that %s (%v)", native, canonical, again, err)
	}
}

func canonicalOf(module string, native []byte) ([]byte, error) {
	switch module {
	case "confirm":
		return CanonicalConfirm(native, ConfirmExtra{})
	case "plan":
		return CanonicalPlan(native)
	case "role":
		return CanonicalRole(native)
	case "context":
		return CanonicalContext(native)
	default:
		return CanonicalTrace(native)
	}
}
