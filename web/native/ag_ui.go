package native

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// agUI is the end of a run of AG-UI. The calls come beside it: an interrupt has no
// arguments.
type agUI struct {
	Interrupts []struct {
		ID       string `json:"id"`
		Message  string `json:"message"`
		CallID   string `json:"toolCallId"`
		Response struct {
			Properties map[string]jsontext.Value `json:"properties"`
		} `json:"responseSchema"`
	} `json:"interrupts"`
	Calls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"toolCalls"`
}

type agUIAnswer struct {
	ID      string       `json:"interruptId"`
	Status  string       `json:"status"`
	Payload *agUIPayload `json:"payload,omitempty"`
}

type agUIPayload struct {
	Approved bool           `json:"approved"`
	Args     jsontext.Value `json:"editedArgs,omitzero"`
}

func parseAGUI(in Input) (*Call, error) {
	var run agUI
	if err := in.decode(&run); err != nil {
		return nil, err
	}
	if len(run.Interrupts) == 0 {
		return nil, invalid("interrupts", "min_items", "there is no interrupt")
	}
	call := &Call{}
	var ids []string
	for i, one := range run.Interrupts {
		at := fmt.Sprintf("interrupts[%d]", i)
		if one.ID == "" {
			return nil, invalid(at+".id", "required", "is required")
		}
		found := false
		for k, c := range run.Calls {
			if found = one.CallID != "" && c.ID == one.CallID; !found {
				continue
			}
			args, err := parseArguments(c.Function.Arguments, fmt.Sprintf("toolCalls[%d].function.arguments", k), in.Limits)
			if err != nil {
				return nil, err
			}
			_, canEdit := one.Response.Properties["editedArgs"]
			call.Actions = append(call.Actions, Action{Name: c.Function.Name, Args: args, ID: one.ID, Description: one.Message, Decisions: decisions(canEdit)})
			break
		}
		if !found {
			return nil, invalid(at+".toolCallId", "reference", "must name one of toolCalls, whose arguments are shown")
		}
		ids = append(ids, one.ID)
	}
	call.Identity = slices.Sorted(slices.Values(ids))
	call.Reason = "An agent asks to call " + toolList(call.Actions)
	call.answer = func(v Verdict) any {
		list := make([]agUIAnswer, len(ids))
		for i, id := range ids {
			d := v.at(i)
			list[i] = agUIAnswer{ID: id, Status: "resolved", Payload: &agUIPayload{Approved: d.IsApproved, Args: d.Args}}
			if v.Timeout || v.Status == "cancelled" {
				list[i] = agUIAnswer{ID: id, Status: "cancelled"}
			}
		}
		return list
	}
	return call, nil
}
