package client

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
)

// Problem is a refusal by the server, or by something before it.
type Problem struct {
	Status int    `json:"-"` // of HTTP
	Type   string `json:"type"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	// RequestID is what the server's log knows the call by.
	RequestID string    `json:"request_id"`
	Errors    []Finding `json:"errors"`

	call string // method and path
}

// Finding is one fault of what was sent, and where it stands.
type Finding struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// newProblem reads a problem document. Of anything else the status alone must do.
func newProblem(call call, response *http.Response, text []byte) *Problem {
	p := &Problem{}
	if json.Unmarshal(text, p) != nil {
		p = &Problem{}
	}
	p.Status, p.call = response.StatusCode, call.method+" "+call.path
	return p
}

func (p *Problem) Error() string {
	text := fmt.Sprintf("%s: %d %s", p.call, p.Status, http.StatusText(p.Status))
	if detail := cmp.Or(p.Detail, p.Title); detail != "" {
		text += ": " + detail
	}
	for _, f := range p.Errors {
		if f.Message != p.Detail {
			text += fmt.Sprintf(" %s: %s", f.Path, f.Message)
		}
	}
	return text
}

// isTemporary reports whether the same call may succeed soon. 502 and 504 are a
// proxy's words for a server that it cannot reach.
func (p *Problem) isTemporary() bool {
	switch p.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}
