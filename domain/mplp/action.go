package mplp

import "fmt"

// Action is a tool call that waits for consent. Args is the compact arguments object.
type Action struct {
	Name                   string
	Args                   []byte
	ToolUseID, Description string
}

// ReviewConfig says how actions are to be reviewed. AllowedDecisions is nil when
// absent. Reject is always allowed.
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
		{"args", readArguments(&a.Args)},
		{"tool_use_id", title(&a.ToolUseID)},
		{"description", described(&a.Description)},
	}, "name", "args")
}

// readArguments keeps the bytes of an open object: its keys, numbers and escapes are
// not interpreted.
func readArguments(p *[]byte) func(value) {
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
		{"args_schema", argsSchema},
	})
}

// MaxArgsSchema is the size of a schema of arguments in bytes, without white space.
const MaxArgsSchema = 64 << 10

// argsSchema checks the outside of a schema only. One that no form can be drawn from is
// no error: reviewers then edit the arguments as JSON.
func argsSchema(v value) {
	switch {
	case v.raw[0] != '{':
		v.problem("type_error", "must be an object")
	case len(v.raw) > MaxArgsSchema:
		v.problem("limit", fmt.Sprintf("must have at most %d bytes, not %d", MaxArgsSchema, len(v.raw)))
	}
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
