package domain

import (
	"encoding/json"
	"time"
)

// Status is a confirm's (and a decision's) status (requirements C-24).
type Status string

// The statuses. All but pending are final (requirements C-25).
const (
	Pending   Status = "pending"
	Approved  Status = "approved"
	Rejected  Status = "rejected"
	Cancelled Status = "cancelled"
)

// Cause says who or what made a decision, in words that an agent can quote. A
// timeout must never read like a human "no".
type Cause string

// The causes.
const (
	CauseHuman     Cause = "human"     // a signed-in user
	CauseAgent     Cause = "agent"     // a key that may decide
	CauseTimeout   Cause = "timeout"   // nobody, until the deadline
	CauseCancelled Cause = "cancelled" // withdrawn by requester, rejecter or system
	CausePolicy    Cause = "policy"    // a rule
	CauseImport    Cause = "import"    // came decided; unsubstantiated
)

// TargetType is what a confirm is about (requirements C-17).
type TargetType string

// The target types.
const (
	TargetContext   TargetType = "context"
	TargetPlan      TargetType = "plan"
	TargetTrace     TargetType = "trace"
	TargetExtension TargetType = "extension"
	TargetOther     TargetType = "other"
)

// TargetTypes are all target types.
var TargetTypes = []TargetType{TargetContext, TargetPlan, TargetTrace, TargetExtension, TargetOther}

// Binding says what of a plan a confirm speaks for. It is fixed at creation.
type Binding string

// The bindings.
const (
	BoundNone    Binding = ""        // no plan
	BoundPlan    Binding = "plan"    // the whole plan
	BoundStep    Binding = "step"    // one step: Confirm.StepID
	BoundUnknown Binding = "unbound" // names a span or step that resolves to none
)

// What a running plan does when its confirm is rejected.
const (
	OnRejectAbort   = "abort"   // the plan is cancelled
	OnRejectRecover = "recover" // the plan stays and the gate blocks the step
)

// Confirm is one request for human consent and what became of it. Content is
// loaded apart: it is large, and may be forgotten.
type Confirm struct {
	ID              string
	TargetType      TargetType
	TargetID        string
	TargetHash      string // what the target was when the confirm was created
	PlanID          string // the plan it names, which may count it (Plan.counts); empty: none
	StepID          string // with BoundStep
	Binding         Binding
	Status          Status
	Cause           Cause // of the final status
	RequestedBy     Ref
	RequestedGroup  Group
	RequestedByName string // the principal's name when it asked
	RequestedByRole string // as sent, or the role chosen for it
	RoleRegistered  bool   // the role above was one of the server's, and held
	RequiredRole    string // id of the role that must decide; empty: any
	OnReject        string
	Supersedes      string
	SessionID       string
	MessageID       string
	ApprovalKey     string // S4's key, unique on the server
	FrameIndex      int64  // S4's index of the request's frame
	TraceID         string
	SpanID          string
	Actions         int // how many
	Imported        bool
	Locked          bool
	ReceivedAt      time.Time
	ExpiresAt       time.Time // zero: it does not expire
	ContentHash     string
	EffectiveHash   string // of what was approved; equals ContentHash unless edited
	BodyDigest      []byte // of the compacted body: is a repeated post the same?
	DecidedAt       time.Time
	RequestedSeq    int64 // number of the log entry that requested it
	DecidedSeq      int64 // of the one that ended it; 0 while pending

	// Fresh says, when it is inserted, that the id was made for it and that no
	// confirm was found with its approval key: none of it can be taken.
	Fresh bool
}

// registeredRole is the role that the confirm was requested in, for entries of the
// log: what is only a label is forgotten with the content.
func (c *Confirm) registeredRole() string {
	if !c.RoleRegistered {
		return ""
	}
	return c.RequestedByRole
}

// Final says whether the confirm has been decided.
func (c *Confirm) Final() bool { return c.Status != Pending }

// Due says whether the deadline has come: at the deadline an approval loses.
func (c *Confirm) Due(now time.Time) bool {
	return !c.Imported && c.Status == Pending && !c.ExpiresAt.IsZero() && !now.Before(c.ExpiresAt)
}

