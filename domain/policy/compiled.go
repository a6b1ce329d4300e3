package policy

import (
	"regexp"
	"slices"
	"strings"
)

// Compiled is a document that is ready to be looked at, safe for concurrent use. Callers
// keep it for as long as the version is in force.
type Compiled struct {
	*Document
	Hash string // of the document

	tools     *regexp.Regexp // nil: all
	condition *condition     // nil: none
	broken    string         // why the condition cannot be used; it is unknown then
}

// Compile prepares a document. With an error the result can still be used: a condition
// that no longer compiles counts as unknown.
func Compile(d *Document) (*Compiled, error) {
	c := &Compiled{Document: d, Hash: d.Hash(), tools: patterns(d.Match.Tools)}
	if d.Condition == "" {
		return c, nil
	}
	var err error
	if c.condition, err = compile(d.Condition); err != nil {
		c.condition, c.broken = nil, "the condition cannot be used: "+err.Error()
	}
	return c, err
}

// patterns joins names in which * stands for any text.
func patterns(list []string) *regexp.Regexp {
	if len(list) == 0 {
		return nil
	}
	quoted := make([]string, len(list))
	for i, pattern := range list {
		quoted[i] = strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	}
	return regexp.MustCompile("(?is)^(?:" + strings.Join(quoted, "|") + ")$")
}

// evaluate returns the value of the policy for a request, the index of the action that
// it is about (-1: the request as a whole), and why it is unknown.
func (c *Compiled) evaluate(r *request) (value truth, action int, because string) {
	m := c.Match
	if !fits(m.TargetTypes, r.TargetType) || !fits(m.Keys, r.Key) || !fits(m.Roles, r.Roles...) {
		return isFalse, -1, ""
	}
	if len(r.Actions) == 0 {
		if c.tools != nil {
			return isFalse, -1, ""
		}
		value, because = c.holds(r, -1)
		return value, -1, because
	}
	action = -1
	for i, a := range r.Actions {
		if c.tools != nil && !c.tools.MatchString(a.Name) {
			continue
		}
		v, why := c.holds(r, i)
		if v > value {
			value, action, because = v, i, why
		}
		if v == isTrue {
			break
		}
	}
	return value, action, because
}

// holds evaluates the condition for one action.
func (c *Compiled) holds(r *request, action int) (truth, string) {
	switch {
	case c.broken != "":
		return isUnknown, c.broken
	case c.condition == nil:
		return isTrue, ""
	default:
		return c.condition.evaluate(r, action)
	}
}

// fits reports whether a list is empty or has one of the values.
func fits(list []string, values ...string) bool {
	return len(list) == 0 || slices.ContainsFunc(values, func(v string) bool { return slices.Contains(list, v) })
}
