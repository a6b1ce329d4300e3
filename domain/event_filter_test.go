package domain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// What a filter finds along its types is what it would find in all events.
func TestEvents_FiltersFindWhatThereIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "planner"), w.user("reviewer", "reviewer")
	w.mustDecide(reviewer, w.propose(agent, w.plan(agent, "p-1")), domain.Approved)
	w.mustDecide(reviewer, w.propose(agent, w.plan(agent, "p-2")), domain.Rejected)
	all := w.events(domain.EventFilter{Limit: domain.MaxPage})
	kinds := map[string]bool{"": true, "no.such": true}
	for _, e := range all {
		kinds[e.Type] = true
	}
	for kind := range kinds {
		for _, family := range append(domain.EventFamilies(), "") {
			var want, got []string
			for _, e := range all {
				if (kind == "" || e.Type == kind) && (family == "" || e.Family == family) {
					want = append(want, e.Cursor.String())
				}
			}
			for _, e := range w.events(domain.EventFilter{Type: kind, Family: family, Limit: domain.MaxPage}) {
				got = append(got, e.Cursor.String())
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("type %q, family %q (-want +got):\n%s", kind, family, diff)
			}
		}
	}
}

// A reading looks at so many entries and no more: a key that may see few of
// them goes on from where it ended.
func TestEvents_ALongHistoryIsReadInParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stranger := w.key("stranger", w.role("auditor", "trace.read"))
	err := w.db.Tx(w.ctx, func(tx domain.Tx) error {
		for range 2500 {
			if err := tx.Append(&evidence.Entry{Type: "context.modified", At: w.now(), Principal: "system", Kind: "system"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []domain.EventFilter{{}, {Type: "context.modified"}} {
		readings := 0
		for f.After = nil; ; readings++ {
			list, next, err := w.Events(w.ctx, stranger, f)
			if err != nil || len(list) > 0 {
				t.Fatalf("%d events, error %v", len(list), err)
			}
			if f.After = next; next == nil {
				break
			}
		}
		if readings != 1 {
			t.Errorf("type %q: went on %d times, want once", f.Type, readings)
		}
	}
}

// A trace may name any plan. Nobody's history ends there, and it is that of who
// posted it.
func TestEvents_TracesNameWhatThereIsNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", w.role("worker", "plan.*", "trace.read"))
	w.user("owner", "executor")
	other := w.keyFor(domain.KeyInput{Name: "other", Roles: []string{"worker"}, Owner: "owner"})
	w.plan(agent, "p-1")
	for _, plan := range []string{"nothing", "p-1"} {
		in, err := mplp.ParseTraceObject([]byte(`{"trace_id":"of-`+plan+`","context_id":"c","plan_id":"`+plan+`"}`), w.Limits().MPLP())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.CreateTrace(w.ctx, other, in); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		ref  domain.Ref
		want []string
	}{
		{"the plan's", agent, []string{"plan.created"}},
		{"the traces'", other, []string{"trace.created", "trace.created"}},
	} {
		events, _, err := w.Events(w.ctx, tt.ref, domain.EventFilter{})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		var got []string
		for _, e := range events {
			if e.Cursor.N == 0 {
				got = append(got, e.Type)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
