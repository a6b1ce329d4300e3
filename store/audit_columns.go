package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/domain/evidence"
)

// repeated are the columns of a confirm, c, that repeat its content, t, and those
// beside the content that do.
const repeated = `SELECT c.confirm_id, c.target_type, c.target_id, c.target_hash, c.requested_by_role, c.requested_by, c.on_reject, c.supersedes,
	c.session_id, c.message_id, c.step_id, c.plan_id, c.required_role, c.received_at, c.expires_at, c.actions, c.trace_id, c.span_id,
	t.reason, t.tools, t.content FROM confirm_contents t JOIN confirms c USING (requested_seq)`

// columns hold what repeats a content to it: who shows or decides by a column
// believes that it does.
func (t *telling) columns() task {
	part := t.audit.Part()
	return func(ctx context.Context, s scanner) error {
		if err := await(ctx, t.logTold); err != nil {
			return err
		}
		return s.scan(repeated, func(v []evidence.Value) error {
			content, err := evidence.ParseContent(v[20].Bytes)
			if err != nil {
				part.Found("confirm %s: its content cannot be read", v[0].Bytes)
				return nil
			}
			for _, name := range t.differing(v, content) {
				part.Found("confirm %s: the column %s does not repeat its content", v[0].Bytes, name)
			}
			return nil
		})
	}
}

// differing are the columns that do not repeat a content. Some are found out from
// it, and may be empty: what it names there need not be.
func (t *telling) differing(v []evidence.Value, content *evidence.Content) (names []string) {
	is := func(name string, same bool) {
		if !same {
			names = append(names, name)
		}
	}
	for i, column := range [...]struct{ name, want string }{
		{"confirm_id", content.ConfirmID}, {"target_type", content.TargetType}, {"target_id", content.TargetID}, {"target_hash", content.TargetHash},
		{"requested_by_role", content.RequestedByRole}, {"requested_by", content.RequestedBy}, {"on_reject", content.OnReject},
		{"supersedes", content.Supersedes}, {"session_id", content.SessionID}, {"message_id", content.MessageID},
	} {
		is(column.name, string(v[i].Bytes) == column.want)
	}
	step, plan, required := v[10].Bytes, v[11].Bytes, v[12].Bytes
	is("step_id", len(step) == 0 || string(step) == content.StepID)
	about := content.PlanID
	if content.TargetType == string(domain.TargetPlan) {
		about = content.TargetID
	}
	is("plan_id", len(plan) == 0 || string(plan) == about)
	is("required_role", string(required) == content.RequiredRole ||
		len(required) > 0 && content.RequiredRole != "" && t.history.Named(string(required), content.RequiredRole))
	is("received_at", v[13].Int/1000 == content.ReceivedAt.UnixMilli())
	is("expires_at", v[14].Kind == evidence.Null && content.ExpiresAt.IsZero() || v[14].Int/1000 == content.ExpiresAt.UnixMilli())
	is("actions", v[15].Int == int64(len(content.Actions)))
	trace, span := traced(content.Trace)
	is("trace_id", string(v[16].Bytes) == trace || trace == "" && len(plan) > 0) // else it is the plan's
	is("span_id", string(v[17].Bytes) == span)
	is("reason", string(v[18].Bytes) == content.Reason)
	is("tools", isList(v[19].Bytes, toolsOf(content)))
	return names
}

// traced reads the trace of a content, as it was sent.
func traced(sent []byte) (trace, span string) {
	if len(sent) == 0 {
		return "", ""
	}
	var members map[string]json.RawMessage // whose names count as they are written
	_ = json.Unmarshal(sent, &members)     // what is no object has none
	_ = json.Unmarshal(members["trace_id"], &trace)
	_ = json.Unmarshal(members["span_id"], &span)
	return trace, span
}

// isList says whether a column holds these texts.
func isList(column []byte, texts []string) bool {
	if joined := strings.Join(texts, `","`); strings.Count(joined, `"`) == 2*max(len(texts)-1, 0) && string(column) == `["`+joined+`"]` {
		return true // as most are
	}
	var list []string
	return (len(column) == 0 || json.Unmarshal(column, &list) == nil) && slices.Equal(list, texts)
}

func toolsOf(content *evidence.Content) (names []string) {
	for _, a := range content.Actions {
		names = append(names, a.Name)
	}
	return names
}

// plans hold a plan's row to the steps that are stored of it.
func (t *telling) plans() task {
	part := t.audit.Part()
	return func(ctx context.Context, s scanner) error {
		if err := await(ctx, t.logTold); err != nil {
			return err
		}
		return s.scan("SELECT p.plan_id, p.title, p.context_id, p.hash, t.content FROM plan_contents t JOIN plans p USING (plan_id)", func(v []evidence.Value) error {
			sent, err := domain.ReadPlan(v[4].Bytes)
			if err != nil {
				part.Found("plan %s: its content cannot be read", v[0].Bytes)
				return nil
			}
			for i, column := range [...]struct{ name, want string }{{"title", sent.Title}, {"context_id", sent.ContextID}, {"hash", sent.Hash}} {
				if string(v[1+i].Bytes) != column.want {
					part.Found("plan %s: the column %s does not repeat its content", v[0].Bytes, column.name)
				}
			}
			return nil
		})
	}
}
