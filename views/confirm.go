package views

import "countersign/domain/reading"

// ConfirmView is GET /confirms/{id}, and the answer to a decision.
type ConfirmView struct {
	Self    string // own address with its query (the filter it was opened from)
	BackURL string // the inbox with that filter
	ID      string
	Status  string // pending, approved, rejected, cancelled, unsubstantiated
	Cause   string // human, agent, timeout, cancelled, policy, import; empty while pending

	Heading    string // used if it has no actions
	TargetType string
	Target     Link // label: the plan's title or the target's id
	TargetID   string
	Actions    []Action
	Plan       *ConfirmPlan // the plan that it concerns, if the reader may see it
	Context    *ConfirmContext

	Requester    Requester
	Reason       string // the agent's words
	RequestedAt  Moment // what the agent says
	ReceivedAt   Moment
	Deadline     Deadline
	ExpiresAt    Moment
	RequiredRole string
	AllOrNone    bool   // of a plan: one rejected action stops the others
	OnReject     string // abort or recover, for a running plan; otherwise empty

	ContentHash string
	ContentURL  string // where the content can be downloaded; empty if it is deleted
	TraceID     string
	TraceURL    string // empty if it has no page
	SpanID      string
	SessionID   string
	MessageID   string
	ApprovalKey string

	Import, Unbound, Locked bool
	Forgotten               bool // its content is deleted; only hashes are left

	Told      *ToldView // nil: there is nobody to tell
	MayDecide []string  // names of roles that may decide it
	Refusals  []string  // why the user cannot decide, in sentences; empty if Form is set
	Form      *DecisionForm
	Cancel    *CancelForm // nil if the user may not cancel it

	Findings     []Finding                    // what the page lists to notice, the gravest first
	MoreFindings int                          // how many are not listed
	AtRows       map[int]map[string][]Finding // of an action, by pointer: what stands below a row

	Before []Precedent // what the actions are compared with

	Claim *Claim // of an import, in place of a decision

	Conflict     *Notice      // after a 409: "Already decided", who, what and when
	Unsent       string       // text that was typed and not saved
	Supersedes   []ConfirmRef // earlier requests that this one replaces, newest first
	SupersededBy []ConfirmRef
	History      []DecisionEntry
	Receipt      *Receipt    // set once decided
	JustDecided  bool        // the user just decided or voted: the result takes the focus
	Voting       *VotingView // nil: one decision ends it
	Policies     []MatchedPolicy
	Next         *NextConfirm
	Evidence     *ConfirmEvidence // nil if the user may not see evidence
}

// Tools are the names of its actions, in their order.
func (v *ConfirmView) Tools() []string {
	names := make([]string, len(v.Actions))
	for i, action := range v.Actions {
		names[i] = action.Name
	}
	return names
}

// Action is one tool call of a confirm.
type Action struct {
	Name        string
	Args        string           // JSON as stored; the view indents it and changes nothing else
	URL         string           // where Args can be downloaded, to the byte
	Reading     *reading.Reading // nil: show Args as they are
	ArgsHash    string
	ToolUseID   string
	Description string // the agent's words
	Decision    string // once decided: approve, reject, edit
	Message     string // the reviewer's comment on this action
	Filled      bool   // the decision was copied from the first
	EditedArgs  string // for edit: the JSON that was approved

	Before, After string // of a change of a policy: JSON whose difference is shown
}

// Requester says who asks.
type Requester struct {
	Principal  string // the key's or user's name
	Kind       string // agent or user
	Owner      string // user that owns the key, if any
	Role       Link
	Registered bool   // the requester held this registered role
	Record     string // what became of its requests, in figures; may be empty
}

// ConfirmPlan is the plan that a confirm concerns, with the gated step marked.
type ConfirmPlan struct {
	Plan      Link
	Objective string // the agent's words
	Status    string
	Gated     string // description of the gated step; empty when the whole plan is meant
	Changed   bool   // the plan has changed since the request
	Drawing   *PlanDrawing
	Steps     []PlanStep
}

// ConfirmContext is the context that a confirm concerns or its plan stands in.
type ConfirmContext struct {
	Context Link
	Status  string
	Changed bool             // it has changed since the request
	Summary string           // the agent's words
	Reading *reading.Reading // of the whole; nil if the reader may not read it
	Closed  bool             // the reader may not read contexts
}

// ConfirmRef links to a related request.
type ConfirmRef struct {
	ID     string
	URL    string
	Status string
	Cause  string // of a final status: human, timeout …
	When   Moment
	Reason string // the reviewer's reason
}

