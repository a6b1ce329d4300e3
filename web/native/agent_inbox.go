package native

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// inboxRequest is one request of LangChain's Agent Inbox.
type inboxRequest struct {
	Action struct {
		Name string         `json:"action"`
		Args jsontext.Value `json:"args"`
	} `json:"action_request"`
	Config struct {
		Accept  bool `json:"allow_accept"`
		Edit    bool `json:"allow_edit"`
		Respond bool `json:"allow_respond"`
	} `json:"config"`
	Description string `json:"description"`
}

type inboxAnswer struct {
	Type string `json:"type"`
	Args any    `json:"args"`
}

type inboxAction struct {
	Name string         `json:"action"`
	Args jsontext.Value `json:"args"`
}

// parseAgentInbox reads requests in the form of the Agent Inbox. They have no id, so
// that the caller names them.
func parseAgentInbox(in Input) (*Call, error) {
	var requests []inboxRequest
	if err := in.decode(&requests); err != nil {
		return nil, err
	}
	if len(requests) == 0 {
		return nil, invalid("", "min_items", "there is no request")
	}
	if in.Key == "" {
		return nil, invalid("key", "required", "these requests need ?key=, the same each time")
	}
	call := &Call{Identity: []string{in.Key}}
	canRespond := make([]bool, len(requests))
	for i, r := range requests {
		args, isObject := arguments(r.Action.Args)
		var allowed []string
		if r.Config.Accept {
			allowed = append(allowed, "approve")
		}
		if r.Config.Edit && isObject {
			allowed = append(allowed, "edit")
		}
		canRespond[i] = r.Config.Respond
		call.Actions = append(call.Actions, Action{
			Name: r.Action.Name, Args: args, ID: fmt.Sprintf("%s.%d", in.Key, i), Description: r.Description, Decisions: allowed,
		})
	}
	call.Reason = "An agent asks to call " + toolList(call.Actions)
	call.answer = func(v Verdict) any {
		list := make([]inboxAnswer, len(canRespond))
		for i := range list {
			switch d := v.at(i); {
			case d.IsApproved && d.Args != nil:
				list[i] = inboxAnswer{"edit", inboxAction{d.Name, d.Args}}
			case d.IsApproved:
				list[i] = inboxAnswer{"accept", inboxAction{d.Name, d.Original}}
			case canRespond[i]:
				list[i] = inboxAnswer{"response", d.Words}
			default:
				list[i] = inboxAnswer{"ignore", nil}
			}
		}
		return list
	}
	return call, nil
}
