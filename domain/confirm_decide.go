package domain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// DecisionInput is a decision as a page, a JSON body or a command gives it.
type DecisionInput struct {
	Status          Status // for every action when Actions is empty
	Actions         []mplp.ActionDecision
	ContentHash     string // what the decider was shown
	HashOptional    bool   // S4's command has none
	FillFromFirst   bool   // S4: too few decisions are filled with the first (requirements A-17)
	Reason          string
	UserEditContent string
	Intent          string // IntentRequestChanges
	DecidedByRole   string // id or name; empty: the least capable that suffices
	DecisionID      string // empty: generated
}

// DecisionFromJSON makes an input of a posted decision.
func DecisionFromJSON(d *mplp.DecisionPost) DecisionInput {
	return DecisionInput{
		Status: Status(d.Status), Actions: d.Decisions, ContentHash: d.ContentHash, Reason: d.Reason,
		UserEditContent: d.UserEditContent, DecidedByRole: d.DecidedByRole, DecisionID: d.DecisionID,
	}
}

var hashShape = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

func (in *DecisionInput) check() error {
	switch {
	case in.ContentHash == "" && !in.HashOptional:
		return Invalid("content_hash", "required", "Name the content hash of what you decide on.")
	case in.ContentHash != "" && !hashShape.MatchString(in.ContentHash):
		return Invalid("content_hash", "pattern", "A content hash is sha256: and 64 hexadecimal digits.")
	case len(in.Actions) == 0 && in.Status != Approved && in.Status != Rejected:
		return Invalid("status", "enum", "A decision is approved or rejected.")
	case in.Intent == IntentRequestChanges && in.Reason == "":
		return Invalid("reason", "required", "Say what has to change.")
	}
	return nil
}

// Decide records the decision on a confirm, once and for all: the first one
// wins, the deadline beats it, and it counts only for the content that was
// shown. It needs confirm.approve, confirm.reject or both, the required role,
// and another principal group than the requester's.
func (s *Service) Decide(ctx context.Context, ref Ref, id string, in DecisionInput) (*Outcome, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	made, err := s.decide(ctx, ref, byID(id), in)
	return made.Outcome, err
}

// decided is what a decision has made of a confirm.
type decided struct {
	*Outcome
	stored  *ConfirmContent
	content *evidence.Content // as it is stored
	entry   *evidence.Entry   // of the decision
}

func (s *Service) decide(ctx context.Context, ref Ref, find finder, in DecisionInput) (made decided, err error) {
	var late error
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		c, err := find.visible(tx, p)
		if err != nil {
			return err
		}
		stored, err := contentOf(tx, c)
		if err != nil {
			return found(err, "confirm content: it has been forgotten")
		}
		content, err := evidence.ParseContent(stored.Content)
		if err != nil {
			return err
		}
		d, err := in.decision(p, c, content)
		if err != nil {
			return err
		}
		if d.DecidedByRole, err = s.authority(tx, p, c, needed(d), in.DecidedByRole); err != nil {
			return err
		}
		if refused := c.open(); refused != nil {
			return s.withDecision(tx, c, refused)
		}
		if err := s.planUnlocked(tx, c); err != nil {
			return err
		}
		d.DecidedAt = s.clock()
		if c.Due(d.DecidedAt) {
			// The refusal must not roll back the timeout it reports.
			late, err = s.expire(tx, c)
			return err
		}
		if err := s.unchanged(); err != nil {
			return err
		}
		if err := s.sameContent(tx, c, in.ContentHash); err != nil {
			return err
		}
		if slices.Contains(needed(d), ConfirmApprove) {
			if err := c.sameContext(tx); err != nil {
				return err
			}
		}
		c.EffectiveHash = effectiveHash(stored, content, d.Actions)
		entry, err := s.finish(tx, p, c, d)
		if err != nil {
			return err
		}
		made = decided{&Outcome{Confirm: c, Decision: d, Text: d.text()}, stored, content, entry}
		return s.applyToPlan(tx, p, c, d)
	})
	if err == nil {
		err = late
	}
	if err != nil {
		return decided{}, err
	}
	return made, nil
}

