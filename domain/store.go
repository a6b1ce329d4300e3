package domain

import (
	"context"
	"time"

	"countersign/domain/evidence"
)

// Store keeps everything. It has two doors.
//
// Tx runs fn as one transaction: everything it wrote is there afterwards, or
// nothing. fn may share its commit with others, runs alone (transactions never
// see each other half-way), and must not use anything but its Tx. Tx returns
// after the commit. A caller whose context ends before its turn is skipped;
// once fn has begun it is never interrupted. Every row written outside of
// volatile tables must be covered by an Append after it, or the transaction
// fails.
//
// View gives fn a snapshot to read.
type Store interface {
	Tx(ctx context.Context, fn func(Tx) error) error
	View(ctx context.Context, fn func(Reader) error) error
}

// Reader reads. Every method that asks for one row returns ErrNotFound when
// there is none. Lists come in pages by keyset; next is empty at the end.
type Reader interface {
	Role(id string) (*Role, error)
	RoleByName(name string) (*Role, error) // case folded
	Roles() ([]*Role, error)               // by name
	RoleRows(f RoleFilter, p Page) (list []*RoleRow, next string, err error)
	RoleUse(id string) (RoleUse, error)

	User(id string) (*User, error)
	UserByName(name string) (*User, error) // case folded
	Users() ([]*User, error)               // by name
	UserPage(f UserFilter, p Page) (list []*User, next string, err error)

	Key(id string) (*Key, error)
	Keys() ([]*Key, error) // by name, then age
	KeyPage(f KeyFilter, p Page) (list []*Key, next string, err error)
	KeysOf(userID string) ([]*Key, error)
	KeyUsed(id string) (time.Time, error) // zero: never

	Session(hash []byte) (*Session, error)
	SessionsOf(userID string) ([]*Session, error)
	Link(hash []byte) (*Link, error)
	Preferences(userID string) (Preferences, error) // zero when none were saved
	Throttle(subject string) (Throttle, error)      // zero when there is none; case folded

	Context(id string) (*Context, error)
	Contexts(f ContextFilter, p Page) (list []*Context, next string, err error)

	Plan(id string) (*Plan, error)
	PlanContent(id string) ([]byte, error) // the JSON of a plan that there is, compacted; never ErrNotFound
	Plans(f PlanFilter, p Page) (list []*Plan, next string, err error)

	Trace(id string) (*Trace, error)
	Traces(f TraceFilter, p Page) (list []*Trace, next string, err error)

	Confirm(id string) (*Confirm, error)
	ConfirmByApprovalKey(key string) (*Confirm, error)
	// ConfirmContent and Decisions are those of the confirm with this
	// RequestedSeq: the content, ErrNotFound when it was forgotten, and the
	// decisions in their order.
	ConfirmContent(requested int64) (*ConfirmContent, error)
	Decisions(requested int64) ([]*Decision, error)
	// Confirms lists a page. Others may be given the same rows: they are not to be
	// changed, but in a Tx.
	Confirms(f ConfirmFilter, p Page) (list []*ConfirmRow, next string, err error)
	// ConfirmsByGroup is Confirms of what is pending, but lists no more than so many
	// of each principal group: the first in the list's order. left says which of
	// the groups on the page have more, and how many as far as MaxPage and if the
	// filter lets all pass. left is nil, and nothing is listed, when no two groups
	// wait, or too many: then Confirms says what there is.
	ConfirmsByGroup(f ConfirmFilter, p Page, each int) (list []*ConfirmRow, left map[Group]int, next string, err error)
	// ConfirmRows are the confirms of a list with these ids, without decisions and
	// in no order. Unknown ones are left out.
	ConfirmRows(ids []string) ([]*ConfirmRow, error)
	// ConfirmsOfPlan are those that name the plan, newest first.
	ConfirmsOfPlan(planID string) ([]*Confirm, error)
	// ConfirmsOfStep are those of the plan but for the ones bound to another
	// step, newest first.
	ConfirmsOfStep(planID, stepID string) ([]*Confirm, error)
	// PendingOfPlans counts the pending confirms that count for each plan; plans
	// without are absent.
	PendingOfPlans(ids []string) (map[string]int, error)
	// SupersededBy lists the confirms that name this one as the one before them:
	// its own group's first, as anybody may name it.
	SupersededBy(id string) ([]string, error)
	// SessionSteps are requests and decisions of a session, the earliest first.
	SessionSteps(f SessionFilter) ([]SessionStep, error)
	// DueConfirms are pending confirms whose deadline is not after now.
	DueConfirms(now time.Time, limit int) ([]string, error)
	// NextDeadline is the earliest deadline of a pending confirm; zero: none.
	NextDeadline() (time.Time, error)
	// Forgettable are confirms decided before a moment whose content is still
	// there and that no plan may rely on any more, the oldest first.
	Forgettable(decidedBefore time.Time, p Page) (ids []string, next string, err error)
	// PendingCount counts pending confirms: all, or one principal's.
	PendingCount(by *Ref) (int, error)
	// PendingByType counts them for each target type; types without are absent
	// or 0.
	PendingByType() (map[TargetType]int, error)
	// Consumption of a part of an approval (see Consumption.Subject).
	Consumption(requested int64, subject string) (*Consumption, error)
	// ConsumptionOfStep is the one of a step itself, whose approval's actions are
	// consumed beside it.
	ConsumptionOfStep(planID, stepID string) (*Consumption, error)
	// ApprovalCount counts the approval requests of a session.
	ApprovalCount(sessionID string) (int, error)

	// NextSeq is the number that the next log entry gets.
	NextSeq() (int64, error)
	Entries(f EntryFilter) ([]*evidence.Entry, error)

	// Leaf is an entry's bytes, verbatim.
	Leaf(seq int64) ([]byte, error)
	// Checkpoint is the newest one, whose signature has been checked with the
	// server's own key; ErrNotFound when the log is empty.
	Checkpoint() (signed string, c evidence.Checkpoint, err error)
	// VKey is the public half of the key that signs now.
	VKey() (string, error)
	// MAC is the HMAC-SHA-256 of a message under a key for this purpose that
	// follows from the signing key. Whoever can write to the database but has no
	// signing key cannot make one.
	MAC(purpose string, message []byte) ([]byte, error)
	// Hashes of the Merkle tree over the log.
	evidence.Hashes
}

