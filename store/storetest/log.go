package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"countersign/domain"
	"countersign/domain/evidence"
)

func testNotFound(t *testing.T, s Store) {
	view(t, s, func(r domain.Reader) error {
		for name, find := range map[string]func() error{
			"Role":                 func() error { _, err := r.Role("x"); return err },
			"RoleByName":           func() error { _, err := r.RoleByName("x"); return err },
			"User":                 func() error { _, err := r.User("x"); return err },
			"UserByName":           func() error { _, err := r.UserByName("x"); return err },
			"Key":                  func() error { _, err := r.Key("x"); return err },
			"Session":              func() error { _, err := r.Session([]byte("x")); return err },
			"Link":                 func() error { _, err := r.Link([]byte("x")); return err },
			"Context":              func() error { _, err := r.Context("x"); return err },
			"Plan":                 func() error { _, err := r.Plan("x"); return err },
			"Confirm":              func() error { _, err := r.Confirm("x"); return err },
			"ConfirmByApprovalKey": func() error { _, err := r.ConfirmByApprovalKey("x"); return err },
			"ConfirmContent":       func() error { _, err := r.ConfirmContent(1); return err },
		} {
			wantError(t, name, domain.ErrNotFound, find())
		}
		return nil
	})
	for name, update := range map[string]func(domain.Tx) error{
		"UpdateRole":    func(tx domain.Tx) error { return tx.UpdateRole(role("x", "x")) },
		"UpdateUser":    func(tx domain.Tx) error { return tx.UpdateUser(user("x", "x")) },
		"UpdateKey":     func(tx domain.Tx) error { return tx.UpdateKey(key("x", "x")) },
		"UpdateContext": func(tx domain.Tx) error { return tx.UpdateContext(planContext("x", 0, "keys")) },
	} {
		wantError(t, name, domain.ErrUnproven, tryWrite(s, update)) // who updates has just read it
	}
}

func testLog(t *testing.T, s Store) {
	next := func() int64 { return read(t, s, domain.Reader.NextSeq) }
	same(t, "an empty log's next number", int64(0), next())
	want := &evidence.Entry{Type: "confirm.approved", At: entry("").At, Principal: "user:u1", Kind: "user", Name: "reviewer", Role: "reviewer",
		Cause: "human", ConfirmID: "c1", PlanID: "p1", ObjectID: "o1", ContentHash: "sha256:c", EffectiveHash: "sha256:e",
		Decisions: []evidence.EntryDecision{{Type: "edit", ArgsHash: "sha256:a", Filled: true}}, TraceID: "t1", SpanID: "s1",
		Data: json.RawMessage(`{"n":9007199254740993,"h":"<&>"}`)}
	err := s.Tx(context.Background(), func(tx domain.Tx) error {
		if err := tx.InsertRole(role("r1", "one")); err != nil {
			return err
		}
		if err := tx.Append(want); err != nil {
			return err
		}
		seq, err := tx.NextSeq()
		if err != nil {
			return err
		}
		same(t, "the next number within", int64(1), seq)
		return tx.Append(entry("test.second"))
	})
	wantError(t, "Tx", nil, err)
	same(t, "rows covered", 1, len(want.Rows))
	entries := read(t, s, func(r domain.Reader) ([]*evidence.Entry, error) { return r.Entries(domain.EntryFilter{}) })
	same(t, "Entries", 2, len(entries))
	same(t, "the first entry", want, entries[0])
	same(t, "rows of an entry that wrote none", 0, len(entries[1].Rows))
	same(t, "the next number", int64(2), next())
}

