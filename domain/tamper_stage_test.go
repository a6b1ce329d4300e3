package domain_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/credential"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/store"
)

// stage is a database with something of everything in it, and what there was in it
// before.
type stage struct {
	name, file string // of the database, and of its key and head
	clock      time.Time
	people     []domain.Ref // users and keys
	root       domain.Ref
	confirms   []string
	plans      []string
	tokens     []string // of sessions, one of them ended
	links      []string
	hashes     map[string]string // of contents, by confirm
	ids        map[string]bool   // that were made at random
	states     []map[rowPlace]dbRow
	past       map[rowPlace][]dbRow // rows as they were once, each once
}

// keep takes the database as it is now for what may be put back later.
func (st *stage) keep(i *intruder) {
	state := i.read(slices.Sorted(maps.Keys(i.tables))...)
	st.states = append(st.states, state)
	for place, row := range state {
		for _, v := range row {
			text, _ := v.(string)
			for _, id := range idShape.FindAllString(text, -1) {
				st.ids[id] = true
			}
		}
		if !slices.ContainsFunc(st.past[place], row.equal) {
			st.past[place] = append(st.past[place], row)
		}
	}
}

var idShape = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// named leaves the ids out of texts that are new: each run makes its own.
func (st *stage) named(texts []string) []string {
	texts = slices.Clone(texts)
	for i, text := range texts {
		texts[i] = idShape.ReplaceAllStringFunc(text, func(id string) string {
			if st.ids[id] {
				return id
			}
			return "new"
		})
	}
	return texts
}

