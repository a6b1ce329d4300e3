package main

import (
	"context"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"countersign/domain"
)

// transferMoney runs a plan up to the step that moves money, and posts a request
// for it: the gate blocks that step until somebody approves. Then it consumes the
// approval, once, and finishes the plan.
func (a *demoAgent) transferMoney(ctx context.Context) error {
	trace := newTrace()
	plan, err := a.runningPayment(ctx, trace)
	if err != nil {
		return err
	}
	for _, step := range []string{"check-invoice", "check-vendor"} {
		if err := a.takeStep(ctx, plan, step); err != nil {
			return err
		}
	}
	confirm := example("transfer")
	confirm["target_id"] = plan
	confirm["trace"] = object{"trace_id": trace, "span_id": "span-step-3"}
	asked, err := a.post(ctx, "/api/v1/confirms", confirm)
	if err != nil {
		return err
	}
	if _, err := a.await(ctx, "Execute the wire transfer", asked, nil); err != nil {
		return err
	}
	var gate struct{ Verdict, Code string }
	question := url.Values{"plan_id": {plan}, "step_id": {"transfer"}}.Encode()
	if err := a.client.Call(ctx, http.MethodGet, "/api/v1/gate?"+question, nil, &gate); err != nil {
		return err
	}
	a.out.Printf("Execute the wire transfer: the gate says %s (%s)", gate.Verdict, gate.Code)
	if gate.Verdict != domain.VerdictResume {
		return nil
	}
	use := object{"confirm_id": asked.ConfirmID, "execution_id": uuid.NewString()}
	if err := a.client.Call(ctx, http.MethodPost, "/api/v1/gate/consume", use, nil); err != nil {
		return err
	}
	for _, step := range []string{"transfer", "file"} {
		if err := a.takeStep(ctx, plan, step); err != nil {
			return err
		}
	}
	a.out.Print("Execute the wire transfer: done, and the plan is completed")
	return nil
}

// runningPayment posts the payment plan, has it approved and starts it.
func (a *demoAgent) runningPayment(ctx context.Context, trace string) (id string, err error) {
	where, err := a.post(ctx, "/api/v1/contexts", example("accounting"))
	if err != nil {
		return "", err
	}
	plan := example("payment")
	plan["context_id"] = where.ContextID
	plan["trace"] = object{"trace_id": trace}
	draft, err := a.post(ctx, "/api/v1/plans", plan)
	if err != nil {
		return "", err
	}
	address := "/api/v1/plans/" + draft.PlanID
	proposed, err := a.post(ctx, address+"/propose", object{})
	if err != nil {
		return "", err
	}
	if err := a.approve(ctx, proposed.ConfirmID); err != nil {
		return "", err
	}
	return draft.PlanID, a.client.Call(ctx, http.MethodPost, address+"/start", object{}, nil)
}

// takeStep starts and completes a step of a plan.
func (a *demoAgent) takeStep(ctx context.Context, plan, step string) error {
	for _, status := range []domain.StepStatus{domain.StepInProgress, domain.StepCompleted} {
		if err := a.client.Call(ctx, http.MethodPatch, "/api/v1/plans/"+plan+"/steps/"+step, object{"status": status}, nil); err != nil {
			return err
		}
	}
	return nil
}
