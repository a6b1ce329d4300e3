package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

// SaltSize is the length in bytes of the random salt stored beside a content.
// Erasing salt and content forgets the content and keeps the proofs: without
// the salt, arguments that are easy to guess cannot be guessed from the hash.
const SaltSize = 32

// Content is everything about a confirm that a reviewer decides on, fixed when
// the confirm is created. Its members are written in this order, for good.
type Content struct {
	ConfirmID       string
	TargetType      string
	TargetID        string
	TargetHash      string // of what is approved: a plan's content, a context's stored bytes
	PlanID          string // the plan a confirm of target type other belongs to
	StepID          string // the step it gates, as resolved
	RequiredRole    string
	RequestedByRole string
	RequestedBy     string // the principal, "user:<id>" or "key:<id>"
	ReceivedAt      time.Time
	RequestedAt     string
	ExpiresAt       time.Time // zero: it does not expire
	OnReject        string
	Supersedes      string
	Reason          string
	Actions         []Action
	Trace           json.RawMessage // as sent
	SessionID       string
	MessageID       string
}

// Action is one tool call of a content. Args are the bytes the agent sent,
// white space between tokens removed and nothing else touched.
type Action struct {
	Name         string
	Args         json.RawMessage
	ToolUseID    string
	Description  string
	ReviewConfig json.RawMessage // as sent, or nil
}

type wireAction struct {
	Name         string          `json:"name"`
	Args         json.RawMessage `json:"args"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	Description  string          `json:"description,omitempty"`
	ReviewConfig json.RawMessage `json:"review_config,omitempty"`
}

type wireContent struct {
	V               int             `json:"v"`
	ConfirmID       string          `json:"confirm_id"`
	TargetType      string          `json:"target_type"`
	TargetID        string          `json:"target_id"`
	TargetHash      string          `json:"target_hash,omitempty"`
	PlanID          string          `json:"plan_id,omitempty"`
	StepID          string          `json:"step_id,omitempty"`
	RequiredRole    string          `json:"required_role,omitempty"`
	RequestedByRole string          `json:"requested_by_role"`
	RequestedBy     string          `json:"requested_by"`
	ReceivedAt      string          `json:"received_at"`
	RequestedAt     string          `json:"requested_at"`
	ExpiresAt       string          `json:"expires_at,omitempty"`
	OnReject        string          `json:"on_reject,omitempty"`
	Supersedes      string          `json:"supersedes,omitempty"`
	Reason          string          `json:"reason,omitempty"`
	Actions         []wireAction    `json:"actions,omitempty"`
	Trace           json.RawMessage `json:"trace,omitempty"`
	SessionID       string          `json:"session_id,omitempty"`
	MessageID       string          `json:"message_id,omitempty"`
}

// Marshal gives the bytes that are stored and hashed. Raw members are compact
// JSON.
func (c *Content) Marshal() []byte {
	size := 1024 + len(c.Reason) + len(c.Trace)
	for _, a := range c.Actions {
		size += 256 + len(a.Args) + len(a.Description) + len(a.ReviewConfig)
	}
	o := make(object, 0, size)
	o.text(`{"v":1,"confirm_id":`, c.ConfirmID)
	o.text(`,"target_type":`, c.TargetType)
	o.text(`,"target_id":`, c.TargetID)
	o.member(`,"target_hash":`, c.TargetHash)
	o.member(`,"plan_id":`, c.PlanID)
	o.member(`,"step_id":`, c.StepID)
	o.member(`,"required_role":`, c.RequiredRole)
	o.text(`,"requested_by_role":`, c.RequestedByRole)
	o.text(`,"requested_by":`, c.RequestedBy)
	o.moment(`,"received_at":`, c.ReceivedAt)
	o.text(`,"requested_at":`, c.RequestedAt)
	if !c.ExpiresAt.IsZero() {
		o.moment(`,"expires_at":`, c.ExpiresAt)
	}
	o.member(`,"on_reject":`, c.OnReject)
	o.member(`,"supersedes":`, c.Supersedes)
	o.member(`,"reason":`, c.Reason)
	o.list(`,"actions":[`, len(c.Actions), func(i int) {
		a := c.Actions[i]
		if a.Args == nil {
			a.Args = json.RawMessage("null")
		}
		o.text(`{"name":`, a.Name)
		o.raw(`,"args":`, a.Args)
		o.member(`,"tool_use_id":`, a.ToolUseID)
		o.member(`,"description":`, a.Description)
		o.raw(`,"review_config":`, a.ReviewConfig)
		o = append(o, '}')
	})
	o.raw(`,"trace":`, c.Trace)
	o.member(`,"session_id":`, c.SessionID)
	o.member(`,"message_id":`, c.MessageID)
	return append(o, '}')
}

// ParseContent reads the bytes that Marshal wrote.
func ParseContent(data []byte) (*Content, error) {
	if c := scanContent(data); c != nil {
		return c, nil
	}
	return decodeContent(data)
}

// decodeContent reads a content however its JSON is written.
func decodeContent(data []byte) (*Content, error) {
	var w wireContent
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, err
	}
	c := &Content{
		ConfirmID: w.ConfirmID, TargetType: w.TargetType, TargetID: w.TargetID, TargetHash: w.TargetHash,
		PlanID: w.PlanID, StepID: w.StepID, RequiredRole: w.RequiredRole,
		RequestedByRole: w.RequestedByRole, RequestedBy: w.RequestedBy, RequestedAt: w.RequestedAt,
		OnReject: w.OnReject, Supersedes: w.Supersedes, Reason: w.Reason,
		Trace: w.Trace, SessionID: w.SessionID, MessageID: w.MessageID,
	}
	var err error
	if c.ReceivedAt, err = time.Parse(TimeFormat, w.ReceivedAt); err != nil {
		return nil, err
	}
	if w.ExpiresAt != "" {
		if c.ExpiresAt, err = time.Parse(TimeFormat, w.ExpiresAt); err != nil {
			return nil, err
		}
	}
	for _, a := range w.Actions {
		c.Actions = append(c.Actions, Action(a))
	}
	return c, nil
}

// WithArgs returns the content with the arguments of some actions replaced:
// what an edit approves. args is parallel to the actions; nil keeps one as is.
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

// ContentHash names content so that nobody can later claim another: the
// SHA-256 over a fixed prefix, the salt and the content's bytes.
func ContentHash(salt, content []byte) string { return formatHash(contentDigest(salt, content)) }

func contentDigest(salt, content []byte) Hash {
	return digest([]byte("countersign/content/v1\n"), salt, content)
}

// ArgsHash is the SHA-256 of one action's compacted argument bytes.
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

// parseHash reads what formatHash writes. What is no hash is the zero one, which
// is nothing's.
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

// encode writes compact JSON. Without SetEscapeHTML(false) the encoder would
// rewrite "<" inside embedded argument bytes, and the hash would name bytes
// that the agent never sent.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
