package storetest

import (
	"fmt"
	"testing"

	"countersign/domain"
)

func planContext(id string, created int, group domain.Group) *domain.Context {
	return &domain.Context{ID: id, Title: "Fix the login", Status: "active", OwnerRole: "architect", Locked: true,
		Native: []byte(`{"x":[1]}`), RequestedBy: domain.Ref{Kind: domain.KindAgent, ID: "k1"}, Group: group,
		CreatedAt: at(created), UpdatedAt: at(created + 1)}
}

func testContexts(t *testing.T, s Store) {
	var want []*domain.Context // the newest first, ties by id descending
	for i := range 7 {
		want = append([]*domain.Context{planContext(fmt.Sprintf("x%d", i), i/3, "user:u1")}, want...)
	}
	foreign := planContext("y", 99, "user:u2")
	write(t, s, func(tx domain.Tx) error {
		for _, c := range append(want, foreign) {
			if err := tx.InsertContext(c); err != nil {
				return err
			}
		}
		return nil
	})
	same(t, "Context", foreign, read(t, s, func(r domain.Reader) (*domain.Context, error) { return r.Context("y") }))
	list := func(v domain.Visibility) func(domain.Reader, domain.Page) ([]*domain.Context, string, error) {
		return func(r domain.Reader, p domain.Page) ([]*domain.Context, string, error) {
			return r.Contexts(domain.ContextFilter{Visible: v}, p)
		}
	}
	same(t, "own", want, pages(t, s, 2, list(domain.Visibility{Group: "user:u1"})))
	same(t, "all", append([]*domain.Context{foreign}, want...), pages(t, s, 3, list(domain.Visibility{All: true})))

	foreign.Title, foreign.Status, foreign.Locked, foreign.UpdatedAt = "", "closed", false, at(200)
	write(t, s, func(tx domain.Tx) error { return tx.UpdateContext(foreign) })
	same(t, "after update", foreign, read(t, s, func(r domain.Reader) (*domain.Context, error) { return r.Context("y") }))
}

func plan(id string, created int) *domain.Plan {
	return &domain.Plan{ID: id, ContextID: "x1", Title: "Fix the login", Status: domain.PlanDraft, Hash: "sha256:1", States: "ppF",
		RequestedBy: domain.Ref{Kind: domain.KindAgent, ID: "k1"}, Group: "keys", Name: "agent", Locked: true, BodyDigest: []byte{9},
		TraceID: "t1", CreatedAt: at(created), UpdatedAt: at(created)}
}

func testPlans(t *testing.T, s Store) {
	draft, other, foreign := plan("p1", 1), plan("p2", 1), plan("p3", 2)
	other.ContextID, other.Status, other.Imported = "", domain.PlanApproved, true
	foreign.Group = "user:u1"
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertPlan(draft, []byte(`{"a":1}`)), tx.InsertPlan(other, []byte(`{}`)), tx.InsertPlan(foreign, []byte(`{}`)))
	})
	same(t, "Plan", draft, read(t, s, func(r domain.Reader) (*domain.Plan, error) { return r.Plan("p1") }))
	body := func() string {
		return string(read(t, s, func(r domain.Reader) ([]byte, error) { return r.PlanContent("p1") }))
	}
	same(t, "PlanContent", `{"a":1}`, body())

	everything := domain.Visibility{All: true}
	for _, tt := range []struct {
		name   string
		filter domain.PlanFilter
		want   []*domain.Plan
	}{
		{"all, newest first", domain.PlanFilter{Visible: everything}, []*domain.Plan{foreign, other, draft}},
		{"by status", domain.PlanFilter{Visible: everything, Status: domain.PlanApproved}, []*domain.Plan{other}},
		{"by context", domain.PlanFilter{Visible: everything, ContextID: "x1"}, []*domain.Plan{foreign, draft}},
		{"own", domain.PlanFilter{Visible: domain.Visibility{Group: "keys"}}, []*domain.Plan{other, draft}},
		{"nobody's", domain.PlanFilter{}, nil},
	} {
		got := pages(t, s, 1, func(r domain.Reader, p domain.Page) ([]*domain.Plan, string, error) { return r.Plans(tt.filter, p) })
		same(t, tt.name, tt.want, got)
	}

	draft.Status, draft.States, draft.Hash = domain.PlanProposed, "ppi", "sha256:2"
	write(t, s, func(tx domain.Tx) error { return tx.UpdatePlan(draft, domain.PlanDraft, nil) })
	same(t, "after update", draft, read(t, s, func(r domain.Reader) (*domain.Plan, error) { return r.Plan("p1") }))
	same(t, "content left", `{"a":1}`, body())
	write(t, s, func(tx domain.Tx) error { return tx.UpdatePlan(draft, domain.PlanProposed, []byte(`{"a":2}`)) })
	same(t, "content replaced", `{"a":2}`, body())
}

func testPlanConflict(t *testing.T, s Store) {
	p := plan("p1", 1)
	write(t, s, func(tx domain.Tx) error { return tx.InsertPlan(p, []byte(`{}`)) })
	moved := *p
	moved.Status = domain.PlanInProgress
	err := tryWrite(s, func(tx domain.Tx) error { return tx.UpdatePlan(&moved, domain.PlanApproved, []byte(`{"b":1}`)) })
	wantError(t, "from another status", domain.ErrConflict, err)
	same(t, "unchanged", p, read(t, s, func(r domain.Reader) (*domain.Plan, error) { return r.Plan("p1") }))
	err = tryWrite(s, func(tx domain.Tx) error { return tx.InsertPlan(p, []byte(`{}`)) })
	wantError(t, "the same id again", domain.ErrConflict, err)
}
