package store

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"countersign/domain"
	"countersign/domain/evidence"
)

// Whoever of two processes changes what, in whatever order, with whatever
// undone: what connections remember, count and search is what is stored.
func TestReads_WhateverHappens(t *testing.T) {
	both(t, func(t *testing.T, name string) {
		w := newShadow(t, openTest(t, name, Options{}), openTest(t, name, Options{}))
		for range 300 {
			w.change()
			if w.random.IntN(3) == 0 {
				w.compare()
			}
		}
	})
}

// The same for groups of transactions that share a commit: what one of them
// undoes is its own, whatever has waited to be written.
func TestGroups_WhateverTheirMembersDo(t *testing.T) {
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		w := newShadow(t, openTest(t, path, Options{Fatal: func(err error) { t.Errorf("fatal: %v", err) }}))
		for range 100 {
			fns, undone := make([]func(domain.Tx) error, 1+w.random.IntN(8)), map[int]bool{}
			for i := range fns {
				fns[i], undone[i] = w.member()
			}
			for i, err := range together(t, w.dbs[0], fns...) {
				if (err != nil) != undone[i] {
					t.Fatalf("member %d of %d: %v", i, len(fns), err)
				}
			}
			w.compare()
		}
	})
}

// shadow is what should be found in a database.
type shadow struct {
	t        *testing.T
	random   *rand.Rand
	dbs      []*DB
	ids      []string
	confirms map[string]*domain.Confirm
	words    map[string][]string // they are found by, by id
	roles    int
	sessions int
}

func newShadow(t *testing.T, dbs ...*DB) *shadow {
	return &shadow{t: t, random: rand.New(rand.NewPCG(3, 4)), dbs: dbs, confirms: map[string]*domain.Confirm{}, words: map[string][]string{}}
}

var errUndone = errors.New("undone")

// change has either process change something, and now and then undo it.
func (w *shadow) change() {
	w.t.Helper()
	fn, undone := w.member()
	if err := w.dbs[w.random.IntN(len(w.dbs))].Tx(w.t.Context(), fn); (err != nil) != undone {
		w.t.Fatal(err)
	}
}

// member is a transaction that changes something, and may be undone. Some of
// them read before or after they write, which others do not wait for.
func (w *shadow) member() (fn func(domain.Tx) error, undone bool) {
	before, after, panics := w.random.IntN(2) == 0, w.random.IntN(3) == 0, w.random.IntN(2) == 0
	undone = w.random.IntN(6) == 0
	return func(dtx domain.Tx) error {
		x := dtx.(*tx)
		if before {
			w.counted(&x.reader)
		}
		kept, logged, err := w.step(x)
		if err == nil && after {
			_, err = x.PendingByType()
		}
		if err == nil && logged {
			err = x.Append(&evidence.Entry{Type: "test"})
		}
		switch {
		case err != nil || !undone:
		case panics:
			panic(errUndone)
		default:
			return errUndone
		}
		if err == nil {
			kept()
		}
		return err
	}, undone
}

// step changes one thing. Kept is to be called if it is not undone.
func (w *shadow) step(x *tx) (kept func(), logged bool, err error) {
	pick := func(list ...string) string { return list[w.random.IntN(len(list))] }
	switch w.random.IntN(10) {
	default:
		c := &domain.Confirm{
			ID: fmt.Sprintf("%s-%d", pick("pay", "payment", "delete"), len(w.ids)), TargetType: domain.TargetTypes[w.random.IntN(len(domain.TargetTypes))], Status: domain.Pending,
			RequestedBy:    domain.Ref{Kind: domain.KindAgent, ID: pick("a", "b")},
			RequestedGroup: "g", RequestedByRole: pick("executor", "Großer Rat", "100%", "exec_tor"), RequestedByName: pick("bot", "Ünal", "b!t"),
			RoleRegistered: w.random.IntN(2) == 0, SessionID: pick("", "s1", "s2"), ContentHash: "sha256:c", ReceivedAt: time.Unix(1, 0), RequestedSeq: x.Next(), Fresh: w.random.IntN(2) == 0,
		}
		tools := []string{pick("transfer", "trans_fer", "TRANSFER money", "rm%")}
		err = x.InsertConfirm(c, &domain.ConfirmContent{Salt: []byte("s"), Content: []byte("{}"), Tools: tools})
		if err == nil && w.random.IntN(3) == 0 {
			_, err = x.Confirm(c.ID) // who reads sees what was written
		}
		return func() {
			w.ids = append(w.ids, c.ID)
			w.confirms[c.ID], w.words[c.ID] = c, terms(maxTerms, append(identity(c), tools...)...)
		}, true, err
	case 0, 1:
		c := w.any()
		if c == nil || c.Status != domain.Pending {
			return func() {}, false, nil
		}
		ended := *c
		ended.Status, ended.DecidedSeq = domain.Approved, x.Next()
		return func() { *c = ended }, true, x.FinishConfirm(&ended)
	case 2:
		c := w.any()
		if c == nil || c.Status == domain.Pending {
			return func() {}, false, nil
		}
		if _, err := x.ConfirmContent(c.RequestedSeq); errors.Is(err, domain.ErrNotFound) {
			return func() {}, false, nil
		}
		forgotten := *c
		if !c.RoleRegistered { // the role is a label, and goes with the content
			forgotten.RequestedByRole = ""
		}
		return func() { *c, w.words[c.ID] = forgotten, terms(maxTerms, identity(&forgotten)...) }, true, x.ForgetContent(c)
	case 3:
		id := fmt.Sprint("role-", w.roles)
		return func() { w.roles++ }, true, x.InsertRole(&domain.Role{ID: id, Name: id, Native: []byte("{}")})
	case 4:
		hash := []byte(fmt.Sprint("session-", w.sessions))
		return func() { w.sessions++ }, false, x.InsertSession(&domain.Session{Hash: hash, UserID: "u", CreatedAt: time.Unix(1, 0).UTC(), SeenAt: time.Unix(1, 0).UTC()})
	case 5:
		off := w.random.IntN(2) == 0
		return func() {}, false, x.SetPreferences("u", domain.Preferences{ShortcutsOff: off})
	}
}

