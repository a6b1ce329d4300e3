package native

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// interrupt is one interrupt of LangGraph.
type interrupt struct {
	ID    string         `json:"id"`
	Value jsontext.Value `json:"value"`
}

// review is what the human-in-the-loop middleware of LangChain asks, in JavaScript's
// spelling or in Python's; or one call, as tools ask for themselves.
type review struct {
	Requests  []actionRequest `json:"actionRequests"`
	Configs   []reviewConfig  `json:"reviewConfigs"`
	PyRequest []actionRequest `json:"action_requests"`
	PyConfigs []reviewConfig  `json:"review_configs"`

	Type   string         `json:"type"`
	CallID string         `json:"tool_call_id"`
	Name   string         `json:"name"`
	Args   jsontext.Value `json:"args"`
}

type actionRequest struct {
	Name        string         `json:"name"`
	Args        jsontext.Value `json:"args"`
	Arguments   jsontext.Value `json:"arguments"` // before version 1
	Description string         `json:"description"`
}

type reviewConfig struct {
	Action      string         `json:"actionName"`
	PyAction    string         `json:"action_name"`
	Allowed     []string       `json:"allowedDecisions"`
	PyAllowed   []string       `json:"allowed_decisions"`
	Schema      jsontext.Value `json:"argsSchema"`
	PySchema    jsontext.Value `json:"args_schema"`
	OldPySchema jsontext.Value `json:"arguments_schema"`
}

// Decisions of LangChain, in either spelling.
type langChainDecision struct {
	Type     string         `json:"type"`
	Edited   *editedRequest `json:"editedAction,omitempty"`
	PyEdited *editedRequest `json:"edited_action,omitempty"`
	Message  string         `json:"message,omitempty"`
}

type editedRequest struct {
	Name string         `json:"name"`
	Args jsontext.Value `json:"args"`
}

type langChainDecisions struct {
	Decisions []langChainDecision `json:"decisions"`
}

// resumption is what a reader of an interrupt expects.
type resumption struct {
	id       string
	first, n int  // which of the actions
	isBare   bool // one decision, not a list
	isPython bool
}

// parseLangChain reads the interrupts of LangGraph: all of a result, one of them, or the
// value of one.
func parseLangChain(in Input) (*Call, error) {
	var whole jsontext.Value
	if err := in.decode(&whole); err != nil {
		return nil, err
	}
	var list []interrupt
	isList := whole.Kind() == '['
	if isList {
		if err := decode(whole, "", &list); err != nil {
			return nil, err
		}
	} else {
		var one interrupt
		if err := decode(whole, "", &one); err != nil {
			return nil, err
		}
		if one.Value == nil {
			one = interrupt{ID: in.Key, Value: whole}
		}
		list = []interrupt{one}
	}
	if len(list) == 0 {
		return nil, invalid("", "min_items", "there is no interrupt")
	}
	call := &Call{Reason: "LangChain asks to call these tools. In JavaScript one rejection stops all of them."}
	var resumptions []resumption
	for i, one := range list {
		at := ""
		if isList {
			at = fmt.Sprintf("[%d].", i)
		}
		if one.ID = cmp.Or(one.ID, in.Key); one.ID == "" {
			return nil, invalid(at+"id", "required", "an interrupt without an id needs ?key=, the same each time")
		}
		r, err := call.addInterrupt(one, at+"value")
		if err != nil {
			return nil, err
		}
		resumptions = append(resumptions, r)
		call.Identity = append(call.Identity, one.ID)
	}
	if len(call.Actions) == 1 {
		call.Reason = "LangChain asks to call this tool"
	}
	slices.Sort(call.Identity)
	call.answer = func(v Verdict) any {
		if !isList {
			return resumptions[0].answer(v)
		}
		all := map[string]any{}
		for _, r := range resumptions {
			all[r.id] = r.answer(v)
		}
		return all
	}
	return call, nil
}

func (c *Call) addInterrupt(one interrupt, at string) (resumption, error) {
	var asks review
	r := resumption{id: strings.Clone(one.ID), first: len(c.Actions)}
	if one.Value.Kind() != '{' {
		return r, invalid(at, "type_error", "must be an object")
	}
	if err := decode(one.Value, at, &asks); err != nil {
		return r, err
	}
	requests, configs := asks.Requests, asks.Configs
	switch {
	case asks.Type == "tool_approval":
		requests, r.isBare, r.isPython = []actionRequest{{Name: asks.Name, Args: asks.Args}}, true, true
	case len(asks.PyRequest) > 0:
		requests, configs, r.isPython = asks.PyRequest, asks.PyConfigs, true
	}
	if r.n = len(requests); r.n == 0 {
		return r, invalid(at+".actionRequests", "required", "has no calls to decide on")
	}
	for i, request := range requests {
		action := Action{Name: request.Name, Args: request.Args, Description: request.Description, ID: fmt.Sprintf("%s.%d", one.ID, i), Decisions: approveOrEdit}
		if action.Args == nil {
			action.Args = request.Arguments
		}
		if action.Args.Kind() != '{' {
			return r, invalid(fmt.Sprintf("%s.actionRequests[%d].args", at, i), "type_error", "must be an object")
		}
		for _, config := range configs {
			if cmp.Or(config.Action, config.PyAction) != request.Name {
				continue
			}
			action.Schema = firstOf(config.Schema, config.PySchema, config.OldPySchema)
			if allowed := append(config.Allowed, config.PyAllowed...); len(allowed) > 0 {
				action.Decisions = slices.DeleteFunc(slices.Clone(approveOrEdit), func(d string) bool { return !slices.Contains(allowed, d) })
			}
		}
		c.Actions = append(c.Actions, action)
	}
	return r, nil
}

func firstOf(values ...jsontext.Value) jsontext.Value {
	for _, v := range values {
		if v.Kind() == '{' && len(v) > len("{}") {
			return v
		}
	}
	return nil
}

func (r resumption) answer(v Verdict) any {
	list := make([]langChainDecision, r.n)
	for i := range list {
		d := Decision{Words: v.Words}
		if at := r.first + i; at < len(v.Actions) {
			d = v.Actions[at]
		}
		list[i] = langChainDecision{Type: "approve"}
		edited := &editedRequest{d.Name, d.Args}
		switch {
		case !d.IsApproved:
			list[i] = langChainDecision{Type: "reject", Message: d.Words}
		case d.Args != nil && r.isPython:
			list[i] = langChainDecision{Type: "edit", PyEdited: edited}
		case d.Args != nil:
			list[i] = langChainDecision{Type: "edit", Edited: edited}
		}
	}
	if r.isBare {
		return list[0]
	}
	return langChainDecisions{list}
}