func testLogFilters(t *testing.T, s Store) {
	for _, e := range []*evidence.Entry{
		{Type: "a", ConfirmID: "c1"}, {Type: "b", PlanID: "p1"}, {Type: "a", TraceID: "t1"}, {Type: "c", ObjectID: "o1"}, {Type: "a", ConfirmID: "c1"},
	} {
		e.At, e.Principal, e.Kind = entry("").At, "system", "system"
		if err := s.Tx(context.Background(), func(tx domain.Tx) error { return tx.Append(e) }); err != nil {
			t.Fatal(err)
		}
	}
	one, three := int64(1), int64(3)
	for _, tt := range []struct {
		name   string
		filter domain.EntryFilter
		want   []int64
	}{
		{"all", domain.EntryFilter{}, []int64{0, 1, 2, 3, 4}},
		{"newest", domain.EntryFilter{Newest: true, Limit: 2}, []int64{4, 3}},
		{"after", domain.EntryFilter{After: &one}, []int64{2, 3, 4}},
		{"after, limited", domain.EntryFilter{After: &one, Limit: 1}, []int64{2}},
		{"before", domain.EntryFilter{Before: &one}, []int64{0}},
		{"between, newest", domain.EntryFilter{After: &one, Before: &three, Newest: true}, []int64{2}},
		{"confirm", domain.EntryFilter{ConfirmID: "c1"}, []int64{0, 4}},
		{"plan", domain.EntryFilter{PlanID: "p1"}, []int64{1}},
		{"trace", domain.EntryFilter{TraceID: "t1"}, []int64{2}},
		{"object", domain.EntryFilter{ObjectID: "o1"}, []int64{3}},
		{"type", domain.EntryFilter{Type: "a"}, []int64{0, 2, 4}},
		{"types", domain.EntryFilter{Types: []string{"b", "c"}}, []int64{1, 3}},
		{"types, newest", domain.EntryFilter{Types: []string{"b", "c"}, Newest: true}, []int64{3, 1}},
		{"types of a confirm", domain.EntryFilter{Types: []string{"a", "c"}, ConfirmID: "c1", Newest: true}, []int64{4, 0}},
		{"type among types", domain.EntryFilter{Types: []string{"b", "c"}, Type: "c"}, []int64{3}},
		{"type apart from types", domain.EntryFilter{Types: []string{"b", "c"}, Type: "a"}, nil},
		{"no type", domain.EntryFilter{Types: []string{}}, nil},
		{"type and confirm", domain.EntryFilter{Type: "a", ConfirmID: "c1", Newest: true}, []int64{4, 0}},
		{"none", domain.EntryFilter{ConfirmID: "x"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []int64
			for _, e := range read(t, s, func(r domain.Reader) ([]*evidence.Entry, error) { return r.Entries(tt.filter) }) {
				got = append(got, e.Seq)
			}
			same(t, "numbers", tt.want, got)
		})
	}
}

// testLogFiltersTogether holds filters of every kind, in any number, to what goes
// through the whole log, with requests and imports in it.
func testLogFiltersTogether(t *testing.T, s Store) {
	random := rand.New(rand.NewPCG(5, 6))
	some := func(values ...string) string { return values[random.IntN(len(values))] }
	types := []string{evidence.EntryRequested, "confirm.imported", "confirm.approved", "plan.created", "plan.proposed", "never"}
	var log []*evidence.Entry
	err := s.Tx(context.Background(), func(tx domain.Tx) error {
		for i := range 120 {
			e := entry(some(types[:5]...))
			e.PlanID, e.TraceID, e.ObjectID = some("", "", "p1", "p2"), some("", "t1", "t2"), some("", "", "o1")
			switch e.Type {
			case "confirm.approved":
				e.ConfirmID = some("c0", "c1", "c2", "c3")
			case evidence.EntryRequested, "confirm.imported":
				e.ConfirmID = fmt.Sprintf("c%d", i)
				c := confirm(e.ConfirmID, func(c *domain.Confirm) {
					c.RequestedSeq, c.PlanID, c.TraceID, c.Imported = int64(i), e.PlanID, e.TraceID, e.Type != evidence.EntryRequested
				})
				if err := tx.InsertConfirm(c, content(c)); err != nil {
					return err
				}
			}
			log = append(log, e)
			if err := tx.Append(e); err != nil {
				return err
			}
		}
		return nil
	})
	wantError(t, "Tx", nil, err)
	place := func() *int64 {
		if random.IntN(2) == 0 {
			return nil
		}
		n := int64(random.IntN(130) - 5)
		return &n
	}
	for range 1500 {
		f := domain.EntryFilter{After: place(), Before: place(), Newest: random.IntN(2) == 0, Limit: random.IntN(40),
			PlanID: some("", "", "", "p1", "p2"), TraceID: some("", "", "", "t1", "t2"), ObjectID: some("", "", "", "o1"),
			ConfirmID: some("", "", "", "", "c0", "c1", "c2", "c3", "C1"), Type: some("", "", types[random.IntN(6)])}
		if n := random.IntN(5); n > 0 {
			f.Types = slices.Clone(types)[random.IntN(3):][:n-1]
		}
		var want []int64
		for _, e := range log {
			if among(e, f) {
				want = append(want, e.Seq)
			}
		}
		if f.Newest {
			slices.Reverse(want)
		}
		if f.Limit > 0 {
			want = want[:min(len(want), f.Limit)]
		}
		var got []int64
		for _, e := range read(t, s, func(r domain.Reader) ([]*evidence.Entry, error) { return r.Entries(f) }) {
			got = append(got, e.Seq)
		}
		if !slices.Equal(want, got) {
			data, _ := json.Marshal(f) // numbers and texts
			t.Fatalf("%s: %v, want %v", data, got, want)
		}
	}
}

// among reports whether an entry passes a filter.
func among(e *evidence.Entry, f domain.EntryFilter) bool {
	if f.After != nil && e.Seq <= *f.After || f.Before != nil && e.Seq >= *f.Before || f.Types != nil && !slices.Contains(f.Types, e.Type) {
		return false
	}
	for filter, value := range map[*string]string{
		&f.ConfirmID: e.ConfirmID, &f.PlanID: e.PlanID, &f.TraceID: e.TraceID, &f.ObjectID: e.ObjectID, &f.Type: e.Type,
	} {
		if *filter != "" && *filter != value {
			return false
		}
	}
	return true
}
