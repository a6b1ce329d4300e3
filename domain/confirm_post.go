package domain

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// PostedConfirm is the answer to a posted confirm.
type PostedConfirm struct {
	Confirm  *Confirm
	Native   []byte // as the JSON interface gives it
	Created  bool   // false: the same confirm had been posted before
	Warnings []mplp.Warning
}

// PostConfirm stores a confirm and tells those who may decide. The id is the
// idempotency key: the same confirm again changes nothing. Which capability is
// needed depends on the target.
func (s *Service) PostConfirm(ctx context.Context, ref Ref, in *mplp.Confirm) (posted *PostedConfirm, err error) {
	sent, err := s.posting(in)
	if err != nil {
		return nil, err
	}
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		posted, err = s.postConfirm(tx, p, sent)
		return err
	})
	return posted, err
}

func (s *Service) postConfirm(tx Tx, p *Principal, in *posting) (*PostedConfirm, error) {
	role, registered, err := requester(tx, p, in.Confirm)
	if err != nil {
		return nil, err
	}
	if old, err := postedBefore(tx, in.ID, in.asked.ApprovalKey); err != nil {
		return nil, err
	} else if old != nil {
		return repeated(tx, p, old, in)
	}
	if !in.asked.Imported { // nobody has to decide an import
		if err := s.quota(tx, p); err != nil {
			return nil, err
		}
	}

	asked := in.asked
	c := &asked
	c.RequestedBy, c.RequestedGroup, c.RequestedByName = p.Ref, p.Group, p.Name
	c.RequestedByRole, c.RoleRegistered, c.ReceivedAt = role, registered, s.clock()
	if timeout := in.Deadline(DefaultTimeout); timeout > 0 && !c.Imported {
		c.ExpiresAt = c.ReceivedAt.Add(time.Duration(timeout) * time.Second)
	}
	if in.RequiredRole != "" {
		required, err := findRole(tx, in.RequiredRole)
		if ErrorCode(err) == CodeNotFound {
			return nil, Invalid("required_role", "reference", "There is no role %s, so nobody could decide.", in.RequiredRole)
		} else if err != nil {
			return nil, err
		}
		c.RequiredRole = required.ID
	}
	warnings := append([]mplp.Warning(nil), in.Warnings...)
	if !registered {
		warnings = append(warnings, mplp.Warning{Path: "requested_by_role", Code: "unregistered", Message: "No role of this server has this name: kept as a label."})
	}
	doubts, err := s.aim(tx, p, c, in.Confirm)
	if err != nil {
		return nil, err
	}
	warnings = append(warnings, doubts...)
	content, object := in.content(c)
	if c.RequestedSeq, err = tx.NextSeq(); err != nil {
		return nil, err
	}
	if err := tx.InsertConfirm(c, content); err != nil {
		return nil, taken(err, "confirm")
	}
	posted := &PostedConfirm{Confirm: c, Native: object, Created: true, Warnings: warnings}
	return posted, s.logPosted(tx, p, c, in, warnings)
}

// repeated answers a post whose id or approval key a confirm has already: the
// same post gets that confirm.
func repeated(r Reader, p *Principal, old *Confirm, in *posting) (*PostedConfirm, error) {
	if old.RequestedGroup != p.Group || !bytes.Equal(old.BodyDigest, in.asked.BodyDigest) {
		return nil, refuse(CodeIDTaken, "This id or approval key names another confirm.")
	}
	object, err := confirmObject(r, old)
	if errors.Is(err, ErrNotFound) {
		return nil, refuse(CodeIDTaken, "This id or approval key names a confirm whose content has been forgotten.")
	} else if err != nil {
		return nil, err
	}
	return &PostedConfirm{Confirm: old, Native: object.Native, Warnings: in.Warnings}, nil
}