// must stops a test whose preparation fails.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// set prepares the stage over an empty database.
func set(t *testing.T, w *world, name string, i *intruder) *stage {
	t.Helper()
	st := &stage{name: name, file: w.file, hashes: map[string]string{}, ids: map[string]bool{}, past: map[rowPlace][]dbRow{}}
	token := must[string](t)(w.CreateSetupLink(w.ctx))
	session, root, err := w.UseOneTimeLink(w.ctx, token, "root", password, "browser")
	if err != nil {
		t.Fatal(err)
	}
	st.root = domain.Ref{Kind: domain.KindUser, ID: root.ID}
	st.tokens = append(st.tokens, session)
	st.keep(i)
	w.role("finance", "confirm.*", "trace.read")
	w.role("spare", "plan.create")
	w.history(func() { st.keep(i) })
	user := func(name string) domain.Ref {
		row := must[*domain.UserRow](t)(w.User(w.ctx, domain.System, name))
		return domain.Ref{Kind: domain.KindUser, ID: row.ID}
	}
	var worker domain.Ref
	for _, k := range must[[]*domain.KeyRow](t)(w.Keys(w.ctx, domain.System)) {
		ref := domain.Ref{Kind: domain.KindAgent, ID: k.ID}
		if st.people = append(st.people, ref); k.Name == "worker" {
			worker = ref
		}
	}
	reviewer := user("reviewer")
	payer, second := w.user("payer", "finance"), w.user("second", "reviewer", "executor")
	asking := w.key("asking", "finance", "architect", "executor")
	decider := w.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"finance"}, Owner: "second", MayDecide: true})
	gone, leaver := w.key("gone", "executor", "finance"), w.user("leaver", "finance")
	st.people = append(st.people, st.root, reviewer, payer, second, leaver, asking, decider, gone)
	for _, name := range []string{"reviewer", "second", "payer"} {
		token, _, err := w.SignIn(w.ctx, name, password, domain.Client{Address: "192.0.2.1", Browser: "browser"})
		if err != nil {
			t.Fatal(err)
		}
		st.tokens = append(st.tokens, token)
	}
	st.keep(i)
	_, link, err := w.AddUser(w.ctx, domain.System, "invited", []string{"finance"}, "")
	if err != nil {
		t.Fatal(err)
	}
	used := must[string](t)(w.ResetUser(w.ctx, domain.System, second.ID))
	st.links = append(st.links, link, used)
	st.keep(i)
	if _, _, err := w.UseOneTimeLink(w.ctx, used, "", password, "browser"); err != nil {
		t.Fatal(err)
	}
	must[any](t)(nil, w.SignOut(w.ctx, st.tokens[2])) // the second's, which the reset has ended
	must[any](t)(nil, w.RevokeKey(w.ctx, domain.System, gone.ID))
	must[any](t)(nil, w.DisableUser(w.ctx, domain.System, leaver.ID))
	st.keep(i)
	must[any](t)(nil, w.EnableUser(w.ctx, domain.System, leaver.ID))
	must[any](t)(nil, w.AssignRoles(w.ctx, domain.System, leaver.ID, []string{"executor"}))
	st.keep(i)

	ask := func(id, rest string) *domain.Confirm {
		return w.post(asking, fmt.Sprintf(`{"confirm_id":%q,"reason":"Because","session_id":"s-1",%s}`, id, rest))
	}
	const pay = `"target_type":"other","actions":[{"name":"pay","args":{"eur":100}}]`
	ask("open", pay)
	ask("role", pay+`,"required_role":"finance"`)
	ask("brief", pay+`,"timeout":300`)
	ask("two", `"target_type":"other","actions":[{"name":"a","args":{"n":1}},{"name":"b","args":{}}]`)
	st.keep(i)
	w.mustDecide(payer, ask("yes", pay), domain.Approved)
	w.mustDecide(payer, ask("no", pay), domain.Rejected)
	st.keep(i)
	for _, id := range []string{"draft", "asked", "agreed", "failed", "dropped", "done"} {
		w.plan(worker, id)
		st.plans = append(st.plans, id)
	}
	w.context(worker, "ctx-1", "active")
	st.keep(i)
	for _, id := range st.plans[1:] {
		c := w.propose(worker, id)
		if id != "asked" {
			w.mustDecide(reviewer, c, domain.Approved)
		}
	}
	st.keep(i)
	for _, id := range st.plans[3:] {
		must[*domain.PlanJSON](t)(w.StartPlan(w.ctx, worker, id))
	}
	st.keep(i)
	w.mustStep(worker, "failed", "s1", domain.StepInProgress)
	must[*domain.PlanJSON](t)(w.MoveStep(w.ctx, worker, "failed", "s1", domain.StepFailed, true))
	must[*domain.Plan](t)(w.CancelPlan(w.ctx, worker, "dropped", "enough"))
	for _, step := range []string{"s1", "s2", "s3"} {
		w.mustStep(worker, "done", step, domain.StepInProgress, domain.StepCompleted)
	}
	st.plans = append(st.plans, "p") // which runs
	step := func(id, step string, status domain.Status) {
		c := w.post(worker, fmt.Sprintf(`{"confirm_id":%q,"target_type":"plan","target_id":"p","step_id":%q,"on_reject":"recover"}`, id, step))
		if status != domain.Pending {
			w.mustDecide(reviewer, c, status)
		}
	}
	step("step-yes", "s3", domain.Approved)
	step("step-no", "s2", domain.Rejected)
	step("step-open", "s4", domain.Pending)
	st.keep(i)
	in := must[*mplp.Context](t)(mplp.ParseContext([]byte(`{"context_id":"ctx-1","title":"Login","status":"active","root":{"domain":"d","environment":"e"}}`), w.Limits().MPLP()))
	must[*domain.Context](t)(w.UpdateContext(w.ctx, worker, "ctx-1", in))
	w.post(asking, `{"confirm_id":"context","target_type":"context","target_id":"ctx-1","reason":"Rename it","actions":[{"name":"context.update","args":{"title":"T"}}]}`)
	approval := must[*mplp.Approval](t)(mplp.ParseApproval([]byte(`{"type":"approval_request","approval_key":"s-1_7","session_id":"s-1","actions":[{"name":"pay","args":{"eur":7}}]}`), w.Limits().MPLP()))
	must[*domain.PostedConfirm](t)(w.PostApproval(w.ctx, asking, approval))
	must[any](t)(nil, w.SetPreferences(w.ctx, reviewer, domain.Preferences{ShortcutsOff: true}))
	_, _, _ = w.SignIn(w.ctx, "payer", "wrong password", domain.Client{Address: "192.0.2.2"})
	rows, _, err := w.Confirms(w.ctx, domain.System, domain.ConfirmFilter{WithImports: true}, domain.Page{Limit: domain.MaxPage})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		st.confirms = append(st.confirms, row.ID)
		st.hashes[row.ID] = row.ContentHash
	}
	slices.Sort(st.confirms)
	st.keep(i)
	if s := fmt.Sprint(i.read("volatile_throttles")); len(s) < 10 {
		t.Fatal("nothing is throttled")
	}
	st.clock = w.now()
	return st
}

