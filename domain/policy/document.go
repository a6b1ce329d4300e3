package policy

import (
	"bytes"
	"encoding/json"

	"countersign/domain/mplp"
	"countersign/domain/quorum"
)

// Effect says what a policy does with a request that it matches.
type Effect string

// The effects.
const (
	Require Effect = "require" // its quorum must approve
	Reject  Effect = "reject"  // it is rejected at once
)

// Limits of a document.
const (
	MaxCondition   = 2 << 10 // bytes
	MaxNote        = 2 << 10 // bytes
	MaxName        = 120     // bytes
	MaxPatterns    = 32      // items of each list of a match
	MaxPattern     = 256     // bytes of each item
	MaxThresholds  = 8
	MaxApprovals   = 8 // of a threshold, and rejections of a document
	MaxEscalations = 4
	MaxTimeout     = mplp.MaxTimeout // seconds
)

// Document is a policy as it is written. Roles and keys are named by their ids.
type Document struct {
	V          int          `json:"v"` // 1
	Name       string       `json:"name"`
	Effect     Effect       `json:"effect"`
	Match      Match        `json:"match,omitzero"`
	Condition  string       `json:"condition,omitempty"` // CEL; empty: always true
	Quorum     []Threshold  `json:"quorum,omitempty"`    // all must be met; none with reject
	Rejections int          `json:"rejections,omitempty"`
	Timeout    int64        `json:"timeout,omitempty"` // seconds; 0: says nothing
	Escalate   []Escalation `json:"escalate,omitempty"`
	Note       string       `json:"note,omitempty"` // for reviewers; with reject, for the agent
}

// Match says what a policy looks at. An empty list matches everything.
type Match struct {
	TargetTypes []string `json:"target_types,omitempty"`
	Tools       []string `json:"tools,omitempty"` // may have *; case is ignored
	Keys        []string `json:"keys,omitempty"`  // one of them posts
	Roles       []string `json:"roles,omitempty"` // the requester holds one of them
}

// IsZero reports whether it matches everything.
func (m Match) IsZero() bool {
	return len(m.TargetTypes)+len(m.Tools)+len(m.Keys)+len(m.Roles) == 0
}

// Threshold is a number of approvals by holders of a role.
type Threshold struct {
	Role      string `json:"role"`
	Approvals int    `json:"approvals"`
}

// Escalation lets another role fill a threshold some time after the receipt.
type Escalation struct {
	After int64  `json:"after"` // seconds
	Role  string `json:"role"`
	For   string `json:"for"` // role of the threshold
}

// Marshal returns the bytes that are stored and hashed, whose order never changes.
func (d *Document) Marshal() []byte { return encode(d) }

// Hash names the document: the SHA-256 over a fixed prefix and the bytes of Marshal.
func (d *Document) Hash() string { return quorum.PolicyHash(d.Marshal()) }

// encode writes compact JSON without escapes for HTML. Its values always can be encoded.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
