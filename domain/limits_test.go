package domain_test

import (
	"reflect"
	"strings"
	"testing"

	"countersign/domain"
)

// TestLimits_AreAllNamed: what String lists is every limit, and Parse reads it
// back.
func TestLimits_AreAllNamed(t *testing.T) {
	t.Parallel()
	named := domain.DefaultLimits().String()
	if n := strings.Count(named, "="); n != reflect.TypeFor[domain.Limits]().NumField() {
		t.Errorf("%d limits are named: %s", n, named)
	}
	if got, err := (domain.Limits{}).Parse(named); err != nil || got != domain.DefaultLimits() {
		t.Errorf("read back they are %v, %v", got, err)
	}
}
