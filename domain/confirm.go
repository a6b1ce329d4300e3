package domain

import (
	"encoding/json"
	"time"

	"countersign/domain/quorum"
)

// Status is the status of a confirm or of a decision.
type Status string

// The statuses. All but pending are final.
const (
	Pending   Status = "pending"
	Approved  Status = "approved"
	Rejected  Status = "rejected"
	Cancelled Status = "cancelled"
)

// Cause says who or what made a decision, in a word that an agent can quote. A timeout
// must never read like a person's "no".
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

// TargetType is what a confirm is about.
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

// Binding says which part of a plan a confirm is about. It is fixed at creation.
type Binding string

// The bindings.
const (
	BoundNone    Binding = ""        // no plan
	BoundPlan    Binding = "plan"    // the whole plan
	BoundStep    Binding = "step"    // one step: Confirm.StepID
	BoundUnknown Binding = "unbound" // names a span or step that the plan does not have
)

// What a running plan does when its confirm is rejected.
const (
	OnRejectAbort   = "abort"   // the plan is cancelled
	OnRejectRecover = "recover" // the plan stays and the gate blocks the step
)

// Confirm is one request for human consent and what became of it. Its content is loaded
// separately: it is large, and may be forgotten.
type Confirm struct {
	ID              string
	TargetType      TargetType
	TargetID        string
	TargetHash      string // of the target when the confirm was created
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
	ApprovalKey     string // The approval flow's key, unique on the server
	FrameIndex      int64  // The approval flow's index of the request's frame
	TraceID         string
	SpanID          string
	Actions         int // how many
	Imported        bool
	Locked          bool
	ReceivedAt      time.Time
	ExpiresAt       time.Time // zero: it does not expire
	ContentHash     string
	EffectiveHash   string // of what was approved; equals ContentHash unless edited
	BodyDigest      []byte // of the compacted body, to recognize a repeated post
	DecidedAt       time.Time
	RequestedSeq    int64 // number of the log entry that requested it
	DecidedSeq      int64 // of the one that ended it; 0 while pending
	// Quorum is how many approvals it needs because a policy matched; 0: none did, and one
	// decision ends it. Its content has what is required, and by whom.
	Quorum int

	// Fresh is set when the id was generated and no confirm has its approval key, so
	// that an insert cannot conflict.
	Fresh bool
}

// registeredRole returns the role for log entries. A role that is only a label is not
// logged: it is forgotten with the content.
func (c *Confirm) registeredRole() string {
	if !c.RoleRegistered {
		return ""
	}
	return c.RequestedByRole
}

// IsFinal reports whether the confirm has been decided.
func (c *Confirm) IsFinal() bool { return c.Status != Pending }

// IsDue reports whether the deadline has come. At the deadline an approval loses.
func (c *Confirm) IsDue(now time.Time) bool {
	return !c.Imported && c.Status == Pending && !c.ExpiresAt.IsZero() && !now.Before(c.ExpiresAt)
}

// ConfirmContent is what the reviewer sees: the hashed content, its salt, and the JSON
// that the client sent. Reason and Tools repeat parts of it for lists.
type ConfirmContent struct {
	RequestedSeq int64 // the confirm's
	Salt         []byte
	Content      []byte // evidence.Content, marshalled
	Native       []byte // the client's JSON, compacted, with placeholders for arguments: see object
	Reason       string
	Tools        []string // the actions' names, in order

	// Calls are what the actions are found by (CallDigests), when it is inserted. A
	// stored content has none.
	Calls []string
}

// Decision is one decision on a confirm. Decisions are only appended.
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
	SentHash        string // the content hash that the decider named; approval commands may have none
	Actions         []ActionDecision
	Seq             int64 // number of its log entry

	// With a quorum, by which decisions are counted:
	RoleID        string // of the role acted in
	EffectiveHash string // of what was approved

	// Policy is the one that rejected the request, if one did. Only the log entry has it.
	Policy *quorum.PolicyRef
	// Votes are the numbers of the decisions that counted. Only the log entry has them.
	Votes []int64

	// Findings are what the page showed. Only the log entry has them: a stored decision
	// has none.
	Findings []ShownFinding
}

