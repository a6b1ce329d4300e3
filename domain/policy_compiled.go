package domain

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"countersign/domain/mplp"
	"countersign/domain/policy"
)

// maxCompiledPolicies is how many versions are kept compiled: the current ones, and as many
// that a transaction before the last change still sees. The first condition costs 2.6 ms
// and each later one 0.16 ms; from here it costs a hash of its document.
const maxCompiledPolicies = 2 * MaxPolicies

// compiledKey names a version by its bytes too: nothing that a database holds under the
// same number is taken for it.
type compiledKey struct {
	id       string
	version  int64
	document [sha256.Size]byte
}

// compiledPolicy is a version whose condition may be broken.
type compiledPolicy struct {
	*policy.Compiled
	broken string // why the condition cannot be used; it is unknown then
}

// compiledList is the policies in force as they were last asked for: every request asks.
type compiledList struct {
	current []*PolicyVersion // as read; the store keeps these rows until one changes
	enabled []policy.Policy
}

// enabledPolicies returns the policies in force, ready to be looked at. One whose condition
// no longer compiles counts as unknown. A document that cannot be read refuses them all:
// nobody knows what it requires.
func (s *Service) enabledPolicies(r Reader) ([]policy.Policy, error) {
	current, err := r.Policies()
	if err != nil {
		return nil, err
	}
	if last := s.lastPolicies.Load(); last != nil && slices.Equal(last.current, current) {
		return last.enabled, nil
	}
	var list []policy.Policy
	for _, v := range current {
		if !v.Enabled {
			continue
		}
		compiled, err := s.compilePolicy(v)
		if err != nil {
			return nil, &Error{Code: CodeEvidenceUnavailable, Err: err,
				Message: fmt.Sprintf("The policy %s cannot be read, so nobody knows who must decide this. Ask an administrator to save it again.", v.Name)}
		}
		list = append(list, policy.Policy{ID: v.ID, Version: v.Version, Compiled: compiled.Compiled})
	}
	s.lastPolicies.Store(&compiledList{current, list})
	return list, nil
}

// compilePolicy returns a version compiled, from the cache if it was before. The error
// says why its document cannot be read.
func (s *Service) compilePolicy(v *PolicyVersion) (compiledPolicy, error) {
	key := compiledKey{v.ID, v.Version, sha256.Sum256([]byte(v.Document))}
	if c, isCached := s.compiledPolicies.Get(key); isCached {
		return c, nil
	}
	document, err := v.parse()
	if err != nil && !isOnlyCondition(err) {
		return compiledPolicy{}, err
	}
	var c compiledPolicy
	if c.Compiled, err = policy.Compile(document); err != nil {
		c.broken = err.Error()
	}
	s.compiledPolicies.Put(key, c, 1)
	return c, nil
}

// isOnlyCondition reports whether all that is wrong with a document is its condition, so
// that the rest of it holds.
func isOnlyCondition(err error) bool {
	var invalid *mplp.Invalid
	return errors.As(err, &invalid) && !slices.ContainsFunc(invalid.Problems, func(p mplp.Problem) bool { return p.Path != "condition" || p.Code != "condition" })
}
