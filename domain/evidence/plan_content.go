package evidence

// PlanContent is what is approved of a plan. It has no statuses or events, so that
// executing a plan does not change it.
type PlanContent struct {
	Title     string        `json:"title"`
	Objective string        `json:"objective"`
	ContextID string        `json:"context_id"`
	Steps     []StepContent `json:"steps"`
}

// StepContent is what is approved of a step.
type StepContent struct {
	StepID       string   `json:"step_id"`
	Description  string   `json:"description"`
	Dependencies []string `json:"dependencies"`
	AgentRole    string   `json:"agent_role"`
	OrderIndex   *int64   `json:"order_index"`
}

// Hash returns the target hash of confirms about the plan.
func (p PlanContent) Hash() (string, error) {
	data, err := encode(p)
	return hash([]byte("countersign/plan/v1\n"), data), err
}

// HashBytes returns the target hash of what is stored as it was sent: a context or a
// trace.
func HashBytes(stored []byte) string { return hash(stored) }
