package domain

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/domain/policy"
	"countersign/domain/quorum"
)

// PostedConfirm is the answer to a posted confirm.
type PostedConfirm struct {
	Confirm  *Confirm
	Native   []byte // for the JSON interface
	Created  bool   // false: the same confirm had been posted before
	Warnings []mplp.Warning
}

// PostConfirm stores a confirm. The id is the idempotency key: the same confirm again
// changes nothing. Which capability is needed depends on the target.
func (s *Service) PostConfirm(ctx context.Context, ref Ref, in *mplp.Confirm) (posted *PostedConfirm, err error) {
	sent, err := s.parseConfirm(in)
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		posted, err = s.postConfirm(tx, p, sent)
		return err
	})
	return posted, err
}

func (s *Service) postConfirm(tx Tx, p *Principal, in *parsedConfirm) (*PostedConfirm, error) {
	role, registered, err := requestingRole(tx, p, in)
	if err != nil {
		return nil, err
	}
	if old, err := findPosted(tx, in.ID, in.row.ApprovalKey); err != nil {
		return nil, err
	} else if old != nil {
		return replay(tx, p, old, in)
	}
	if !in.row.Imported { // nobody decides an import
		if err := s.checkPendingLimit(tx, p); err != nil {
			return nil, err
		}
	}

	asked := in.row
	c := &asked
	c.RequestedBy, c.RequestedGroup, c.RequestedByName = p.Ref, p.Group, p.Name
	c.RequestedByRole, c.RoleRegistered, c.ReceivedAt = role, registered, s.clock()
	if timeout := in.Deadline(DefaultTimeout); timeout > 0 && !c.Imported {
		c.ExpiresAt = c.ReceivedAt.Add(time.Duration(timeout) * time.Second)
	}
	if in.RequiredRole != "" {
		required, err := findRole(tx, in.RequiredRole)
		if ErrorCode(err) == CodeNotFound {
			return nil, Invalid("required_role", "reference", "There is no role %s, so nobody could decide. Create the role or name another.", in.RequiredRole)
		} else if err != nil {
			return nil, err
		}
		c.RequiredRole = required.ID
	}
	warnings := append([]mplp.Warning(nil), in.Warnings...)
	if !registered {
		warnings = append(warnings, mplp.Warning{Path: "requested_by_role", Code: "unregistered", Message: "This server has no role with this name. It is kept as a label."})
	}
	document, doubts, err := s.resolveTarget(tx, p, c, in.Confirm)
	if err != nil {
		return nil, err
	}
	warnings = append(warnings, doubts...)
	resolved := new(policy.Resolution)
	if !c.Imported {
		if resolved, err = s.resolvePolicies(tx, p, c, in, document); err != nil {
			return nil, err
		}
		if resolved.Timeout > 0 {
			c.ExpiresAt = c.ReceivedAt.Add(time.Duration(resolved.Timeout) * time.Second)
		}
		if resolved.Requires != nil {
			c.Quorum = resolved.Requires.Approvals()
			short, err := unattainable(tx, c, resolved.Requires)
			if err != nil {
				return nil, err
			}
			warnings = append(warnings, short...)
		}
	}
	content, object := in.buildContent(c, resolved.Requires)
	if c.RequestedSeq, err = tx.NextSeq(); err != nil {
		return nil, err
	}
	if err := tx.InsertConfirm(c, content); err != nil {
		return nil, conflictOr(err, "confirm")
	}
	if resolved.Requires != nil {
		if err := insertConfirmRoles(tx, c, resolved.Requires); err != nil {
			return nil, err
		}
	}
	posted := &PostedConfirm{Confirm: c, Native: object, Created: true, Warnings: warnings}
	if err := s.logPosted(tx, p, c, in, warnings, factsOfPolicies(resolved)); err != nil || !resolved.Rejected {
		return posted, err
	}
	if err := s.rejectByPolicy(tx, c, resolved); err != nil {
		return nil, err
	}
	ended, err := confirmObject(tx, c)
	if err == nil {
		posted.Native = ended.Native
	}
	return posted, err
}

