package gateway

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"countersign/domain/mplp"
	"countersign/web/native"
)

// tool is what the MCP server says about a tool.
type tool struct {
	description string
	schema      json.RawMessage // of the arguments; nil: not known
	annotations annotations
	definition  string // canonical
	isChanged   bool   // it was once defined otherwise
}

type annotations struct {
	ReadOnly    *bool `json:"readOnlyHint"`
	Destructive *bool `json:"destructiveHint"`
	Idempotent  *bool `json:"idempotentHint"`
	OpenWorld   *bool `json:"openWorldHint"`
}

// Hints as rules name them.
const (
	hintReadOnly    = "read_only"
	hintDestructive = "destructive"
	hintIdempotent  = "idempotent"
	hintOpenWorld   = "open_world"
)

var hintNames = []string{hintReadOnly, hintDestructive, hintIdempotent, hintOpenWorld}

// hasHint reports whether a tool has a hint. A tool that was never listed, or whose
// definition changed, has none. Hints that are missing are as the protocol has them.
func (t *tool) hasHint(name string) bool {
	if t == nil || t.isChanged {
		return false
	}
	is := func(hint *bool, missing bool) bool {
		if hint == nil {
			return missing
		}
		return *hint
	}
	a := t.annotations
	switch name {
	case hintReadOnly:
		return is(a.ReadOnly, false)
	case hintDestructive:
		return is(a.Destructive, !is(a.ReadOnly, false))
	case hintIdempotent:
		return is(a.Idempotent, false)
	case hintOpenWorld:
		return is(a.OpenWorld, true)
	}
	return false
}

// Bounds of what is shown about a tool.
const (
	maxSchema      = 64 << 10
	maxSchemaDepth = 24 // it stands four levels deep in a request
	maxDescription = 4 << 10
)

// learn notes the tools of a list.
func (g *gateway) learn(result json.RawMessage) {
	var listed struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(result, &listed) != nil {
		return
	}
	for _, raw := range listed.Tools {
		var t struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"inputSchema"`
			Annotations annotations     `json:"annotations"`
		}
		definition, err := native.Canonical(raw)
		if err != nil || json.Unmarshal(raw, &t) != nil || t.Name == "" {
			continue
		}
		known := g.tools[t.Name]
		g.tools[t.Name] = &tool{
			description: shorten(t.Description, maxDescription), schema: usableSchema(t.Schema), annotations: t.Annotations,
			definition: definition, isChanged: known != nil && (known.isChanged || known.definition != definition),
		}
	}
}

// usableSchema returns a schema that a request can hold, else nil.
func usableSchema(schema json.RawMessage) json.RawMessage {
	limits := mplp.DefaultLimits
	limits.Depth = maxSchemaDepth
	raw, err := mplp.ParseValue(schema, limits)
	if err != nil || len(raw) > maxSchema || raw[0] != '{' {
		return nil
	}
	return json.RawMessage(raw)
}

// shorten cuts a text to at most so many bytes.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[:most-len("…")]
	for !utf8.ValidString(text) && text != "" {
		text = text[:len(text)-1]
	}
	return text + "…"
}

// peer is how one side calls itself.
type peer struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// maxPeerName bounds a name that a reason repeats, in bytes.
const maxPeerName = 100

// noteRequest learns who asks and which revision of the protocol is spoken.
func (g *gateway) noteRequest(r *jsonrpc.Request) {
	var params struct {
		ClientInfo peer `json:"clientInfo"`
		Meta       struct {
			ClientInfo peer   `json:"io.modelcontextprotocol/clientInfo"`
			Version    string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
	if json.Unmarshal(r.Params, &params) != nil {
		return
	}
	for _, name := range []string{params.Meta.ClientInfo.Name, params.ClientInfo.Name} {
		if name != "" {
			g.clientName = shorten(name, maxPeerName)
		}
	}
	if params.Meta.Version != "" {
		g.version = params.Meta.Version
	}
}

// noteResult learns from the answer to a request that was passed on.
func (g *gateway) noteResult(method string, result json.RawMessage) {
	switch method {
	case "tools/list":
		g.learn(result)
	case "initialize", "server/discover":
		var found struct {
			ServerInfo peer   `json:"serverInfo"`
			Version    string `json:"protocolVersion"`
			Meta       struct {
				ServerInfo peer `json:"io.modelcontextprotocol/serverInfo"`
			} `json:"_meta"`
		}
		if json.Unmarshal(result, &found) != nil {
			return
		}
		for _, name := range []string{found.Meta.ServerInfo.Name, found.ServerInfo.Name} {
			if name != "" {
				g.serverName = shorten(name, maxPeerName)
			}
		}
		if found.Version != "" {
			g.version = found.Version
		}
	}
}
