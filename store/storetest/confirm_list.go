package storetest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"countersign/domain"
)

// pages reads a whole list, a page after the other.
func pages[T any](t *testing.T, s Store, limit int, list func(domain.Reader, domain.Page) ([]T, string, error)) []T {
	t.Helper()
	var got []T
	page := domain.Page{Limit: limit}
	for {
		view(t, s, func(r domain.Reader) error {
			part, next, err := list(r, page)
			if len(part) > limit || next != "" && len(part) < limit {
				t.Errorf("a page of %d with next %q, want %d rows", len(part), next, limit)
			}
			got = append(got, part...)
			page.Cursor = next
			return err
		})
		if page.Cursor == "" {
			return got
		}
	}
}

// listed are the ids that the filter finds, read in pages of two.
func listed(t *testing.T, s Store, f domain.ConfirmFilter) []string {
	t.Helper()
	var ids []string
	for _, row := range pages(t, s, 2, func(r domain.Reader, p domain.Page) ([]*domain.ConfirmRow, string, error) {
		return r.Confirms(f, p)
	}) {
		ids = append(ids, row.ID)
	}
	return ids
}

var everything = domain.Visibility{All: true}

func testConfirmFilters(t *testing.T, s Store) {
	received := 0
	add := func(id string, edit func(*domain.Confirm)) *domain.Confirm {
		received++
		return confirm(id, edit, func(c *domain.Confirm) { c.ReceivedAt = at(received) })
	}
	insert(t, s,
		add("plan", func(c *domain.Confirm) {
			c.TargetType, c.TargetID, c.PlanID, c.StepID = domain.TargetPlan, "p1", "p1", "s1"
		}),
		add("session", func(c *domain.Confirm) { c.SessionID, c.RequestedByRole = "sess", "coder" }),
		add("trace", func(c *domain.Confirm) { c.TraceID = "t1" }),
		add("approved", func(c *domain.Confirm) { c.Status, c.DecidedAt = domain.Approved, at(50) }),
		add("rejected", func(c *domain.Confirm) { c.Status, c.DecidedAt = domain.Rejected, at(60) }),
		add("import", func(c *domain.Confirm) { c.Status, c.Imported = domain.Approved, true }),
		add("half", func(c *domain.Confirm) { c.Imported = true }),
	)
	for _, tt := range []struct {
		name   string
		filter domain.ConfirmFilter
		want   []string
	}{
		{"all, newest first", domain.ConfirmFilter{WithImports: true}, []string{"half", "import", "rejected", "approved", "trace", "session", "plan"}},
		{"no imports", domain.ConfirmFilter{}, []string{"rejected", "approved", "trace", "session", "plan"}},
		{"pending", domain.ConfirmFilter{Status: domain.Pending}, []string{"plan", "session", "trace"}},
		{"pending with imports", domain.ConfirmFilter{Status: domain.Pending, WithImports: true}, []string{"plan", "session", "trace", "half"}},
		{"decided", domain.ConfirmFilter{Decided: true}, []string{"rejected", "approved"}},
		{"decided with imports", domain.ConfirmFilter{Decided: true, WithImports: true}, []string{"import", "rejected", "approved"}},
		{"approved", domain.ConfirmFilter{Status: domain.Approved}, []string{"approved"}},
		{"cancelled", domain.ConfirmFilter{Status: domain.Cancelled}, nil},
		{"target type", domain.ConfirmFilter{TargetType: domain.TargetPlan}, []string{"plan"}},
		{"target", domain.ConfirmFilter{TargetID: "p1"}, []string{"plan"}},
		{"step", domain.ConfirmFilter{StepID: "s1"}, []string{"plan"}},
		{"plan", domain.ConfirmFilter{PlanID: "p1"}, []string{"plan"}},
		{"trace", domain.ConfirmFilter{TraceID: "t1"}, []string{"trace"}},
		{"session", domain.ConfirmFilter{SessionID: "sess"}, []string{"session"}},
		{"requester's role", domain.ConfirmFilter{RequestedByRole: "coder"}, []string{"session"}},
		{"two at once", domain.ConfirmFilter{RequestedByRole: "coder", TraceID: "t1"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.filter.Visible = everything
			same(t, "ids", tt.want, listed(t, s, tt.filter))
		})
	}
}

