package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
)

// gateVerdict is the gate's answer. Nothing but "allow": true lets a step run:
// a problem document has no such member.
type gateVerdict struct {
	Verdict  string   `json:"verdict"`
	Allow    bool     `json:"allow"`
	Code     string   `json:"code"`
	Reason   string   `json:"reason"`
	Confirms []string `json:"confirms"`
}

func (a *api) getGate(c echo.Context, by domain.Ref) error {
	ask := func(wait time.Duration) (*domain.GateVerdict, error) {
		return a.service.Gate(c.Request().Context(), by, domain.GateQuery{
			PlanID: c.QueryParam("plan_id"), StepID: c.QueryParam("step_id"),
			ToolUseID: c.QueryParam("tool_use_id"), ArgsHash: c.QueryParam("args_hash"), Wait: wait,
		})
	}
	return longPoll(a, c, by, ask, func(v *domain.GateVerdict) error {
		return writeJSON(c, http.StatusOK, gateVerdict{
			Verdict: v.Verdict, Allow: v.Allows(), Code: v.Code, Reason: v.Reason, Confirms: append([]string{}, v.Confirms...),
		})
	})
}

// consumption is what was used, and when: for a repeat, the first time.
type consumption struct {
	ConfirmID   string `json:"confirm_id"`
	ExecutionID string `json:"execution_id"`
	Subject     string `json:"subject"` // confirm, step:<id> or action:<index>
	ConsumedAt  string `json:"consumed_at"`
	LogIndex    int64  `json:"log_index"`
}

func (a *api) consume(c echo.Context, by domain.Ref) error {
	in, err := read(a, c, mplp.ParseConsume)
	if err != nil {
		return err
	}
	used, err := a.service.Consume(c.Request().Context(), by, domain.ConsumeInput(*in))
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, consumption{
		ConfirmID: in.ConfirmID, ExecutionID: used.ExecutionID, Subject: used.Subject,
		ConsumedAt: mplp.RenderTime(used.ConsumedAt), LogIndex: used.Seq,
	})
}
