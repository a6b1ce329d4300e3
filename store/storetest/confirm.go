package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/domain"
)

var agent = domain.Ref{Kind: domain.KindAgent, ID: "k1"}

// requested numbers the entries that requested confirms: no two share one.
var requested atomic.Int64

// confirm is a pending confirm that an agent requested at the beginning, after
// those that were made before it.
func confirm(id string, edits ...func(*domain.Confirm)) *domain.Confirm {
	c := &domain.Confirm{ID: id, TargetType: domain.TargetOther, TargetID: "t-" + id, Status: domain.Pending,
		RequestedBy: agent, RequestedGroup: "keys", RequestedByName: "Deploy Agent", RequestedByRole: "executor", RoleRegistered: true,
		ReceivedAt: at(0), ContentHash: "sha256:c", BodyDigest: []byte{1}, RequestedSeq: 1000 + requested.Add(1)}
	for _, edit := range edits {
		edit(c)
	}
	return c
}

func content(c *domain.Confirm, tools ...string) *domain.ConfirmContent {
	return &domain.ConfirmContent{Salt: []byte("salt"), Content: []byte(`{"v":1}`), Native: []byte(`{}`),
		Reason: "because " + c.ID, Tools: tools}
}

func insert(t *testing.T, s Store, list ...*domain.Confirm) {
	t.Helper()
	write(t, s, func(tx domain.Tx) error {
		for _, c := range list {
			if err := tx.InsertConfirm(c, content(c)); err != nil {
				return err
			}
		}
		return nil
	})
}

// finish ends the confirm as the domain does, with an entry of its own.
func finish(tx domain.Tx, c *domain.Confirm, status domain.Status, n int) error {
	seq, err := tx.NextSeq()
	if err != nil {
		return err
	}
	c.Status, c.Cause, c.DecidedAt, c.DecidedSeq, c.EffectiveHash = status, domain.CauseHuman, at(n), seq, "sha256:e"
	if err := tx.FinishConfirm(c); err != nil {
		return err
	}
	return tx.Append(entry("test.finished"))
}