// open opens a copy of the stage.
func (st *stage) open(t testing.TB, name, file string) *world {
	t.Helper()
	w := &world{ctx: t.Context(), feed: domain.NewFeed(), file: file, clock: st.clock}
	var err error
	w.db, err = store.Open(w.ctx, name, store.Options{Now: w.now, Committed: w.feed.Publish, SigningKey: file + ".key", Head: file + ".head", RelaxedSync: true})
	if err != nil {
		t.Fatal(err)
	}
	w.Service = domain.NewService(w.db, domain.Config{Feed: w.feed, Now: w.now,
		Hasher: credential.NewHasher(credential.Params{Memory: 8, Time: 1, Parallelism: 1}, 2)})
	return w
}

// actor is one of two runs of the same play: with a database that somebody changes,
// and with one that nobody does.
type actor struct {
	*world
	tokens map[string]string // of sessions that it has opened
	hashes map[string]string // of contents that it has posted
}

// deed is a use case with all that it is asked for.
type deed struct {
	name   string
	acts   bool // it changes something, or lets something happen: not only tells
	isList bool // what it tells is found along columns
	run    func(a *actor) ([]string, error)
}

// once is a deed that tells one thing.
func once(name string, acts bool, run func(a *actor) (string, error)) deed {
	return deed{name, acts, false, func(a *actor) ([]string, error) {
		text, err := run(a)
		return []string{text}, err
	}}
}

func (a *actor) hash(st *stage, id string) string {
	if h := st.hashes[id]; h != "" {
		return h
	}
	return a.hashes[id]
}

