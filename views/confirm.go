package views

// ConfirmView is GET /confirms/{id}, and the answer to a decision.
type ConfirmView struct {
	Self    string // own address with its query (the filter it was opened from)
	BackURL string // the inbox with that filter
	ID      string
	Status  string // pending, approved, rejected, cancelled, unsubstantiated
	Cause   string // human, agent, timeout, cancelled, policy, import; empty while pending

	Heading    string // what it is called if it calls no tool
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
	OnReject     string // abort or recover, for a running plan; otherwise empty

	ContentHash string
	TraceID     string
	TraceURL    string // empty where there is no page for it
	SpanID      string
	SessionID   string
	MessageID   string
	ApprovalKey string

	Import, Unbound, Locked bool
	Forgotten               bool // its content is deleted; only hashes are left

	MayDecide []string // names of roles that may decide it
	Refusals  []string // why this reader may not: full sentences; empty if Form is set
	Form      *DecisionForm
	Cancel    *CancelForm // set if the reader may cancel it

	Claim *Claim // of an import, in place of a decision

	Conflict     *Notice      // after a 409: "Already decided", who, what and when
	Unsent       string       // the words that were sent with it, which count no more
	Supersedes   []ConfirmRef // earlier confirms that this one follows, nearest first
	SupersededBy []ConfirmRef
	History      []DecisionEntry
	Receipt      *Receipt // set once decided
	JustDecided  bool     // the reader's own action led here: the result takes the focus
	Next         *NextConfirm
	Evidence     *ConfirmEvidence // nil: the reader may not take it away
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
	Args        string // JSON as stored; the view indents it and changes nothing else
	ArgsHash    string
	ToolUseID   string
	Description string // the agent's words
	Decision    string // once decided: approve, reject, edit
	Message     string // the decider's words about this action
	Filled      bool   // the decision was copied from the first
	EditedArgs  string // for edit: the JSON that was approved
}

// Requester says who asks.
type Requester struct {
	Principal  string // the key's or user's name
	Kind       string // agent or user
	Owner      string // user that owns the key, if any
	Role       Link
	Registered bool // the role is a registered one and was held
}

// ConfirmPlan is the plan that a confirm concerns, with the gated step marked.
type ConfirmPlan struct {
	Plan      Link
	Objective string // the agent's words
	Status    string
	Gated     string // description of the gated step; empty when the whole plan is meant
	Changed   bool   // the plan differs from what the confirm was made for
	Drawing   *PlanDrawing
	Steps     []PlanStep
}

// ConfirmContext is the context that a confirm concerns or its plan stands in.
type ConfirmContext struct {
	Context Link
	Status  string
	Changed bool   // it differs from what the confirm was made for
	Summary string // the agent's words
	Body    string // JSON as stored; empty if the reader may not read it
}

// ConfirmRef names another confirm of the same matter.
type ConfirmRef struct {
	ID     string
	URL    string
	Status string
	Cause  string // of a final status: human, timeout …
	When   Moment
	Reason string // what the decider said
}

// DecisionEntry is one row of a confirm's history.
type DecisionEntry struct {
	Status   string
	Cause    string // human, agent, timeout, cancelled, policy, import
	Words    string // the cause in words: "a person", "a key that may decide", "the clock"
	By       string // principal
	Role     string
	At       Moment
	Reason   string // the decider's words
	Feedback string // user_edit_content
	Warning  string // such as "self-approval was allowed by the server's settings"
}

// Claim is what an import says about itself. Nobody here proved it.
type Claim struct {
	Status    string // approved, rejected, cancelled or pending
	Decisions []ClaimedDecision
}

// ClaimedDecision is a decision that an import came with.
type ClaimedDecision struct {
	Status string
	Role   string // the poster's words
	At     Moment // empty: it did not say
	Reason string // the poster's words
}

// Receipt proves what was decided.
type Receipt struct {
	Status        string
	Means         string // what the agent may do now, a sentence
	Cause         string // in words
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

// NextConfirm leads on to the next pending confirm of the filter. An empty URL
// says that none is left.
type NextConfirm struct {
	URL   string
	Label string // tool or target
	Left  int    // pending ones in the filter
	Cap   int    // above it they are shown as "200+"; 0 means no cap
}

// DecisionForm is posted to /confirms/{id}/decision; field names are API.md's
// "Browser forms".
type DecisionForm struct {
	TooLong        bool   // a form cannot hold the arguments: none can be edited
	Action         string // the address, with the filter's query
	ContentHash    string
	MayApprove     bool // also edit
	MayReject      bool
	MissingApprove string // the capability that is missing, if any
	MissingReject  string
	Actions        []ActionInput // parallel to the confirm's actions
	Reason         string
	Feedback       string   // user_edit_content
	Presets        []string // reasons to pick from
	Roles          []Option // decided_by_role; shown from two on
	Editing        bool     // the editor is open: after E without JavaScript or a refused edit
	Errors         Errors   // by field: reason, user_edit_content, decided_by_role, action_0, args_0, "" …
}

// ActionInput is what the reviewer put in for one action.
type ActionInput struct {
	Chosen     string // approve, reject, edit, or empty: nothing is pre-selected
	Args       string // the editor's text as posted; empty shows the stored arguments
	Changed    bool   // it says something else than they do
	MayApprove bool   // allowed_decisions of the review config
	MayEdit    bool
}

// CancelForm is posted to /confirms/{id}/cancel or /plans/{id}/cancel, field reason.
type CancelForm struct {
	Action string
	Label  string // "Cancel this confirm", "Abandon draft", "Cancel plan"
	Hint   string // what it leads to
	Reason string
	Error  string
}

// EditReviewView is the second half of an edit: before and after, nothing
// decided yet.
type EditReviewView struct {
	ID       string
	Action   string // posted again to the same address
	BackURL  string // the confirm's page
	Deadline Deadline
	Edits    []ActionEdit
	Others   []ActionChoice // the other actions' decisions that go with it
	Reason   string
	Feedback string
	Role     string        // decided_by_role
	Hidden   []HiddenField // everything that was posted, and confirmed
}

// ActionEdit is one action's arguments before and after.
type ActionEdit struct {
	Number int // from 1
	Name   string
	Before string // JSON as stored
	After  string // JSON as edited
}

// ActionChoice repeats a decision about an action that is not edited.
type ActionChoice struct {
	Number   int
	Name     string
	Decision string // approve or reject
}

// HiddenField is sent back as it came.
type HiddenField struct{ Name, Value string }

// contextChange says what a change of the context means for the confirm.
func (v ConfirmView) contextChange() string {
	if v.Status == "pending" {
		return "It is shown as it is now. An approval would be for what it was then, so there is none to give."
	}
	return "It is shown as it is now, and not as it was then."
}
