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

// DecisionInput is a decision as a page, a JSON body or a command sends it.
type DecisionInput struct {
	Status          Status // for every action when Actions is empty
	Actions         []mplp.ActionDecision
	ContentHash     string // what the decider was shown
	HashOptional    bool   // for approval commands, whose clients may have none
	FillFromFirst   bool   // for approval commands: missing decisions repeat the first
	Reason          string
	UserEditContent string
	Intent          string // IntentRequestChanges
	DecidedByRole   string // id or name; empty: the least capable that suffices
	DecisionID      string // empty: generated
	// Findings are what the page showed to the person who decides. A key is shown none.
	Findings []ShownFinding
}

// DecisionFromJSON converts a posted decision.
func DecisionFromJSON(d *mplp.DecisionPost) DecisionInput {
	return DecisionInput{
		Status: Status(d.Status), Actions: d.Decisions, ContentHash: d.ContentHash, Reason: d.Reason,
		UserEditContent: d.UserEditContent, DecidedByRole: d.DecidedByRole, DecisionID: d.DecisionID,
	}
}

var hashPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

func (in *DecisionInput) check() error {
	switch {
	case in.ContentHash == "" && !in.HashOptional:
		return Invalid("content_hash", "required", "Send the content hash of what you decide on.")
	case in.ContentHash != "" && !hashPattern.MatchString(in.ContentHash):
		return Invalid("content_hash", "pattern", "A content hash is sha256: followed by 64 hexadecimal digits.")
	case len(in.Actions) == 0 && in.Status != Approved && in.Status != Rejected:
		return Invalid("status", "enum", "A decision is approved or rejected.")
	case in.Intent == IntentRequestChanges && in.Reason == "":
		return Invalid("reason", "required", "Say what has to change.")
	}
	return nil
}

// Decide records the decision on a confirm, once and for all. The first decision wins,
// the deadline beats it, and it counts only for the content that was shown. It needs
// confirm.approve, confirm.reject or both, the required role, and another principal
// group than the requester's.
func (s *Service) Decide(ctx context.Context, ref Ref, id string, in DecisionInput) (*Outcome, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	made, err := s.decide(ctx, ref, byID(id), in)
	return made.Outcome, err
}

// decisionResult is a recorded decision with what it was made on.
type decisionResult struct {
	*Outcome
	stored  *ConfirmContent
	content *evidence.Content // as it is stored
	entry   *evidence.Entry   // of the decision; nil if it changed nothing
}

func (s *Service) decide(ctx context.Context, ref Ref, find finder, in DecisionInput) (made decisionResult, err error) {
	var late error
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		c, err := find.findVisible(tx, p)
		if err != nil {
			return err
		}
		stored, err := loadContent(tx, c)
		if err != nil {
			return notFoundOr(err, "content (it was deleted)")
		}
		content, err := evidence.ParseContent(stored.Content)
		if err != nil {
			return err
		}
		d, err := in.newDecision(p, c, content)
		if err != nil {
			return err
		}
		d.Findings = withPlaces(d.Findings, stored.Salt)
		votes, err := loadVoting(tx, c, content)
		if err != nil {
			return err
		}
		hash := effectiveHash(stored, content, d.Actions)
		if votes == nil {
			d.DecidedByRole, err = s.authorizeDecision(tx, p, c, neededCapabilities(d), in.DecidedByRole)
		} else {
			d.EffectiveHash = hash
			err = s.prepareVote(tx, p, c, votes, d, in.DecidedByRole)
		}
		if err != nil {
			return err
		}
		if refused := c.checkDecidable(); refused != nil {
			return s.withDecision(tx, c, refused)
		}
		if err := s.checkPlanUnlocked(tx, c); err != nil {
			return err
		}
		d.DecidedAt = s.clock()
		if c.IsDue(d.DecidedAt) {
			// The refusal must not roll back the timeout it reports.
			late, err = s.expire(tx, c)
			return err
		}
		if err := s.checkNotTampered(); err != nil {
			return err
		}
		if err := s.checkContentUnchanged(tx, c, in.ContentHash); err != nil {
			return err
		}
		if slices.Contains(neededCapabilities(d), ConfirmApprove) {
			if err := c.checkContextUnchanged(tx); err != nil {
				return err
			}
		}
		if votes != nil {
			entry, isFinal, err := s.castVote(tx, p, c, votes, d)
			if err != nil {
				return err
			}
			if !isFinal {
				progress, err := votes.namedProgress(tx)
				made = decisionResult{&Outcome{Confirm: c, Requires: progress}, stored, content, entry}
				return err
			}
		}
		c.EffectiveHash = hash
		entry, err := s.finishConfirm(tx, p, c, d)
		if err != nil {
			return err
		}
		made = decisionResult{&Outcome{Confirm: c, Decision: d, Text: d.explanation()}, stored, content, entry}
		if err := s.applyToPolicy(tx, p, c, d, content); err != nil {
			return err
		}
		return s.applyToPlan(tx, p, c, d)
	})
	if err == nil {
		err = late
	}
	if err != nil {
		return decisionResult{}, err
	}
	return made, nil
}

