package mplp

// StepPatch moves a step to another status. Critical means that the plan cannot go on
// without this failed step.
type StepPatch struct {
	Status   string
	Critical bool
}

// ParseStepPatch reads a change of a step. The caller checks the status. Errors are
// *SyntaxError or *Invalid.
func ParseStepPatch(data []byte, l Limits) (*StepPatch, error) {
	r, o, err := openDocument(data, l)
	if err != nil {
		return nil, err
	}
	p := &StepPatch{}
	r.members("", o, fields{{"status", title(&p.Status)}, {"critical", truth(&p.Critical)}}, "status")
	return result(r, p)
}