func (s *Service) logPosted(tx Tx, p *Principal, c *Confirm, in *posting, warnings []mplp.Warning) error {
	event := "confirm.requested"
	if c.Imported {
		event = "confirm.imported"
	}
	facts := []any{"target_type", c.TargetType, "requested_group", c.RequestedGroup}
	if in.TargetID != "" { // one that was made up is in the content, and names nothing
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
		facts = append(facts, "unknown", true) // the plan, to who asks
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
	return s.log(tx, p, evidence.Entry{
		Type: event, At: c.ReceivedAt, Role: c.registeredRole(), Cause: string(c.Cause), ConfirmID: c.ID, PlanID: c.PlanID,
		ContentHash: c.ContentHash, TraceID: c.TraceID, SpanID: c.SpanID, Data: data(facts...),
	})
}

// requester checks that the principal may post this confirm and settles the
// role it asks in. A registered role must be held; any other is a label.
func requester(r Reader, p *Principal, in *mplp.Confirm) (role string, registered bool, err error) {
	var needed []Capability
	switch TargetType(in.TargetType) {
	case TargetPlan:
		needed = []Capability{PlanPropose, PlanExecute}
	case TargetContext:
		needed = []Capability{ConfirmRequest, ContextModify}
	default:
		needed = []Capability{ConfirmRequest}
		if len(in.Actions) > 0 {
			needed = append(needed, PlanExecute, PlanPropose)
		}
	}
	if err := p.needsAny(needed...); err != nil {
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
		return "", false, refuse(CodeRoleNotHeld, "You do not hold the role %s, so you cannot ask in its name.", named.Name)
	}
	return in.RequestedByRole, true, nil
}

func postedBefore(r Reader, id, approvalKey string) (*Confirm, error) {
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

// quota keeps one agent from flooding every reviewer (threat T21).
func (s *Service) quota(r Reader, p *Principal) error {
	if p.Kind != KindAgent {
		return nil
	}
	n, err := r.PendingCount(&p.Ref)
	if err == nil && n >= s.limits.Pending {
		return refuse(CodeRateLimited, "This key has %d confirms pending, as many as it may. Wait for decisions, or cancel some.", n)
	}
	return err
}

// aim finds what the confirm is about: the hash of the target as it is now and
// the binding to a plan and step. A target that the requester may not see is
// treated like one that does not exist, so that nobody gates another's plan.
func (s *Service) aim(r Reader, p *Principal, c *Confirm, in *mplp.Confirm) (warnings []mplp.Warning, err error) {
	unknown := func(path, what string) {
		warnings = append(warnings, mplp.Warning{Path: path, Code: "reference", Message: "There is no such " + what + " yet, or it is not yours to see."})
	}
	if in.Supersedes != "" {
		if before, err := r.Confirm(in.Supersedes); err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		} else if err != nil || before.RequestedGroup != p.Group {
			unknown("supersedes", "confirm")
		}
	}
	named := "target_id" // the member that names the plan
	switch c.TargetType {
	case TargetContext, TargetTrace:
		if err := pin(r, p, c); err != nil {
			return nil, err
		}
		if c.TargetHash == "" {
			unknown("target_id", string(c.TargetType))
		}
		return warnings, nil
	case TargetPlan:
		c.PlanID = c.TargetID
	case TargetOther:
		if in.PlanID == "" || in.StepID == "" {
			return warnings, nil
		}
		c.PlanID, named = in.PlanID, "plan_id"
	default:
		return warnings, nil
	}
	plan, err := visiblePlan(r, p, c.PlanID)
	if ErrorCode(err) == CodeNotFound {
		// Another group's keeps its id too: else the log would tell it from one that
		// there is not. It counts for no plan (Plan.counts).
		unknown(named, "plan")
		c.Binding = BoundPlan
		if in.NamesStep() {
			c.Binding = BoundUnknown
		}
		return warnings, nil
	} else if err != nil {
		return nil, err
	}
	c.TargetHash = plan.Hash
	if c.TraceID == "" {
		c.TraceID = plan.trace() // what concerns a plan belongs to its trace
	}
	document, err := s.planDocument(r, plan)
	if err != nil {
		return nil, err
	}
	c.Binding, c.StepID = bind(in, document.Steps)
	if c.Binding == BoundUnknown {
		warnings = append(warnings, mplp.Warning{Path: "step_id", Code: "unbound",
			Message: "Names a step or span that is none of the plan's: blocks the whole plan and resumes nothing."})
	}
	return warnings, nil
}

// pin hashes the context or the trace that the confirm is about as it is stored
// now, if there is one that the requester may see.
func pin(r Reader, p *Principal, c *Confirm) (err error) {
	switch c.TargetType {
	case TargetContext:
		var target *Context
		if target, err = r.Context(c.TargetID); err == nil && target.seenBy(p) {
			c.TargetHash = evidence.BytesHash(target.Native)
		}
	case TargetTrace:
		var target *Trace
		if target, err = r.Trace(c.TargetID); err == nil && target.seenBy(p) {
			c.TargetHash = evidence.BytesHash(target.Native)
		}
	}
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
