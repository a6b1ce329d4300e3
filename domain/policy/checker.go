package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"countersign/domain/mplp"
)

// checker collects the problems of one document.
type checker struct{ problems []mplp.Problem }

// problem reports what is wrong at a path, unless something was already.
func (c *checker) problem(path, code, message string) {
	isKnown := slices.ContainsFunc(c.problems, func(p mplp.Problem) bool { return p.Path == path })
	if len(c.problems) < mplp.MaxProblems && !isKnown {
		c.problems = append(c.problems, mplp.Problem{Path: path, Code: code, Message: message})
	}
}

func (c *checker) err() error {
	if len(c.problems) == 0 {
		return nil
	}
	return &mplp.Invalid{Problems: c.problems}
}

func (c *checker) list(path string, list []string, check func(path, item string)) {
	if len(list) > MaxPatterns {
		c.problem(path, "limit", fmt.Sprintf("must have at most %d items", MaxPatterns))
	}
	for i, item := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		if check(at, item); item == "" {
			c.problem(at, "required", "must not be empty")
		} else if slices.Contains(list[:i], item) {
			c.problem(at, "duplicate", "is there already")
		}
	}
}

func (c *checker) text(path, text string, limit int) {
	if len(text) > limit || strings.ContainsFunc(text, unicode.IsControl) {
		c.problem(path, "limit", fmt.Sprintf("must have at most %d bytes, without control characters", limit))
	}
}

func (c *checker) id(path, text string) {
	if !mplp.IsID(text) {
		c.problem(path, "pattern", "must be an id")
	}
}

func (c *checker) between(path string, n, low, high int64) {
	if n < low || n > high {
		c.problem(path, "limit", fmt.Sprintf("must be from %d to %d", max(low, 1), high))
	}
}
