package domain_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
)

// refusals are the codes with which the program says that it believes nothing, or that
// there is nothing: nobody gains by them.
var refusals = map[domain.Code]bool{domain.CodeEvidenceUnavailable: true, domain.CodeUnauthenticated: true, domain.CodeNotFound: true}

// say is what a value tells, without what two runs of the same need not share: times,
// numbers of entries, and what is random.
func say(values ...any) string {
	var parts []string
	for _, v := range values {
		if text, ok := v.(string); ok {
			parts = append(parts, text)
			continue
		}
		data, ok := v.([]byte)
		if !ok {
			var err error
			if data, err = json.Marshal(v); err != nil {
				panic(err)
			}
		}
		var tree any
		if err := json.Unmarshal(data, &tree); err != nil {
			parts = append(parts, string(data))
			continue
		}
		said, err := json.Marshal(plain(tree))
		if err != nil {
			panic(err)
		}
		parts = append(parts, string(said))
	}
	return strings.Join(parts, " ")
}

var unlike = []string{"at", "createdat", "updatedat", "decidedat", "receivedat", "expiresat", "requestedat", "seenat", "usedat", "consumedat", "endedat", "timestamp", "seq", "requestedseq", "decidedseq", "decisionid",
	"eventid", "salt", "contenthash", "effectivehash", "hash", "targethash", "bodydigest", "cursor", "objectid", "rows", "password", "prevtraceeventid", "keyid", "owner", "sourceeventids", "content", "native", "stored"}

func plain(tree any) any {
	switch tree := tree.(type) {
	case map[string]any:
		for name, v := range tree {
			folded := strings.ToLower(strings.ReplaceAll(name, "_", ""))
			if slices.Contains(unlike, folded) || folded == "id" && (tree["DecidedBy"] != nil || tree["event_type"] != nil) {
				delete(tree, name)
			} else {
				tree[name] = plain(v)
			}
		}
	case []any:
		for i, v := range tree {
			tree[i] = plain(v)
		}
	}
	return tree
}

// reader is a use case that tells what there is, item by item.
type reader struct {
	name   string
	isList bool // it finds what it tells along columns: there may be less, or in other order
	read   func(w *world) ([]string, error)
}

