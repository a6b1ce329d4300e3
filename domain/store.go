package domain

import (
	"context"
	"time"

	"countersign/domain/evidence"
)

// Store keeps everything.
type Store interface {
	// Tx runs fn in a transaction: everything it wrote is stored, or nothing. It
	// returns after the commit, which several transactions may share. Transactions
	// run one after the other, and fn must use nothing but its Tx. If ctx ends
	// before fn begins, fn does not run; once it has begun it is not interrupted.
	// Every row written outside of volatile tables must be covered by an Append
	// after it, or the transaction fails.
	Tx(ctx context.Context, fn func(Tx) error) error
	// View runs fn on a snapshot.
	View(ctx context.Context, fn func(Reader) error) error
}

// Reader reads. A method that returns one row returns ErrNotFound when there is none.
// Lists come in pages by keyset; next is empty at the end.
type Reader interface {
	RoleReader
	UserReader
	KeyReader
	SessionReader
	LinkReader
	ThrottleReader
	ContextReader
	PlanReader
	TraceReader
	ConfirmReader
	ConfirmListReader
	ConfirmRoleReader
	ConsumptionReader
	FactReader
	PolicyReader
	DestinationReader
	DeliveryReader
	LogReader
}

// Tx reads and writes.
type Tx interface {
	Reader

	RoleWriter
	UserWriter
	KeyWriter
	SessionWriter
	LinkWriter
	ThrottleWriter
	ContextWriter
	PlanWriter
	TraceWriter
	ConfirmWriter
	ConfirmRoleWriter
	ConsumptionWriter
	FactWriter
	PolicyWriter
	DestinationWriter
	DeliveryWriter
	LogWriter
}

// LogReader reads the log, its Merkle tree and its signing key.
type LogReader interface {
	// NextSeq returns the number of the next log entry.
	NextSeq() (int64, error)
	Entries(f EntryFilter) ([]*evidence.Entry, error)
	// EntriesAt returns the entries with these numbers, by number. Those that the log does
	// not prove are left out.
	EntriesAt(seqs []int64) (map[int64]*evidence.Entry, error)
	// Leaf returns the stored bytes of an entry.
	Leaf(seq int64) ([]byte, error)
	// Checkpoint returns the newest checkpoint, whose signature was checked with the
	// server's own key; ErrNotFound when the log is empty.
	Checkpoint() (signed string, c evidence.Checkpoint, err error)
	// VKey returns the public half of the key that signs now.
	VKey() (string, error)
	// MAC returns the HMAC-SHA-256 of a message under a key derived from the signing
	// key for this purpose. Write access to the database alone cannot make one.
	MAC(purpose string, message []byte) ([]byte, error)
	// Hashes of the Merkle tree over the log.
	evidence.Hashes
}

// LogWriter writes the log.
type LogWriter interface {
	// Append writes the entry with its sequence number, which it sets, and with the
	// digests of the rows written since the last Append.
	Append(e *evidence.Entry) error
	// RotateKey makes a new signing key that takes over with this transaction.
	RotateKey() (*evidence.KeyChange, error)
	// BeginEpoch starts a new epoch of the log under a new key if the database was
	// found to be restored from a backup; else it returns nil.
	BeginEpoch() (*evidence.KeyChange, error)
}

// EntryFilter narrows the log. Zero fields do not narrow.
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

// Visibility says which rows of a list the reader may see. The service sets it and
// replaces what callers put there.
type Visibility struct {
	All bool // everything
	// Group sees its own objects in any case.
	Group Group
	// Decides adds other groups' confirms that require no role, or one of Roles (ids).
	Decides bool
	Roles   []string
	// Voter, a user, adds to those that may be decided what their roles may vote on at Now
	// and they have not. Empty: none of them, as for keys.
	Voter string
	Now   time.Time
}
