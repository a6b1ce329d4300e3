package mplp

import (
	"math"
	"reflect"
	"testing"
)

// What is stored was let in once, and is read whatever the limits are now.
func TestStoredIsHeldToNoLimit(t *testing.T) {
	t.Parallel()
	limits := reflect.ValueOf(stored)
	for i := range limits.NumField() {
		if got := limits.Field(i).Int(); got != math.MaxInt {
			t.Errorf("%s is %d", limits.Type().Field(i).Name, got)
		}
	}
}
