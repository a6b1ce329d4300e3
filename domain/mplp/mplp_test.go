package mplp

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fault is what a test expects of a refusal: a syntax error has the code
// "syntax".
type fault struct{ Path, Code string }

func faults(t *testing.T, err error) []fault {
	t.Helper()
	var syntax *SyntaxError
	var invalid *Invalid
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return []fault{{syntax.Path, "syntax"}}
	case errors.As(err, &invalid):
		list := make([]fault, len(invalid.Problems))
		for i, p := range invalid.Problems {
			if p.Message == "" {
				t.Errorf("%s %s has no message", p.Path, p.Code)
			}
			list[i] = fault{p.Path, p.Code}
		}
		return list
	default:
		t.Fatalf("error of an unexpected kind: %v", err)
		return nil
	}
}

// refusal is a document and everything that is wrong with it.
type refusal struct {
	name string
	body string
	want []fault
}

func testRefusals[T any](t *testing.T, parse func([]byte, Limits) (*T, error), tests []refusal) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parse([]byte(tt.body), DefaultLimits)
			if diff := cmp.Diff(tt.want, faults(t, err)); diff != "" {
				t.Errorf("faults of %s (-want +got):\n%s", tt.body, diff)
			}
			if (got == nil) != (err != nil) {
				t.Errorf("got %v with error %v", got, err)
			}
		})
	}
}

// accepted parses a document that must be accepted.
func accepted[T any](t *testing.T, parse func([]byte, Limits) (*T, error), body string) *T {
	t.Helper()
	got, err := parse([]byte(body), DefaultLimits)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return got
}

func example(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// addExamples makes every example of the protocol a seed of the fuzz test.
func addExamples(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/examples/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

// warned gives warnings as "path code", in order.
func warned(warnings []Warning) []string {
	var list []string
	for _, w := range warnings {
		list = append(list, strings.TrimSpace(w.Path+" "+w.Code))
	}
	return list
}