func testConfirmVisibility(t *testing.T, s Store) {
	add := func(id string, group domain.Group, required string, n int) *domain.Confirm {
		return confirm(id, func(c *domain.Confirm) {
			c.RequestedGroup, c.RequiredRole, c.ReceivedAt = group, required, at(n)
		})
	}
	locked, imported, decided := add("locked", "keys", "", 5), add("imported", "keys", "", 6), add("decided", "keys", "", 7)
	locked.Locked, imported.Imported = true, true
	decided.Status, decided.DecidedAt = domain.Approved, at(8)
	insert(t, s, add("own", "user:u1", "", 1), add("own-role", "user:u1", "r2", 2),
		add("other", "keys", "", 3), add("other-r1", "keys", "r1", 4), add("other-r2", "keys", "r2", 4), locked, imported, decided)

	made := add("made", "key:k9", "r3", 9)
	made.RequestedBy = domain.Ref{Kind: domain.KindAgent, ID: "k9"}
	insert(t, s, made)
	write(t, s, func(tx domain.Tx) error {
		k := key("k9", "made")
		k.CreatedBy = "user:u3"
		return tx.InsertKey(k)
	})

	for _, tt := range []struct {
		name   string
		filter domain.ConfirmFilter
		want   []string
	}{
		{"mine of what another's key asks", domain.ConfirmFilter{Mine: true, Visible: everything, Decider: domain.Visibility{Group: "user:u1", Roles: []string{"r3"}}},
			[]string{"other", "made"}},
		{"mine of what a key asks that I made", domain.ConfirmFilter{Mine: true, Visible: everything, Decider: domain.Visibility{Group: "user:u3", Roles: []string{"r3"}}},
			[]string{"own", "other"}},
		{"nobody", domain.ConfirmFilter{}, nil},
		{"own group", domain.ConfirmFilter{Visible: domain.Visibility{Group: "user:u1"}}, []string{"own-role", "own"}},
		{"decider without roles", domain.ConfirmFilter{Status: domain.Pending, Visible: domain.Visibility{Group: "user:u1", Decides: true}},
			[]string{"own", "own-role", "other", "locked"}},
		{"decider with a role", domain.ConfirmFilter{Status: domain.Pending, Visible: domain.Visibility{Group: "user:u1", Decides: true, Roles: []string{"r0", "r1"}}},
			[]string{"own", "own-role", "other", "other-r1", "locked"}},
		{"mine", domain.ConfirmFilter{Mine: true, Visible: everything, Decider: domain.Visibility{Group: "user:u1", Roles: []string{"r1"}}},
			[]string{"other", "other-r1"}},
		{"mine without roles", domain.ConfirmFilter{Mine: true, Visible: everything, Decider: domain.Visibility{Group: "user:u1"}}, []string{"other"}},
		{"mine with imports asked for", domain.ConfirmFilter{Mine: true, WithImports: true, Visible: everything, Decider: domain.Visibility{Group: "user:u1"}}, []string{"other"}},
		{"mine with self-approval", domain.ConfirmFilter{Mine: true, Visible: everything, Decider: domain.Visibility{All: true, Roles: []string{"r2"}}},
			[]string{"own", "own-role", "other", "other-r2"}},
		{"mine, of what is visible", domain.ConfirmFilter{Mine: true, Visible: domain.Visibility{Group: "user:u1"}, Decider: domain.Visibility{Group: "user:u1"}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			same(t, "ids", tt.want, listed(t, s, tt.filter))
			if !tt.filter.Mine || !tt.filter.Visible.All {
				return
			}
			// What waits is the same, in another order.
			var waiting []string
			for _, c := range read(t, s, func(r domain.Reader) ([]domain.WaitingConfirm, error) {
				return r.WaitingConfirms(tt.filter.Decider, at(0), 9)
			}) {
				waiting = append(waiting, c.ID)
			}
			slices.Sort(waiting)
			same(t, "what waits", slices.Sorted(slices.Values(tt.want)), waiting)
		})
	}
	decider := domain.Visibility{Group: "user:u1", Roles: []string{"r1", "r2", "r3"}}
	for limit, want := range map[int][]string{9: {"made", "other-r2", "other-r1", "other"}, 2: {"made", "other-r2"}} {
		got := read(t, s, func(r domain.Reader) ([]domain.WaitingConfirm, error) {
			return r.WaitingConfirms(decider, at(0), limit)
		})
		var ids []string
		for i, c := range got {
			ids = append(ids, c.ID)
			if i > 0 && c.Seq >= got[i-1].Seq {
				t.Errorf("%s is not older than %s", c.ID, got[i-1].ID)
			}
		}
		same(t, "the newest that wait", want, ids)
	}
}