// replay answers a post whose id or approval key is taken: the same post gets the
// confirm that it created.
func replay(r Reader, p *Principal, old *Confirm, in *parsedConfirm) (*PostedConfirm, error) {
	if old.RequestedGroup != p.Group || !bytes.Equal(old.BodyDigest, in.row.BodyDigest) {
		return nil, refuse(CodeIDTaken, "Another confirm already has this id or approval key.")
	}
	object, err := confirmObject(r, old)
	if errors.Is(err, ErrNotFound) {
		return nil, refuse(CodeIDTaken, "A confirm whose content was deleted already has this id or approval key.")
	} else if err != nil {
		return nil, err
	}
	return &PostedConfirm{Confirm: old, Native: object.Native, Warnings: in.Warnings}, nil
}

func (s *Service) logPosted(tx Tx, p *Principal, c *Confirm, in *parsedConfirm, warnings []mplp.Warning, more []any) error {
	event := "confirm.requested"
	if c.Imported {
		event = "confirm.imported"
	}
	facts := []any{"target_type", c.TargetType, "requested_group", c.RequestedGroup}
	if in.TargetID != "" { // a generated one names nothing
		facts = append(facts, "target_id", c.TargetID)
	}
	if c.Imported { // else it is pending
		facts = append(facts, "status", c.Status)
	}
	if c.StepID != "" {
		facts = append(facts, "step_id", c.StepID)
	}
	if c.Binding == BoundUnknown {
		facts = append(facts, "unbound", true)
	}
	if c.PlanID != "" && c.TargetHash == "" {
		facts = append(facts, "unknown", true) // the requester does not see the plan
	}
	if c.RequiredRole != "" {
		facts = append(facts, "required_role", c.RequiredRole)
	}
	if !c.ExpiresAt.IsZero() {
		facts = append(facts, "timeout", int64(c.ExpiresAt.Sub(c.ReceivedAt).Seconds()))
	}
	if len(warnings) > 0 {
		facts = append(facts, "warnings", loggedWarnings(warnings))
	}
	facts = append(facts, more...)
	about := ""
	if in.guarded != nil {
		about, facts = c.TargetID, append(facts, in.guarded.facts()...)
	}
	return s.log(tx, p, evidence.Entry{
		ObjectID: about, Type: event, At: c.ReceivedAt, Role: c.registeredRole(), Cause: string(c.Cause), ConfirmID: c.ID, PlanID: c.PlanID,
		ContentHash: c.ContentHash, TraceID: c.TraceID, SpanID: c.SpanID, Data: data(facts...),
	})
}

// requestingRole checks that the principal may post this confirm and returns the role
// it requests in. A registered role must be held; any other is a label.
func requestingRole(r Reader, p *Principal, in *parsedConfirm) (role string, registered bool, err error) {
	var needed []Capability
	switch target := TargetType(in.TargetType); {
	case in.guarded != nil:
		needed = []Capability{PolicyModify}
	case target == TargetPlan:
		needed = []Capability{PlanPropose, PlanExecute}
	case target == TargetContext:
		needed = []Capability{ConfirmRequest, ContextModify}
	default:
		needed = []Capability{ConfirmRequest}
		if len(in.Actions) > 0 {
			needed = append(needed, PlanExecute, PlanPropose)
		}
	}
	if err := p.requireAny(needed...); err != nil {
		return "", false, err
	}
	if in.RequestedByRole == "" {
		for _, held := range p.Roles {
			if slices.ContainsFunc(needed, held.Grants) {
				return held.Name, true, nil
			}
		}
		return SystemName, true, nil // the command line
	}
	named, err := findRole(r, in.RequestedByRole)
	switch {
	case ErrorCode(err) == CodeNotFound:
		return in.RequestedByRole, false, nil
	case err != nil:
		return "", false, err
	case !p.Holds(named.ID) && p.Kind != KindSystem:
		return "", false, refuse(CodeRoleNotHeld, "You do not hold the role %s, so you cannot request in its name.", named.Name)
	}
	return in.RequestedByRole, true, nil
}