// ConfirmContent is what the reviewer sees: the hashed content, its salt and
// the object as the client sent it. Reason and Tools repeat parts of it for
// lists.
type ConfirmContent struct {
	RequestedSeq int64 // the confirm's
	Salt         []byte
	Content      []byte // evidence.Content, marshalled
	Native       []byte // the client's JSON, compacted, without what Content has: see object
	Reason       string
	Tools        []string // the actions' names, in order
}

// Decision is one decision on a confirm. Decisions are only ever appended.
type Decision struct {
	ID              string
	RequestedSeq    int64 // the confirm's
	Number          int   // from 0
	Status          Status
	Cause           Cause
	DecidedBy       Ref
	DecidedByName   string // the principal's name at that time
	DecidedByRole   string // name of the role acted in; "system" for the clock
	DecidedAt       time.Time
	Reason          string
	UserEditContent string // free text back to the agent
	Intent          string // "request_changes" for a rejection that asks for changes
	SentHash        string // the content hash the decider named; empty with S4's command
	Actions         []ActionDecision
	Seq             int64 // number of its log entry
}

// IntentRequestChanges marks a rejection that asks for changes (requirements,
// contradiction 4).
const IntentRequestChanges = "request_changes"

// ActionDecision is the decision on one action.
type ActionDecision struct {
	Type     string          `json:"type"` // approve, reject or edit
	Name     string          `json:"name,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"` // the edited arguments
	ArgsHash string          `json:"args_hash"`      // of the arguments that may run
	Message  string          `json:"message,omitempty"`
	Filled   bool            `json:"filled,omitempty"` // copied from the first (requirements A-17)
}

// The types of action decisions (S4).
const (
	ActionApprove = "approve"
	ActionReject  = "reject"
	ActionEdit    = "edit"
)

// Outcome is what a waiting agent gets.
type Outcome struct {
	Confirm  *Confirm
	Decision *Decision // nil while pending, and for an import
	Text     string    // why, in a sentence fit to hand to a model
}

// ConfirmFilter narrows a list of confirms. Zero members do not narrow.
type ConfirmFilter struct {
	Status          Status
	Decided         bool // every final status
	TargetType      TargetType
	TargetID        string
	StepID          string
	PlanID          string
	TraceID         string
	SessionID       string
	RequestedByRole string
	Query           string // prefix of id, tool, requester, target or session
	Group           Group  // of the requester; only with what is pending
	Mine            bool   // only what the reader may decide: pending, no import
	WithImports     bool   // an inbox has none
	Bare            bool   // rows without titles, reasons and tools

	Visible Visibility // set by the service
	Decider Visibility // with Mine, set by the service
}

// SessionFilter narrows what happened in a session to a page. Imports are left out.
type SessionFilter struct {
	SessionID string
	Visible   Visibility
	From      int64 // this log number and later ones
	// OpenAt narrows to requests before this log number that were pending there; 0
	// does not narrow.
	OpenAt int64
	Limit  int
}

// SessionStep is that a confirm of a session was requested, or decided.
type SessionStep struct {
	Seq     int64 // of its log entry
	Confirm *Confirm
}

// ConfirmRow is a confirm as lists show it.
type ConfirmRow struct {
	Confirm
	Title    string // of the plan or context that it is about; empty: it has none
	Reason   Excerpt
	Tools    []string
	Decision *Decision // the latest, with decided confirms; without its texts and its actions
	// Unproven says that what is stored is not what the log says: nothing of it is
	// to be believed, and what it is about is left out.
	Unproven bool
}

// Written is how many bytes people and agents have written into the row: what is
// kept of lists is bounded by it.
func (r *ConfirmRow) Written() (n int) {
	for _, text := range r.Tools {
		n += len(text)
	}
	for _, text := range []string{r.ID, r.TargetID, r.StepID, r.Title, r.Reason.Text, r.RequestedByName, r.RequestedByRole, r.RequiredRole,
		r.SessionID, r.MessageID, r.ApprovalKey, r.TraceID, r.SpanID} {
		n += len(text)
	}
	return n
}

// Page asks for a part of a list, and Cursor says where it begins: what Next
// of the page before gave, opaque to callers.
type Page struct {
	Limit  int // 0: 50
	Cursor string
	// Bytes ends a page of large objects before its limit: with the object before
	// the one that would make it larger, and with one at least. 0: no bound.
	Bytes int
}

// Limit of a page when none is asked for, and the largest.
const (
	DefaultPage = 50
	MaxPage     = 200
)
