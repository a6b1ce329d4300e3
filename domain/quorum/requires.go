package quorum

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Requires is what the matching policies require together. It becomes the last member
// of the content.
type Requires struct {
	Policies   []PolicyRef `json:"policies"`
	Quorum     []Seat      `json:"quorum"`     // all must be met
	Rejections int         `json:"rejections"` // this many end the request
}

// PolicyRef names a version of a policy.
type PolicyRef struct {
	ID      string `json:"id"`
	Version int64  `json:"version"`
	Hash    string `json:"hash"` // of the document
}

// PolicyHash names the document of a policy: the SHA-256 over a fixed prefix and its
// bytes.
func PolicyHash(document []byte) string {
	sum := sha256.Sum256(append([]byte("countersign/policy/v1\n"), document...))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Seat is a threshold, with the roles that may fill it later.
type Seat struct {
	Role      string `json:"role"`
	Approvals int    `json:"approvals"`
	Also      []Also `json:"also,omitempty"`
}

// Approvals is how many approvals the thresholds need together.
func (r *Requires) Approvals() (n int) {
	for _, s := range r.Quorum {
		n += s.Approvals
	}
	return n
}

// Also lets holders of a role fill a threshold from some time after the receipt.
type Also struct {
	Role  string `json:"role"`
	After int64  `json:"after"` // seconds
}

// Marshal returns the bytes that are hashed, whose order never changes.
func (r *Requires) Marshal() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		panic(err) // text and numbers always can be encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// ParseRequires reads the bytes that Marshal wrote, and no others. A reader that skipped a
// member could say that everything was met when it was not.
func ParseRequires(data []byte) (*Requires, error) {
	r := new(Requires)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("the requirements cannot be read: %w", err)
	}
	if !bytes.Equal(r.Marshal(), data) {
		return nil, errors.New("the requirements are not written as the server writes them")
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	return r, nil
}

// check refuses what could be met without anybody's approval.
func (r *Requires) check() error {
	if len(r.Policies) == 0 {
		return errors.New("the requirements name no policy")
	}
	return r.checkQuorum()
}

func (r *Requires) checkQuorum() error {
	if len(r.Quorum) == 0 || r.Rejections < 1 {
		return errors.New("the requirements name no quorum or no number of rejections")
	}
	for i, s := range r.Quorum {
		if s.Approvals < 1 || s.Role == "" || slices.ContainsFunc(r.Quorum[:i], func(o Seat) bool { return o.Role == s.Role }) {
			return fmt.Errorf("the threshold of role %q is no threshold or there twice", s.Role)
		}
		for _, a := range s.Also {
			if a.After < 1 || a.Role == "" {
				return fmt.Errorf("an escalation of the threshold of role %q is none", s.Role)
			}
		}
	}
	return nil
}
