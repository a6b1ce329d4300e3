package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
)

// outcome is what became of a confirm, as a waiting agent gets it.
type outcome struct {
	ApprovalKey     string           `json:"approval_key,omitempty"`
	ConfirmID       string           `json:"confirm_id"`
	Status          string           `json:"status"`
	Cause           domain.Cause     `json:"cause,omitempty"`
	ContentHash     string           `json:"content_hash"`
	EffectiveHash   string           `json:"effective_hash,omitempty"`
	Decisions       []actionDecision `json:"decisions,omitempty"`
	UserEditContent string           `json:"user_edit_content,omitempty"`
	Reason          string           `json:"reason,omitempty"`
	DecidedByRole   string           `json:"decided_by_role,omitempty"`
	DecidedAt       string           `json:"decided_at,omitempty"`
	ExpiresAt       string           `json:"expires_at,omitempty"`
	LogIndex        *int64           `json:"log_index,omitempty"` // the first entry is 0
	Requires        *requires        `json:"requires,omitempty"`  // while it is pending
}

// requires says how far the voting is, in numbers only.
type requires struct {
	Quorum     []threshold `json:"quorum"`
	Rejections int         `json:"rejections"`
}

type threshold struct {
	Role      string `json:"role"`
	Approvals int    `json:"approvals"`
	Approved  int    `json:"approved"`
}

type actionDecision struct {
	Type         string        `json:"type"`
	EditedAction *editedAction `json:"edited_action,omitempty"`
	ArgsHash     string        `json:"args_hash"`
	Message      string        `json:"message,omitempty"`
	Filled       bool          `json:"filled,omitempty"`
}

type editedAction struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// unsubstantiated stands in the place of an import's status: this server did
// not see it decided.
const unsubstantiated = "unsubstantiated"

func newOutcome(o *domain.Outcome) outcome {
	out := outcome{ConfirmID: o.Confirm.ID, Status: string(o.Confirm.Status), ContentHash: o.Confirm.ContentHash, Reason: o.Text}
	if !o.Confirm.ExpiresAt.IsZero() {
		out.ExpiresAt = mplp.RenderTime(o.Confirm.ExpiresAt)
	}
	if o.Confirm.Imported {
		out.Status, out.Cause = unsubstantiated, domain.CauseImport
		return out
	}
	if o.Requires != nil {
		out.Requires = &requires{Rejections: o.Requires.Rejections}
		for _, q := range o.Requires.Quorum {
			out.Requires.Quorum = append(out.Requires.Quorum, threshold(q))
		}
	}
	if d := o.Decision; d != nil {
		out.Cause, out.EffectiveHash, out.UserEditContent = d.Cause, o.Confirm.EffectiveHash, d.UserEditContent
		out.DecidedByRole, out.DecidedAt, out.LogIndex = d.DecidedByRole, mplp.RenderTime(d.DecidedAt), &d.Seq
		for _, action := range d.Actions {
			out.Decisions = append(out.Decisions, newActionDecision(action))
		}
	}
	return out
}

// MarshalOutcome returns what getOutcome answers, for a message that stands for it.
func MarshalOutcome(o *domain.Outcome) (json.RawMessage, error) {
	text, err := encode(newOutcome(o))
	return bytes.TrimSuffix(text, []byte("\n")), err
}

func newActionDecision(d domain.ActionDecision) actionDecision {
	out := actionDecision{Type: d.Type, ArgsHash: d.ArgsHash, Message: d.Message, Filled: d.Filled}
	if d.Type == domain.ActionEdit {
		out.EditedAction = &editedAction{Name: d.Name, Args: d.Args}
	}
	return out
}

func (a *api) getOutcome(c echo.Context, by domain.Ref) error {
	ask := func(wait time.Duration) (*domain.Outcome, error) {
		return a.service.Outcome(c.Request().Context(), by, param(c, "id"), wait)
	}
	return longPoll(a, c, by, ask, func(o *domain.Outcome) error { return writeOutcome(c, o, newOutcome(o)) })
}

// writeOutcome answers either way; while nothing is decided, the caller is to
// ask again at once.
func writeOutcome(c echo.Context, o *domain.Outcome, out outcome) error {
	if !o.IsFinal() {
		c.Response().Header().Set(echo.HeaderRetryAfter, "0")
	}
	return writeJSON(c, http.StatusOK, out)
}