// deed makes up something to do, with what is in focus more often.
func (p *play) deed() deed {
	st, random := p.stage, p.random
	some := func(list []string, focus []string) string {
		if len(focus) > 0 && random.IntN(5) > 0 {
			return focus[random.IntN(len(focus))]
		}
		return list[random.IntN(len(list))]
	}
	who := func() domain.Ref {
		if len(p.people) > 0 && random.IntN(3) > 0 {
			return p.people[random.IntN(len(p.people))]
		}
		return st.people[random.IntN(len(st.people))]
	}
	confirms := append(slices.Clone(st.confirms), p.posted...)
	confirm, plan := some(confirms, p.confirms), some(st.plans, p.plans)
	step := fmt.Sprint("s", 1+random.IntN(4))
	by := who()
	label := func(name string, more ...any) string { return strings.TrimSpace(name + " " + fmt.Sprintln(more...)) }
	told := func(c *domain.Confirm, d *domain.Decision) string {
		text := fmt.Sprint(c.ID, " ", c.Status, " ", c.Cause, " ", c.RequiredRole, " ", c.RequestedBy, c.RequestedByName, c.RequestedByRole)
		if d != nil {
			text += fmt.Sprint(" ", d.Status, d.Cause, d.DecidedBy, d.DecidedByName, d.DecidedByRole, d.Reason, say(d.Actions))
		}
		return text
	}
	nothing := func(name string, fn func(a *actor) error) deed {
		return once(name, true, func(a *actor) (string, error) { return "", fn(a) })
	}
	decide := func(a *actor, by domain.Ref) (string, error) {
		in := domain.DecisionInput{Status: p.status, ContentHash: a.hash(st, confirm), Reason: "because"}
		if p.edits && confirm == "two" {
			in.Status, in.Actions = "", []mplp.ActionDecision{{Type: "edit", Name: "a", Args: []byte(`{"n":2}`)}, {Type: "approve"}}
		}
		o, err := a.Decide(a.ctx, by, confirm, in)
		if err != nil {
			return "", err
		}
		return told(o.Confirm, o.Decision), nil
	}
	p.status, p.edits = anyOf(random, []domain.Status{domain.Approved, domain.Approved, domain.Rejected}), random.IntN(2) == 0
	status, edits := p.status, p.edits
	switch n := random.IntN(110); {
	case n < 16:
		return once(label("decide", confirm, status, by), true, func(a *actor) (string, error) { p.status, p.edits = status, edits; return decide(a, by) })
	case n < 19:
		token := anyOf(random, append(slices.Clone(st.tokens), "forged"))
		return once(label("decide signed in", confirm, status, token), true, func(a *actor) (string, error) {
			p.status, p.edits = status, edits
			v, err := a.SessionUser(a.ctx, token)
			if err != nil {
				return "", err
			}
			return decide(a, v.Principal.Ref)
		})
	case n < 21:
		return once("decide by key s-1_7", true, func(a *actor) (string, error) {
			in := must[*mplp.ApprovalCommand](p.t)(mplp.ParseApprovalCommand([]byte(`{"type":"approval","approval_key":"s-1_7","decisions":[{"type":"approve"}]}`), a.Limits().MPLP()))
			o, err := a.DecideApproval(a.ctx, by, "s-1_7", in)
			if err != nil {
				return "", err
			}
			return told(o.Confirm, o.Decision), nil
		})
	case n < 25:
		return once(label("cancel", confirm, by), true, func(a *actor) (string, error) {
			c, err := a.CancelConfirm(a.ctx, by, confirm, "enough")
			if err != nil {
				return "", err
			}
			return told(c, nil), nil
		})
	case n < 31:
		return once(label("gate", plan, step, by), true, func(a *actor) (string, error) {
			v, err := a.Gate(a.ctx, by, domain.GateQuery{PlanID: plan, StepID: step})
			if err != nil {
				return "", err
			}
			if !v.Allows() && v.Verdict != domain.VerdictAbort && v.Verdict != domain.VerdictCleanup {
				return "", &domain.Error{Code: domain.CodeEvidenceUnavailable, Message: v.Code} // which lets nothing run either
			}
			return say(v), nil
		})
	case n < 40:
		in := domain.ConsumeInput{ConfirmID: confirm, ExecutionID: fmt.Sprint("e-", random.IntN(3))}
		switch {
		case slices.Contains([]string{"open", "role", "brief", "yes", "no", "two", "c-1"}, confirm):
			in.Action, in.ArgsHash = new(int64(0)), evidence.ArgsHash([]byte(anyOf(random, []string{`{"eur":100}`, `{"eur":50}`, `{"n":1}`, `{"n":2}`})))
		case random.IntN(2) == 0:
			in.StepID = step
		}
		return once(label("consume", confirm, in.StepID, in.ExecutionID, by), true, func(a *actor) (string, error) {
			used, err := a.Consume(a.ctx, by, in)
			if err != nil {
				return "", err
			}
			return say(used), nil
		})
	case n < 44:
		return once(label("outcome", confirm, by), false, func(a *actor) (string, error) {
			o, err := a.Outcome(a.ctx, by, confirm, 0)
			if err != nil {
				return "", err
			}
			return told(o.Confirm, o.Decision), nil
		})
	case n < 46:
		return once("approval s-1_7", false, func(a *actor) (string, error) {
			o, err := a.Approval(a.ctx, by, "s-1_7", 0)
			if err != nil {
				return "", err
			}
			return told(o.Confirm, o.Decision), nil
		})
	case n < 48:
		id := fmt.Sprint("posted-", len(p.posted))
		p.posted = append(p.posted, id)
		rest := anyOf(random, []string{`"target_type":"other"`, `"target_type":"other","required_role":"finance","timeout":60`, `"target_type":"plan","target_id":"p","step_id":"s3"`,
			`"target_type":"plan","target_id":"agreed"`, `"target_type":"context","target_id":"ctx-1"`, `"target_type":"other","supersedes":"no"`})
		return once(label("post", id, rest, by), true, func(a *actor) (string, error) {
			posted, err := a.PostConfirm(a.ctx, by, must[*mplp.Confirm](p.t)(mplp.ParseConfirm([]byte(fmt.Sprintf(`{"confirm_id":%q,%s,"actions":[{"name":"pay","args":{"eur":100}}]}`, id, rest)), a.Limits().MPLP())))
			if err != nil {
				return "", err
			}
			a.hashes[id] = posted.Confirm.ContentHash
			return told(posted.Confirm, nil) + fmt.Sprint(posted.Confirm.Binding, posted.Confirm.StepID, posted.Confirm.PlanID, posted.Confirm.TargetHash), nil
		})
	case n < 50:
		return once(label("propose", plan, by), true, func(a *actor) (string, error) {
			c, err := a.ProposePlan(a.ctx, by, plan, domain.ProposeInput{})
			if err != nil {
				return "", err
			}
			return fmt.Sprint(c.Status, c.PlanID, c.Supersedes), nil
		})
	case n < 54:
		move := anyOf(random, []string{"start", "complete", "fail", "cancel", "revise"})
		return once(label(move, plan, by), true, func(a *actor) (string, error) {
			var err error
			switch move {
			case "start":
				_, err = a.StartPlan(a.ctx, by, plan)
			case "complete":
				_, err = a.CompletePlan(a.ctx, by, plan)
			case "fail":
				_, err = a.FailPlan(a.ctx, by, plan)
			case "cancel":
				_, err = a.CancelPlan(a.ctx, by, plan, "")
			case "revise":
				_, err = a.RevisePlan(a.ctx, by, plan, must[*mplp.Plan](p.t)(mplp.ParsePlan([]byte(`{"context_id":"ctx-1","title":"New","objective":"O","steps":[{"step_id":"s1","description":"Read"}]}`), a.Limits().MPLP())))
			}
			return "", err
		})
	case n < 59:
		to := anyOf(random, []domain.StepStatus{domain.StepInProgress, domain.StepInProgress, domain.StepCompleted, domain.StepFailed, domain.StepPending, domain.StepSkipped})
		return once(label("move", plan, step, to, by), true, func(a *actor) (string, error) {
			o, err := a.MoveStep(a.ctx, by, plan, step, to, false)
			if err != nil {
				return "", err
			}
			return string(o.Plan.States) + string(o.Plan.Status), nil
		})
	case n < 68:
		return p.account(label, who)
	case n < 73:
		return p.signing(label)
	case n < 75:
		d := time.Duration(1+random.IntN(10)) * time.Minute
		return once(label("time", d), true, func(a *actor) (string, error) {
			a.pass(d)
			_, err := a.ExpireDue(a.ctx, -1)
			return "", err
		})
	case n < 76:
		return once("prune", true, func(a *actor) (string, error) {
			n, err := a.Prune(a.ctx, time.Hour)
			return fmt.Sprint(n), err
		})
	case n < 78:
		id := fmt.Sprint("trace-", random.IntN(100))
		return nothing(label("trace", id, by), func(a *actor) error {
			_, err := a.CreateTrace(a.ctx, by, must[*mplp.TraceObject](p.t)(mplp.ParseTraceObject([]byte(fmt.Sprintf(`{"trace_id":%q,"context_id":"ctx-1"}`, id)), a.Limits().MPLP())))
			return err
		})
	case n < 80:
		status := anyOf(random, []string{"active", "suspended", "closed"})
		return nothing(label("context", status, by), func(a *actor) error {
			_, err := a.UpdateContext(a.ctx, by, "ctx-1", must[*mplp.Context](p.t)(mplp.ParseContext([]byte(fmt.Sprintf(`{"context_id":"ctx-1","title":"Login","status":%q,"root":{"domain":"d","environment":"e"}}`, status)), a.Limits().MPLP())))
			return err
		})
	case n < 81:
		return deed{label("frames", by), false, true, func(a *actor) (items []string, err error) {
			err = domain.FramePages(a.Service, by, "s-1", func(frames []domain.Frame) {
				for _, f := range frames {
					items = append(items, say(f.Data))
				}
			})
			return items, err
		}}
	case n < 82:
		return once(label("proof", confirm, by), false, func(a *actor) (string, error) {
			proof, err := a.Prove(a.ctx, by, confirm)
			if err != nil || !proof.Proven {
				return "", &domain.Error{Code: domain.CodeEvidenceUnavailable, Err: err}
			}
			return "proven", nil
		})
	case n < 83:
		return once("pending", false, func(a *actor) (string, error) {
			pending, err := a.Pending(a.ctx, domain.System)
			return fmt.Sprint(pending.All), err
		})
	case n < 84:
		return deed{"search", false, true, func(a *actor) (items []string, err error) {
			rows, _, err := a.Confirms(a.ctx, by, domain.ConfirmFilter{Query: "pay"}, domain.Page{Limit: domain.MaxPage})
			for _, row := range rows {
				if !row.Unproven {
					items = append(items, row.ID)
				}
			}
			return items, err
		}}
	}
	of := p.readers
	if focus := p.about(); len(focus) > 0 && random.IntN(4) > 0 {
		of = focus
	}
	r := anyOf(random, of)
	return deed{r.name, false, r.isList, func(a *actor) ([]string, error) { return r.read(a.world) }}
}

