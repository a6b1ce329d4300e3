package domain

import (
	"slices"
	"strings"
	"time"

	"countersign/domain/evidence"
)

// Destination is a webhook that is told of entries of the log: a program, or a channel
// of a team. It can decide nothing.
type Destination struct {
	ID          string
	Name        string
	Format      Format
	Types       []string     // of the entries that it is told of
	Roles       []string     // ids; only requests that require one of them; empty: all
	TargetTypes []TargetType // only requests about these; empty: all
	Details     Details
	KeyID       string // only requests of this key's group; empty: of everybody
	Sealed      []byte // the DestinationSecret: see seal
	Status      DestinationStatus
	SinceSeq    int64 // entries before this number are not told
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Format is the form of what a destination gets.
type Format string

// The formats.
const (
	FormatStandard Format = "standard" // Standard Webhooks: signed JSON
	FormatSlack    Format = "slack"
	FormatTeams    Format = "teams"
)

// Details says how much a destination is told about a request.
type Details string

// The details.
const (
	DetailsNone  Details = "none"  // that it is there
	DetailsNames Details = "names" // also the names of its tools and of who asks
	DetailsFull  Details = "full"  // also reason and arguments; in the standard format only
)

// DestinationStatus says whether a destination is enabled, or why it is not.
type DestinationStatus string

// The statuses of destinations.
const (
	DestinationEnabled  DestinationStatus = "enabled"
	DestinationDisabled DestinationStatus = "disabled" // by an administrator
	DestinationGone     DestinationStatus = "gone"     // it answered 410
	DestinationFailing  DestinationStatus = "failing"  // it failed for MaxFailingTime
	DestinationLost     DestinationStatus = "lost"     // its secret cannot be opened any more
)

// DestinationSecret is what only this server and the receiver may know.
type DestinationSecret struct {
	URL      string    `json:"url"`
	Key      string    `json:"key,omitempty"`     // signs, "whsec_…"; the standard format only
	OldKey   string    `json:"old_key,omitempty"` // signs too until OldUntil
	OldUntil time.Time `json:"old_until,omitzero"`
}

// Keys returns the keys that sign at this time, the newest first.
func (s *DestinationSecret) Keys(now time.Time) []string {
	switch {
	case s.Key == "":
		return nil
	case s.OldKey != "" && now.Before(s.OldUntil):
		return []string{s.Key, s.OldKey}
	}
	return []string{s.Key}
}

// DestinationReader reads destinations. There are few.
type DestinationReader interface {
	Destination(id string) (*Destination, error)
	Destinations() ([]*Destination, error) // by name
}

// DestinationWriter writes destinations.
type DestinationWriter interface {
	InsertDestination(*Destination) error // ErrConflict: the name is taken, case folded
	UpdateDestination(*Destination) error // ErrConflict likewise
	DeleteDestination(id string) error
}

// MaxDestinations bounds how many destinations there may be.
const MaxDestinations = 50

// EventKind is a kind of entry that destinations are told of. Type is that of the
// entry, or "<family>.*".
type EventKind struct {
	Type  string
	Label string
}

// DestinationEvents lists what a destination can be told of.
func DestinationEvents() []EventKind {
	return []EventKind{
		{evidence.EntryRequested, "A request waits for a decision"},
		{entryEscalated, "Others may vote on a request now"},
		{entryVoted, "Somebody voted, and others still have to"},
		{"confirm.approved", "A request was approved"},
		{"confirm.rejected", "A request was rejected, or timed out"},
		{"confirm.cancelled", "A request was cancelled"},
		{"confirm.consumed", "An approval was used"},
		{"plan.*", "A plan changed"},
		{"role.*", "A role changed"},
		{"user.*", "A user was invited, changed or disabled"},
		{"key.*", "A key was created or revoked"},
		{"destination.*", "A destination changed"},
		{"policy.*", "A policy changed"},
		{"log.*", "The signing key changed, or a backup was restored"},
	}
}

// listens reports whether the destination is told of entries of this type.
func (d *Destination) listens(entry string) bool {
	family, _, _ := strings.Cut(entry, ".")
	return slices.Contains(d.Types, entry) || slices.Contains(d.Types, family+".*")
}

// isNarrowed reports whether the destination is told of some requests only.
func (d *Destination) isNarrowed() bool {
	return d.KeyID != "" || len(d.Roles) > 0 || len(d.TargetTypes) > 0
}

// isTold reports whether the destination is told of an entry. If it is narrowed, c is the
// request that the entry is about, nil for none, roles those that may decide it then, and
// group that of the destination's key.
// A request that the log does not prove has no group: everybody is told of it but those
// of one key.
func (d *Destination) isTold(e *evidence.Entry, c *Confirm, roles []string, group Group) bool {
	if d.Status != DestinationEnabled || e.Seq < d.SinceSeq || !d.listens(e.Type) {
		return false
	}
	if !d.isNarrowed() {
		return true
	}
	if e.ConfirmID == "" || c.RequestedGroup == "" {
		return d.KeyID == ""
	}
	return (d.KeyID == "" || c.RequestedGroup == group) &&
		(len(d.Roles) == 0 || slices.ContainsFunc(roles, func(id string) bool { return slices.Contains(d.Roles, id) })) &&
		(len(d.TargetTypes) == 0 || slices.Contains(d.TargetTypes, c.TargetType))
}
