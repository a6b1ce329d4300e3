package api_test

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

// officialSchemas reads the protocol's published schemas. They are not part of
// this repository: where nobody has put them beside it there are none, and the
// tests are left with their own expectations.
var officialSchemas = sync.OnceValues(func() (*jsonschema.Compiler, error) {
	root := filepath.Join("..", "..", "..", "shared", "mplp-schemas")
	if _, err := os.Stat(root); err != nil {
		return nil, nil
	}
	compiler := jsonschema.NewCompiler()
	return compiler, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".schema.json") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return err
		}
		return compiler.AddResource(schema.(map[string]any)["$id"].(string), schema)
	})
})

// compiling guards the compiler, which keeps what it has compiled.
var compiling sync.Mutex

// official asserts that a published schema accepts a document.
func official(t *testing.T, id, document string) {
	t.Helper()
	compiler, err := officialSchemas()
	if err != nil {
		t.Fatal(err)
	}
	if compiler == nil {
		return
	}
	compiling.Lock()
	schema, err := compiler.Compile(id)
	compiling.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%v\nin %s", err, document)
	}
}
