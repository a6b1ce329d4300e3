package ledger

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Members of a group see what those before them have counted; what a member
// counted that was undone does not count.
func TestCountsOfAGroup(t *testing.T) {
	t.Parallel()
	l := tempFile(t).open(t, Options{})
	var seen []int
	failed := errors.New("undone")
	counting := func(delta int, err error) func(*Tx) error {
		return func(x *Tx) error {
			x.Count(delta, "a", "b")
			x.Count(delta, "a")
			n, missing := x.Log.Counted("a")
			seen = append(seen, n)
			return errors.Join(missing, err)
		}
	}
	errs := inOneGroup(l, counting(1, nil), counting(10, failed), counting(100, nil))
	if errs[0] != nil || !errors.Is(errs[1], failed) || errs[2] != nil {
		t.Fatal(errs)
	}
	if diff := cmp.Diff([]int{2, 22, 202}, seen); diff != "" {
		t.Errorf("seen by members (-want +got):\n%s", diff)
	}
	stored, err := l.reader().Counts([]string{"a", "b", "c"})
	if diff := cmp.Diff(map[string]int{"a": 202, "b": 101}, stored); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// The connection that writes remembers counts until somebody else has written.
func TestCountsThatOthersChange(t *testing.T) {
	both(t, func(t *testing.T, db database) {
		here, other := db.open(t, Options{}), db.open(t, Options{})
		step := 0
		for _, tt := range []struct {
			name   string
			by     *Ledger
			want   int // before the change
			undone bool
		}{
			{"the first", here, 0, false},
			{"again", here, 1, false},
			{"undone", here, 2, true},
			{"after what was undone", here, 2, false},
			{"another", other, 3, false},
			{"after another", here, 4, false},
			{"again after another", here, 5, false},
		} {
			failed := errors.New("undone")
			err := tt.by.Write(t.Context(), func(x *Tx) error {
				for _, name := range []string{"a", "b"} {
					if n, err := x.Log.Counted(name); err != nil || n != tt.want {
						t.Errorf("%s: %s is %d (%v), want %d", tt.name, name, n, err, tt.want)
					}
				}
				x.Count(1, "a", "b")
				if tt.undone {
					return failed
				}
				step++
				return appends(fmt.Sprint("role-", step))(x)
			})
			if tt.undone != errors.Is(err, failed) || !tt.undone && err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
	})
}
