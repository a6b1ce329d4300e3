package domain

import "time"

// Destination is a webhook that is told of entries of the log: a program, or a channel
// of a team. It can decide nothing.
type Destination struct {
	ID          string
	Name        string
	Format      Format
	Types       []string // of the entries that it is told of
	Roles       []string // ids; only requests that require one of them; empty: all
	TargetTypes []string // only requests about these; empty: all
	Details     Details
	KeyID       string // only requests of this key's group; empty: of everybody
	Sealed      []byte // the DestinationSecret, see sealSecret
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

// DestinationStatus says whether a destination is told, or why it is not.
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
