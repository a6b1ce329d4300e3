package store

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold makes names that look alike to a reader equal: case, and the
// compatibility forms of characters, do not count.
func fold(name string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(name)))
}
