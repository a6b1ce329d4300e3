package domain

import (
	"time"

	"countersign/domain/policy"
)

// MaxPolicies bounds how many policies there are, disabled ones included.
const MaxPolicies = 100

// PolicyVersion is one version of a policy. Versions are never changed or deleted: every
// save, and disabling it, makes a new one. The highest is the current one.
type PolicyVersion struct {
	ID          string
	Version     int64 // from 1
	Name        string
	Enabled     bool
	Document    string // as policy.Document.Marshal writes it; roles and keys by their ids
	SavedBy     Ref
	SavedByName string // the principal's name at that time
	SavedAt     time.Time
}

// parse reads the document. A document that cannot be read is no error of the caller.
func (v *PolicyVersion) parse() (*policy.Document, error) { return policy.Parse([]byte(v.Document)) }

// PolicyReader reads policies.
type PolicyReader interface {
	// Policies returns the current version of each policy, by name. Callers must not
	// change them.
	Policies() ([]*PolicyVersion, error)
	// PolicyVersions returns all versions of a policy, the newest first.
	PolicyVersions(id string) ([]*PolicyVersion, error)
}

// PolicyWriter writes policies.
type PolicyWriter interface {
	// InsertPolicy adds a version, ErrConflict if there is one with its number.
	InsertPolicy(*PolicyVersion) error
}
