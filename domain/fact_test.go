package domain_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/finding"
	"countersign/domain/mplp"
	"countersign/domain/reading"
	"countersign/store/postgrestest"
)

// fold folds all decisions into the facts.
func (w *world) fold() {
	w.t.Helper()
	for {
		more, err := w.FoldFacts(w.ctx)
		if err != nil {
			w.t.Fatal(err)
		}
		if !more {
			return
		}
	}
}

// facts are those of a request, as a reader sees it.
func (w *world) facts(reader domain.Ref, c *domain.Confirm) *finding.Facts {
	w.t.Helper()
	detail, err := w.Confirm(w.ctx, reader, c.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	found, err := w.Facts(w.ctx, reader, detail)
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

// counted is what the facts say of the only action of a request, in a few words.
func (w *world) counted(reader domain.Ref, c *domain.Confirm) string {
	w.t.Helper()
	found := w.facts(reader, c)
	if found == nil {
		return "silent"
	}
	a := found.Actions[0]
	told := []string{fmt.Sprintf("decided %d, tool %d of %d, rejected %d of %d", found.Decided, a.ByRequester, a.ByAnybody, a.Rejected, a.Recent)}
	for _, v := range a.Values {
		told = append(told, fmt.Sprintf("%s %d of %d, %d different", v.Member, v.Approved, v.All, v.Distinct))
	}
	for _, p := range a.Pairs {
		told = append(told, strings.TrimSpace(fmt.Sprintf("account %d of %d %s", p.Approved, p.All, p.Request)))
	}
	for _, s := range a.Sums {
		told = append(told, strings.TrimSpace(fmt.Sprintf("%s %s %v", s.Member, s.Currency, s.Approved)))
	}
	return strings.Join(told, "; ")
}

func (w *world) wantCounted(what string, reader domain.Ref, c *domain.Confirm, want string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.counted(reader, c)); diff != "" {
		w.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// factRows are the stored facts, without their keys' values.
func (w *world) factRows() (rows []string) {
	w.t.Helper()
	db, err := sql.Open("sqlite", w.file)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it only read
	list, err := db.Query("SELECT hex(fact) || ' ' || approved || ' ' || rejected || ' ' || edited || ' ' || distinct_values || ' ' || COALESCE(recent, '') || ' ' || seq FROM volatile_facts ORDER BY fact")
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = list.Close() }()
	for list.Next() {
		var row string
		if err := list.Scan(&row); err != nil {
			w.t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if err := list.Err(); err != nil {
		w.t.Fatal(err)
	}
	return rows
}

const toAcme = `{"payee":"Acme","iban":"DE89370400440532013000","amount":5,"currency":"EUR"}`

// elsewhere pays the same payee on another account.
var elsewhere = strings.Replace(toAcme, "DE89370400440532013000", "DE62370400440532013001", 1)

func TestFacts_CountWhatPeopleDecide(t *testing.T) {
	t.Parallel()
	type scene struct {
		*world
		agent, other, reviewer domain.Ref
	}
	decide := func(s scene, by domain.Ref, args string, status domain.Status) {
		s.mustDecide(s.reviewer, s.payment(by, fmt.Sprint("c-", time.Now().UnixNano()), args, ""), status)
	}
	const nothing = "decided 0, tool 0 of 0, rejected 0 of 0; /payee 0 of 0, 0 different; /iban 0 of 0, 0 different; account 0 of 0; /amount EUR []"
	for _, tt := range []struct {
		name string
		past func(scene)
		want string
	}{
		{"nothing", func(scene) {}, nothing},
		{"an approval", func(s scene) { s.mustDecide(s.reviewer, s.payment(s.agent, "yes", toAcme, ""), domain.Approved) },
			"decided 1, tool 1 of 1, rejected 0 of 1; /payee 1 of 1, 1 different; /iban 1 of 1, 1 different; account 1 of 1; /amount EUR [5]"},
		{"a rejection", func(s scene) { decide(s, s.agent, toAcme, domain.Rejected) },
			"decided 1, tool 1 of 1, rejected 1 of 1; /payee 0 of 0, 0 different; /iban 0 of 0, 0 different; account 0 of 0; /amount EUR []"},
		{"another account", func(s scene) {
			s.mustDecide(s.reviewer, s.payment(s.other, "else", elsewhere, ""), domain.Approved)
			decide(s, s.other, `{"payee":"Bolt","iban":"DE89370400440532013000","amount":7}`, domain.Approved)
		}, "decided 0, tool 0 of 2, rejected 0 of 0; /payee 1 of 2, 2 different; /iban 1 of 2, 2 different; account 0 of 1 else; /amount EUR [5]"},
		{"an edit", func(s scene) {
			s.edit(s.reviewer, s.payment(s.agent, "edited", elsewhere, ""), strings.Replace(toAcme, "5,", "4.50,", 1))
		}, "decided 1, tool 1 of 1, rejected 0 of 1; /payee 1 of 1, 1 different; /iban 1 of 1, 1 different; account 1 of 1; /amount EUR [4.5]"},
		{"another tool", func(s scene) {
			s.mustDecide(s.reviewer, s.post(s.agent, `{"target_type":"other","actions":[{"name":"refund","args":`+toAcme+`}]}`), domain.Approved)
		}, strings.Replace(nothing, "decided 0", "decided 1", 1)},
		{"one of two actions rejected", func(s scene) {
			c := s.post(s.agent, `{"target_type":"other","actions":[{"name":"pay","args":`+toAcme+`},{"name":"pay","args":`+elsewhere+`}]}`)
			_, err := s.Decide(s.ctx, s.reviewer, c.ID, domain.DecisionInput{ContentHash: c.ContentHash, Actions: []mplp.ActionDecision{{Type: "approve"}, {Type: "reject"}}})
			if err != nil {
				s.t.Fatal(err)
			}
		}, "decided 1, tool 1 of 1, rejected 1 of 1; /payee 0 of 0, 0 different; /iban 0 of 0, 0 different; account 0 of 0; /amount EUR []"},
		{"only the last ten", func(s scene) {
			for range 3 {
				decide(s, s.agent, toAcme, domain.Rejected)
			}
			for range 9 {
				decide(s, s.agent, toAcme, domain.Approved)
			}
		}, "decided 12, tool 12 of 12, rejected 1 of 10; /payee 9 of 9, 1 different; /iban 9 of 9, 1 different; account 9 of 9; /amount EUR [5 5 5 5 5 5 5 5 5]"},
		{"a missed deadline", func(s scene) {
			c := s.post(s.agent, `{"target_type":"other","timeout":1,"actions":[{"name":"pay","args":`+toAcme+`}]}`)
			s.pass(2 * time.Second)
			s.outcome(c.ID)
		}, nothing},
		{"a cancelled one", func(s scene) {
			if _, err := s.CancelConfirm(s.ctx, s.agent, s.payment(s.agent, "c", toAcme, "").ID, ""); err != nil {
				s.t.Fatal(err)
			}
		}, nothing},
		{"a decision by a key", func(s scene) {
			decider := s.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "rea", MayDecide: true})
			s.mustDecide(decider, s.payment(s.agent, "c", toAcme, ""), domain.Approved)
		}, nothing},
		{"an import", func(s scene) {
			s.post(s.agent, `{"confirm_id":"i","target_type":"other","status":"approved","actions":[{"name":"pay","args":`+toAcme+`}],
				"decisions":[{"decision_id":"d","status":"approved","decided_by_role":"reviewer","decided_at":"2026-01-01T00:00:00Z"}]}`)
		}, nothing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := scene{world: newWorld(t)}
			s.agent, s.other, s.reviewer = s.key("bot", "executor"), s.key("other", "executor"), s.user("rea", "reviewer")
			tt.past(s)
			c := s.payment(s.agent, "now", toAcme, "")
			s.wantCounted("before the first fold", s.reviewer, c, "silent")
			s.fold()
			s.wantCounted("folded", s.reviewer, c, tt.want)
			s.fold()
			s.again().wantCounted("in another process", s.reviewer, c, tt.want)
		})
	}
}

// Facts that lack a decision of more than a second ago are silent.
func TestFacts_SilentWhileBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
	w.fold()
	c := w.payment(agent, "now", toAcme, "")
	w.mustDecide(reviewer, w.payment(agent, "yes", toAcme, ""), domain.Approved)
	const before = "decided 0, tool 0 of 0, rejected 0 of 0; /payee 0 of 0, 0 different; /iban 0 of 0, 0 different; account 0 of 0; /amount EUR []"
	w.wantCounted("at once", reviewer, c, before)
	w.pass(time.Second)
	w.wantCounted("after a second", reviewer, c, before)
	w.pass(time.Millisecond)
	w.wantCounted("later", reviewer, c, "silent")
	w.fold()
	w.wantCounted("folded", reviewer, c, "decided 1, tool 1 of 1, rejected 0 of 1; /payee 1 of 1, 1 different; /iban 1 of 1, 1 different; account 1 of 1; /amount EUR [5]")
	w.payment(agent, "more", toAcme, "")
	w.pass(time.Hour)
	if got := w.counted(reviewer, c); got == "silent" {
		t.Error("a request that nobody decided makes the facts silent")
	}
}

