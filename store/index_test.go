package store

import (
	"context"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store/driver"
)

var everything = domain.Visibility{All: true}

// A page must cost the same however long the list is: it is read along an
// index, from the cursor on, and never sorted.
func TestListsFollowIndexes(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	decider := domain.Visibility{Group: "g", Decides: true, Roles: []string{"r"}}
	group := domain.Visibility{Group: "g"}
	for name, tt := range map[string]struct {
		filter domain.ConfirmFilter
		index  string
	}{
		"inbox":                  {domain.ConfirmFilter{Status: domain.Pending, Visible: everything}, "INDEX confirms_pending"},
		"inbox of a decider":     {domain.ConfirmFilter{Status: domain.Pending, Visible: decider}, "INDEX confirms_pending"},
		"inbox of a group":       {domain.ConfirmFilter{Status: domain.Pending, Visible: group}, "INDEX confirms_pending"},
		"mine to decide":         {domain.ConfirmFilter{Mine: true, Visible: everything, Decider: decider}, "INDEX confirms_pending"},
		"what a group waits for": {domain.ConfirmFilter{Status: domain.Pending, Group: "g", Visible: everything}, "INDEX confirms_pending_group"},
		"pending of a session":   {domain.ConfirmFilter{Status: domain.Pending, SessionID: "s", Visible: everything}, "INDEX confirms_session_decided"},
		"pending with imports":   {domain.ConfirmFilter{Status: domain.Pending, WithImports: true, Visible: everything}, "INDEX confirms_pending"},
		"decided":                {domain.ConfirmFilter{Decided: true, Visible: everything}, "INDEX confirms_decided"},
		"rejected":               {domain.ConfirmFilter{Status: domain.Rejected, Visible: everything}, "INDEX confirms_decided"},
		"decided tool calls":     {domain.ConfirmFilter{Decided: true, TargetType: domain.TargetOther, Visible: everything}, "INDEX confirms_decided"},
		"decided plans":          {domain.ConfirmFilter{Decided: true, TargetType: domain.TargetPlan, Visible: everything}, "INDEX confirms_decided_target"},
		"decided of a group":     {domain.ConfirmFilter{Decided: true, Visible: group}, "INDEX confirms_group"},
		"all":                    {domain.ConfirmFilter{WithImports: true, Visible: everything}, "INTEGER PRIMARY KEY"},
		"a group's":              {domain.ConfirmFilter{WithImports: true, Visible: group}, "INDEX confirms_group"},
		"a decider's":            {domain.ConfirmFilter{WithImports: true, Visible: decider}, "INTEGER PRIMARY KEY"},
		"a target's":             {domain.ConfirmFilter{TargetID: "t", Visible: everything}, "INDEX confirms_target"},
		"a target's, of a group": {domain.ConfirmFilter{TargetID: "t", Visible: group}, "INDEX confirms_target"},
		"a plan's":               {domain.ConfirmFilter{PlanID: "p", Visible: everything}, "INDEX confirms_plan"},
		"a session's":            {domain.ConfirmFilter{SessionID: "s", Visible: everything}, "INDEX confirms_session"},
		"a trace's":              {domain.ConfirmFilter{TraceID: "t", Status: domain.Approved, Visible: everything}, "INDEX confirms_trace"},
		"a role's":               {domain.ConfirmFilter{RequestedByRole: "coder", Visible: everything}, "INTEGER PRIMARY KEY"},
		"a word's":               {domain.ConfirmFilter{Query: "deploy", Visible: everything}, "INTEGER PRIMARY KEY"},
		"a UUID's":               {domain.ConfirmFilter{Query: "0aa3bb1e", Visible: everything}, "INTEGER PRIMARY KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			_, plan := explainPage(t, db, tt.filter)
			if index := "confirms USING " + tt.index + " ("; !strings.Contains(plan, index) {
				t.Errorf("does not search %s:\n%s", tt.index, plan)
			}
			heldTo(t, plan, false)
		})
	}
}