func (w *shadow) any() *domain.Confirm {
	if len(w.ids) == 0 {
		return nil
	}
	return w.confirms[w.ids[w.random.IntN(len(w.ids))]]
}

// counted holds the counts to what there is.
func (w *shadow) counted(r *reader) {
	w.t.Helper()
	want, types := map[string]int{"a": 0, "b": 0}, map[domain.TargetType]int{}
	for _, c := range w.confirms {
		if c.Status == domain.Pending {
			want[c.RequestedBy.ID]++
			types[c.TargetType]++
		}
	}
	got := map[string]int{}
	for id := range want {
		n, err := r.PendingCount(&domain.Ref{Kind: domain.KindAgent, ID: id})
		if got[id] = n; err != nil {
			w.t.Fatal(err)
		}
	}
	byType, err := r.PendingByType()
	maps.DeleteFunc(byType, func(_ domain.TargetType, n int) bool { return n == 0 })
	if diff := cmp.Diff(want, got) + cmp.Diff(types, byType, cmpopts.EquateEmpty()); err != nil || diff != "" {
		w.t.Fatalf("after %d confirms: %v, counts (-want +got):\n%s", len(w.ids), err, diff)
	}
}

// compare holds what a connection remembers to what it reads anew, and what it
// finds to what there is.
func (w *shadow) compare() {
	w.t.Helper()
	err := w.dbs[w.random.IntN(len(w.dbs))].view(w.t.Context(), func(r *reader) error {
		w.counted(r)
		remembered := w.look(r)
		r.use.state = accessUncached
		if diff := cmp.Diff(w.look(r), remembered, cmpopts.IgnoreUnexported(domain.Role{})); diff != "" {
			w.t.Fatalf("remembered (-stored +remembered):\n%s", diff)
		}
		query := []string{"pay", "payment", "transfer", "trans_fer", "100%", "exec", "großer", "GROSSER rat", "b!t", "rm%", "tran pay", "ünal s1", "s", "x"}[w.random.IntN(14)]
		var want, got []string
		for _, id := range w.ids {
			found := !slices.ContainsFunc(terms(domain.MaxSearchWords, query), func(word string) bool {
				return !slices.ContainsFunc(w.words[id], func(term string) bool { return strings.HasPrefix(term, word) })
			})
			if found {
				want = append(want, id)
			}
		}
		f, p := domain.ConfirmFilter{Query: query, Visible: domain.Visibility{All: true}}, domain.Page{Limit: 7}
		for more := true; more; more = p.Cursor != "" {
			list, next, err := r.Confirms(f, p)
			if err != nil {
				return err
			}
			for _, row := range list {
				got = append(got, row.ID)
			}
			p.Cursor = next
		}
		slices.Reverse(got)
		if diff := cmp.Diff(want, got); diff != "" {
			w.t.Fatalf("%q of %d confirms (-want +got):\n%s", query, len(w.ids), diff)
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// look reads what is remembered.
func (w *shadow) look(r *reader) (all []any) {
	see := func(v any, err error) { all = append(all, v, fmt.Sprint(err)) }
	for _, f := range []domain.ConfirmFilter{{}, {Status: domain.Pending}, {Decided: true}, {SessionID: "s1"}, {RequestedByRole: "executor"}} {
		f.Visible.All = true
		list, next, err := r.Confirms(f, domain.Page{Limit: 5})
		see(list, err)
		see(next, nil)
	}
	next, err := r.NextSeq()
	see(next, err)
	n, err := r.PendingCount(nil)
	see(n, err)
	for _, i := range []int{w.roles - 1, w.roles} { // the last one, and one that there is not
		role, err := r.Role(fmt.Sprint("role-", i))
		see(role, err)
	}
	for _, i := range []int{w.sessions - 1, w.sessions} {
		session, err := r.Session([]byte(fmt.Sprint("session-", i)))
		see(session, err)
	}
	preferences, err := r.Preferences("u")
	see(preferences, err)
	return all
}