// newDecision builds the decision without checking whether the principal may make it.
func (in *DecisionInput) newDecision(p *Principal, c *Confirm, content *evidence.Content) (*Decision, error) {
	actions, err := in.decideActions(content)
	if err != nil {
		return nil, err
	}
	d := &Decision{
		ID: in.DecisionID, RequestedSeq: c.RequestedSeq, Status: in.Status, Cause: CauseHuman, DecidedBy: p.Ref, DecidedByName: p.Name,
		Reason: in.Reason, UserEditContent: in.UserEditContent, Intent: in.Intent, SentHash: in.ContentHash, Actions: actions, Findings: in.Findings,
	}
	if p.Kind == KindAgent {
		d.Cause, d.Findings = CauseAgent, nil
	}
	if len(actions) > 0 {
		d.Status = statusOfActions(actions)
	}
	return d, nil
}

// decideActions turns what was sent into one decision for each action.
func (in *DecisionInput) decideActions(content *evidence.Content) ([]ActionDecision, error) {
	n, sent := len(content.Actions), in.Actions
	if n == 0 {
		if len(sent) > 0 {
			return nil, Invalid("decisions", "max_items", "The confirm has no actions. Send only status.")
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
		return nil, Invalid("decisions", "min_items", "An edit is for one action. Decide on each action.")
	}
	list := make([]ActionDecision, n)
	for i, action := range content.Actions {
		from, filled := i, i >= len(sent)
		if filled {
			from = 0
		}
		d := ActionDecision{Type: sent[from].Type, Message: sent[from].Message, Filled: filled, ArgsHash: evidence.ArgsHash(action.Args)}
		if !AcceptsDecision(&action, d.Type) {
			return nil, Invalid(fmt.Sprintf("decisions[%d].type", from), "enum", "The agent does not accept %s for this action.", d.Type)
		}
		if d.Type == ActionEdit {
			if sent[from].Name != action.Name {
				return nil, Invalid(fmt.Sprintf("decisions[%d].edited_action.name", from), "const", "An edit cannot change the tool %s.", action.Name)
			}
			d.Name, d.Args, d.ArgsHash = action.Name, sent[from].Args, evidence.ArgsHash(sent[from].Args)
		}
		list[i] = d
	}
	if status := statusOfActions(list); in.Status != "" && in.Status != status {
		return nil, Invalid("status", "const", "The status does not match the decisions, which make it %s.", status)
	}
	return list, nil
}

// AcceptsDecision reports whether the agent accepts this kind of decision on the
// action, by its review config. It always accepts a rejection.
func AcceptsDecision(action *evidence.Action, kind string) bool {
	var c struct {
		Allowed []string `json:"allowed_decisions"`
	}
	config := action.ReviewConfig
	if kind == ActionReject || len(config) == 0 || json.Unmarshal(config, &c) != nil || c.Allowed == nil {
		return true
	}
	return slices.Contains(c.Allowed, kind)
}

// statusOfActions returns the status that the decisions lead to: approved only if every
// action is approved or edited.
func statusOfActions(actions []ActionDecision) Status {
	if slices.ContainsFunc(actions, func(a ActionDecision) bool { return a.Type == ActionReject }) {
		return Rejected
	}
	return Approved
}

// effectiveHash returns the hash of what was approved: the content with the edits in
// place.
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

// EffectiveHash returns the hash that these edited arguments would have; nil keeps an
// action's own. The page shows it before the edit is confirmed.
func EffectiveHash(stored *ConfirmContent, args []json.RawMessage) (string, error) {
	content, err := evidence.ParseContent(stored.Content)
	if err != nil {
		return "", err
	}
	return evidence.ContentHash(stored.Salt, content.WithArgs(args).Marshal()), nil
}

// finishConfirm writes the final decision and its entry, which it returns. The store's
// compare-and-swap keeps two transactions from both ending a confirm. The decision is
// the confirm's first, or follows the votes on it: nobody decides an import, which may
// have come with others.
func (s *Service) finishConfirm(tx Tx, p *Principal, c *Confirm, d *Decision) (entry *evidence.Entry, err error) {
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
	if c.Quorum > 0 {
		if err := s.endVoting(tx, c, d); err != nil {
			return nil, err
		}
	}
	c.Status, c.Cause, c.DecidedAt, c.DecidedSeq = d.Status, d.Cause, d.DecidedAt, d.Seq
	if err := tx.FinishConfirm(c); errors.Is(err, ErrConflict) {
		now, err := tx.Confirm(c.ID)
		if err != nil {
			return nil, err
		}
		return nil, s.withDecision(tx, now, now.checkDecidable())
	} else if err != nil {
		return nil, err
	}
	if err := tx.InsertDecision(d); errors.Is(err, ErrConflict) {
		return nil, c.errUnproven() // it has a decision, and is pending
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
		if own, err := p.ownRequestReason(tx, c); err != nil {
			return nil, err
		} else if own != "" {
			facts = append(facts, "self_approval", true)
		}
	}
	if c.StepID != "" {
		facts = append(facts, "step_id", c.StepID)
	}
	facts = append(facts, findingFacts(d)...)
	if len(d.Votes) > 0 {
		facts = append(facts, "role_id", d.RoleID, "votes", d.Votes)
	}
	if d.Policy != nil {
		facts = append(facts, "policy", d.Policy)
	}
	role := d.DecidedByRole
	if d.Status == Cancelled && p.Kind != KindSystem && p.Group == c.RequestedGroup {
		role = c.registeredRole() // they withdraw it in the role they asked in
	}
	entry = newDecisionEntry("confirm."+string(d.Status), role, c, d)
	entry.EffectiveHash, entry.Data = c.EffectiveHash, data(facts...)
	entry.Attachment = &Outcome{Confirm: c, Decision: d, Text: d.explanation()}
	return entry, s.append(tx, p, entry)
}

// newDecisionEntry returns the entry of a decision without its data.
func newDecisionEntry(kind, role string, c *Confirm, d *Decision) *evidence.Entry {
	e := &evidence.Entry{
		Type: kind, At: d.DecidedAt, Role: role, Cause: string(d.Cause), ConfirmID: c.ID, PlanID: c.PlanID,
		ContentHash: c.ContentHash, TraceID: c.TraceID, SpanID: c.SpanID,
	}
	for _, a := range d.Actions {
		e.Decisions = append(e.Decisions, evidence.EntryDecision{Type: a.Type, ArgsHash: a.ArgsHash, Filled: a.Filled})
	}
	return e
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
