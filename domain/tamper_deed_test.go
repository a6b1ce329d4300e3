package domain_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

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