func testConfirmSearch(t *testing.T, s Store) {
	trade := confirm("c-Trade", func(c *domain.Confirm) { c.TargetID, c.SessionID, c.RequestedSeq = "Account-77", "sess_A", 0 })
	ids := []string{"0aa3bb1e-5c1b-4d0e-8a35-6f1f0c9be001", "0aa3bb1e-5c1b-4d0e-8a35-6f1f0c9be002", "0bb3bb1e-5c1b-4d0e-8a35-6f1f0c9be003"}
	uuids := confirm(ids[0], func(c *domain.Confirm) {
		c.TargetID, c.SessionID, c.RequestedByName, c.RequestedByRole = ids[1], ids[2], "x", "face"
		c.ReceivedAt, c.RequestedSeq = at(2), 2
	})
	file := confirm("c-file", func(c *domain.Confirm) {
		c.RequestedByName, c.ReceivedAt, c.RequestedSeq = "Straße Bot", at(1), 1
	})
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertConfirm(trade, content(trade, "execute_trade", "notify")), tx.InsertConfirm(file, content(file, "rm")), tx.InsertConfirm(uuids, content(uuids)))
	})
	type search struct {
		query string
		want  []string
	}
	searches := []search{
		{"c-trade", []string{"c-Trade"}}, {"C-", []string{"c-Trade", "c-file"}}, {"EXECUTE_", []string{"c-Trade"}}, {"notify", []string{"c-Trade"}},
		{"account", []string{"c-Trade"}}, {"sess_a", []string{"c-Trade"}}, {"deploy", []string{"c-Trade"}}, {"executor", []string{"c-Trade", "c-file"}},
		{"agent  deploy", []string{"c-Trade"}}, {"deploy rm", nil}, {"STRASSE", []string{"c-file"}}, {"trade", nil}, {"%", nil}, {"  ", []string{"c-Trade", "c-file", ids[0]}},
		{ids[0], []string{ids[0]}}, {ids[1], []string{ids[0]}}, {strings.ToUpper(ids[2]), []string{ids[0]}}, {"0AA", []string{ids[0]}}, {"0bb3 fac", []string{ids[0]}},
		{"face 0bb3", []string{ids[0]}}, {"0cc", nil}, {"execute%", nil}, {"executeXtrade", nil}, {"execute_trade\x00notify", []string{"c-Trade"}}, {"face rm", nil}, {"-", nil},
	}
	pending := domain.ConfirmFilter{Status: domain.Pending, Visible: everything}
	found := func(name string, searches []search) {
		t.Run(name, func(t *testing.T) {
			for _, tt := range searches {
				pending.Query = tt.query
				same(t, "the inbox: "+tt.query, slices.Sorted(slices.Values(tt.want)), slices.Sorted(slices.Values(listed(t, s, pending))))
				all := domain.ConfirmFilter{Query: tt.query, Visible: everything}
				same(t, "all: "+tt.query, slices.Sorted(slices.Values(tt.want)), slices.Sorted(slices.Values(listed(t, s, all))))
			}
			role := domain.ConfirmFilter{RequestedByRole: "face", Visible: everything}
			same(t, "a role's", []string{ids[0]}, listed(t, s, role))
			role.RequestedByRole = "fac"
			same(t, "no role's", 0, len(listed(t, s, role)))
		})
	}
	forgotten := func(c *domain.Confirm) {
		write(t, s, func(tx domain.Tx) error { return tx.ForgetContent(c) })
	}
	found("just requested", searches)
	forgotten(trade)
	searches = append(searches[:slices.IndexFunc(searches, func(s search) bool { return s.query == "EXECUTE_" })],
		search{"EXECUTE_", nil}, search{"notify", nil}, search{"c-trade", []string{"c-Trade"}}, search{"rm", []string{"c-file"}}, search{"executor", []string{"c-Trade", "c-file"}})
	found("with forgotten content", searches)
	for range 300 {
		write(t, s, func(domain.Tx) error { return nil })
	}
	found("long since", searches)
	forgotten(file)
	found("long since, with forgotten content", []search{{"rm", nil}, {"c-", []string{"c-Trade", "c-file"}}, {"EXECUTE_", nil}, {"executor", []string{"c-Trade", "c-file"}}})
	wordy := confirm("c-wordy", func(c *domain.Confirm) { c.RequestedByName = strings.Repeat("x", 300) })
	var words []string
	for i := range 40_000 {
		words = append(words, strconv.Itoa(i))
	}
	write(t, s, func(tx domain.Tx) error { return tx.InsertConfirm(wordy, content(wordy, strings.Join(words, " "))) })
	same(t, "more words than are kept, one longer than is kept", []string{"c-wordy"},
		listed(t, s, domain.ConfirmFilter{Query: "c-wordy " + strings.Repeat("X", 299), Visible: everything}))
	err := s.View(context.Background(), func(r domain.Reader) error {
		_, _, err := r.Confirms(domain.ConfirmFilter{Query: "a b c d e f g h i j k l m n o p q", Visible: everything}, domain.Page{})
		return err
	})
	same(t, "too many words", domain.CodeInvalid, domain.ErrorCode(err))
}