func findPosted(r Reader, id, approvalKey string) (*Confirm, error) {
	find, key := r.Confirm, id
	if approvalKey != "" {
		find, key = r.ConfirmByApprovalKey, approvalKey
	}
	if key == "" {
		return nil, nil
	}
	c, err := find(key)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return c, err
}

// checkPendingLimit keeps one key from flooding the reviewers.
func (s *Service) checkPendingLimit(r Reader, p *Principal) error {
	if p.Kind != KindAgent {
		return nil
	}
	n, err := r.PendingCount(&p.Ref)
	if err == nil && n >= s.limits.Pending {
		return refuse(CodeRateLimited, "This key has %d pending confirms, the most it may have. Wait for decisions or cancel some.", n)
	}
	return err
}

// resolveTarget finds the target's hash and the binding to a plan, which it returns, and
// step. A target
// that the requester may not see is treated like one that does not exist: nobody blocks
// another's plan.
func (s *Service) resolveTarget(r Reader, p *Principal, c *Confirm, in *mplp.Confirm) (document *mplp.Plan, warnings []mplp.Warning, err error) {
	unknown := func(path, what string) {
		warnings = append(warnings, mplp.Warning{Path: path, Code: "reference", Message: "There is no such " + what + " yet, or you may not see it."})
	}
	if in.Supersedes != "" {
		if before, err := r.Confirm(in.Supersedes); err != nil && !errors.Is(err, ErrNotFound) {
			return nil, nil, err
		} else if err != nil || before.RequestedGroup != p.Group {
			unknown("supersedes", "confirm")
		}
	}
	named := "target_id" // the member that names the plan
	switch c.TargetType {
	case TargetContext, TargetTrace:
		if err := hashTarget(r, p, c); err != nil {
			return nil, nil, err
		}
		if c.TargetHash == "" {
			unknown("target_id", string(c.TargetType))
		}
		return nil, warnings, nil
	case TargetPlan:
		c.PlanID = c.TargetID
	case TargetOther:
		if in.PlanID == "" || in.StepID == "" {
			return nil, warnings, nil
		}
		c.PlanID, named = in.PlanID, "plan_id"
	default:
		return nil, warnings, nil
	}
	plan, err := visiblePlan(r, p, c.PlanID)
	if ErrorCode(err) == CodeNotFound {
		// Another group's plan keeps its id too: else the log would reveal that it
		// exists. The confirm counts for no plan (Plan.counts).
		unknown(named, "plan")
		c.Binding = BoundPlan
		if in.NamesStep() {
			c.Binding = BoundUnknown
		}
		return nil, warnings, nil
	} else if err != nil {
		return nil, nil, err
	}
	c.TargetHash = plan.Hash
	if c.TraceID == "" {
		c.TraceID = plan.spanTraceID() // what concerns a plan belongs to its trace
	}
	if document, err = s.loadPlanDocument(r, plan); err != nil {
		return nil, nil, err
	}
	c.Binding, c.StepID = bind(in, document.Steps)
	if c.Binding == BoundUnknown {
		warnings = append(warnings, mplp.Warning{Path: "step_id", Code: "unbound",
			Message: "Names a step or span that the plan does not have. It blocks the whole plan and allows nothing."})
	}
	return document, warnings, nil
}

