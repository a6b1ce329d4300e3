package store

import (
	"encoding/json"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/audit"
)

// auditRecords returns what an audit reads beside the log. It also has the audit check
// each entry against the rules of the domain.
func auditRecords(a *evidence.Audit) audit.Records {
	history := domain.NewHistory()
	a.OnEntry(history.Check)
	r := audit.Records{Checks: []audit.Check{contentCheck(history), decisionCheck, planCheck}}
	for _, s := range logged {
		r.Tables = append(r.Tables, audit.Table{Name: s.name, Columns: s.columns, Keys: s.keys})
	}
	return r
}

// contentCheck compares the columns that repeat the content of a confirm with it: lists
// and decisions rely on them.
func contentCheck(history *domain.History) audit.Check {
	return audit.Check{
		Query: `SELECT c.confirm_id, c.target_type, c.target_id, c.target_hash, c.requested_by_role, c.requested_by, c.on_reject, c.supersedes,
			c.session_id, c.message_id, c.step_id, c.plan_id, c.required_role, c.received_at, c.expires_at, c.actions, c.trace_id, c.span_id,
			t.reason, t.tools, t.content FROM confirm_contents t JOIN confirms c USING (requested_seq)`,
		Row: func(p *evidence.Part, v []evidence.Value) {
			content, err := evidence.ParseContent(v[20].Bytes)
			if err != nil {
				p.AddFinding("request %s: its content cannot be read", v[0].Bytes)
				return
			}
			for _, name := range differingColumns(v, content, history) {
				p.AddFinding("request %s: the column %s does not repeat its content", v[0].Bytes, name)
			}
		},
	}
}

// decisionCheck passes on each decision with the content that it is about.
var decisionCheck = audit.Check{
	Query: `SELECT c.confirm_id, d.seq, d.actions, t.salt, t.content FROM decisions d
		LEFT JOIN confirms c USING (requested_seq) LEFT JOIN confirm_contents t USING (requested_seq)`,
	Row: func(p *evidence.Part, v []evidence.Value) {
		d := evidence.StoredDecision{ConfirmID: string(v[0].Bytes), Seq: v[1].Int, Salt: v[3].Bytes, Content: v[4].Bytes}
		if v[2].Kind != evidence.Null && json.Unmarshal(v[2].Bytes, &d.Actions) != nil {
			p.AddFinding("request %s: its decision cannot be read", d.ConfirmID)
			return
		}
		p.AddDecision(d)
	},
}

// planCheck compares the columns of a plan with its content.
var planCheck = audit.Check{
	Query: "SELECT p.plan_id, p.title, p.context_id, p.hash, t.content FROM plan_contents t JOIN plans p USING (plan_id)",
	Row: func(p *evidence.Part, v []evidence.Value) {
		sent, err := domain.ReadPlan(v[4].Bytes)
		if err != nil {
			p.AddFinding("plan %s: its content cannot be read", v[0].Bytes)
			return
		}
		for i, column := range [...]struct{ name, want string }{{"title", sent.Title}, {"context_id", sent.ContextID}, {"hash", sent.Hash}} {
			if string(v[1+i].Bytes) != column.want {
				p.AddFinding("plan %s: the column %s does not repeat its content", v[0].Bytes, column.name)
			}
		}
	},
}

// differingColumns returns the columns that do not repeat a content. Some are derived
// from it, and may be empty: what it names may not exist here.
func differingColumns(v []evidence.Value, content *evidence.Content, history *domain.History) (names []string) {
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
		len(required) > 0 && content.RequiredRole != "" && history.HasRole(string(required), content.RequiredRole))
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

// isList reports whether a column holds these texts.
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