// testConfirmPages has ties everywhere: in deadlines, receipts and decisions.
func testConfirmPages(t *testing.T, s Store) {
	var list []*domain.Confirm
	for i := range 12 {
		list = append(list, confirm(fmt.Sprintf("c%02d", i), func(c *domain.Confirm) {
			c.ReceivedAt = at(i / 4)
			if i < 6 {
				c.ExpiresAt = at(100 - i/2)
			}
		}))
	}
	insert(t, s, list...)
	pending := domain.ConfirmFilter{Status: domain.Pending, Visible: everything}
	same(t, "inbox", []string{"c04", "c05", "c02", "c03", "c00", "c01", "c06", "c07", "c08", "c09", "c10", "c11"}, listed(t, s, pending))
	same(t, "newest first", []string{"c11", "c10", "c09", "c08", "c07", "c06", "c05", "c04", "c03", "c02", "c01", "c00"},
		listed(t, s, domain.ConfirmFilter{Visible: everything}))

	write(t, s, func(tx domain.Tx) error {
		for i, c := range list[:5] {
			if err := finish(tx, c, domain.Approved, 200+i/2); err != nil {
				return err
			}
		}
		return nil
	})
	same(t, "decided", []string{"c04", "c03", "c02", "c01", "c00"}, listed(t, s, domain.ConfirmFilter{Decided: true, Visible: everything}))
	same(t, "inbox without them", []string{"c05", "c06", "c07", "c08", "c09", "c10", "c11"}, listed(t, s, pending))
}

// testConfirmsFarDown: a page looks at so many rows only. What a filter finds
// beyond them is found from the cursor on, however it is looked for.
func testConfirmsFarDown(t *testing.T, s Store) {
	far := confirm("far", func(c *domain.Confirm) { c.StepID, c.SessionID = "rare", "sess" })
	var list []*domain.Confirm
	for i := range 2100 {
		list = append(list, confirm(fmt.Sprintf("c%04d", i), func(c *domain.Confirm) {
			c.SessionID, c.ReceivedAt = "sess", at(-1) // before it in the inbox
		}))
	}
	insert(t, s, append([]*domain.Confirm{far}, list...)...)
	for _, tt := range []struct {
		name   string
		filter domain.ConfirmFilter
	}{
		{"all", domain.ConfirmFilter{}},
		{"pending", domain.ConfirmFilter{Status: domain.Pending}},
		{"pending of a session", domain.ConfirmFilter{Status: domain.Pending, SessionID: "sess"}},
		{"of a session", domain.ConfirmFilter{SessionID: "sess"}},
		{"of a role", domain.ConfirmFilter{RequestedByRole: "executor"}},
		{"with a common word", domain.ConfirmFilter{Query: "deploy"}},
		{"pending with a common word", domain.ConfirmFilter{Status: domain.Pending, Query: "deploy"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.filter.StepID, tt.filter.Visible = "rare", everything
			var got []string
			read := 0
			for page := (domain.Page{}); read == 0 || page.Cursor != ""; read++ {
				view(t, s, func(r domain.Reader) error {
					rows, next, err := r.Confirms(tt.filter, page)
					for _, row := range rows {
						got = append(got, row.ID)
					}
					page.Cursor = next
					return err
				})
			}
			same(t, "ids", []string{"far"}, got)
			same(t, "pages", 2, read)
		})
	}
}