// IntentRequestChanges marks a rejection that asks for changes.
const IntentRequestChanges = "request_changes"

// ActionDecision is the decision on one action.
type ActionDecision struct {
	Type     string          `json:"type"` // approve, reject or edit
	Name     string          `json:"name,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"` // the edited arguments
	ArgsHash string          `json:"args_hash"`      // of the arguments that may run
	Message  string          `json:"message,omitempty"`
	Filled   bool            `json:"filled,omitempty"` // copied from the first
}

// The types of action decisions.
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
	Requires *Progress // while it is pending and policies require a quorum
}

// ConfirmFilter narrows a list of confirms. Zero fields do not narrow.
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
	Query           string // prefixes of words in id, tool, requester, target or session
	Group           Group  // of the requester; only with what is pending
	Mine            bool   // only what the reader may decide: pending, no import
	WithImports     bool   // an inbox has none
	WithContents    bool   // fill ConfirmRow.Content
	OmitTexts       bool   // rows without titles, reasons and tools

	Visible Visibility // set by the service
	Decider Visibility // with Mine, set by the service
}

// CallFilter selects the confirms with a call, or with one of a tool. Imports are left
// out.
type CallFilter struct {
	Digest string // of a call (CallDigests): pending, approved, or rejected by people
	// Tool and By, without a Digest, select what people approved of this requester. Only
	// the first word of the tool's name counts: callers compare the whole name.
	Tool string
	By   Ref

	Except  int64 // the RequestedSeq of the confirm that is left out
	Visible Visibility
}

// CallHit is a confirm that was found by a call. It proves nothing: the index may lack
// confirms, and have others.
type CallHit struct {
	ID     string
	Status Status
}

// SessionFilter selects a page of a session's history. Imports are left out.
type SessionFilter struct {
	SessionID string
	Visible   Visibility
	From      int64 // this log number and later ones
	// OpenAt, unless 0, selects requests before this log number that were pending then.
	OpenAt int64
	Limit  int
}

// SessionStep is the request of, or the decision on, a confirm of a session.
type SessionStep struct {
	Seq     int64 // of its log entry
	Confirm *Confirm
}

// ConfirmReader reads single confirms with their content and decisions.
type ConfirmReader interface {
	Confirm(id string) (*Confirm, error)
	ConfirmByApprovalKey(key string) (*Confirm, error)
	// ConfirmContent returns the content of the confirm with this RequestedSeq,
	// ErrNotFound after it was pruned.
	ConfirmContent(requestedSeq int64) (*ConfirmContent, error)
	// Decisions returns the decisions on the confirm with this RequestedSeq, in order.
	Decisions(requestedSeq int64) ([]*Decision, error)
	// SupersededBy lists the confirms that name this one as the one before them,
	// those of its own group first: anybody may name it.
	SupersededBy(id string) ([]string, error)
	// ApprovalCount counts the approval requests of a session.
	ApprovalCount(sessionID string) (int, error)
	// PrunableConfirms lists confirms decided before a time whose content is still
	// stored and that no running plan relies on, the oldest first.
	PrunableConfirms(decidedBefore time.Time, p Page) (ids []string, next string, err error)
}

