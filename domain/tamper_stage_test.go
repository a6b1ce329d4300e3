package domain_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/credential"
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
