package mplp

// Consume is the use of an approval for one execution. Absent members are "" or nil.
type Consume struct {
	ConfirmID, ExecutionID string
	StepID                 string // of an approval for a whole plan
	Action                 *int64 // index of the action that runs
	ArgsHash               string // of the arguments that run
}

// ParseConsume reads the use of an approval. Errors are *SyntaxError or
// *Invalid.
func ParseConsume(data []byte, l Limits) (*Consume, error) {
	r, o, err := openDocument(data, l)
	if err != nil {
		return nil, err
	}
	c := &Consume{}
	r.members("", o, fields{
		{"confirm_id", id(&c.ConfirmID)},
		{"execution_id", id(&c.ExecutionID)},
		{"step_id", id(&c.StepID)},
		{"action", whole(&c.Action, 0, maxIndex)},
		{"args_hash", contentHash(&c.ArgsHash)},
	}, "confirm_id", "execution_id")
	return result(r, c)
}