// decision is what the principal would decide with this, whether they may or not.
func (in *DecisionInput) decision(p *Principal, c *Confirm, content *evidence.Content) (*Decision, error) {
	actions, err := in.perAction(content)
	if err != nil {
		return nil, err
	}
	d := &Decision{
		ID: in.DecisionID, RequestedSeq: c.RequestedSeq, Status: in.Status, Cause: CauseHuman, DecidedBy: p.Ref, DecidedByName: p.Name,
		Reason: in.Reason, UserEditContent: in.UserEditContent, Intent: in.Intent, SentHash: in.ContentHash, Actions: actions,
	}
	if p.Kind == KindAgent {
		d.Cause = CauseAgent
	}
	if len(actions) > 0 {
		d.Status = statusOf(actions)
	}
	return d, nil
}

// perAction turns what was sent into one decision for each action.
func (in *DecisionInput) perAction(content *evidence.Content) ([]ActionDecision, error) {
	n, sent := len(content.Actions), in.Actions
	if n == 0 {
		if len(sent) > 0 {
			return nil, Invalid("decisions", "max_items", "The confirm has no actions: send status alone.")
		}
		return nil, nil
	}
	if len(sent) == 0 {
		kind := ActionReject
		if in.Status == Approved {
			kind = ActionApprove
		}
		for range n {
			sent = append(sent, mplp.ActionDecision{Type: kind})
		}
	}
	switch {
	case len(sent) > n:
		return nil, Invalid("decisions", "max_items", "There are %d decisions for %d actions.", len(sent), n)
	case len(sent) < n && !in.FillFromFirst:
		return nil, Invalid("decisions", "min_items", "There are %d decisions for %d actions.", len(sent), n)
	case len(sent) < n && sent[0].Type == ActionEdit:
		return nil, Invalid("decisions", "min_items", "An edit is for one action: decide on each.")
	}
	list := make([]ActionDecision, n)
	for i, action := range content.Actions {
		from, filled := i, i >= len(sent)
		if filled {
			from = 0
		}
		d := ActionDecision{Type: sent[from].Type, Message: sent[from].Message, Filled: filled, ArgsHash: evidence.ArgsHash(action.Args)}
		if !Allows(&action, d.Type) {
			return nil, Invalid(fmt.Sprintf("decisions[%d].type", from), "enum", "The agent does not accept %s for this action.", d.Type)
		}
		if d.Type == ActionEdit {
			if sent[from].Name != action.Name {
				return nil, Invalid(fmt.Sprintf("decisions[%d].edited_action.name", from), "const", "An edit keeps the tool: %s.", action.Name)
			}
			d.Name, d.Args, d.ArgsHash = action.Name, sent[from].Args, evidence.ArgsHash(sent[from].Args)
		}
		list[i] = d
	}
	if status := statusOf(list); in.Status != "" && in.Status != status {
		return nil, Invalid("status", "const", "The status does not agree with the decisions: they make it %s.", status)
	}
	return list, nil
}

// Allows says whether the agent accepts this kind of decision on the action, as
// its review config has it. A rejection always is accepted.
func Allows(action *evidence.Action, kind string) bool {
	var c struct {
		Allowed []string `json:"allowed_decisions"`
	}
	config := action.ReviewConfig
	if kind == ActionReject || len(config) == 0 || json.Unmarshal(config, &c) != nil || c.Allowed == nil {
		return true
	}
	return slices.Contains(c.Allowed, kind)
}

// statusOf says what decisions on actions make of the confirm: approved only if
// every action is approved or edited.
func statusOf(actions []ActionDecision) Status {
	if slices.ContainsFunc(actions, func(a ActionDecision) bool { return a.Type == ActionReject }) {
		return Rejected
	}
	return Approved
}