// However often a call was made, its newest confirms are found along indexes.
func TestCallsFollowAnIndex(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	for name, f := range map[string]domain.CallFilter{
		"a call": {Digest: "x", Visible: everything}, "a tool": {Tool: "pay", Visible: everything}, "a call, of a group": {Digest: "x", Visible: domain.Visibility{Group: "g"}},
	} {
		s := callQuery(f).page("c.confirm_id, c.status", "", nil, 50)
		plan := explain(t, db, s.String(), s.args)
		if !strings.Contains(plan, "volatile_search USING PRIMARY KEY (term=?)") {
			t.Errorf("%s does not search the index:\n%s", name, plan)
		}
		heldTo(t, plan, false)
	}
}

// However much a requester has asked, its record is counted along an index.
func TestRequesterRecordFollowsAnIndex(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	s := requesterRecord(domain.Ref{Kind: domain.KindAgent, ID: "k"}, "g", time.Unix(0, 0))
	if plan := explain(t, db, s.String(), s.args); !strings.Contains(plan, "confirms USING INDEX confirms_group (requested_group=?)") || !heldTo(t, plan, false) {
		t.Errorf("does not search the index:\n%s", plan)
	}
}

// Whatever members a list is narrowed by, nothing is sorted and no table read
// through.
func TestListsFollowIndexesHoweverNarrowed(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	visible := []domain.Visibility{everything, {Group: "g"}, {Group: "g", Decides: true, Roles: []string{"r", "s"}}}
	for bits := range 1 << 7 {
		set := func(bit int, value string) string {
			if bits>>bit&1 == 0 {
				return ""
			}
			return value
		}
		for _, status := range []domain.Status{"", domain.Pending, domain.Cancelled} {
			for _, v := range visible {
				f := domain.ConfirmFilter{
					Status: status, TargetType: domain.TargetType(set(0, "plan")), TargetID: set(1, "t"), StepID: set(2, "s"), TraceID: set(3, "t"),
					SessionID: set(4, "s"), RequestedByRole: set(5, "two words"), Query: set(6, "word face"), WithImports: true, Visible: v,
				}
				if _, plan := explainPage(t, db, f); !heldTo(t, plan, false) {
					t.Fatalf("%+v", f)
				}
			}
		}
	}
}

