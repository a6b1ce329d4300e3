package mplp

// StepPatch moves a step to another status. Critical says that the plan cannot
// go on without a step that failed (requirements P-29).
type StepPatch struct {
	Status   string
	Critical bool
}

// ParseStepPatch reads a change of a step. Whether there is such a status is
// for the caller to say. Errors are *SyntaxError or *Invalid.
func ParseStepPatch(data []byte, l Limits) (*StepPatch, error) {
	r, o, err := open(data, l)
	if err != nil {
		return nil, err
	}
	p := &StepPatch{}
	r.members("", o, fields{{"status", title(&p.Status)}, {"critical", truth(&p.Critical)}}, "status")
	return verdict(r, p)
}