// about are the readers that tell of what is changed, and some of the lists.
func (p *play) about() (list []reader) {
	for _, r := range p.readers {
		isAbout := slices.ContainsFunc(slices.Concat(p.confirms, p.plans), func(id string) bool { return strings.HasSuffix(r.name, " "+id) })
		if isAbout || r.isList && p.random.IntN(8) == 0 {
			list = append(list, r)
		}
	}
	return list
}

// account changes who may do what.
func (p *play) account(label func(string, ...any) string, who func() domain.Ref) deed {
	by, of := anyOf(p.random, []domain.Ref{domain.System, p.root}), who()
	roles := []string{anyOf(p.random, []string{"finance", "executor", "reviewer"})}
	name := fmt.Sprint("new-", p.random.IntN(1000))
	nothing := func(name string, fn func(a *actor) error) deed {
		return once(name, true, func(a *actor) (string, error) { return "", fn(a) })
	}
	switch p.random.IntN(12) {
	case 0:
		return once(label("add user", name, roles, by), true, func(a *actor) (string, error) {
			u, _, err := a.AddUser(a.ctx, by, name, roles, password)
			if err != nil {
				return "", err
			}
			return fmt.Sprint(u.Name, u.Roles), nil
		})
	case 1:
		return nothing(label("disable", of, by), func(a *actor) error { return a.DisableUser(a.ctx, by, of.ID) })
	case 2:
		return nothing(label("enable", of, by), func(a *actor) error { return a.EnableUser(a.ctx, by, of.ID) })
	case 3:
		return nothing(label("reset", of, by), func(a *actor) error { _, err := a.ResetUser(a.ctx, by, of.ID); return err })
	case 4, 5:
		return nothing(label("assign", of, roles, by), func(a *actor) error { return a.AssignRoles(a.ctx, by, of.ID, roles) })
	case 6:
		return once(label("add key", name, roles, by), true, func(a *actor) (string, error) {
			k, _, err := a.CreateKey(a.ctx, by, domain.KeyInput{Name: name, Roles: roles})
			if err != nil {
				return "", err
			}
			return fmt.Sprint(k.Name, k.Roles), nil
		})
	case 7:
		return nothing(label("revoke", of, by), func(a *actor) error { return a.RevokeKey(a.ctx, by, of.ID) })
	case 8:
		return nothing(label("create role", name, by), func(a *actor) error {
			_, err := a.CreateRole(a.ctx, by, domain.RoleInput{ID: name, Name: name, Capabilities: []string{"plan.*"}})
			return err
		})
	case 9, 10:
		capabilities := anyOf(p.random, [][]string{{"confirm.*"}, {"confirm.request"}, {"confirm.*", "trace.read", "plan.execute"}})
		return nothing(label("update role", capabilities, by), func(a *actor) error {
			_, err := a.UpdateRole(a.ctx, by, "finance", domain.RoleInput{Name: "finance", Capabilities: capabilities})
			return err
		})
	}
	return nothing(label("delete role", by), func(a *actor) error { return a.DeleteRole(a.ctx, by, "spare") })
}