// DecisionEntry is one row of a confirm's history.
type DecisionEntry struct {
	Status   string
	Cause    string // human, agent, timeout, cancelled, policy, import
	Words    string // the cause in words: "decided by a person", "nobody decided in time"
	By       string // principal
	Role     string
	At       Moment
	Reason   string   // the reviewer's reason
	Feedback string   // user_edit_content
	Marks    []string // of a vote: "edited", "counted", "replaced by a later vote"
	Warning  string   // such as "self-approval was allowed by the server's settings"
}

// Claim is what an import says about itself. Nothing proves it.
type Claim struct {
	Status    string // approved, rejected, cancelled or pending
	Decisions []ClaimedDecision
}

// ClaimedDecision is a decision inside an import.
type ClaimedDecision struct {
	Status string
	Role   string // the poster's words
	At     Moment // empty if the import has no time
	Reason string // the poster's words
}

// Receipt shows what was decided.
type Receipt struct {
	Status        string
	Means         string // what the agent may do now, a sentence
	Cause         string // in words
	Votes         int    // how many people's votes led to it; 0: there was no vote
	By            string
	Role          string
	At            Moment
	Took          string
	Reason        string
	Feedback      string
	ContentHash   string
	EffectiveHash string // differs from ContentHash only after an edit
	LogIndex      string
	LogURL        string // empty if the reader may not open the log
}

// NextConfirm links to the next pending request of the filter. URL is empty if
// none is left.
type NextConfirm struct {
	URL   string
	Label string // tool or target
	Left  int    // pending requests in the filter
	Cap   int    // above it they are shown as "200+"; 0 means no cap
}

// DecisionForm is posted to /confirms/{id}/decision. Scripts rely on the names of
// its fields, so they stay.
type DecisionForm struct {
	TooLong        bool   // the arguments are too long to edit in a form
	Action         string // the address, with the filter's query
	ContentHash    string
	MayApprove     bool // also edit
	MayReject      bool
	MissingApprove string // the capability that is missing, if any
	MissingReject  string
	Vote           bool          // it takes more decisions than this
	HasApproved    bool          // the user has approved it as it was asked
	MayMove        bool          // and may do so in another role
	NoFeedback     bool          // user_edit_content goes with a rejection only
	Actions        []ActionInput // parallel to the confirm's actions
	Reason         string
	Feedback       string   // user_edit_content
	Presets        []string // suggested reasons
	Roles          []Option // decided_by_role; shown if there are two or more
	Editing        bool     // the editor is open: after E without JavaScript or a refused edit
	Errors         Errors   // by field: reason, user_edit_content, decided_by_role, action_0, args_0, "" …
}

// ActionInput is what the reviewer put in for one action.
type ActionInput struct {
	Chosen     string // approve, reject, edit, or empty: nothing is pre-selected
	Args       string // the editor's text as posted; empty shows the stored arguments
	Changed    bool   // the arguments were changed, in the editor or in the fields
	MayApprove bool   // allowed_decisions of the review config
	MayEdit    bool

	Fields      []ArgsField // the arguments as fields, nil if they are JSON only
	ChangedJSON bool        // Args differs, beside fields
	Misfit      bool        // the edit does not fit the agent's schema
	Unfit       bool        // the user wants to go on nevertheless
}

// CancelForm is posted to /confirms/{id}/cancel or /plans/{id}/cancel, field reason.
type CancelForm struct {
	Action string
	Label  string // "Cancel this request", "Abandon draft", "Cancel plan"
	Hint   string // the consequence
	Reason string
	Error  string
}

// EditReviewView is the second step of an edit: before and after. Nothing is
// decided yet.
type EditReviewView struct {
	ID       string
	Action   string // posted again to the same address
	BackURL  string // the page of the request
	Deadline Deadline
	Edits    []ActionEdit
	Others   []ActionChoice // the decisions on the other actions
	Reason   string
	Feedback string
	Role     string        // decided_by_role
	Effect   string        // what the decision does, if several people vote
	Hidden   []HiddenField // everything that was posted
}

// ActionEdit is one action's arguments before and after.
type ActionEdit struct {
	Number int // from 1
	Name   string
	Before string // JSON as stored
	After  string // JSON as edited

	Misfits []string // rules of the agent's schema that it breaks
}

// ActionChoice repeats a decision about an action that is not edited.
type ActionChoice struct {
	Number   int
	Name     string
	Decision string // approve or reject
}

// HiddenField is sent back as it came.
type HiddenField struct{ Name, Value string }

// contextChange explains what a change of the context means for the request.
func (v ConfirmView) contextChange() string {
	if v.Status == "pending" {
		return "You see the current version. You cannot approve, because the request is about the old one."
	}
	return "You see the current version, not the one that was decided on."
}
