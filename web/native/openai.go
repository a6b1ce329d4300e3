package native

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// approvalItem is an interruption of the OpenAI Agents SDK, in either spelling.
type approvalItem struct {
	Raw   *approvalItem `json:"rawItem"`
	PyRaw *approvalItem `json:"raw_item"`
	Data  *approvalItem `json:"providerData"`
	Agent struct {
		Name string `json:"name"`
	} `json:"agent"`

	Type      string         `json:"type"`
	ID        string         `json:"id"`
	CallID    string         `json:"callId"`
	PyCallID  string         `json:"call_id"`
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

type openAIAnswer struct {
	CallID  string `json:"callId"`
	Approve bool   `json:"approve"`
	Message string `json:"message,omitempty"`
}

type hostedAnswer struct {
	Type    string `json:"type"`
	ID      string `json:"approval_request_id"`
	Approve bool   `json:"approve"`
	Reason  string `json:"reason,omitempty"`
}

// openAIReply is where the answer to an item comes from.
type openAIReply struct {
	id       string
	isHosted bool
	action   int    // -1: it is not asked about
	words    string // why not
}

const hostedRequest = "mcp_approval_request"

// call finds the item that names the call.
func (i *approvalItem) call() (item *approvalItem, isHosted bool) {
	for _, inner := range []*approvalItem{i.Raw, i.PyRaw, i.Data} {
		if inner != nil && i.Type != hostedRequest {
			return inner.call()
		}
	}
	return i, i.Type == hostedRequest
}

// parseOpenAI reads the interruptions of a run. Arguments that are not strict JSON are
// rejected without asking: nobody could see what would run.
func parseOpenAI(in Input) (*Call, error) {
	var items []approvalItem
	if err := in.decode(&items); err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, invalid("", "min_items", "there is no interruption")
	}
	call := &Call{}
	var replies []openAIReply
	for i := range items {
		item, isHosted := items[i].call()
		reply := openAIReply{id: cmp.Or(item.CallID, item.PyCallID), isHosted: isHosted, action: -1}
		if isHosted {
			reply.id = item.ID
		}
		if reply.id == "" || item.Name == "" {
			return nil, invalid("rawItem", "required", "every item needs the id and the name of its call")
		}
		args := item.Arguments
		var err error
		if args.Kind() == '"' {
			var text string
			if err = decode(args, "arguments", &text); err == nil {
				args, err = parseArguments(text, "arguments", in.Limits)
			}
		}
		if err != nil || args.Kind() != '{' {
			reply.words = "Rejected: the arguments are not a strict JSON object, so nobody could see what would run."
		} else {
			reply.action = len(call.Actions)
			description := ""
			if items[i].Agent.Name != "" {
				description = "Asked by the agent " + items[i].Agent.Name
			}
			call.Actions = append(call.Actions, Action{Name: item.Name, Args: args, ID: reply.id, Description: description, Decisions: approveOnly})
			call.Identity = append(call.Identity, reply.id+" "+string(args))
		}
		replies = append(replies, reply)
	}
	slices.Sort(call.Identity)
	call.Reason = "The OpenAI Agents SDK asks to call " + toolList(call.Actions)
	call.answer = func(v Verdict) any {
		list := make([]any, len(replies))
		for i, r := range replies {
			d := Decision{Words: r.words}
			if r.action >= 0 {
				d = v.at(r.action)
			}
			if r.isHosted {
				list[i] = hostedAnswer{Type: "mcp_approval_response", ID: r.id, Approve: d.IsApproved, Reason: d.Words}
			} else {
				list[i] = openAIAnswer{CallID: r.id, Approve: d.IsApproved, Message: d.Words}
			}
		}
		return list
	}
	return call, nil
}