// effectiveHash names what was approved: the content with edits in place.
func effectiveHash(stored *ConfirmContent, content *evidence.Content, actions []ActionDecision) string {
	args, edited := make([]json.RawMessage, len(actions)), false
	for i, a := range actions {
		if a.Type == ActionEdit && !bytes.Equal(a.Args, content.Actions[i].Args) {
			args[i], edited = a.Args, true
		}
	}
	if !edited {
		return evidence.ContentHash(stored.Salt, stored.Content)
	}
	return evidence.ContentHash(stored.Salt, content.WithArgs(args).Marshal())
}

// EffectiveHash is the hash that editing these arguments would approve, nil
// keeping an action's own: the page shows it before the edit is confirmed.
func EffectiveHash(stored *ConfirmContent, args []json.RawMessage) (string, error) {
	content, err := evidence.ParseContent(stored.Content)
	if err != nil {
		return "", err
	}
	return evidence.ContentHash(stored.Salt, content.WithArgs(args).Marshal()), nil
}

// finish writes a final decision and its entry, which it gives. A CAS in the
// Store keeps two transactions from both finishing a confirm. The decision is
// the confirm's first: it is the one that ends it, and nobody decides an import,
// which may have come with others.
func (s *Service) finish(tx Tx, p *Principal, c *Confirm, d *Decision) (entry *evidence.Entry, err error) {
	if d.ID == "" {
		if d.ID, err = s.newID(); err != nil {
			return nil, err
		}
	}
	if d.DecidedAt.IsZero() {
		d.DecidedAt = s.clock()
	}
	if d.Seq, err = tx.NextSeq(); err != nil {
		return nil, err
	}
	c.Status, c.Cause, c.DecidedAt, c.DecidedSeq = d.Status, d.Cause, d.DecidedAt, d.Seq
	if err := tx.FinishConfirm(c); errors.Is(err, ErrConflict) {
		now, err := tx.Confirm(c.ID)
		if err != nil {
			return nil, err
		}
		return nil, s.withDecision(tx, now, now.open())
	} else if err != nil {
		return nil, err
	}
	if err := tx.InsertDecision(d); errors.Is(err, ErrConflict) {
		return nil, c.unproven() // it was decided before
	} else if err != nil {
		return nil, err
	}
	facts := []any{"decision_id", d.ID, "target_type", c.TargetType, "target_id", c.TargetID}
	if d.Intent != "" {
		facts = append(facts, "intent", d.Intent)
	}
	if d.SentHash == "" && (d.Cause == CauseHuman || d.Cause == CauseAgent) {
		facts = append(facts, "without_hash", true)
	}
	if (d.Cause == CauseHuman || d.Cause == CauseAgent) && d.Status != Cancelled {
		if own, err := p.ownRequest(tx, c); err != nil {
			return nil, err
		} else if own != "" {
			facts = append(facts, "self_approval", true)
		}
	}
	if c.StepID != "" {
		facts = append(facts, "step_id", c.StepID)
	}
	role := d.DecidedByRole
	if d.Status == Cancelled && p.Kind != KindSystem && p.Group == c.RequestedGroup {
		role = c.registeredRole() // they withdraw it in the role they asked in
	}
	entry = &evidence.Entry{
		Type: "confirm." + string(d.Status), At: d.DecidedAt, Role: role, Cause: string(d.Cause), ConfirmID: c.ID, PlanID: c.PlanID,
		ContentHash: c.ContentHash, EffectiveHash: c.EffectiveHash, TraceID: c.TraceID, SpanID: c.SpanID, Data: data(facts...),
	}
	for _, a := range d.Actions {
		entry.Decisions = append(entry.Decisions, evidence.EntryDecision{Type: a.Type, ArgsHash: a.ArgsHash, Filled: a.Filled})
	}
	entry.Outcome = &Outcome{Confirm: c, Decision: d, Text: d.text()}
	return entry, s.append(tx, p, entry)
}

// withDecision adds the winning decision to a refusal.
func (s *Service) withDecision(r Reader, c *Confirm, refused *Error) error {
	if refused.Code != CodeAlreadyDecided && refused.Code != CodeExpired {
		return refused
	}
	outcome, err := outcomeOf(r, c)
	if err != nil {
		return err
	}
	refused.Decision = outcome
	return refused
}