func testConfirms(t *testing.T, s Store) {
	want := &domain.Confirm{ID: "c1", TargetType: domain.TargetPlan, TargetID: "p1", TargetHash: "sha256:t", PlanID: "p1", StepID: "s1",
		Binding: domain.BoundStep, Status: domain.Pending, RequestedBy: agent, RequestedGroup: "keys", RequestedByName: "agent",
		RequestedByRole: "executor", RoleRegistered: true, RequiredRole: "r1", OnReject: domain.OnRejectRecover, Supersedes: "c0",
		SessionID: "sess", MessageID: "m", ApprovalKey: "sess_1", FrameIndex: 3, TraceID: "t1", SpanID: "sp", Actions: 2, Locked: true,
		ReceivedAt: at(1), ExpiresAt: at(300), ContentHash: "sha256:c", EffectiveHash: "sha256:c", BodyDigest: []byte{1, 2}, RequestedSeq: 7}
	body := &domain.ConfirmContent{Salt: []byte("salt"), Content: []byte(`{"a":9007199254740993}`),
		Native: []byte(`{"n":1e400}`), Reason: "<b>why</b> \u0000 \u2028", Tools: []string{"rm", "execute_trade"}}
	write(t, s, func(tx domain.Tx) error { return tx.InsertConfirm(want, body) })
	same(t, "Confirm", want, read(t, s, func(r domain.Reader) (*domain.Confirm, error) { return r.Confirm("c1") }))
	same(t, "ConfirmByApprovalKey", want, read(t, s, func(r domain.Reader) (*domain.Confirm, error) { return r.ConfirmByApprovalKey("sess_1") }))
	same(t, "ConfirmContent", body, read(t, s, func(r domain.Reader) (*domain.ConfirmContent, error) { return r.ConfirmContent(want.RequestedSeq) }))

	const id = "0aa3bb1e-5c1b-4d0e-8a35-6f1f0c9be001"
	insert(t, s, confirm(id))
	wantError(t, "an id that is another's in canonical form", domain.ErrConflict, tryWrite(s, func(tx domain.Tx) error {
		c := confirm(strings.ToUpper(id))
		return tx.InsertConfirm(c, content(c))
	}))
	wantError(t, "an id written otherwise", domain.ErrNotFound, s.View(context.Background(), func(r domain.Reader) error {
		_, err := r.Confirm(strings.ToUpper(id))
		return err
	}))

	bare := confirm("c2")
	later := confirm("c3", func(c *domain.Confirm) { c.PlanID, c.Supersedes, c.RequestedSeq = "p1", "c0", 8 })
	insert(t, s, bare, later)
	same(t, "Confirm without optional members", bare, read(t, s, func(r domain.Reader) (*domain.Confirm, error) { return r.Confirm("c2") }))
	same(t, "ConfirmsOfPlan, newest first", []*domain.Confirm{later, want},
		read(t, s, func(r domain.Reader) ([]*domain.Confirm, error) { return r.ConfirmsOfPlan("p1") }))
	same(t, "ConfirmsOfStep of its own", []*domain.Confirm{later, want},
		read(t, s, func(r domain.Reader) ([]*domain.Confirm, error) { return r.ConfirmsOfStep("p1", "s1") }))
	same(t, "ConfirmsOfStep of another", []*domain.Confirm{later},
		read(t, s, func(r domain.Reader) ([]*domain.Confirm, error) { return r.ConfirmsOfStep("p1", "s2") }))
	ended, unsubstantiated := confirm("c4", func(c *domain.Confirm) { c.PlanID, c.Status = "p1", domain.Approved }),
		confirm("c5", func(c *domain.Confirm) { c.PlanID, c.Imported = "p2", true })
	foreign := confirm("c6", func(c *domain.Confirm) { c.PlanID, c.RequestedGroup = "p1", "user:u1" })
	insert(t, s, ended, unsubstantiated, foreign)
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertPlan(plan("p1", 1), []byte(`{}`)), tx.InsertPlan(plan("p2", 1), []byte(`{}`)))
	})
	same(t, "PendingOfPlans", map[string]int{"p1": 2},
		read(t, s, func(r domain.Reader) (map[string]int, error) { return r.PendingOfPlans([]string{"p0", "p1", "p2"}) }))
	same(t, "PendingOfPlans without any", map[string]int{},
		read(t, s, func(r domain.Reader) (map[string]int, error) { return r.PendingOfPlans(nil) }))
	same(t, "SupersededBy", []string{"c1", "c3"}, read(t, s, func(r domain.Reader) ([]string, error) { return r.SupersededBy("c0") }))
	insert(t, s, confirm("c7", func(c *domain.Confirm) { c.Supersedes, c.RequestedGroup = "c1", "others" }),
		confirm("c8", func(c *domain.Confirm) { c.Supersedes, c.RequestedGroup = "c1", want.RequestedGroup }))
	same(t, "SupersededBy, of its own group first", []string{"c8", "c7"},
		read(t, s, func(r domain.Reader) ([]string, error) { return r.SupersededBy("c1") }))

	for name, taken := range map[string]*domain.Confirm{
		"id": confirm("c1"), "approval key": confirm("c4", func(c *domain.Confirm) { c.ApprovalKey = "sess_1" }),
	} {
		err := tryWrite(s, func(tx domain.Tx) error { return tx.InsertConfirm(taken, content(taken)) })
		wantError(t, "taken "+name, domain.ErrConflict, err)
	}
}

func testConfirmConflict(t *testing.T, s Store) {
	c := confirm("c1")
	insert(t, s, c)
	winner, loser := *c, *c
	write(t, s, func(tx domain.Tx) error { return finish(tx, &winner, domain.Approved, 5) })
	err := tryWrite(s, func(tx domain.Tx) error { return finish(tx, &loser, domain.Rejected, 6) })
	wantError(t, "second decision", domain.ErrConflict, err)
	same(t, "the first stands", &winner, read(t, s, func(r domain.Reader) (*domain.Confirm, error) { return r.Confirm("c1") }))
}

func testDeadlines(t *testing.T, s Store) {
	next := func() time.Time { return read(t, s, domain.Reader.NextDeadline) }
	due := func(now, limit int) []string {
		return read(t, s, func(r domain.Reader) ([]string, error) { return r.DueConfirms(at(now), limit) })
	}
	expires := func(id string, n int) *domain.Confirm {
		return confirm(id, func(c *domain.Confirm) { c.ExpiresAt = at(n) })
	}
	insert(t, s, confirm("never"))
	same(t, "no deadline", time.Time{}, next())
	first, imported := expires("first", 5), expires("imported", 1)
	imported.Imported = true
	insert(t, s, expires("third", 7), first, expires("second", 6), imported)
	same(t, "earliest deadline", at(5), next())
	for _, tt := range []struct {
		name       string
		now, limit int
		want       []string
	}{
		{"before any", 4, 9, nil},
		{"at the deadline", 5, 9, []string{"first"}},
		{"several, longest overdue first", 99, 9, []string{"first", "second", "third"}},
		{"limited", 99, 2, []string{"first", "second"}},
	} {
		same(t, tt.name, tt.want, due(tt.now, tt.limit))
	}
	write(t, s, func(tx domain.Tx) error { return finish(tx, first, domain.Rejected, 5) })
	same(t, "after the first is decided", at(6), next())
	same(t, "due after the first is decided", []string{"second"}, due(6, 9))
}