func explainPage(t *testing.T, db *DB, f domain.ConfirmFilter) (w *listQuery, plan string) {
	t.Helper()
	err := db.view(context.Background(), func(r *reader) (err error) {
		w, err = r.confirmWalk(f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	from := []condition{w.after(position{1, "id"})}
	ahead := new(statement)
	w.places(ahead, from)
	page := w.page(confirms.columnList("c."), "", from, domain.DefaultPage)
	return w, explain(t, db, page.String(), page.args) + "\n" + explain(t, db, ahead.String(), ahead.args)
}

// heldTo fails when a plan sorts, or reads a table through. What is found apart
// may be sorted where it is bounded in another way.
func heldTo(t *testing.T, plan string, sorts bool) bool {
	t.Helper()
	for line := range strings.Lines(plan) {
		line = strings.TrimSpace(line)
		apart := line == "SCAN c" || line == "SCAN hits" || line == "SCAN found" || line == "SCAN t" || line == "SCAN CONSTANT ROW"
		if strings.HasPrefix(line, "SCAN") && !apart || strings.Contains(line, "TEMP B-TREE") && !sorts {
			t.Errorf("%s:\n%s", line, plan)
			return false
		}
	}
	return true
}

// However much a group has posted, a step to the next group is one search.
func TestStepsFromGroupToGroupFollowAnIndex(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	for name, f := range map[string]domain.ConfirmFilter{
		"all":     {Status: domain.Pending, Visible: everything},
		"mine":    {Mine: true, Visible: everything, Decider: domain.Visibility{Group: "g", Decides: true, Roles: []string{"r"}}},
		"of role": {Status: domain.Pending, RequestedByRole: "coder", TargetType: domain.TargetPlan, Visible: everything},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := new(reader).confirmWalk(f)
			if err != nil {
				t.Fatal(err)
			}
			s := groupSteps(w, 10)
			plan := explain(t, db, s.String(), s.args)
			heldTo(t, plan, false)
			for _, want := range []string{"SEARCH c USING INDEX confirms_pending_group (requested_group>?)", "SEARCH f USING INDEX confirms_pending_group ((requested_group,inbox_order", "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)"} {
				if !strings.Contains(plan, want) {
					t.Errorf("no %s:\n%s", want, plan)
				}
			}
		})
	}
}

func TestOtherQueriesFollowIndexes(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	seven := int64(7)
	for name, f := range map[string]domain.EntryFilter{
		"log":                       {Before: &seven, Newest: true},
		"log, onwards":              {After: &seven},
		"log of a confirm":          {ConfirmID: "c", Types: []string{"a", "b"}},
		"log of a plan and a type":  {PlanID: "p", Type: "t", Before: &seven, Newest: true},
		"log of a trace":            {TraceID: "t", Before: &seven, Newest: true},
		"log of an object":          {ObjectID: "o", Newest: true},
		"log of a type":             {Type: "t", Before: &seven, Newest: true},
		"log of types":              {Types: []string{"a", "b", "c"}, Before: &seven, Newest: true},
		"log of types, onwards":     {Types: []string{"a", "b", "c"}, After: &seven},
		"log of a type and a trace": {Type: "t", TraceID: "t", Newest: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := entryQuery(f)
			heldTo(t, explain(t, db, "SELECT entry FROM log "+s.String(), s.args), false)
		})
	}
	for name, text := range map[string]string{
		"confirms by their ids": confirms.selects + "WHERE canonical_id IN ('a', 'b')",
		"contents of a list":    confirmContents.selects + "WHERE requested_seq IN (1, 2)",
		"decisions of a list":   decisions.selects + "WHERE requested_seq IN (1, 2)",
		"due":                   "SELECT confirm_id FROM confirms WHERE status = 'pending' AND inbox_order <= 9 ORDER BY inbox_order, confirm_id LIMIT 100",
		"waits of no group":     ofNoGroup,
		"role use":              strings.ReplaceAll(pendingOfRole, "$1", "'r'"),
		"due escalations":       strings.ReplaceAll(dueEscalations, "$1", "9"),
		"confirms of a plan":    confirms.selects + "WHERE plan_id = 'p' ORDER BY requested_seq DESC",
		"plans of a status":     plans.selects + "WHERE status = 'draft' ORDER BY created_at DESC, plan_id DESC LIMIT 51",
		"plans of a group":      plans.selects + "WHERE requested_group = 'g' ORDER BY created_at DESC, plan_id DESC LIMIT 51",
		"a page of users":       users.selects + "WHERE name_folded > 'n' AND name_folded LIKE '%n%' ESCAPE '!' ORDER BY name_folded LIMIT 51",
		"a page of keys":        keys.selects + "WHERE (name_folded, created_at, key_id) > ('n', 1, 'k') AND (name_folded LIKE '%n%' ESCAPE '!' OR key_id = 'n')" + keysByName + " LIMIT 51",
		"keys of a user":        keys.selects + "WHERE owner_id = 'u'" + keysByName,
		"use of a step":         consumptions.selects + "WHERE plan_id = 'p' AND step_id = 's' AND subject = 'step:' || step_id",
		"contexts of a group":   contexts.selects + "WHERE requested_group = 'g' ORDER BY created_at DESC, context_id DESC LIMIT 51",
	} {
		t.Run(name, func(t *testing.T) { heldTo(t, explain(t, db, text, nil), false) })
	}
	for name, reads := range map[string]string{"a confirm": finishConfirm.reads, "a decision": forgetDecision.reads, "a plan": updatePlan.reads,
		"a user": updateUser.reads, "a key": updateKey.reads, "a role": updateRole.reads, "a context": updateContext.reads} {
		args := make([]any, strings.Count(reads, "$"))
		t.Run(name+" before it is changed", func(t *testing.T) { heldTo(t, explain(t, db, reads, args), false) })
	}
	waits := waitingConfirms(domain.Visibility{Group: "g", Roles: []string{"r", "s"}, Voter: "g"}, time.Unix(0, 0), 201)
	if plan := explain(t, db, waits.String(), waits.args); strings.Count(plan, "SEARCH c USING INDEX confirms_pending_role (required_role=?)") != 3 {
		t.Errorf("what waits does not search the index for each role:\n%s", plan)
	}
	if plan := explain(t, db, waits.String(), waits.args); strings.Count(plan, "SEARCH e USING COVERING INDEX confirm_roles_role (role_id=?)") != 2 && strings.Count(plan, "SEARCH e USING INDEX confirm_roles_role (role_id=?)") != 2 {
		t.Errorf("votes that wait do not search the index for each role:\n%s", plan)
	}
	for name, s := range map[string]*statement{"what waits": waits, "pending of plans": pendingOfPlans([]string{"p", "q"}), "superseded by": selected(supersededBy("c"))} {
		t.Run(name, func(t *testing.T) { heldTo(t, explain(t, db, s.String(), s.args), true) })
	}
}

