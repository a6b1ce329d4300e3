package gateway

import (
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// progressEvery is how often a caller that asked for it hears that its call is held.
const progressEvery = 10 * time.Second

// progress tells a caller that its call is held.
type progress struct {
	*time.Ticker
	gateway *gateway
	token   json.RawMessage
	n       float64
}

func newProgress(g *gateway, c *call) *progress {
	return &progress{time.NewTicker(progressEvery), g, c.params.progressToken, 0}
}

// tell sends a notification. Its values increase and stay below 0, where those of the
// tool itself begin.
func (p *progress) tell() {
	if p.token == nil {
		return
	}
	p.n++
	params, err := json.Marshal(struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress float64         `json:"progress"`
		Message  string          `json:"message"`
	}{p.token, -1 / p.n, "Waiting for a decision in Countersign"})
	if err == nil {
		p.gateway.toAgent(&jsonrpc.Request{Method: "notifications/progress", Params: params})
	}
}
