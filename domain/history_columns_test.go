package domain_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// altered is a store that writes confirms and plans otherwise than it is told, and
// logs them as it wrote them.
type altered struct {
	domain.Store
	confirm func(*domain.Confirm, *domain.ConfirmContent)
	plan    func(*domain.Plan)
}

func (a *altered) Tx(ctx context.Context, fn func(domain.Tx) error) error {
	return a.Store.Tx(ctx, func(tx domain.Tx) error { return fn(&alteredTx{tx, a}) })
}

type alteredTx struct {
	domain.Tx
	by *altered
}

func (tx *alteredTx) InsertConfirm(c *domain.Confirm, content *domain.ConfirmContent) error {
	written, beside := *c, *content
	if tx.by.confirm != nil {
		tx.by.confirm(&written, &beside)
	}
	return tx.Tx.InsertConfirm(&written, &beside)
}

func (tx *alteredTx) InsertPlan(p *domain.Plan, content []byte) error {
	written := *p
	if tx.by.plan != nil {
		tx.by.plan(&written)
	}
	return tx.Tx.InsertPlan(&written, content)
}

// TestA4_ColumnsRepeatTheirContent whatever digest of them was logged.
func TestA4_ColumnsRepeatTheirContent(t *testing.T) {
	t.Parallel()
	const asked = `{"target_type":"plan","target_id":"p","step_id":"s2","requested_by_role":"label","required_role":"money","reason":"because","on_reject":"recover",
		"supersedes":"c0","timeout":60,"trace":{"trace_id":"t-1","span_id":"sp-1"},"session_id":"se","message_id":"me","actions":[{"name":"pay","args":{}}]}`
	type change func(*domain.Confirm, *domain.ConfirmContent)
	for _, tt := range []struct {
		column  string
		confirm change
		plan    func(*domain.Plan)
	}{
		{"", nil, nil},
		{"target_type", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.TargetType = domain.TargetTrace }, nil},
		{"target_id", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.TargetID = "q" }, nil},
		{"target_hash", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.TargetHash = "" }, nil},
		{"plan_id", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.PlanID = "q" }, nil},
		{"step_id", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.StepID = "s1" }, nil},
		{"required_role", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.RequiredRole = "" }, nil},
		{"required_role", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.RequiredRole = "reviewer" }, nil},
		{"requested_by", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.RequestedBy.ID = "other" }, nil},
		{"requested_by_role", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.RequestedByRole = "admin" }, nil},
		{"on_reject", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.OnReject = "" }, nil},
		{"supersedes", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.Supersedes = "" }, nil},
		{"session_id", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.SessionID = "" }, nil},
		{"message_id", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.MessageID = "x" }, nil},
		{"trace_id", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.TraceID = "x" }, nil},
		{"span_id", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.SpanID = "" }, nil},
		{"actions", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.Actions = 2 }, nil},
		{"received_at", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.ReceivedAt = c.ReceivedAt.Add(time.Second) }, nil},
		{"expires_at", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.ExpiresAt = c.ExpiresAt.Add(24 * time.Hour) }, nil},
		{"expires_at", func(c *domain.Confirm, _ *domain.ConfirmContent) { c.ExpiresAt = time.Time{} }, nil},
		{"reason", func(_ *domain.Confirm, c *domain.ConfirmContent) { c.Reason = "harmless" }, nil},
		{"tools", func(_ *domain.Confirm, c *domain.ConfirmContent) { c.Tools = []string{"look"} }, nil},
		{"title", nil, func(p *domain.Plan) { p.Title = "Harmless" }},
		{"context_id", nil, func(p *domain.Plan) { p.ContextID = "other" }},
		{"hash", nil, func(p *domain.Plan) { p.Hash = "sha256:" + strings.Repeat("0", 64) }},
	} {
		t.Run(tt.column, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.role("money", "confirm.approve")
			agent := w.worker()
			w.Service = domain.NewService(&altered{w.db, tt.confirm, tt.plan}, domain.Config{Feed: w.feed, Now: w.now})
			w.plan(agent, "p")
			if tt.plan == nil {
				w.post(agent, asked)
			}
			report := verify(t, w.file, "")
			if tt.column == "" {
				wantVerified(t, "as it is written", report)
			} else if !slices.ContainsFunc(report.Findings, func(f string) bool {
				return strings.HasSuffix(f, "the column "+tt.column+" does not repeat its content")
			}) {
				t.Errorf("findings %q", report.Findings)
			}
		})
	}
}
