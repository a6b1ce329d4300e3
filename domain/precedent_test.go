package domain_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/finding"
	"countersign/domain/mplp"
	"countersign/domain/reading"
)

// payment asks to pay, with further members of the request.
func (w *world) payment(by domain.Ref, id, args, members string) *domain.Confirm {
	w.t.Helper()
	return w.post(by, fmt.Sprintf(`{"confirm_id":%q,"target_type":"other","timeout":2592000,"actions":[{"name":"pay","args":%s}]%s}`, id, args, members))
}

// came are the precedents of the only action of a request, as a reader sees it: which
// request, what became of it, its words and its arguments.
func (w *world) came(reader domain.Ref, c *domain.Confirm) map[string]string {
	w.t.Helper()
	detail, err := w.Confirm(w.ctx, reader, c.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	found, err := w.Precedents(w.ctx, reader, detail)
	if err != nil {
		w.t.Fatal(err)
	}
	told := map[string]string{}
	tell := func(name string, p *domain.Precedent) {
		if p != nil {
			told[name] = strings.TrimSpace(fmt.Sprintf("%s %s %q %s", p.ConfirmID, p.Status, p.Reason, p.Args))
		}
	}
	tell("request before", found.Superseded)
	for _, a := range found.Actions {
		tell("superseded", a.Superseded)
		tell("rejected", a.Rejected)
		tell("pending", a.Pending)
		tell("unused", a.Unused)
		tell("like", a.LastApproved)
	}
	return told
}

func (w *world) wantCame(what string, reader domain.Ref, c *domain.Confirm, want map[string]string) {
	w.t.Helper()
	if want == nil {
		want = map[string]string{}
	}
	if diff := cmp.Diff(want, w.came(reader, c)); diff != "" {
		w.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

const thatMuch, more = `{"to":"acme","eur":5}`, `{"to":"acme","eur":50}`

func TestPrecedents_OfACall(t *testing.T) {
	t.Parallel()
	type scene struct {
		*world
		agent, other, reviewer domain.Ref
	}
	reject := func(s scene, by domain.Ref, id, args string) *domain.Confirm {
		c := s.payment(by, id, args, "")
		s.mustDecide(s.reviewer, c, domain.Rejected)
		return c
	}
	approve := func(s scene, by domain.Ref, id, args string) *domain.Confirm {
		c := s.payment(by, id, args, "")
		s.mustDecide(s.reviewer, c, domain.Approved)
		return c
	}
	for _, tt := range []struct {
		name string
		past func(scene)
		want map[string]string
	}{
		{"nothing", func(scene) {}, nil},
		{"a rejection", func(s scene) { reject(s, s.agent, "no", thatMuch) }, map[string]string{"rejected": `no rejected "because" ` + thatMuch}},
		{"a rejection of another agent's", func(s scene) { reject(s, s.other, "no", thatMuch) }, map[string]string{"rejected": `no rejected "because" ` + thatMuch}},
		{"a rejection of other arguments", func(s scene) { reject(s, s.agent, "no", more) }, nil},
		{"a rejection of another tool", func(s scene) {
			s.mustDecide(s.reviewer, s.post(s.agent, `{"target_type":"other","actions":[{"name":"pay out","args":`+thatMuch+`}]}`), domain.Rejected)
		}, nil},
		{"a rejection long ago", func(s scene) { reject(s, s.agent, "no", thatMuch); s.pass(91 * 24 * time.Hour) }, nil},
		{"two rejections", func(s scene) { reject(s, s.agent, "no", thatMuch); reject(s, s.agent, "never", thatMuch) },
			map[string]string{"rejected": `never rejected "because" ` + thatMuch}},
		{"a missed deadline", func(s scene) {
			c := s.post(s.agent, `{"target_type":"other","timeout":1,"actions":[{"name":"pay","args":`+thatMuch+`}]}`)
			s.pass(2 * time.Second)
			s.outcome(c.ID)
		}, nil},
		{"a cancelled one", func(s scene) {
			if _, err := s.CancelConfirm(s.ctx, s.agent, s.payment(s.agent, "c", thatMuch, "").ID, ""); err != nil {
				s.t.Fatal(err)
			}
		}, nil},
		{"a rejection, then an approval", func(s scene) {
			reject(s, s.agent, "no", thatMuch)
			approve(s, s.other, "yes", thatMuch)
		}, map[string]string{"unused": `yes approved "because" ` + thatMuch}},
		{"an approval, then a rejection", func(s scene) {
			approve(s, s.other, "yes", thatMuch)
			s.pass(25 * time.Hour)
			reject(s, s.other, "no", thatMuch)
		}, map[string]string{"rejected": `no rejected "because" ` + thatMuch}},
		{"one of two actions rejected", func(s scene) {
			c := s.post(s.agent, `{"confirm_id":"both","target_type":"other","actions":[{"name":"look","args":{}},{"name":"pay","args":`+thatMuch+`}]}`)
			_, err := s.Decide(s.ctx, s.reviewer, c.ID, domain.DecisionInput{ContentHash: c.ContentHash, Reason: "late",
				Actions: []mplp.ActionDecision{{Type: "approve"}, {Type: "reject", Message: "not on Fridays"}}})
			if err != nil {
				s.t.Fatal(err)
			}
		}, map[string]string{"rejected": `both rejected "not on Fridays" ` + thatMuch}},
		{"the other of two actions rejected", func(s scene) {
			c := s.post(s.agent, `{"target_type":"other","actions":[{"name":"look","args":{}},{"name":"pay","args":`+thatMuch+`}]}`)
			_, err := s.Decide(s.ctx, s.reviewer, c.ID, domain.DecisionInput{ContentHash: c.ContentHash, Actions: []mplp.ActionDecision{{Type: "reject"}, {Type: "approve"}}})
			if err != nil {
				s.t.Fatal(err)
			}
		}, nil},
		{"another that waits", func(s scene) { s.payment(s.other, "twin", thatMuch, "") }, map[string]string{"pending": `twin pending "" ` + thatMuch}},
		{"an approval that was used", func(s scene) {
			c, i := approve(s, s.other, "yes", thatMuch), int64(0)
			if code, said := s.consume(s.other, domain.ConsumeInput{ConfirmID: c.ID, Action: &i, ArgsHash: evidence.ArgsHash([]byte(thatMuch))}); code != "" {
				s.t.Fatal(said)
			}
		}, nil},
		{"an approval of the day before", func(s scene) { approve(s, s.other, "yes", thatMuch); s.pass(25 * time.Hour) }, nil},
		{"an approval with other arguments in place", func(s scene) { s.edit(s.reviewer, s.payment(s.other, "yes", thatMuch, ""), more) }, nil},
		{"a like call", func(s scene) {
			approve(s, s.agent, "first", `{}`)
			s.edit(s.reviewer, s.payment(s.agent, "last", `{"eur":7}`, ""), more)
			approve(s, s.other, "foreign", `{"eur":8}`)
			reject(s, s.agent, "no", `{"eur":9}`)
			s.post(s.agent, `{"target_type":"other","actions":[{"name":"pay out","args":{}}]}`)
		}, map[string]string{"like": `last approved "because" ` + more}},
		{"an import", func(s scene) {
			s.post(s.agent, `{"confirm_id":"i","target_type":"other","status":"rejected","actions":[{"name":"pay","args":`+thatMuch+`}],
				"decisions":[{"decision_id":"d","status":"rejected","decided_by_role":"reviewer","decided_at":"2026-01-01T00:00:00Z"}]}`)
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := scene{world: newWorld(t)}
			s.agent, s.other, s.reviewer = s.key("bot", "executor"), s.key("other", "executor"), s.user("rea", "reviewer")
			tt.past(s)
			c := s.payment(s.agent, "now", thatMuch, "")
			s.wantCame("now", s.reviewer, c, tt.want)
			s.wantCame("after a restart", s.reviewer, &domain.Confirm{ID: c.ID}, tt.want)
			again := s.again()
			again.wantCame("in another process", s.reviewer, c, tt.want)
		})
	}
}

// edit approves with other arguments.
func (w *world) edit(by domain.Ref, c *domain.Confirm, args string) {
	w.t.Helper()
	_, err := w.Decide(w.ctx, by, c.ID, domain.DecisionInput{ContentHash: c.ContentHash, Reason: "because",
		Actions: []mplp.ActionDecision{{Type: "edit", Name: "pay", Args: json.RawMessage(args)}}})
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestPrecedents_OfWhatIsSuperseded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, other, reviewer := w.key("bot", "executor"), w.key("other", "executor"), w.user("rea", "reviewer")
	w.edit(reviewer, w.payment(agent, "before", thatMuch, ""), `{"to":"acme","eur":4}`)
	w.mustDecide(reviewer, w.payment(other, "foreign", thatMuch, ""), domain.Rejected)

	w.wantCame("an edited one", reviewer, w.payment(agent, "next", more, `,"supersedes":"before"`), map[string]string{
		"request before": `before approved "because"`, "superseded": `before approved "because" {"to":"acme","eur":4}`, "like": `before approved "because" {"to":"acme","eur":4}`,
	})
	w.wantCame("another group's", reviewer, w.payment(other, "named", `{"eur":1}`, `,"supersedes":"before"`), nil)
	w.wantCame("of another tool", reviewer, w.post(agent, `{"target_type":"other","supersedes":"before","actions":[{"name":"tell","args":{}}]}`),
		map[string]string{"request before": `before approved "because"`})
	w.wantCame("one that is not there", reviewer, w.payment(agent, "lost", `{"a":1}`, `,"supersedes":"none"`), map[string]string{"like": `before approved "because" {"to":"acme","eur":4}`})
}

// Whoever may not see a request is shown nothing of it as a precedent either.
func TestPrecedents_OnlyWhatTheReaderSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, other, reviewer := w.key("bot", "executor"), w.key("other", "executor"), w.user("rea", "reviewer")
	w.role("finance", "confirm.approve", "confirm.reject")
	decider := w.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "rea", MayDecide: true})
	for i, by := range []domain.Ref{agent, other} {
		w.mustDecide(reviewer, w.payment(by, fmt.Sprint("no-", i), thatMuch, ""), domain.Rejected)
	}
	w.payment(agent, "secret", thatMuch, `,"required_role":"finance"`)
	c := w.payment(other, "now", thatMuch, "")
	w.wantCame("who sees all", reviewer, c, map[string]string{"rejected": `no-1 rejected "because" ` + thatMuch, "pending": `secret pending "" ` + thatMuch})
	w.wantCame("the requester", other, c, map[string]string{"rejected": `no-1 rejected "because" ` + thatMuch})
	w.wantCame("a key that may decide what requires no role", decider, c, map[string]string{"rejected": `no-1 rejected "because" ` + thatMuch})

	mine := w.payment(agent, "mine", more, "")
	w.mustDecide(reviewer, w.payment(other, "no-2", more, ""), domain.Rejected)
	w.wantCame("a requester of what only others were refused", agent, mine, nil)
	w.wantCame("who sees that", reviewer, mine, map[string]string{"rejected": `no-2 rejected "because" ` + more})

	detail, err := w.Confirm(w.ctx, reviewer, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Precedents(w.ctx, agent, detail)
	w.wantCode(err, domain.CodeNotFound)
}

// A precedent is believed as little as any row: what the log does not prove is left out,
// and an index that somebody changed hides or points, and says nothing.
func TestPrecedents_BelieveTheLogAlone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change []string
		want   map[string]string
	}{
		"as it was":               {nil, map[string]string{"rejected": `no rejected "because" ` + thatMuch}},
		"no index":                {[]string{"DELETE FROM volatile_search"}, nil},
		"a reason that was put":   {[]string{"DROP TRIGGER decisions_fixed", "UPDATE decisions SET reason = 'never mind'"}, nil},
		"a rejection made a yes":  {[]string{"UPDATE confirms SET status = 'approved' WHERE confirm_id = 'no'"}, nil},
		"a rejection that is out": {[]string{"PRAGMA foreign_keys = OFF", "DELETE FROM confirms WHERE confirm_id = 'no'"}, nil},
		"another call's place": {[]string{`INSERT OR IGNORE INTO volatile_search SELECT term, (SELECT requested_seq FROM confirms WHERE confirm_id = 'else')
			FROM volatile_search WHERE substr(term, 1, 1) = char(1)`}, map[string]string{"rejected": `no rejected "because" ` + thatMuch}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
			w.mustDecide(reviewer, w.payment(agent, "no", thatMuch, ""), domain.Rejected)
			w.mustDecide(reviewer, w.payment(agent, "else", more, ""), domain.Rejected)
			c := w.payment(agent, "now", thatMuch, "")
			w.sql(tt.change...)
			again := w.again()
			again.wantCame(name, reviewer, c, tt.want)
		})
	}
}

