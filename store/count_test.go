package store

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// Members of a group see what those before them have counted; what a member
// counted that was undone does not count.
func TestCountsOfAGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openTest(t, tempFile(t), Options{})
		var seen []int
		failed := errors.New("undone")
		counting := func(delta int, err error) func(domain.Tx) error {
			return func(dtx domain.Tx) error {
				x := dtx.(*tx)
				x.count(delta, "a", "b")
				x.count(delta, "a")
				n, missing := x.counted("a")
				seen = append(seen, n)
				return errors.Join(missing, err)
			}
		}
		errs := together(t, db, counting(1, nil), counting(10, failed), counting(100, nil))
		if errs[0] != nil || !errors.Is(errs[1], failed) || errs[2] != nil {
			t.Fatal(errs)
		}
		if diff := cmp.Diff([]int{2, 22, 202}, seen); diff != "" {
			t.Errorf("seen by members (-want +got):\n%s", diff)
		}
		stored := map[string]int{}
		err := db.view(context.Background(), func(r *reader) error {
			for _, name := range []string{"a", "b", "c"} {
				n, err := r.counted(name)
				if stored[name] = n; err != nil {
					return err
				}
			}
			return nil
		})
		if diff := cmp.Diff(map[string]int{"a": 202, "b": 101, "c": 0}, stored); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}
