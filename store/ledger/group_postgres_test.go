package ledger

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// What members of a group write goes to PostgreSQL together. One that fails while
// it has its turn is undone alone; what fails after the member's end takes the
// group along, and everybody in it is told so.
func TestMembersThatFailInPostgreSQL(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused by a rule")
	// waits appends an entry, and waits until the server has it.
	waits := func(id string) func(*Tx) error {
		return func(x *Tx) error {
			_, err := x.Log.Conn.Exec("SELECT 1")
			return errors.Join(err, appends(id)(x))
		}
	}
	divide := func(x *Tx) error { return x.Log.Conn.Queue("SELECT 1 / $1::bigint", 0) }
	for _, tt := range []struct {
		name   string
		fails  func(x *Tx) error
		others bool // are kept
	}{
		{"before anything was sent", func(x *Tx) error { return errors.Join(appends("lost")(x), refused) }, true},
		{"after it waited", func(x *Tx) error { return errors.Join(waits("lost")(x), refused) }, true},
		{"in what it waits for", func(x *Tx) error {
			_, err := x.Log.Conn.Exec("SELECT 1 / $1::bigint", 0)
			return errors.Join(appends("lost")(x), err)
		}, true},
		{"in what it waits for, which it overlooks", func(x *Tx) error {
			_, _ = x.Log.Conn.Exec("SELECT 1 / $1::bigint", 0)
			return appends("lost")(x)
		}, true},
		{"in what was queued before it waits", func(x *Tx) error {
			return errors.Join(divide(x), waits("lost")(x))
		}, true},
		{"in what was queued, at its end", func(x *Tx) error {
			return errors.Join(appends("lost")(x), divide(x))
		}, false},
		{"in what was queued, after many statements", func(x *Tx) error {
			var errs []error
			for range 256 {
				errs = append(errs, x.Log.Conn.Queue("SELECT 1"))
			}
			return errors.Join(append(errs, appends("lost")(x), divide(x))...)
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := tempDatabase(t).open(t, Options{})
			answers := inOneGroup(l, appends("first"), tt.fails, appends("second"), waits("third"))
			var want []string
			for i, err := range answers {
				kept := tt.others && i != 1
				if (err == nil) != kept {
					t.Errorf("member %d: error %v, want success %t", i, err, kept)
				}
				if !tt.others && domain.ErrorCode(err) != domain.CodeEvidenceUnavailable {
					t.Errorf("member %d: error %v, want %s", i, err, domain.CodeEvidenceUnavailable)
				}
			}
			if tt.others {
				want = []string{"first", "second", "third"}
			}
			if err := add(t, l, "after"); err != nil {
				t.Errorf("the next group: %v", err)
			}
			if diff := cmp.Diff(append(want, "after"), logged(t, l)); diff != "" {
				t.Errorf("logged (-want +got):\n%s", diff)
			}
		})
	}
}