func testConfirmRows(t *testing.T, s Store) {
	c, because := confirm("c1"), domain.Excerpt{Text: "because c1"}
	first, last := decision(c, 0), decision(c, 1)
	last.Actions = []domain.ActionDecision{{Type: domain.ActionApprove, ArgsHash: "sha256:a"}}
	row := func(f domain.ConfirmFilter) *domain.ConfirmRow {
		f.Visible = everything
		list := pages(t, s, 2, func(r domain.Reader, p domain.Page) ([]*domain.ConfirmRow, string, error) { return r.Confirms(f, p) })
		if len(list) != 1 {
			t.Fatalf("%d rows, want 1", len(list))
		}
		return list[0]
	}
	write(t, s, func(tx domain.Tx) error { return tx.InsertConfirm(c, content(c, "rm", "ls")) })
	same(t, "pending", &domain.ConfirmRow{Confirm: *c, Reason: because, Tools: []string{"rm", "ls"}}, row(domain.ConfirmFilter{Status: domain.Pending}))
	same(t, "bare", &domain.ConfirmRow{Confirm: *c}, row(domain.ConfirmFilter{Status: domain.Pending, OmitTexts: true}))
	write(t, s, func(tx domain.Tx) error {
		return all(finish(tx, c, domain.Approved, 3), tx.InsertDecision(first), tx.InsertDecision(last))
	})
	same(t, "by id", []*domain.ConfirmRow{{Confirm: *c, Reason: because, Tools: []string{"rm", "ls"}}},
		read(t, s, func(r domain.Reader) ([]*domain.ConfirmRow, error) {
			return r.ConfirmRows([]string{"c1", "none", "c1"})
		}))
	last.Actions, last.Reason, last.UserEditContent = nil, "", ""
	same(t, "decided", &domain.ConfirmRow{Confirm: *c, Reason: because, Tools: []string{"rm", "ls"}, Decision: last},
		row(domain.ConfirmFilter{Decided: true}))
}

func testConfirmTitles(t *testing.T, s Store) {
	about := func(id string, target domain.TargetType, targetID, planID, hash string) *domain.Confirm {
		return confirm(id, func(c *domain.Confirm) {
			c.TargetType, c.TargetID, c.PlanID, c.TargetHash = target, targetID, planID, hash
		})
	}
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertPlan(plan("p1", 1), []byte("{}")), tx.InsertContext(&domain.Context{ID: "x1", Title: "Login service", Native: []byte("{}"), CreatedAt: at(0), UpdatedAt: at(0)}))
	})
	insert(t, s,
		about("a-plan", domain.TargetPlan, "p1", "p1", "sha256:1"),
		about("a-step-of-it", domain.TargetOther, "t1", "p1", "sha256:1"),
		about("a-plan-not-seen", domain.TargetPlan, "p1", "", ""),
		about("a-context", domain.TargetContext, "x1", "", "sha256:1"),
		about("a-context-not-seen", domain.TargetContext, "x1", "", ""),
	)
	got := map[string]string{}
	for _, row := range pages(t, s, 2, func(r domain.Reader, p domain.Page) ([]*domain.ConfirmRow, string, error) {
		return r.Confirms(domain.ConfirmFilter{Visible: everything}, p)
	}) {
		got[row.ID] = row.Title
	}
	same(t, "titles", map[string]string{
		"a-plan": "Fix the login", "a-step-of-it": "", "a-plan-not-seen": "", "a-context": "Login service", "a-context-not-seen": "",
	}, got)
}

func testCursors(t *testing.T, s Store) {
	insert(t, s, confirm("c1"), confirm("c2"))
	list := func(f domain.ConfirmFilter, p domain.Page) (next string, err error) {
		f.Visible = everything
		err = s.View(context.Background(), func(r domain.Reader) (err error) {
			_, next, err = r.Confirms(f, p)
			return err
		})
		return next, err
	}
	inbox, err := list(domain.ConfirmFilter{Status: domain.Pending}, domain.Page{Limit: 1})
	wantError(t, "first page", nil, err)
	for name, cursor := range map[string]string{"not base64": "!", "no keyset": "YQ", "no number": "aTp4Onk", "of another list": inbox} {
		_, err := list(domain.ConfirmFilter{}, domain.Page{Cursor: cursor})
		e := domain.AsError(err)
		if e == nil || e.Code != domain.CodeInvalid || len(e.Problems) != 1 || e.Problems[0].Path != "cursor" || e.Problems[0].Code != "format" {
			t.Errorf("%s: error %v, want the cursor refused", name, err)
		}
	}
}
