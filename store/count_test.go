package store

import (
	"context"
	"errors"
	"fmt"
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

// The connection that writes remembers counts until somebody else has written.
func TestCountsThatOthersChange(t *testing.T) {
	both(t, func(t *testing.T, path string) {
		db, other := openTest(t, path, Options{}), openTest(t, path, Options{})
		step := 0
		for _, tt := range []struct {
			name   string
			by     *DB
			want   int // before the change
			undone bool
		}{
			{"the first", db, 0, false},
			{"again", db, 1, false},
			{"undone", db, 2, true},
			{"after what was undone", db, 2, false},
			{"another", other, 3, false},
			{"after another", db, 4, false},
			{"again after another", db, 5, false},
		} {
			failed := errors.New("undone")
			err := tt.by.Tx(t.Context(), func(dtx domain.Tx) error {
				x := dtx.(*tx)
				for _, name := range []string{"a", "b"} {
					if n, err := x.counted(name); err != nil || n != tt.want {
						t.Errorf("%s: %s is %d (%v), want %d", tt.name, name, n, err, tt.want)
					}
				}
				x.count(1, "a", "b")
				if tt.undone {
					return failed
				}
				step++
				return addRole(fmt.Sprint("role-", step))(dtx)
			})
			if tt.undone != errors.Is(err, failed) || !tt.undone && err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
	})
}
