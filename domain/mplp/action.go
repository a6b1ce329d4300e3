package mplp

// Action is a tool call that waits for consent. Args is the compacted
// arguments object.
type Action struct {
	Name                   string
	Args                   []byte
	ToolUseID, Description string
}

// ReviewConfig says how actions are to be reviewed. AllowedDecisions is nil
// when absent; reject is allowed whether or not it is listed.
type ReviewConfig struct {
	RequireApproval  *bool
	Timeout          *int64 // seconds
	AllowedDecisions []string
}

func actions(p *[]Action) func(value) {
	return func(v value) {
		for _, e := range v.elementsWithin(v.r.limits.Actions) {
			var a Action
			if o := e.object(); o != nil {
				a.read(e, o)
			}
			*p = append(*p, a)
		}
	}
}

func (a *Action) read(v value, o *Object) {
	v.r.members(v.path, o, fields{
		{"name", toolName(&a.Name)},
		{"args", arguments(&a.Args)},
		{"tool_use_id", title(&a.ToolUseID)},
		{"description", described(&a.Description)},
	}, "name", "args")
}

// arguments keeps the bytes of an open object: keys, numbers and escapes are
// the agent's and none of them is interpreted.
func arguments(p *[]byte) func(value) {
	return func(v value) {
		if v.raw[0] != '{' {
			v.problem("type_error", "must be an object")
			return
		}
		*p = v.raw
	}
}

func reviewConfigs(p *[]ReviewConfig) func(value) {
	return func(v value) {
		for _, e := range v.elementsWithin(v.r.limits.Actions) {
			var c ReviewConfig
			if o := e.object(); o != nil {
				c.read(e, o)
			}
			*p = append(*p, c)
		}
	}
}

func (c *ReviewConfig) read(v value, o *Object) {
	v.r.members(v.path, o, fields{
		{"require_approval", c.requireApproval},
		{"timeout", whole(&c.Timeout, 1, MaxTimeout)},
		{"allowed_decisions", c.allowedDecisions},
	})
}

func (c *ReviewConfig) requireApproval(v value) {
	c.RequireApproval = new(bool)
	truth(c.RequireApproval)(v)
}

func (c *ReviewConfig) allowedDecisions(v value) {
	c.AllowedDecisions = []string{}
	for _, e := range v.elements() {
		var kind string
		oneOf(&kind, decisionTypes...)(e)
		c.AllowedDecisions = append(c.AllowedDecisions, kind)
	}
}