// signing is about sessions and links.
func (p *play) signing(label func(string, ...any) string) deed {
	token := anyOf(p.random, append(slices.Clone(p.tokens), "forged"))
	link := anyOf(p.random, append(slices.Clone(p.links), "forged"))
	name := anyOf(p.random, []string{"reviewer", "payer", "second", "leaver", "root"})
	switch p.random.IntN(8) {
	case 0, 1, 2:
		return once(label("session", token), true, func(a *actor) (string, error) {
			v, err := a.SessionUser(a.ctx, token)
			if err != nil {
				return "", err
			}
			roles := []string{}
			for _, r := range v.Principal.Roles {
				roles = append(roles, fmt.Sprint(r.ID, r.Capabilities))
			}
			return fmt.Sprint(v.Principal.Name, v.Principal.Group, roles), nil
		})
	case 3:
		return once(label("sign in", name), true, func(a *actor) (string, error) {
			_, u, err := a.SignIn(a.ctx, name, password, domain.Client{Address: "192.0.2.3"})
			if err != nil {
				return "", err
			}
			return fmt.Sprint(u.Name, u.Roles), nil
		})
	case 4:
		return once(label("sign in, wrongly", name), true, func(a *actor) (string, error) {
			_, _, err := a.SignIn(a.ctx, name, "the wrong password", domain.Client{Address: "192.0.2.3"})
			return "", err
		})
	case 5:
		return once(label("sign out", token), true, func(a *actor) (string, error) { return "", a.SignOut(a.ctx, token) })
	case 6:
		return once(label("link", link), true, func(a *actor) (string, error) {
			u, err := a.OneTimeLinkUser(a.ctx, link)
			if err != nil || u == nil {
				return "nobody", err
			}
			return u.Name, nil
		})
	}
	return once(label("use link", link), true, func(a *actor) (string, error) {
		_, u, err := a.UseOneTimeLink(a.ctx, link, "first", password+"!", "browser")
		if err != nil {
			return "", err
		}
		return u.Name, nil
	})
}
