package domain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
)

// Whatever the log is narrowed to, a page looks at a bounded part of it, and the
// pages together have all that match, the newest first.
func TestLogPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const many = 4_500 // entries of one trace
	rare := map[int]bool{0: true, 1: true, 2_000: true, many - 1: true}
	err := w.db.Tx(w.ctx, func(tx domain.Tx) error {
		for i := range many {
			kind := "step.started"
			if rare[i] {
				kind = "step.failed"
			}
			if err := tx.Append(&evidence.Entry{Type: kind, TraceID: "t", ObjectID: "o"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	last, err := w.LastSeq(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	first := last - many + 1
	for _, tt := range []struct {
		name   string
		filter domain.EntryFilter
		want   [][]int64 // by page, counted from the first of the trace
	}{
		{"a type of a trace", domain.EntryFilter{TraceID: "t", Type: "step.failed"}, [][]int64{{many - 1}, {2_000}, {1, 0}}},
		{"types of an object", domain.EntryFilter{ObjectID: "o", Types: []string{"step.failed", "plan.failed"}}, [][]int64{{many - 1}, {2_000}, {1, 0}}},
		{"full pages", domain.EntryFilter{TraceID: "t", Type: "step.failed", Limit: 1}, [][]int64{{many - 1}, {2_000}, {1}, {0}}},
		{"none of the type", domain.EntryFilter{TraceID: "t", Type: "plan.failed"}, [][]int64{{}, {}, {}}},
		{"a type and another family", domain.EntryFilter{TraceID: "t", Type: "step.failed", Types: []string{"plan.failed"}}, [][]int64{{}, {}, {}}},
		{"a type alone", domain.EntryFilter{Type: "step.failed", Limit: 3}, [][]int64{{many - 1, 2_000, 1}, {0}}},
		{"another trace", domain.EntryFilter{TraceID: "u", Type: "step.failed"}, [][]int64{{}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := tt.filter
			if f.Limit == 0 {
				f.Limit = domain.DefaultPage
			}
			var got [][]int64
			for {
				list, before, err := w.LogPage(w.ctx, domain.System, f)
				if err != nil {
					t.Fatal(err)
				}
				page := []int64{}
				for _, e := range list {
					page = append(page, e.Seq-first)
				}
				got = append(got, page)
				if f.Before = before; before == nil {
					break
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("pages (-want +got):\n%s", diff)
			}
		})
	}
}