// Tx reads and writes.
type Tx interface {
	Reader

	// Append writes the entry with its sequence number, which it sets, and
	// with the digests of the rows written since the last Append.
	Append(e *evidence.Entry) error

	InsertRole(*Role) error
	UpdateRole(*Role) error
	DeleteRole(id string) error
	InsertUser(*User) error
	UpdateUser(*User) error // replaces its roles too
	InsertKey(*Key) error
	UpdateKey(*Key) error
	InsertContext(*Context) error
	UpdateContext(*Context) error
	InsertPlan(p *Plan, content []byte) error
	// UpdatePlan returns ErrConflict unless the stored status is from. content
	// nil leaves the stored one.
	UpdatePlan(p *Plan, from PlanStatus, content []byte) error
	InsertConfirm(*Confirm, *ConfirmContent) error
	// FinishConfirm ends a pending confirm; ErrConflict if it is not pending.
	// The confirm is the whole of what this transaction has read.
	FinishConfirm(*Confirm) error
	// InsertDecision writes a decision. A second one of the same number fails with
	// all that is committed together with it.
	InsertDecision(*Decision) error
	InsertConsumption(*Consumption) error
	InsertTrace(*Trace) error
	// ForgetContent removes the content of a confirm, what its decisions repeat of it
	// or give as reasons, and a role that is only a label.
	ForgetContent(*Confirm) error

	// RotateKey makes a new signing key that takes over with this transaction.
	RotateKey() (*evidence.Succession, error)
	// BeginEpoch starts a new epoch under a new key if the database was found
	// to be restored; else it gives nil.
	BeginEpoch() (*evidence.Succession, error)

	// What follows proves nothing and is not logged. Sessions and links give rights
	// only with a MAC that fits.
	InsertSession(*Session) error
	TouchSession(*Session) error // writes SeenAt and the MAC
	DeleteSession(hash []byte) error
	DeleteSessionsOf(userID string) error
	InsertLink(*Link) error
	DeleteLink(hash []byte) error
	DeleteLinksOf(userID string) error
	TouchKey(id string, used time.Time) error
	SetPreferences(userID string, p Preferences) error
	SetThrottle(subject string, t Throttle) error // the zero Throttle is none
	PruneThrottles(seenBefore time.Time) error
	PruneVolatile(sessionsSeenBefore, sessionsCreatedBefore, linksBefore time.Time) error
}

// EntryFilter narrows the log. Zero members do not narrow.
type EntryFilter struct {
	After     *int64 // entries with a greater number, ascending
	Before    *int64 // entries with a smaller number
	Newest    bool   // descending
	ConfirmID string
	PlanID    string
	TraceID   string
	ObjectID  string
	Type      string
	Types     []string // any of these; nil: any
	Limit     int
}

// Visibility is what of a list its reader may see. The service sets it; what
// callers put there is replaced.
type Visibility struct {
	All bool // everything
	// Group's own objects are visible in any case.
	Group Group
	// Decides adds the confirms that other groups requested and that require
	// no role, or one of Roles (ids).
	Decides bool
	Roles   []string
}