// Whatever is deleted is made again, and nothing is counted twice.
func TestFacts_AreMadeAgain(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *world){
		"all is gone": func(w *world) { w.sql("DELETE FROM volatile_facts") },
		"the watermark is gone": func(w *world) {
			w.sql("DELETE FROM volatile_facts WHERE seq = (SELECT MAX(seq) FROM volatile_facts) AND approved = 0")
		},
		"made with another key": func(w *world) {
			if _, err := w.RotateKey(w.ctx); err != nil {
				w.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
			for i := range 40 {
				status := domain.Approved
				if i%4 == 0 {
					status = domain.Rejected
				}
				w.mustDecide(reviewer, w.payment(agent, fmt.Sprint("c-", i), strings.Replace(toAcme, "3000", fmt.Sprint(3000+i%3), 1), ""), status)
			}
			c := w.payment(agent, "now", toAcme, "")
			w.fold()
			want, rows := w.counted(reviewer, c), len(w.factRows())
			change(w)
			w.wantCounted("before it is made again", reviewer, c, "silent")
			w.fold()
			w.wantCounted("made again", reviewer, c, want)
			if got := len(w.factRows()); got != rows {
				t.Errorf("%d rows, want %d", got, rows)
			}
		})
	}
}

// Several processes that fold at once count each decision once.
func TestFacts_ProcessesFoldTogether(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "countersign.db")
	for name, url := range map[string]string{"SQLite": file, "PostgreSQL": postgrestest.Database(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := filepath.Join(t.TempDir(), "outside")
			worlds := []*world{openWorldAt(t, url, files), openWorldAt(t, url, files), openWorldAt(t, url, files)}
			w := worlds[0]
			agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
			for i := range 80 {
				w.mustDecide(reviewer, w.payment(agent, fmt.Sprint("c-", i), strings.Replace(toAcme, "3000", fmt.Sprint(3000+i%3), 1), ""), domain.Approved)
			}
			c := w.payment(agent, "now", strings.Replace(toAcme, "5,", "7,", 1), "")
			var folding sync.WaitGroup
			for _, one := range worlds {
				folding.Go(func() {
					for more := true; more; {
						var err error
						if more, err = one.FoldFacts(one.ctx); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			folding.Wait()
			want := "decided 80, tool 80 of 80, rejected 0 of 10; /payee 80 of 80, 1 different; /iban 27 of 80, 3 different; account 27 of 80; /amount EUR [5" + strings.Repeat(" 5", 79) + "]"
			for _, one := range worlds {
				one.wantCounted("together", reviewer, c, want)
			}
		})
	}
}

// Of a content that was forgotten nothing is left in the facts.
func TestFacts_PruneTakesWhatOnlyPrunedContentsFed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
	w.mustDecide(reviewer, w.payment(agent, "old", `{"payee":"Bolt","iban":"FR1420041010050500013M02606","amount":900}`, ""), domain.Approved)
	w.pass(time.Hour)
	w.mustDecide(reviewer, w.payment(agent, "late", toAcme, ""), domain.Approved)
	c := w.payment(agent, "now", toAcme, "")
	w.fold()
	if n, err := w.Prune(w.ctx, time.Minute); n != 1 || err != nil {
		t.Fatalf("forgot %d, %v", n, err)
	}
	if rows := w.factRows(); rows != nil {
		t.Errorf("%q are left", rows)
	}
	w.wantCounted("before they are made again", reviewer, c, "silent")
	w.fold()
	w.wantCounted("made again", reviewer, c, "decided 1, tool 1 of 1, rejected 0 of 1; /payee 1 of 1, 1 different; /iban 1 of 1, 1 different; account 1 of 1; /amount EUR [5]")
	if n, err := w.Prune(w.ctx, time.Minute); n != 0 || err != nil || w.factRows() == nil {
		t.Errorf("forgot %d, %v, and the facts are %q", n, err, w.factRows())
	}
}

// Facts hold what other groups asked: they are for people who see all of it.
func TestFacts_OnlyForWhoSeesAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, other, reviewer := w.key("bot", "executor"), w.key("other", "executor"), w.user("rea", "reviewer")
	owner := w.user("otto", w.role("clerk", "confirm.request"))
	owned := w.keyFor(domain.KeyInput{Name: "owned", Roles: []string{"executor"}, Owner: "otto"})
	decider := w.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "rea", MayDecide: true})
	for i := range 20 {
		w.mustDecide(reviewer, w.payment(other, fmt.Sprint("c-", i), elsewhere, ""), domain.Approved)
	}
	w.fold()
	c, mine := w.payment(agent, "now", toAcme, ""), w.payment(owned, "mine", toAcme, "")
	if w.facts(reviewer, c) == nil || w.facts(domain.System, c) == nil {
		t.Error("nothing for who sees all")
	}
	for name, tt := range map[string]struct {
		reader domain.Ref
		c      *domain.Confirm
	}{"the requester": {agent, c}, "a key that may decide": {decider, c}, "the owner of the key": {owner, mine}, "the key": {owned, mine}} {
		if found := w.facts(tt.reader, tt.c); found != nil {
			t.Errorf("%s is told %+v", name, found)
		}
	}
	detail, err := w.Confirm(w.ctx, reviewer, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Facts(w.ctx, other, detail)
	w.wantCode(err, domain.CodeNotFound)
}

