package domain

import (
	"time"

	"countersign/domain/evidence"
)

// Entry types of requests that need a quorum.
const (
	entryVoted     = evidence.EntryVoted
	entryEscalated = "confirm.escalated" // a role may vote in place of another from now on
)

// ConfirmRole is a role that may vote on a pending confirm with a quorum. Lists and the
// clock use it; what is required is in the content.
type ConfirmRole struct {
	RequestedSeq int64 // the confirm's
	RoleID       string
	From         time.Time // when it may vote
	EscalatesAt  time.Time // when the log will tell that it may; zero: it was told, or may from the start
}

// ConfirmRoleReader reads the roles of pending confirms.
type ConfirmRoleReader interface {
	ConfirmRoles(requestedSeq int64) ([]*ConfirmRole, error)
	// PendingVotings returns the RequestedSeq of pending confirms with a quorum, the newest
	// first.
	PendingVotings(limit int) ([]int64, error)
	// DueEscalations lists confirms with roles that may vote now and were not told of,
	// and returns when the next one is due; zero: none.
	DueEscalations(now time.Time, limit int) (ids []string, next time.Time, err error)
}

// ConfirmRoleWriter writes the roles of pending confirms.
type ConfirmRoleWriter interface {
	InsertConfirmRole(*ConfirmRole) error
	UpdateConfirmRole(*ConfirmRole) error
	// DeleteConfirmRoles removes the roles of a confirm that has ended.
	DeleteConfirmRoles(requestedSeq int64) error
}
