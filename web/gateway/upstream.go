package gateway

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Upstream is a transport to an MCP server over HTTP, whose requests have these headers.
func Upstream(url string, header http.Header) mcp.Transport {
	return &mcp.StreamableClientTransport{
		Endpoint: url, DisableStandaloneSSE: true,
		HTTPClient: &http.Client{
			Transport: &headerTransport{header: header},
			// A redirect would send the headers, which may be secret, elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// headerTransport adds the headers of all requests, and those of one.
type headerTransport struct{ header http.Header }

func (t *headerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	own, _ := r.Context().Value(headersKey{}).(http.Header)
	for name, values := range own {
		if r.Header.Get(name) == "" {
			r.Header[name] = values
		}
	}
	maps.Copy(r.Header, t.header)
	return http.DefaultTransport.RoundTrip(r)
}

type headersKey struct{}

// versionHeader names the revision. The transport sends it only of a session of its own.
const versionHeader = "Mcp-Protocol-Version"

// withHeaders adds what the headers of a request repeat from its body: the revision, and
// arguments that the tool's schema marks with x-mcp-header, as they are sent. r may be nil.
func withHeaders(ctx context.Context, version string, tools map[string]*tool, r *jsonrpc.Request) context.Context {
	header := http.Header{}
	if version != "" && (r == nil || r.Method != "initialize") {
		header.Set(versionHeader, version)
	}
	if r != nil && r.Method == "tools/call" {
		if p, err := parseParams(r.Params); err == nil && tools[p.name] != nil {
			addParamHeaders(header, tools[p.name].schema, p.args)
		}
	}
	return context.WithValue(ctx, headersKey{}, header)
}

// addParamHeaders adds the headers of the arguments that a schema marks.
func addParamHeaders(header http.Header, schema, args json.RawMessage) {
	var object struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &object) != nil || json.Unmarshal(args, &members) != nil {
		return
	}
	for name, property := range object.Properties {
		value, ok := members[name]
		if !ok {
			continue
		}
		var marked struct {
			Header string `json:"x-mcp-header"`
		}
		if json.Unmarshal(property, &marked) == nil && marked.Header != "" {
			if text, ok := headerText(value); ok {
				header.Set("Mcp-Param-"+marked.Header, text)
			}
		}
		addParamHeaders(header, property, value)
	}
}

// headerText writes a text, a boolean or a whole number as a header.
func headerText(value json.RawMessage) (string, bool) {
	switch text := ""; {
	case json.Unmarshal(value, &text) == nil && string(value) != "null":
		if isPlain(text) {
			return text, true
		}
		return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?=", true
	case string(value) == "true", string(value) == "false":
		return string(value), true
	}
	var number int64
	err := json.Unmarshal(value, &number)
	return string(value), err == nil && string(value) != "null"
}

// isPlain reports whether a header can have a text as it is.
func isPlain(text string) bool {
	return text == strings.TrimSpace(text) && !strings.HasPrefix(text, "=?base64?") &&
		!strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
