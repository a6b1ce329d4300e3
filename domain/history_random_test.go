package domain_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// TestHistory_FindsNothingWrongWithWhatTheServiceWrites in whatever order it is
// asked for things, most of which it refuses.
func TestHistory_FindsNothingWrongWithWhatTheServiceWrites(t *testing.T) {
	t.Parallel()
	const seeds, turns = 6, 600
	types := map[string]int{}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 3))
			h := newHubbub(t, random)
			for range turns {
				h.turn()
			}
			if report := verify(t, h.file, ""); !report.IsVerified() {
				t.Errorf("%d entries: %q", report.Entries, report.Findings)
			}
			for _, kind := range h.entryTypes() {
				types[kind]++
			}
		})
	}
	for _, kind := range domain.EntryTypes() {
		if types[kind] == 0 && !slices.Contains([]string{evidence.EntryRestored, "step.blocked"}, kind) {
			t.Errorf("no run has an entry %s: %v", kind, types)
		}
	}
}

// hubbub is a service of which everybody asks everything.
type hubbub struct {
	*world
	random                        *rand.Rand
	users, keys                   []domain.Ref // the first user may decide everything
	worker                        domain.Ref   // may ask and do everything else
	confirms, plans, roles, names []string
}

func newHubbub(t *testing.T, random *rand.Rand) *hubbub {
	t.Helper()
	h := &hubbub{world: newWorld(t, func(c *domain.Config) { c.AllowSelfApproval = random.IntN(3) == 0 }), random: random}
	token, err := h.CreateSetupLink(h.ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, root, err := h.UseOneTimeLink(h.ctx, token, "root", password, "")
	if err != nil {
		t.Fatal(err)
	}
	h.users = append(h.users, domain.Ref{Kind: domain.KindUser, ID: root.ID})
	h.roles = []string{"reviewer", "executor", "architect", h.role("asking", "confirm.*"), h.role("half", "confirm.approve")}
	for i := range 4 {
		h.addUser(fmt.Sprint("user-", i))
		h.addKey()
	}
	h.worker = h.key("worker", "architect", "executor", "asking")
	h.keys = append(h.keys, h.worker)
	h.context(h.worker, "ctx-1", "active")
	return h
}

func (h *hubbub) addUser(name string) {
	u, token, err := h.AddUser(h.ctx, h.administrator(), name, h.someRoles(), "")
	if err != nil {
		return
	}
	h.users, h.names = append(h.users, domain.Ref{Kind: domain.KindUser, ID: u.ID}), append(h.names, name)
	if h.random.IntN(2) == 0 {
		session, _, err := h.UseOneTimeLink(h.ctx, token, "", password, "")
		h.fatal(err)
		h.fatal(h.SignOut(h.ctx, session))
	}
}

func (h *hubbub) addKey() {
	in := domain.KeyInput{Name: fmt.Sprint("key-", len(h.keys)), Roles: append(h.someRoles(), "executor", "architect")}
	if h.random.IntN(2) == 0 && len(h.names) > 0 {
		in.Owner, in.MayDecide = anyOf(h.random, h.names), h.random.IntN(2) == 0
	}
	if h.random.IntN(4) == 0 {
		in.Lifetime = time.Duration(1+h.random.IntN(20)) * time.Hour
	}
	if k, _, err := h.CreateKey(h.ctx, h.administrator(), in); err == nil {
		h.keys = append(h.keys, domain.Ref{Kind: domain.KindAgent, ID: k.ID})
	}
}

func (h *hubbub) administrator() domain.Ref {
	return anyOf(h.random, []domain.Ref{domain.System, h.users[0]})
}

func (h *hubbub) someRoles() []string {
	list := []string{anyOf(h.random, h.roles)}
	if h.random.IntN(2) == 0 {
		list = append(list, anyOf(h.random, h.roles))
	}
	return list
}

// anybody is mostly somebody who may, and else somebody who may even be gone.
func (h *hubbub) anybody(who domain.Ref) domain.Ref {
	if h.random.IntN(4) > 0 {
		return who
	}
	return anyOf(h.random, slices.Concat(h.users, h.keys))
}

// plan is one of the latest.
func (h *hubbub) plan() string { return anyOf(h.random, h.plans[max(0, len(h.plans)-3):]) }

// turn has something happen, or be refused.
func (h *hubbub) turn() {
	h.pass(time.Duration(h.random.IntN(20_000)) * time.Millisecond)
	switch n := h.random.IntN(100); {
	case n < 20:
		h.postAny()
	case n < 45:
		h.decideAny()
	case n < 60:
		h.consumeAny()
	case n < 63:
		_, _ = h.CancelConfirm(h.ctx, h.anybody(h.worker), anyOf(h.random, append(h.confirms, "none")), "")
	case n < 65:
		h.postPlan(fmt.Sprint("plan-", len(h.plans)))
	case n < 90 && len(h.plans) > 0:
		h.movePlan(h.plan())
	case n < 91:
		h.changeDestination()
	case n < 92:
		h.changePolicy()
	case n < 93:
		h.fatal(h.EscalateDue(h.ctx))
	case n < 94:
		h.pass(time.Duration(h.random.IntN(2)) * time.Hour)
		_, err := h.Prune(h.ctx, time.Duration(h.random.IntN(10_000))*time.Second)
		h.fatal(err)
	default:
		h.account()
	}
}

// changeDestination does anything to a destination. The queue and its senders work in
// between.
func (h *hubbub) changeDestination() {
	by, name := h.administrator(), fmt.Sprint("hook-", h.random.IntN(3))
	in := domain.DestinationInput{Name: name, Format: domain.FormatStandard, Address: "https://hook.example", Types: []string{"confirm.requested", "role.*"}, Details: domain.DetailsNames}
	switch h.random.IntN(8) {
	case 0, 1:
		_, _, _ = h.CreateDestination(h.ctx, by, in)
	case 2:
		_, _ = h.UpdateDestination(h.ctx, by, name, in)
	case 3:
		_, _ = h.RotateDestinationKey(h.ctx, by, name)
	case 4:
		_, _ = h.QueueTest(h.ctx, by, name)
	case 5:
		_ = h.DisableDestination(h.ctx, by, name)
	case 6:
		_ = h.EnableDestination(h.ctx, by, name)
	default:
		_ = h.DeleteDestination(h.ctx, by, name)
	}
	h.queue()
	all, err := h.Destinations(h.ctx, domain.System)
	h.fatal(err)
	for _, d := range all {
		failure := anyOf(h.random, []domain.DeliveryFailure{"", "", domain.FailureTimeout, domain.FailureGone})
		h.record(&d.Destination, h.claim(&d.Destination), domain.DeliveryResult{Failure: failure})
	}
}

// changePolicy saves or disables a policy.
func (h *hubbub) changePolicy() {
	by, name := h.administrator(), fmt.Sprint("policy-", h.random.IntN(3))
	quorum := []string{fmt.Sprintf(`{"role":%q,"approvals":%d}`, anyOf(h.random, h.roles), 1+h.random.IntN(2))}
	if h.random.IntN(2) == 0 {
		quorum = append(quorum, fmt.Sprintf(`{"role":%q,"approvals":1}`, anyOf(h.random, h.roles)))
	}
	document := fmt.Sprintf(`{"v":1,"name":%q,"effect":"require","match":{"target_types":[%q]},"condition":%q,"quorum":[%s],"rejections":%d,"timeout":%d,"escalate":[{"after":%d,"role":%q,"for":%s}]}`,
		name, anyOf(h.random, []string{"other", "other", "other", "plan"}), anyOf(h.random, []string{"args.n > 0", "target_id != ''"}), strings.Join(quorum, ","), 1+h.random.IntN(2),
		600+h.random.IntN(6000), 1+h.random.IntN(60), anyOf(h.random, h.roles), quorum[0][8:strings.Index(quorum[0], ",")])
	if h.random.IntN(8) == 0 {
		document = fmt.Sprintf(`{"v":1,"name":%q,"effect":"reject","match":{"tools":["b"]}}`, name)
	}
	in := domain.PolicyInput{Document: []byte(document), Enabled: true}
	if detail, err := h.Policy(h.ctx, domain.System, name); err == nil {
		in.ID, in.Version = detail.ID, detail.Version
	}
	if in.ID != "" && h.random.IntN(3) > 0 {
		_, _ = h.DisablePolicy(h.ctx, by, name)
		return
	}
	_, _ = h.SavePolicy(h.ctx, by, in)
}

func (h *hubbub) fatal(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

var hubbubSteps = []string{"s1", "s2", "s3"}

func (h *hubbub) postAny() {
	id := fmt.Sprint("confirm-", len(h.confirms))
	members := []string{fmt.Sprintf(`"confirm_id":%q`, id)}
	add := func(format string, args ...any) { members = append(members, fmt.Sprintf(format, args...)) }
	switch h.random.IntN(3) {
	case 0:
		add(`"target_type":"other"`)
		if h.random.IntN(2) == 0 && len(h.plans) > 0 {
			add(`"plan_id":%q,"step_id":%q`, anyOf(h.random, h.plans), anyOf(h.random, hubbubSteps))
		}
	default:
		plan := fmt.Sprint("plan-", len(h.plans)+h.random.IntN(2)) // one that is yet to come
		if h.random.IntN(4) > 0 && len(h.plans) > 0 {
			plan = h.plan()
		}
		add(`"target_type":"plan","target_id":%q`, plan)
		if h.random.IntN(3) > 0 {
			add(`"step_id":%q`, anyOf(h.random, append(hubbubSteps, "s9")))
		}
	}
	if h.random.IntN(2) == 0 {
		add(`"actions":[{"name":"a","args":{"n":1}},{"name":"b","args":{}}]`)
	}
	if h.random.IntN(3) == 0 {
		add(`"timeout":%d`, 1+h.random.IntN(2000))
	}
	if h.random.IntN(6) == 0 {
		add(`"required_role":%q`, anyOf(h.random, h.roles))
	}
	if h.random.IntN(3) > 0 {
		add(`"on_reject":"recover"`)
	}
	if h.random.IntN(12) == 0 {
		add(`"status":"approved"`)
	}
	if _, err := h.tryPost(h.anybody(h.worker), "{"+strings.Join(members, ",")+"}"); err == nil {
		h.confirms = append(h.confirms, id)
	}
}

func (h *hubbub) decideAny() {
	if len(h.confirms) == 0 {
		return
	}
	id := anyOf(h.random, h.confirms[max(0, len(h.confirms)-8):])
	if h.random.IntN(3) == 0 && len(h.plans) > 0 { // what lets plans run
		detail, err := h.Plan(h.ctx, domain.System, anyOf(h.random, h.plans))
		h.fatal(err)
		if len(detail.Confirms) > 0 {
			id = anyOf(h.random, detail.Confirms).ID
		}
	}
	c := h.outcome(id).Confirm
	in := domain.DecisionInput{ContentHash: c.ContentHash, Status: domain.Approved}
	if h.random.IntN(4) == 0 {
		in.Status = domain.Rejected
	}
	if c.PlanID != "" && c.Binding == domain.BoundPlan && h.random.IntN(2) == 0 {
		in.Status = domain.Approved
	}
	if c.Actions == 2 && h.random.IntN(2) == 0 {
		in.Status = ""
		in.Actions = []mplp.ActionDecision{{Type: "edit", Name: "a", Args: []byte(`{"n":2}`)}, {Type: anyOf(h.random, []string{"approve", "reject"})}}
	}
	if c.Quorum > 0 { // one decision mostly does not end it
		for range 3 {
			in.DecidedByRole = anyOf(h.random, append(h.roles, ""))
			_, _ = h.Decide(h.ctx, anyOf(h.random, h.users), id, in)
		}
	}
	_, _ = h.Decide(h.ctx, h.anybody(h.users[0]), id, in)
}

// consumeAny uses an approval, often one of which the gate says that a step may run
// because of it.
func (h *hubbub) consumeAny() {
	if len(h.confirms) == 0 {
		return
	}
	id, who := anyOf(h.random, h.confirms), h.anybody(h.worker)
	in := domain.ConsumeInput{ExecutionID: fmt.Sprint("e-", h.random.IntN(2))}
	if h.random.IntN(4) > 0 && len(h.plans) > 0 {
		plan, step := h.plan(), anyOf(h.random, hubbubSteps)
		v, err := h.Gate(h.ctx, who, domain.GateQuery{PlanID: plan, StepID: step})
		if err != nil || !v.Allows() {
			return
		}
		id, in.StepID = v.Confirms[0], step
	}
	c := h.outcome(id).Confirm
	in.ConfirmID = id
	if o := h.outcome(id); c.Actions > 0 && o.Decision != nil {
		n := h.random.Int64N(2)
		in.Action, in.ArgsHash = &n, o.Decision.Actions[n].ArgsHash
	}
	_, _ = h.Consume(h.ctx, who, in)
}

func (h *hubbub) planText(id string) string {
	status, locked := "draft", ""
	if h.random.IntN(8) == 0 {
		status = "approved" // an import
	}
	if h.random.IntN(8) == 0 {
		locked = `"governance":{"locked":true},`
	}
	return fmt.Sprintf(`{"plan_id":%q,%s"context_id":"ctx-1","title":"T%d","objective":"O","status":%q,"steps":[
		{"step_id":"s1","description":"d"},{"step_id":"s2","description":"d","dependencies":["s1"]},{"step_id":"s3","description":"d"}]}`, id, locked, h.random.IntN(2), status)
}

func (h *hubbub) postPlan(id string) {
	in, err := mplp.ParsePlan([]byte(h.planText(id)), h.Limits().MPLP())
	h.fatal(err)
	if _, err := h.PostPlan(h.ctx, h.anybody(h.worker), in); err == nil {
		h.plans = append(h.plans, id)
	}
}

func (h *hubbub) movePlan(id string) {
	by, action := h.anybody(h.worker), h.random.IntN(12)
	if h.random.IntN(2) == 0 { // what comes next
		action = map[domain.PlanStatus]int{domain.PlanDraft: 2, domain.PlanProposed: 3, domain.PlanApproved: 4, domain.PlanInProgress: 9}[h.planStatus(id)]
	}
	switch action {
	case 0:
		in, err := mplp.ParsePlan([]byte(h.planText(id)), h.Limits().MPLP())
		h.fatal(err)
		_, _ = h.RevisePlan(h.ctx, by, id, in)
	case 1:
		o, err := h.PlanJSON(h.ctx, domain.System, id)
		h.fatal(err)
		in, err := mplp.ParsePlan([]byte(strings.Replace(string(o.Native), `"locked":true`, `"locked":false`, 1)), h.Limits().MPLP())
		h.fatal(err)
		_, _ = h.RevisePlan(h.ctx, h.users[0], id, in)
	case 3:
		detail, err := h.Plan(h.ctx, domain.System, id)
		h.fatal(err)
		for _, c := range detail.Confirms {
			if c.Binding == domain.BoundPlan {
				_, _ = h.decide(h.users[0], c, anyOf(h.random, []domain.Status{domain.Approved, domain.Approved, domain.Approved, domain.Rejected}))
			}
		}
	case 2:
		if c, err := h.ProposePlan(h.ctx, by, id, domain.ProposeInput{}); err == nil {
			h.confirms = append(h.confirms, c.ID)
		}
	case 4, 5, 6:
		_, _ = h.StartPlan(h.ctx, by, id)
	case 7:
		_, _ = h.CompletePlan(h.ctx, by, id)
		_, _ = h.FailPlan(h.ctx, by, id)
		if h.random.IntN(3) == 0 {
			_, _ = h.CancelPlan(h.ctx, by, id, "")
		}
	default:
		for range 8 {
			to := anyOf(h.random, []domain.StepStatus{domain.StepPending, domain.StepInProgress, domain.StepInProgress, domain.StepCompleted, domain.StepFailed, domain.StepSkipped, domain.StepBlocked})
			_, _ = h.MoveStep(h.ctx, by, id, anyOf(h.random, hubbubSteps), to, to == domain.StepFailed && h.random.IntN(4) == 0)
		}
	}
}

// account changes who may do what.
func (h *hubbub) account() {
	user, key, admin := anyOf(h.random, h.users[1:]), anyOf(h.random, h.keys), h.administrator()
	if key == h.worker {
		return
	}
	switch h.random.IntN(12) {
	case 0:
		h.addUser(fmt.Sprint("user-", len(h.users)))
	case 1, 2:
		h.addKey()
	case 3:
		_ = h.DisableUser(h.ctx, admin, user.ID)
	case 4, 5:
		_ = h.EnableUser(h.ctx, admin, user.ID)
	case 6:
		_ = h.RevokeKey(h.ctx, admin, key.ID)
	case 7:
		_ = h.AssignRoles(h.ctx, admin, user.ID, h.someRoles())
	case 8:
		_, _ = h.ResetUser(h.ctx, admin, user.ID)
	case 9: // under another name too
		_, _ = h.UpdateRole(h.ctx, admin, "asking", domain.RoleInput{Name: fmt.Sprint("asking-", h.random.IntN(3)), Capabilities: anyOf(h.random, [][]string{{"confirm.*"}, {"confirm.request", "confirm.reject"}})})
		_, _ = h.UpdateRole(h.ctx, admin, "half", domain.RoleInput{Name: "half", Capabilities: anyOf(h.random, [][]string{{"confirm.approve"}, {"confirm.*"}})})
	case 10:
		name := fmt.Sprint("role-", h.random.IntN(1000))
		if r, err := h.CreateRole(h.ctx, admin, domain.RoleInput{Name: name, Capabilities: []string{"confirm.*"}}); err == nil && h.random.IntN(2) == 0 {
			h.fatal(h.DeleteRole(h.ctx, admin, r.ID))
		}
	case 11:
		in, err := mplp.ParseTraceObject(fmt.Appendf(nil, `{"trace_id":"t-%d","context_id":"ctx-1"}`, h.random.Int()), h.Limits().MPLP())
		h.fatal(err)
		_, _ = h.CreateTrace(h.ctx, key, in)
		_, err = h.RotateKey(h.ctx)
		h.fatal(errors.Join(err, h.EndSessions(h.ctx, admin, h.users[0].ID)))
		status := anyOf(h.random, []string{"active", "active", "suspended"})
		project, err := mplp.ParseContext(fmt.Appendf(nil, `{"context_id":"ctx-1","title":"Project","status":%q}`, status), h.Limits().MPLP())
		h.fatal(err)
		_, _ = h.UpdateContext(h.ctx, h.users[0], "ctx-1", project)
	}
}