// What the rules find is what people decided.
func TestFacts_AreFindings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, other, reviewer := w.key("bot", "executor"), w.key("other", "executor"), w.user("rea", "reviewer")
	for i := range 24 {
		w.mustDecide(reviewer, w.payment(agent, fmt.Sprint("c-", i), strings.Replace(toAcme, "5,", fmt.Sprint(10+i, ","), 1), ""), domain.Approved)
	}
	for i := range 10 {
		status := domain.Approved
		if i < 4 {
			status = domain.Rejected
		}
		w.mustDecide(reviewer, w.post(other, `{"target_type":"other","actions":[{"name":"send","args":{"to":"ann@example.com"}}]}`), status)
	}
	w.fold()
	said := func(c *domain.Confirm) (said []string) {
		r := &finding.Request{Facts: w.facts(reviewer, c), Now: w.now()}
		detail, err := w.Confirm(w.ctx, reviewer, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range detail.Content.Actions {
			args, err := reading.Parse(a.Args)
			if err != nil {
				t.Fatal(err)
			}
			r.Actions = append(r.Actions, finding.Action{Name: a.Name, Args: args})
		}
		for _, f := range finding.Of(r) {
			said = append(said, strings.TrimSpace(fmt.Sprintf("%s %s%s: %s %s %s", f.Kind, f.Level, f.Pointer, f.Says, f.Here, f.There)))
		}
		return said
	}
	for _, tt := range []struct {
		name string
		c    *domain.Confirm
		want []string
	}{
		{"as usual", w.payment(agent, "usual", toAcme, ""), nil},
		{"far more, to another account", w.payment(agent, "more", strings.Replace(elsewhere, "5,", "3300,", 1), ""), []string{
			"other-account stop/iban: Same payee, another account: 24 approved since 2 Jan, none with this one DE62370400440532013001 c-23",
			"far-above look/amount: 157 x the median of 24 approved (highest 33 EUR) 3300",
		}},
		{"the first of its tool", w.post(agent, `{"target_type":"other","actions":[{"name":"close_account","args":{}}]}`), []string{"first-time look: First time anybody calls close_account"}},
		{"the first of this one", w.payment(other, "first", toAcme, ""), []string{"first-time note: First time other calls pay"}},
		{"often rejected", w.post(other, `{"target_type":"other","actions":[{"name":"send","args":{"to":"ann@example.com"}}]}`), []string{"often-rejected note: Rejected 4 of the last 10 times"}},
	} {
		if diff := cmp.Diff(tt.want, said(tt.c)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// What a request has in common with others is stored as an HMAC, except for its sums.
func TestFacts_HoldNoValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
	w.mustDecide(reviewer, w.payment(agent, "yes", toAcme, ""), domain.Approved)
	w.fold()
	rows := strings.Join(w.factRows(), "\n")
	for _, value := range []string{"acme", "de8937", "pay", "bot", agent.ID} {
		if strings.Contains(strings.ToLower(rows), value) {
			t.Errorf("%q is in the table", value)
		}
	}
}

// What the log does not prove is not counted.
func TestFacts_BelieveTheLogAlone(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][]string{
		"a rejection made a yes": {"UPDATE confirms SET status = 'approved' WHERE confirm_id = 'no'"},
		"other arguments":        {"DROP TRIGGER confirm_contents_fixed", "UPDATE confirm_contents SET content = CAST(replace(content, 'Bolt', 'Acme') AS BLOB)"},
		"a request that is out":  {"PRAGMA foreign_keys = OFF", "DELETE FROM confirms WHERE confirm_id = 'no'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
			w.mustDecide(reviewer, w.payment(agent, "no", strings.Replace(toAcme, "Acme", "Bolt", 1), ""), domain.Rejected)
			w.sql(change...)
			again := w.again()
			again.fold()
			again.wantCounted(name, reviewer, again.payment(agent, "now", toAcme, ""),
				"decided 0, tool 0 of 0, rejected 0 of 0; /payee 0 of 0, 0 different; /iban 0 of 0, 0 different; account 0 of 0; /amount EUR []")
		})
	}
}

// RunFacts folds a decision soon after it is made, and ends with its context.
func TestFacts_FollowTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
	ended := make(chan struct{})
	go func() { defer close(ended); w.RunFacts(w.ctx) }()
	w.mustDecide(reviewer, w.payment(agent, "yes", toAcme, ""), domain.Approved)
	c := w.payment(agent, "now", toAcme, "")
	for late := time.After(10 * time.Second); !strings.HasPrefix(w.counted(reviewer, c), "decided 1"); {
		select {
		case <-late:
			t.Fatal("the decision is not folded")
		case <-time.After(20 * time.Millisecond):
		}
	}
	w.feed.Close()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the follower goes on after the server has stopped")
	}
}
