package gateway

import (
	"errors"
	"fmt"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"countersign/domain/mplp"
)

// What a rule does with a call.
const (
	doAsk   = "ask"
	doAllow = "allow"
	doDeny  = "deny"
)

// Rules say which calls are asked about. The first rule that matches counts.
type Rules struct {
	Default string `json:"default"` // ask, allow or deny; empty: ask
	// TrustHints lets rules use what the MCP server says about its own tools.
	TrustHints bool   `json:"trust_hints"`
	Timeout    int    `json:"timeout"`       // seconds to decide; 0: 300
	Role       string `json:"required_role"` // the role that must decide; empty: any
	Rules      []Rule `json:"rules"`
}

// Rule is about the tools that a pattern names, or about those with a hint.
type Rule struct {
	Tool    string `json:"tool"` // * is any text, ? any character
	Hint    string `json:"hint"` // read_only, destructive, idempotent or open_world
	Do      string `json:"do"`
	Message string `json:"message"` // for the agent, of a denial
}

// Bounds of a request's time to decide, in seconds.
const (
	defaultTimeout = 300
	maxTimeout     = 7 * 24 * 60 * 60
)

// ParseRules reads rules, which are strict JSON. Empty rules ask about every call.
func ParseRules(text []byte) (*Rules, error) {
	raw, err := mplp.ParseValue(text, mplp.DefaultLimits)
	if err != nil {
		return nil, err
	}
	if raw[0] != '{' {
		return nil, errors.New("the rules must be a JSON object")
	}
	r := &Rules{}
	if err := jsonv2.Unmarshal(raw, r, jsonv2.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("the rules have a member that is unknown or of a wrong type: %w", err)
	}
	if r.Default != "" && !isVerb(r.Default) {
		return nil, fmt.Errorf("default %q must be ask, allow or deny", r.Default)
	}
	if r.Timeout < 0 || r.Timeout > maxTimeout {
		return nil, fmt.Errorf("timeout %d must be between 1 and %d seconds", r.Timeout, maxTimeout)
	}
	for i := range r.Rules {
		if err := r.check(&r.Rules[i]); err != nil {
			return nil, fmt.Errorf("rules[%d]: %w", i, err)
		}
	}
	return r, nil
}

func isVerb(text string) bool { return slices.Contains([]string{doAsk, doAllow, doDeny}, text) }

func (r *Rules) check(rule *Rule) error {
	switch {
	case !isVerb(rule.Do):
		return fmt.Errorf("do %q must be ask, allow or deny", rule.Do)
	case (rule.Tool == "") == (rule.Hint == ""):
		return errors.New("either tool or hint must say what it is about")
	case rule.Hint != "" && !slices.Contains(hintNames, rule.Hint):
		return fmt.Errorf("hint %q must be one of %v", rule.Hint, hintNames)
	case rule.Hint != "" && !r.TrustHints:
		return errors.New("hint needs trust_hints: true, since the MCP server itself gives the hints")
	case rule.Message != "" && rule.Do != doDeny:
		return errors.New("only a denial has a message")
	}
	return nil
}

// decide returns what to do with a call, and the message of a denial. A tool whose
// definition changed is never allowed by itself.
func (r *Rules) decide(name string, t *tool) (do, message string) {
	do = r.Default
	for _, rule := range r.Rules {
		if rule.Tool != "" && matches(rule.Tool, name) || rule.Hint != "" && t.hasHint(rule.Hint) {
			do, message = rule.Do, rule.Message
			break
		}
	}
	if do == "" || do == doAllow && t != nil && t.isChanged {
		do = doAsk
	}
	return do, message
}

// matches reports whether a whole text fits a pattern.
func matches(pattern, text string) bool {
	p, s := []rune(pattern), []rune(text)
	star, mark, i := -1, 0, 0 // where to go on when what follows the last * does not fit
	for at := 0; at < len(s); {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, at
			i++
		case i < len(p) && (p[i] == '?' || p[i] == s[at]):
			i++
			at++
		case star >= 0:
			mark++
			i, at = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