// Of a forgotten content nothing is left that its arguments could be guessed from, but
// for what decisions keep.
func TestPrecedents_OfForgottenContents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
	w.mustDecide(reviewer, w.payment(agent, "yes", thatMuch, ""), domain.Approved)
	w.pass(time.Hour)
	before := w.payment(agent, "now", more, `,"supersedes":"yes"`)
	same := w.payment(agent, "same", thatMuch, "")
	if n, err := w.Prune(w.ctx, time.Minute); n != 1 || err != nil {
		t.Fatalf("forgot %d, %v", n, err)
	}
	w.wantCame("superseded", reviewer, before, map[string]string{"request before": `yes approved ""`})
	w.wantCame("the same", reviewer, same, nil)
	db, err := sql.Open("sqlite", w.file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it only read
	var left int
	if err := db.QueryRow("SELECT COUNT(*) FROM volatile_search WHERE substr(term, 1, 1) = char(1)").Scan(&left); err != nil || left != 2 {
		t.Errorf("%d calls are indexed (%v), want those of the two that wait", left, err)
	}
}

// What is shown beside a decided request is what its decider could see.
func TestPrecedents_OfWhatIsDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
	w.mustDecide(reviewer, w.payment(agent, "no", thatMuch, ""), domain.Rejected)
	c := w.payment(agent, "now", thatMuch, "")
	w.mustDecide(reviewer, c, domain.Rejected)
	w.mustDecide(reviewer, w.payment(agent, "later", thatMuch, ""), domain.Rejected)
	w.payment(agent, "waits", thatMuch, "")
	w.wantCame("a decided request", reviewer, c, map[string]string{"rejected": `no rejected "because" ` + thatMuch})
}

