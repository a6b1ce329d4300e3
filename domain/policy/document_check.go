package policy

import (
	"fmt"
	"slices"
	"strings"
)

// targetTypes are what a request can be about.
var targetTypes = []string{"context", "plan", "trace", "extension", "other"}

// Check says what is wrong with a document. Errors are *mplp.Invalid.
func (d *Document) Check() error {
	var c checker
	c.document(d)
	return c.err()
}

func (c *checker) document(d *Document) {
	if d.V != 1 {
		c.problem("v", "const", "must be 1")
	}
	if c.text("name", d.Name, MaxName); strings.TrimSpace(d.Name) == "" {
		c.problem("name", "required", "is required")
	}
	if d.Effect != Require && d.Effect != Reject {
		c.problem("effect", "enum", "must be one of require, reject")
	}
	c.match(d.Match)
	switch {
	case len(d.Condition) > MaxCondition:
		c.problem("condition", "limit", fmt.Sprintf("must have at most %d bytes", MaxCondition))
	case d.Condition != "":
		if _, err := compile(d.Condition); err != nil {
			c.problem("condition", "condition", err.Error())
		}
	}
	c.quorum(d)
	c.escalations(d)
	if len(d.Note) > MaxNote {
		c.problem("note", "limit", fmt.Sprintf("must have at most %d bytes", MaxNote))
	}
}

func (c *checker) match(m Match) {
	c.list("match.target_types", m.TargetTypes, func(path, item string) {
		if !slices.Contains(targetTypes, item) {
			c.problem(path, "enum", "must be one of "+strings.Join(targetTypes, ", "))
		}
	})
	c.list("match.tools", m.Tools, func(path, item string) { c.text(path, item, MaxPattern) })
	c.list("match.keys", m.Keys, c.id)
	c.list("match.roles", m.Roles, c.id)
}

func (c *checker) quorum(d *Document) {
	if d.Effect == Reject {
		if len(d.Quorum)+len(d.Escalate) > 0 || d.Rejections != 0 || d.Timeout != 0 {
			c.problem("effect", "const", "reject has no quorum, rejections, timeout and escalate")
		}
		return
	}
	if len(d.Quorum) == 0 {
		c.problem("quorum", "required", "is required: name at least one role")
	}
	if len(d.Quorum) > MaxThresholds {
		c.problem("quorum", "limit", fmt.Sprintf("must have at most %d thresholds", MaxThresholds))
	}
	for i, t := range d.Quorum {
		path := fmt.Sprintf("quorum[%d]", i)
		c.id(path+".role", t.Role)
		c.between(path+".approvals", int64(t.Approvals), 1, MaxApprovals)
		if slices.ContainsFunc(d.Quorum[:i], func(o Threshold) bool { return o.Role == t.Role }) {
			c.problem(path+".role", "duplicate", "is there already: give each role one threshold")
		}
	}
	c.between("rejections", int64(d.Rejections), 0, MaxApprovals)
	c.between("timeout", d.Timeout, 0, MaxTimeout)
}

func (c *checker) escalations(d *Document) {
	if len(d.Escalate) > MaxEscalations {
		c.problem("escalate", "limit", fmt.Sprintf("must have at most %d escalations", MaxEscalations))
	}
	for i, e := range d.Escalate {
		path := fmt.Sprintf("escalate[%d]", i)
		c.between(path+".after", e.After, 1, MaxTimeout)
		c.id(path+".role", e.Role)
		switch {
		case !slices.ContainsFunc(d.Quorum, func(t Threshold) bool { return t.Role == e.For }):
			c.problem(path+".for", "reference", "must be a role of the quorum")
		case e.For == e.Role:
			c.problem(path+".role", "reference", "must be another role than the one it stands in for")
		case d.Timeout > 0 && e.After >= d.Timeout:
			c.problem(path+".after", "limit", "must be less than the timeout")
		case slices.ContainsFunc(d.Escalate[:i], func(o Escalation) bool { return o.Role == e.Role && o.For == e.For }):
			c.problem(path, "duplicate", "is there already")
		}
	}
}
