package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long a tool waits for a decision.
const (
	defaultWait = 45 // seconds; clients give up after 60
	maxWait     = 50
	// permissionWait is for a client that waits minutes for a permission.
	permissionWait = 240 * time.Second
	progressEvery  = 10 * time.Second
)

// run answers a call of a tool with a JSON document.
type run func(ctx context.Context, args jsontext.Value) ([]byte, error)

// addTools registers the tools. All are called read-only: a client that asks its user
// before it lets an agent ask would make two dialogs of one.
func (s *server) addTools(to *mcp.Server) {
	no := false
	add := func(name, description, properties string, required string, do run, failed func(error) *mcp.CallToolResult) {
		to.AddTool(&mcp.Tool{
			Name: name, Description: description,
			InputSchema: json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":[` + required + `],"additionalProperties":false}`),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, OpenWorldHint: &no},
		}, func(ctx context.Context, r *mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
			defer func() { // a panic would end the process
				if v := recover(); v != nil {
					result, err = failed(fmt.Errorf("an error of the server")), nil
				}
			}()
			stop := tellProgress(ctx, r)
			defer stop()
			answer, failure := do(ctx, jsontext.Value(r.Params.Arguments))
			if failure != nil {
				return failed(failure), nil
			}
			result = newText(string(answer))
			if name != permissionPrompt {
				result.StructuredContent = json.RawMessage(answer)
			}
			return result, nil
		})
	}
	const wait = `"wait_seconds":{"type":"integer","minimum":0,"maximum":50,"description":"How long to wait for the decision; 45 by default"}`
	const id = `"confirm_id":{"type":"string","description":"The confirm_id of the request"}`
	add("request_approval", "Asks people to approve one or more actions, and waits for the outcome. Run an action only if its own decision is approve, exactly as it was asked for.",
		`"reason":{"type":"string","description":"Why, for the reviewer"},"actions":{"type":"array","minItems":1,"items":{"type":"object","properties":{"name":{"type":"string"},"args":{"type":"object"},"description":{"type":"string"}},"required":["name","args"]}},`+
			`"timeout":{"type":"integer","minimum":1,"description":"Seconds until nobody decided; 300 by default"},"id":{"type":"string","description":"Names the request: the same id and content attach to it"},`+wait,
		`"reason","actions"`, s.request, couldNotAsk)
	add("wait_for_outcome", "Goes on waiting for the outcome of a request.", id+","+wait, `"confirm_id"`, s.wait, couldNotAsk)
	add("cancel_approval", "Withdraws a request that is not decided.", id+`,"reason":{"type":"string"}`, `"confirm_id"`, s.cancel, couldNotAsk)
	add(permissionPrompt, "For Claude Code's --permission-prompt-tool.", `"tool_name":{"type":"string"},"input":{"type":"object"},"tool_use_id":{"type":"string"}`, `"tool_name","input"`, s.permission, deny)
}

const permissionPrompt = "permission_prompt"

func newText(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func couldNotAsk(err error) *mcp.CallToolResult {
	result := newText(words(err))
	result.IsError = true
	return result
}

func words(err error) string {
	return "Countersign could not be asked (" + err.Error() + "), so this does not run."
}

// tellProgress tells a caller that wants to hear it that the call is waiting.
func tellProgress(ctx context.Context, r *mcp.CallToolRequest) (stop func()) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	done, ticker := make(chan struct{}), time.NewTicker(progressEvery)
	told := make(chan struct{})
	go func() {
		defer close(told)
		for n := 1.0; ; n++ {
			select {
			case <-done:
				return
			case <-ticker.C: // who does not hear it has gone
				_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: "Waiting for a decision"})
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
		<-told
	}
}

// decode reads arguments, strictly.
func decode(args jsontext.Value, v any) error {
	if err := jsonv2.Unmarshal(args, v, jsonv2.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("the arguments are not what the tool's schema says: %w", err)
	}
	return nil
}

func seconds(wait *int) int {
	if wait == nil {
		return defaultWait
	}
	return max(0, min(*wait, maxWait))
}

// noEdit is sent along because nothing makes the agent run edited arguments.
var noEdit = jsontext.Value(`[{"allowed_decisions":["approve","reject"]}]`)

// request posts a confirm and waits for its outcome.
func (s *server) request(ctx context.Context, args jsontext.Value) ([]byte, error) {
	var in struct {
		ID      string         `json:"id"`
		Wait    *int           `json:"wait_seconds"`
		Reason  jsontext.Value `json:"reason"`
		Actions jsontext.Value `json:"actions"`
		Timeout jsontext.Value `json:"timeout"`
	}
	if err := decode(args, &in); err != nil {
		return nil, err
	}
	body, err := jsonv2.Marshal(struct {
		ID      string         `json:"confirm_id,omitzero"`
		Target  string         `json:"target_type"`
		Reason  jsontext.Value `json:"reason,omitzero"`
		Actions jsontext.Value `json:"actions,omitzero"`
		Timeout jsontext.Value `json:"timeout,omitzero"`
		Review  jsontext.Value `json:"review_configs"`
	}{in.ID, "other", in.Reason, in.Actions, in.Timeout, noEdit}, jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil, err
	}
	posted, err := s.call(ctx, http.MethodPost, "/api/v1/confirms", body)
	if err != nil {
		return nil, err
	}
	var confirm struct {
		ID string `json:"confirm_id"`
	}
	if err := json.Unmarshal(posted, &confirm); err != nil {
		return nil, err
	}
	return s.outcome(ctx, confirm.ID, seconds(in.Wait))
}

func (s *server) wait(ctx context.Context, args jsontext.Value) ([]byte, error) {
	var in struct {
		ID   string `json:"confirm_id"`
		Wait *int   `json:"wait_seconds"`
	}
	if err := decode(args, &in); err != nil {
		return nil, err
	}
	return s.outcome(ctx, in.ID, seconds(in.Wait))
}

func (s *server) cancel(ctx context.Context, args jsontext.Value) ([]byte, error) {
	var in struct {
		ID     string `json:"confirm_id"`
		Reason string `json:"reason"`
	}
	if err := decode(args, &in); err != nil {
		return nil, err
	}
	body, err := jsonv2.Marshal(struct {
		Reason string `json:"reason,omitzero"`
	}{in.Reason})
	if err == nil {
		_, err = s.call(ctx, http.MethodPost, confirmPath(in.ID)+"/cancel", body)
	}
	if err != nil {
		return nil, err
	}
	return s.outcome(ctx, in.ID, 0)
}

func confirmPath(id string) string { return "/api/v1/confirms/" + url.PathEscape(id) }

// outcome returns what became of a request, and what to do while it is pending.
func (s *server) outcome(ctx context.Context, id string, wait int) ([]byte, error) {
	raw, err := s.call(ctx, http.MethodGet, fmt.Sprintf("%s/outcome?wait=%d", confirmPath(id), wait), nil)
	if err != nil {
		return nil, err
	}
	var found struct {
		Status string `json:"status"`
	}
	if err := json.Unmarshal(raw, &found); err != nil {
		return nil, err
	}
	text := jsontext.Value(raw)
	if err := text.Compact(jsontext.PreserveRawStrings(true)); err != nil {
		return nil, err
	}
	if found.Status == "pending" {
		const next = `,"next":"Not decided yet. Do not run it. Call wait_for_outcome with this confirm_id."}`
		text = append(text[:len(text)-1], next...)
	}
	return text, nil
}