// What the rules find is what the log proves, in the words of who decided.
func TestPrecedents_AreFindings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
	w.edit(reviewer, w.payment(agent, "yes", thatMuch, ""), `{"to":"acme","amount":4}`)
	w.mustDecide(reviewer, w.payment(agent, "no", `{"to":"acme","amount":40}`, ""), domain.Rejected)
	c := w.payment(agent, "now", `{"to":"acme","amount":40}`, `,"supersedes":"yes"`)
	detail, err := w.Confirm(w.ctx, reviewer, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	before, err := w.Precedents(w.ctx, reviewer, detail)
	if err != nil {
		t.Fatal(err)
	}
	args, err := reading.Parse(detail.Content.Actions[0].Args)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, f := range finding.Of(&finding.Request{Actions: []finding.Action{{Name: "pay", Args: args}}, Earlier: before.Earlier(), Now: w.now()}) {
		if f.Kind == "superseded" || f.Kind == "rejected-before" {
			said = append(said, strings.TrimSpace(fmt.Sprintf("%s %s: %s %s %s", f.Level, f.Pointer, f.Says, f.Here, f.There)))
		}
	}
	want := []string{
		"stop /amount: amount differs from what was approved on 2 Jan 40 4",
		"stop : A person rejected exactly this on 2 Jan: “because”  no",
		"note : Differs from the request before in amount  yes",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// How often a requester asked is for who sees all of it, even without the content.
func TestPrecedents_CountTheRequester(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
	decider := w.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "rea", MayDecide: true})
	record := func(reader domain.Ref, c *domain.Confirm) *domain.RequesterRecord {
		t.Helper()
		detail, err := w.Confirm(w.ctx, reader, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		found, err := w.Precedents(w.ctx, reader, detail)
		if err != nil {
			t.Fatal(err)
		}
		return found.Requester
	}
	first := w.payment(agent, "first", more, "")
	w.mustDecide(reviewer, first, domain.Rejected)
	w.pass(time.Hour)
	if n, err := w.Prune(w.ctx, time.Minute); n != 1 || err != nil {
		t.Fatalf("forgot %d, %v", n, err)
	}
	c := w.payment(agent, "now", thatMuch, "")
	want := &domain.RequesterRecord{Asked: 2, Rejected: 1}
	for name, tt := range map[string]struct {
		reader domain.Ref
		c      *domain.Confirm
		want   *domain.RequesterRecord
	}{
		"a reviewer": {reviewer, c, want}, "the requester": {agent, c, want}, "a key that sees some": {decider, c, nil}, "of a forgotten content": {reviewer, first, want},
	} {
		if diff := cmp.Diff(tt.want, record(tt.reader, tt.c)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	w.pass(91 * 24 * time.Hour)
	again := w.payment(agent, "again", thatMuch, "")
	if diff := cmp.Diff(&domain.RequesterRecord{Asked: 1}, record(reviewer, again)); diff != "" {
		t.Errorf("after a quarter (-want +got):\n%s", diff)
	}
}