func testCounts(t *testing.T, s Store) {
	other := domain.Ref{Kind: domain.KindUser, ID: "u1"}
	mine, imported := confirm("c1"), confirm("c4")
	imported.Imported = true
	approval := func(id, session string) *domain.Confirm {
		return confirm(id, func(c *domain.Confirm) {
			c.RequestedBy, c.SessionID, c.ApprovalKey = other, session, session+"_"+id
		})
	}
	count := func(name string, wantAll, wantAgent, wantOther int) {
		t.Helper()
		view(t, s, func(r domain.Reader) error {
			for by, want := range map[*domain.Ref]int{nil: wantAll, &agent: wantAgent, &other: wantOther} {
				got, err := r.PendingCount(by)
				if err != nil {
					return err
				}
				same(t, name, want, got)
			}
			return nil
		})
	}
	count("empty", 0, 0, 0)
	insert(t, s, mine, approval("c2", "s"), approval("c3", "s"), imported)
	count("three pending, an import aside", 3, 1, 2)
	write(t, s, func(tx domain.Tx) error { return finish(tx, mine, domain.Cancelled, 2) })
	count("one decided", 2, 0, 2)
	insert(t, s, confirm("c5", func(c *domain.Confirm) { c.TargetType = domain.TargetContext }))
	byType := read(t, s, domain.Reader.PendingByType)
	same(t, "by type", map[domain.TargetType]int{domain.TargetOther: 2, domain.TargetContext: 1}, byType)
	for session, want := range map[string]int{"s": 2, "none": 0} {
		same(t, "ApprovalCount "+session, want, read(t, s, func(r domain.Reader) (int, error) { return r.ApprovalCount(session) }))
	}
	// A transaction counts what it has done itself, and nothing of one undone.
	undone := errors.New("undone")
	for id, fail := range map[string]error{"c6": undone, "c7": nil, "c8": undone} {
		wantError(t, "Tx", fail, tryWrite(s, func(tx domain.Tx) error {
			before, err := tx.PendingCount(&agent)
			if err != nil {
				return err
			}
			c := confirm(id)
			if err := tx.InsertConfirm(c, content(c)); err != nil {
				return err
			}
			after, err := tx.PendingCount(&agent)
			same(t, "pending within", before+1, after)
			return errors.Join(err, fail)
		}))
	}
	count("one more", 4, 2, 2)
}

func decision(c *domain.Confirm, n int) *domain.Decision {
	return &domain.Decision{ID: c.ID + "-d" + string(rune('0'+n)), RequestedSeq: c.RequestedSeq, Number: n, Status: domain.Approved,
		Cause: domain.CauseHuman, DecidedBy: domain.Ref{Kind: domain.KindUser, ID: "u1"}, DecidedByName: "reviewer",
		DecidedByRole: "reviewer", DecidedAt: at(n), Reason: "fine", UserEditContent: "half is enough",
		Intent: domain.IntentRequestChanges, SentHash: "sha256:c", Seq: int64(n)}
}

func testDecisions(t *testing.T, s Store, refusesAlone bool) {
	c := confirm("c1")
	insert(t, s, c)
	edited, plain := decision(c, 0), decision(c, 1)
	edited.Actions = []domain.ActionDecision{
		{Type: domain.ActionEdit, Name: "execute_trade", Args: json.RawMessage(`{"q":9007199254740993,"h":"<&>"}`), ArgsHash: "sha256:a"},
		{Type: domain.ActionReject, ArgsHash: "sha256:b", Message: "no", Filled: true},
	}
	write(t, s, func(tx domain.Tx) error { return all(tx.InsertDecision(plain), tx.InsertDecision(edited)) })
	same(t, "in order", []*domain.Decision{edited, plain},
		read(t, s, func(r domain.Reader) ([]*domain.Decision, error) { return r.Decisions(c.RequestedSeq) }))
	want := domain.CodeEvidenceUnavailable
	if refusesAlone {
		want = domain.ErrorCode(domain.ErrConflict)
	}
	err := tryWrite(s, func(tx domain.Tx) error { return tx.InsertDecision(plain) })
	if errors.Is(err, domain.ErrConflict) != refusesAlone || domain.ErrorCode(err) != want {
		t.Errorf("the same number again: %v", err)
	}
}
