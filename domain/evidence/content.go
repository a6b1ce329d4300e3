package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/domain/quorum"
)

// SaltSize is the length in bytes of the random salt stored beside a content. Erasing
// salt and content keeps the proofs: without the salt, arguments that are easy to guess
// cannot be found from the hash.
const SaltSize = 32

// Content is everything about a confirm that a reviewer decides on, fixed when the
// confirm is created.
type Content struct {
	ConfirmID       string          `json:"confirm_id"`
	TargetType      string          `json:"target_type"`
	TargetID        string          `json:"target_id"`
	TargetHash      string          `json:"target_hash"` // of what is approved: a plan's content, a context's stored bytes
	PlanID          string          `json:"plan_id"`     // of a confirm of target type other
	StepID          string          `json:"step_id"`     // the step that it gates, as resolved
	RequiredRole    string          `json:"required_role"`
	RequestedByRole string          `json:"requested_by_role"`
	RequestedBy     string          `json:"requested_by"` // the principal, "user:<id>" or "key:<id>"
	ReceivedAt      time.Time       `json:"received_at"`
	RequestedAt     string          `json:"requested_at"`
	ExpiresAt       time.Time       `json:"expires_at"` // zero: it does not expire
	OnReject        string          `json:"on_reject"`
	Supersedes      string          `json:"supersedes"`
	Reason          string          `json:"reason"`
	Actions         []Action        `json:"actions"`
	Trace           json.RawMessage `json:"trace"` // as sent
	SessionID       string          `json:"session_id"`
	MessageID       string          `json:"message_id"`
	Requires        json.RawMessage `json:"requires"` // quorum.Requires as policies made it; nil: none matched
}

// Action is one tool call of a content. Args are the bytes that the agent sent, without
// the white space between tokens.
type Action struct {
	Name         string          `json:"name"`
	Args         json.RawMessage `json:"args"`
	ToolUseID    string          `json:"tool_use_id"`
	Description  string          `json:"description"`
	ReviewConfig json.RawMessage `json:"review_config"` // as sent, or nil
}

// Marshal returns the bytes that are stored and hashed, whose order never changes. Raw
// members must be compact JSON.
func (c *Content) Marshal() []byte {
	size := 1024 + len(c.Reason) + len(c.Trace)
	for _, a := range c.Actions {
		size += 256 + len(a.Args) + len(a.Description) + len(a.ReviewConfig)
	}
	o := make(jsonWriter, 0, size)
	o.text(`{"v":1,"confirm_id":`, c.ConfirmID)
	o.text(`,"target_type":`, c.TargetType)
	o.text(`,"target_id":`, c.TargetID)
	o.optionalText(`,"target_hash":`, c.TargetHash)
	o.optionalText(`,"plan_id":`, c.PlanID)
	o.optionalText(`,"step_id":`, c.StepID)
	o.optionalText(`,"required_role":`, c.RequiredRole)
	o.text(`,"requested_by_role":`, c.RequestedByRole)
	o.text(`,"requested_by":`, c.RequestedBy)
	o.time(`,"received_at":`, c.ReceivedAt)
	o.text(`,"requested_at":`, c.RequestedAt)
	if !c.ExpiresAt.IsZero() {
		o.time(`,"expires_at":`, c.ExpiresAt)
	}
	o.optionalText(`,"on_reject":`, c.OnReject)
	o.optionalText(`,"supersedes":`, c.Supersedes)
	o.optionalText(`,"reason":`, c.Reason)
	o.list(`,"actions":[`, len(c.Actions), func(i int) {
		a := c.Actions[i]
		if a.Args == nil {
			a.Args = json.RawMessage("null")
		}
		o.text(`{"name":`, a.Name)
		o.raw(`,"args":`, a.Args)
		o.optionalText(`,"tool_use_id":`, a.ToolUseID)
		o.optionalText(`,"description":`, a.Description)
		o.raw(`,"review_config":`, a.ReviewConfig)
		o = append(o, '}')
	})
	o.raw(`,"trace":`, c.Trace)
	o.optionalText(`,"session_id":`, c.SessionID)
	o.optionalText(`,"message_id":`, c.MessageID)
	o.raw(`,"requires":`, c.Requires)
	return append(o, '}')
}

// ParseContent reads the bytes that Marshal wrote.
func ParseContent(data []byte) (*Content, error) {
	c := new(Content)
	err := jsonv2.Unmarshal(data, c, jsontext.AllowDuplicateNames(true))
	return c, err
}

// Quorum returns what policies require, nil if none matched.
func (c *Content) Quorum() (*quorum.Requires, error) {
	if c.Requires == nil {
		return nil, nil
	}
	return quorum.ParseRequires(c.Requires)
}

// WithArgs returns the content as an edit approves it: with the arguments of some
// actions replaced. args is parallel to the actions; nil keeps an action's own.
func (c *Content) WithArgs(args []json.RawMessage) *Content {
	edited := *c
	edited.Actions = append([]Action(nil), c.Actions...)
	for i, a := range args {
		if a != nil {
			edited.Actions[i].Args = a
		}
	}
	return &edited
}

// ContentHash returns the SHA-256 over a fixed prefix, the salt and the content's
// bytes. Nobody can find another content with the same hash.
func ContentHash(salt, content []byte) string { return formatHash(contentDigest(salt, content)) }

func contentDigest(salt, content []byte) Hash {
	return digest([]byte("countersign/content/v1\n"), salt, content)
}

// ArgsHash returns the SHA-256 of one action's compact arguments.
func ArgsHash(args []byte) string { return hash(args) }

func hash(parts ...[]byte) string { return formatHash(digest(parts...)) }

func digest(parts ...[]byte) (sum Hash) {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	h.Sum(sum[:0])
	return sum
}

const hashPrefix = "sha256:"

func formatHash(sum Hash) string {
	return string(hex.AppendEncode(append(make([]byte, 0, len(hashPrefix)+2*len(sum)), hashPrefix...), sum[:]))
}

// parseHash reads what formatHash writes. It returns the zero hash, which no content
// has, for anything else.
func parseHash(text string) (sum Hash) {
	digits, prefixed := strings.CutPrefix(text, hashPrefix)
	if !prefixed || len(digits) != hex.EncodedLen(len(sum)) || strings.ContainsAny(digits, "ABCDEF") {
		return Hash{}
	}
	if _, err := hex.Decode(sum[:], []byte(digits)); err != nil {
		return Hash{}
	}
	return sum
}

// encode writes compact JSON. Without SetEscapeHTML(false) the encoder would change "<"
// inside embedded arguments, and the hash would name bytes that the agent never sent.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