// readers are all that tell of what there is now, as the system and as others.
func (w *world) readers() (list []reader) {
	w.t.Helper()
	add := func(name string, isList bool, read func(w *world) ([]string, error)) {
		list = append(list, reader{name, isList, read})
	}
	one := func(name string, read func(w *world) (string, error)) {
		add(name, false, func(w *world) ([]string, error) {
			text, err := read(w)
			return []string{text}, err
		})
	}
	all := domain.Page{Limit: domain.MaxPage}
	rows, _, err := w.Confirms(w.ctx, domain.System, domain.ConfirmFilter{WithImports: true}, all)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, row := range rows {
		id := row.ID
		one("page of "+id, func(w *world) (string, error) { return w.tellConfirm(id) })
		one("object "+id, func(w *world) (string, error) {
			o, err := w.ConfirmJSON(w.ctx, domain.System, id)
			if err != nil {
				return "", err
			}
			return say(o.Native, o.Confirm, o.Decisions), nil
		})
		one("outcome of "+id, func(w *world) (string, error) {
			o, err := w.Outcome(w.ctx, domain.System, id, 0)
			if err != nil {
				return "", err
			}
			return say(o), nil
		})
		one("bundle of "+id, func(w *world) (string, error) { // which proves itself
			_, err := w.ConfirmBundle(w.ctx, domain.System, id)
			return "", err
		})
	}
	plans, _, err := w.Plans(w.ctx, domain.System, domain.PlanFilter{}, all)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, plan := range plans {
		id := plan.ID
		one("page of plan "+id, func(w *world) (string, error) {
			d, err := w.Plan(w.ctx, domain.System, id)
			if err != nil {
				return "", err
			}
			return say(d.Plan, d.Document, d.Context, domain.ErrorCode(d.ProposeErr), domain.ErrorCode(d.CancelErr)), nil
		})
		add("requests of plan "+id, true, func(w *world) (items []string, err error) {
			d, err := w.Plan(w.ctx, domain.System, id)
			if err != nil {
				return nil, err
			}
			for _, c := range d.Confirms {
				items = append(items, say(c))
			}
			return items, nil
		})
		one("object of plan "+id, func(w *world) (string, error) {
			o, err := w.PlanJSON(w.ctx, domain.System, id)
			if err != nil {
				return "", err
			}
			return say(o.Native), nil
		})
	}
	contexts, _, err := w.Contexts(w.ctx, domain.System, all)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range contexts {
		id := c.ID
		one("context "+id, func(w *world) (string, error) {
			c, err := w.Context(w.ctx, domain.System, id)
			if err != nil {
				return "", err
			}
			return say(c, c.Native), nil
		})
	}
	traces, _, err := w.Traces(w.ctx, domain.System, all)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, trace := range traces {
		id := trace.ID
		one("trace "+id, func(w *world) (string, error) {
			t, err := w.Trace(w.ctx, domain.System, id)
			if err != nil {
				return "", err
			}
			return say(t, t.Native), nil
		})
		add("history of trace "+id, true, func(w *world) (items []string, err error) {
			h, err := w.TraceHistory(w.ctx, domain.System, id)
			if err != nil {
				return nil, err
			}
			for _, e := range h.Entries {
				items = append(items, say(e))
			}
			if h.Posted != nil {
				items = append(items, say(h.Posted))
			}
			return items, nil
		})
	}
	for name, f := range map[string]domain.ConfirmFilter{"inbox": {Status: domain.Pending}, "decided": {Decided: true}, "plans'": {Decided: true, TargetType: domain.TargetPlan}, "session's": {SessionID: "s-1"}} {
		add("list: "+name, true, func(w *world) (items []string, err error) {
			rows, _, err := w.Confirms(w.ctx, domain.System, f, all)
			for _, row := range rows {
				if !row.Unproven {
					items = append(items, say(row))
				}
			}
			return items, err
		})
	}
	add("inbox objects", true, func(w *world) (items []string, err error) {
		list, _, err := w.ConfirmsJSON(w.ctx, domain.System, domain.ConfirmFilter{}, all)
		for _, o := range list {
			items = append(items, say(o))
		}
		return items, err
	})
	add("plan objects", true, func(w *world) (items []string, err error) {
		list, _, err := w.PlansJSON(w.ctx, domain.System, domain.PlanFilter{}, all)
		for _, o := range list {
			items = append(items, say(o))
		}
		return items, err
	})
	add("plan rows", true, func(w *world) (items []string, err error) {
		list, _, err := w.PlanRows(w.ctx, domain.System, domain.PlanFilter{}, all)
		for _, row := range list {
			items = append(items, say(row.Plan))
		}
		return items, err
	})
	add("context objects", true, func(w *world) (items []string, err error) {
		list, _, err := w.ContextsJSON(w.ctx, domain.System, all)
		for _, o := range list {
			items = append(items, say(o))
		}
		return items, err
	})
	add("traces", true, func(w *world) (items []string, err error) {
		list, _, err := w.Traces(w.ctx, domain.System, all)
		for _, t := range list {
			items = append(items, say(t, t.Native))
		}
		return items, err
	})
	add("users", true, func(w *world) (items []string, err error) {
		list, _, err := w.UserRows(w.ctx, domain.System, domain.UserFilter{}, all)
		for _, row := range list {
			items = append(items, fmt.Sprint(row.Name, row.Disabled, row.Roles, row.Reset, row.Password == ""))
		}
		return items, err
	})
	add("keys", true, func(w *world) (items []string, err error) {
		list, _, err := w.KeyRows(w.ctx, domain.System, domain.KeyFilter{}, all)
		for _, row := range list {
			items = append(items, fmt.Sprint(row.Name, row.Roles, row.Owner, row.MayDecide, row.RevokedAt.IsZero(), row.ExpiresAt.IsZero()))
		}
		return items, err
	})
	add("roles", true, func(w *world) (items []string, err error) {
		list, _, err := w.RoleRows(w.ctx, domain.System, domain.RoleFilter{}, all)
		for _, row := range list {
			items = append(items, say(row.Role, row.Native))
		}
		return items, err
	})
	for _, name := range []string{"reviewer", "executor"} {
		add("what names the role "+name, true, func(w *world) (items []string, err error) {
			refs, err := w.RoleReferences(w.ctx, domain.System, name)
			if err != nil {
				return nil, err
			}
			for _, c := range refs.Confirms {
				items = append(items, say(c))
			}
			for _, s := range refs.Steps {
				items = append(items, say(s.Plan, s.Step))
			}
			for _, c := range refs.Contexts {
				items = append(items, say(c, c.Native))
			}
			return items, nil
		})
	}
	add("learning samples", true, func(w *world) (items []string, err error) {
		list, _, err := w.LearningSamples(w.ctx, domain.System, all)
		for _, o := range list {
			items = append(items, say(o))
		}
		return items, err
	})
	add("log", true, func(w *world) (items []string, err error) {
		list, _, err := w.LogPage(w.ctx, domain.System, domain.EntryFilter{Limit: domain.MaxPage})
		for _, e := range list {
			items = append(items, say(e))
		}
		return items, err
	})
	add("events", true, func(w *world) (items []string, err error) {
		list, _, err := w.Events(w.ctx, domain.System, domain.EventFilter{Limit: domain.MaxPage})
		for _, e := range list {
			items = append(items, fmt.Sprint(e.Type, e.Family, say(e.Facts)))
		}
		return items, err
	})
	add("keys of the log", true, func(w *world) (items []string, err error) {
		list, err := w.EvidenceKeys(w.ctx, domain.System)
		return []string{fmt.Sprint(len(list))}, err
	})
	return list
}

// tellConfirm is what a request's page shows.
func (w *world) tellConfirm(id string) (string, error) {
	d, err := w.Confirm(w.ctx, domain.System, id)
	if err != nil {
		return "", err
	}
	var steps any
	if d.Plan != nil {
		steps = []any{d.Plan.Plan, d.Plan.Document}
	}
	var before any // roles may be gone by right: those that are shown, lists have
	if d.Predecessor != nil {
		before = d.Predecessor.ID
	}
	return say(d.Confirm, d.Content, d.Decisions, d.Claimed, steps, d.Context, d.OwnerName, before, d.SupersededBy,
		domain.ErrorCode(d.Rights.Approve), domain.ErrorCode(d.Rights.Reject), domain.ErrorCode(d.Rights.Cancel)), nil
}