// hashTarget hashes the context or trace that the confirm is about as it is stored now,
// if the requester may see it.
func hashTarget(r Reader, p *Principal, c *Confirm) (err error) {
	switch c.TargetType {
	case TargetContext:
		var target *Context
		if target, err = r.Context(c.TargetID); err == nil && target.isVisibleTo(p) {
			c.TargetHash = evidence.HashBytes(target.Native)
		}
	case TargetTrace:
		var target *Trace
		if target, err = r.Trace(c.TargetID); err == nil && target.isVisibleTo(p) {
			c.TargetHash = evidence.HashBytes(target.Native)
		}
	}
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// parsedConfirm is a posted confirm and what follows from the post alone. It is
// computed before the transaction, for which other writers wait.
type parsedConfirm struct {
	*mplp.Confirm
	row     Confirm
	stored  ConfirmContent
	actions []evidence.Action
	decoded []policy.Action // nil: there were no policies a moment ago
	guarded *policyChange   // that this server asks for; nil: somebody posts it
}

func (s *Service) parseConfirm(in *mplp.Confirm) (*parsedConfirm, error) {
	p := &parsedConfirm{Confirm: in, row: Confirm{
		ID: in.ID, Fresh: in.ID == "", TargetType: TargetType(in.TargetType), TargetID: in.TargetID,
		Status: Pending, OnReject: in.OnReject, Supersedes: in.Supersedes, SessionID: in.SessionID, MessageID: in.MessageID,
		Actions: len(in.Actions), Imported: in.IsImported(), Locked: in.Locked,
	}}
	p.computeDigest()
	for _, id := range []*string{&p.row.ID, &p.row.TargetID} {
		if *id == "" {
			made, err := s.newID()
			if err != nil {
				return nil, err
			}
			*id = made
		}
	}
	if in.Trace != nil {
		p.row.TraceID, p.row.SpanID = in.Trace.TraceID, in.Trace.SpanID
	}
	if p.row.Imported {
		p.row.Cause = CauseImport
		if in.Status != "" {
			p.row.Status = Status(in.Status)
		}
	}
	p.stored = ConfirmContent{Reason: in.Reason, Salt: make([]byte, evidence.SaltSize)}
	for i, a := range in.Actions {
		p.actions = append(p.actions, evidence.Action{
			Name: a.Name, Args: a.Args, ToolUseID: a.ToolUseID, Description: a.Description, ReviewConfig: in.ReviewConfigJSON(i),
		})
		p.stored.Tools = append(p.stored.Tools, a.Name)
	}
	p.stored.Calls = CallDigests(p.actions)
	if last := s.lastPolicies.Load(); last != nil && len(last.enabled) > 0 {
		p.decoded = policyActions(p.actions)
		for i := range p.decoded {
			p.decoded[i].Decode()
		}
	}
	if _, err := io.ReadFull(s.rand, p.stored.Salt); err != nil {
		return nil, fmt.Errorf("salt: %w", err)
	}
	return p, nil
}

// computeDigest hashes what was sent, to recognize a repeated post.
func (p *parsedConfirm) computeDigest() {
	sum := sha256.Sum256(p.Native.Bytes())
	p.row.BodyDigest = sum[:]
}

// buildContent builds the content that is hashed, and the JSON that is returned.
func (p *parsedConfirm) buildContent(c *Confirm, requires *quorum.Requires) (stored *ConfirmContent, object []byte) {
	requestedAt := p.RequestedAt
	if requestedAt == "" {
		requestedAt = mplp.RenderTime(c.ReceivedAt)
	}
	document := evidence.Content{
		ConfirmID: c.ID, TargetType: string(c.TargetType), TargetID: c.TargetID, TargetHash: c.TargetHash,
		StepID: c.StepID, RequiredRole: p.RequiredRole, RequestedByRole: c.RequestedByRole, RequestedBy: c.RequestedBy.String(),
		ReceivedAt: c.ReceivedAt, RequestedAt: requestedAt, ExpiresAt: c.ExpiresAt, OnReject: c.OnReject,
		Supersedes: c.Supersedes, Reason: p.Reason, Actions: p.actions, SessionID: c.SessionID, MessageID: c.MessageID,
	}
	if document.StepID == "" {
		document.StepID = p.StepID
	}
	if c.TargetType == TargetOther {
		document.PlanID = p.PlanID
	}
	if trace, ok := p.Native.Get("trace"); ok && p.Trace != nil {
		document.Trace = json.RawMessage(trace)
	}
	if requires != nil {
		document.Requires = requires.Marshal()
	}
	object = mplp.CompleteConfirm(p.Native, c.ID, c.TargetID, c.RequestedByRole, requestedAt)
	stored = new(ConfirmContent)
	*stored = p.stored
	stored.Content, stored.Native = document.Marshal(), stripArgs(object, p.actions)
	c.ContentHash = evidence.ContentHash(stored.Salt, stored.Content)
	c.EffectiveHash = c.ContentHash
	return stored, object
}