// ConfirmListReader lists and counts confirms.
type ConfirmListReader interface {
	// Confirms lists a page. Callers of a View must not change the rows: others may
	// get the same ones.
	Confirms(f ConfirmFilter, p Page) (list []*ConfirmRow, next string, err error)
	// ConfirmsByGroup is Confirms of pending ones with at most max rows of each
	// principal group. left has the groups with more rows, and how many more, as far
	// as MaxPage; 0 if the filter does not let all pass. left is nil, and nothing is
	// listed, when only one group waits, or too many: then use Confirms.
	ConfirmsByGroup(f ConfirmFilter, p Page, max int) (list []*ConfirmRow, left map[Group]int, next string, err error)
	// ConfirmRows returns the rows with these ids, without decisions and in no order.
	// Unknown ids are left out.
	ConfirmRows(ids []string) ([]*ConfirmRow, error)
	// ConfirmsOfPlan lists the confirms that name the plan, newest first.
	ConfirmsOfPlan(planID string) ([]*Confirm, error)
	// ConfirmsOfStep lists those of the plan that are not bound to another step,
	// newest first.
	ConfirmsOfStep(planID, stepID string) ([]*Confirm, error)
	// SessionSteps lists requests and decisions of a session, the earliest first.
	SessionSteps(f SessionFilter) ([]SessionStep, error)
	// ConfirmsOfCall finds the newest confirms with a call, the newest first.
	ConfirmsOfCall(f CallFilter, limit int) ([]CallHit, error)
	// RequesterRecord counts what a requester of the group asked since a time. Like the
	// lists it counts what is stored, not what the log proves.
	RequesterRecord(by Ref, group Group, since time.Time) (*RequesterRecord, error)
	// DueConfirms lists pending confirms whose deadline is not after now.
	DueConfirms(now time.Time, limit int) ([]string, error)
	// NextDeadline returns the earliest deadline of a pending confirm, zero if there
	// is none.
	NextDeadline() (time.Time, error)
	// PendingCount counts pending confirms: all, or one principal's.
	PendingCount(by *Ref) (int, error)
	// WaitingConfirms lists pending confirms that the decider may decide and that are
	// not due, the newest first, at most limit.
	WaitingConfirms(decider Visibility, now time.Time, limit int) ([]WaitingConfirm, error)
	// PendingByType counts pending confirms by target type. Types without any are
	// absent or 0.
	PendingByType() (map[TargetType]int, error)
	// PendingOfPlans counts the pending confirms that count for each plan. Plans
	// without any are absent.
	PendingOfPlans(ids []string) (map[string]int, error)
}

// ConfirmWriter writes confirms and decisions.
type ConfirmWriter interface {
	InsertConfirm(*Confirm, *ConfirmContent) error
	// FinishConfirm ends a pending confirm. It returns ErrConflict if the confirm is
	// not pending. The confirm must be the one that this transaction has read.
	FinishConfirm(*Confirm) error
	InsertDecision(*Decision) error
	// ForgetContent removes the content of a confirm, what its decisions repeat of it
	// or give as reasons, and a role that is only a label.
	ForgetContent(*Confirm) error
}

// ConfirmRow is a confirm as lists show it.
type ConfirmRow struct {
	Confirm
	Title    string // of the plan or context that it is about; empty: it has none
	Reason   Excerpt
	Tools    []string
	Brief    *Brief    // of the inbox; nil: nothing to say
	Voting   *Voting   // of the inbox, with a quorum
	Decision *Decision // the latest, with decided confirms; without its texts and its actions
	// Unproven is set if the stored confirm is not what the log says. Nothing of it is
	// to be trusted, and its target's texts are left out.
	Unproven bool
	Content  []byte // with ConfirmFilter.WithContents, up to MaxBriefContent
}

// MarkUnproven says that the row is not to be trusted, and empties what it shows.
func (row *ConfirmRow) MarkUnproven() {
	row.Unproven = true
	row.Title, row.Reason, row.Tools, row.Brief, row.Voting, row.Decision, row.Content = "", Excerpt{}, nil, nil, nil, nil, nil
}

// Page selects a part of a list. Cursor is the next of the page before, opaque to
// callers.
type Page struct {
	Limit  int // 0: 50
	Cursor string
	// Bytes ends a page of large objects before this size would be exceeded, but not
	// before its first object. 0: no limit.
	Bytes int
}

// Limit of a page when none is given, and the largest.
const (
	DefaultPage = 50
	MaxPage     = 200
)