// selected is a query for the rows of confirms that the rest of it finds.
func selected(rest *statement) *statement {
	s := &statement{args: rest.args}
	s.WriteString(confirms.selects + rest.String())
	return s
}

// What a stream of a session reads costs the same however long the session is.
func TestStreamsFollowIndexes(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	for name, f := range map[string]domain.SessionFilter{
		"what happened":            {SessionID: "s", From: 7, Limit: 32, Visible: everything},
		"what happened to a group": {SessionID: "s", From: 7, Limit: 32, Visible: domain.Visibility{Group: "g"}},
		"what was pending":         {SessionID: "s", From: 7, OpenAt: 9, Limit: 32, Visible: everything},
		"a group's pending":        {SessionID: "s", From: 7, OpenAt: 9, Limit: 32, Visible: domain.Visibility{Group: "g"}},
		"what a decider sees":      {SessionID: "s", From: 7, Limit: 32, Visible: domain.Visibility{Group: "g", Decides: true, Roles: []string{"r"}}},
	} {
		t.Run(name, func(t *testing.T) {
			requests, decisions := sessionSteps(f)
			indexes := []string{"confirms_session (", "confirms_session_decided ("}
			if f.OpenAt > 0 {
				indexes[0] = indexes[1]
			}
			for i, s := range []*statement{requests, decisions} {
				plan := explain(t, db, confirms.selects+s.String(), s.args)
				if index := "c USING INDEX " + indexes[i]; !strings.Contains(plan, index) {
					t.Errorf("does not search %s:\n%s", index, plan)
				}
				heldTo(t, plan, f.OpenAt > 0) // few are pending
			}
		})
	}
}

// A row that is changed is found by a key, however many there are.
func TestChangesFollowKeys(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	for name, text := range map[string]string{
		"finish confirm": finishConfirm.text, "forget decision": forgetDecision.text, "context": updateContext.text,
		"plan": updatePlan.text, "role": updateRole.text, "user": updateUser.text, "key": updateKey.text,
	} {
		t.Run(name, func(t *testing.T) {
			plan := explain(t, db, text, make([]any, 64))
			heldTo(t, plan, false)
			found, _, _ := strings.Cut(plan, "\n")
			if !strings.Contains(found, "USING INDEX sqlite_autoindex_") && !strings.Contains(found, "USING INTEGER PRIMARY KEY (rowid=?)") {
				t.Errorf("does not search a key:\n%s", plan)
			}
		})
	}
}

func explain(t *testing.T, db *DB, text string, args []any) string {
	t.Helper()
	var lines []string
	err := db.view(context.Background(), func(r *reader) error {
		return r.Conn.Query("EXPLAIN QUERY PLAN "+text, args, func(rows driver.Row) error {
			var id, parent, unused int
			var line string
			err := rows.Scan(&id, &parent, &unused, &line)
			lines = append(lines, line)
			return err
		})
	})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return strings.Join(lines, "\n")
}
