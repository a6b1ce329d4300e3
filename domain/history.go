package domain

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/domain/evidence"
)

// History checks the log against the rules, entry by entry. Whoever changes rows of the
// database, lets the program write on top of them and puts them back, leaves no other
// trace. It knows only the entries, and keeps little of each confirm: there are
// millions.
//
// Entries of earlier versions say less. What they do not say is not checked.
type History struct {
	// partial is set for an excerpt of a log: what it lacks may still have happened.
	partial  bool
	findings []string // about the current entry

	actors    map[string]*actor // by "user:<id>" and "key:<id>"
	actorList []*actor          // [0] stands for an unknown one
	userCount int               // users created so far
	roles     map[string]*pastRole
	required  []string // roles that confirms require, each once

	confirms       map[confirmKey]int32 // index in confirmList
	confirmList    []pastConfirm
	partlyApproved map[int32][]bool           // approved actions of rejected confirms
	votings        map[int32]*evidence.Voting // on pending confirms with a quorum
	uses           map[pastUse]int64          // the entry that consumed a part of an approval
	plans          map[string]*pastPlan
	planList       []*pastPlan       // [0] is none
	contexts       map[string]string // status by id
	destinations   map[string]bool   // that there are, by id
	policies       map[string]int64  // the current version, by id
	restoredSeq    int64             // the last entry of a restore, -1 for none
}

// actor is a user or a key as the log has it.
type actor struct {
	number   int32  // index in actorList
	owner    *actor // of a key; nil: none
	creator  *actor // of a key, who may not decide its requests; nil: none
	disabled bool   // a user
	revoked  bool
	decides  bool // may decide
	expires  time.Time
	roles    []string
}

// group returns the user who answers for the actor, or the actor itself.
func (a *actor) group() *actor {
	if a.owner != nil {
		return a.owner
	}
	return a
}

// isOwnRequest reports whether a request by another actor counts as this actor's own.
func (a *actor) isOwnRequest(by *actor) bool {
	return by.group() == a.group() || by.creator != nil && by.creator.group() == a.group()
}

// pastRole is a role as the log has it.
type pastRole struct {
	name         string
	names        []string // all that it ever had
	capabilities []Capability
}

// confirmKey is a hash of a confirm's id, to save memory.
type confirmKey [16]byte

func keyOfConfirm(id string) (k confirmKey) {
	sum := sha256.Sum256([]byte(id))
	copy(k[:], sum[:])
	return k
}

// NewHistory returns a History for a log from its first entry on.
func NewHistory() *History {
	return &History{
		actors: map[string]*actor{}, actorList: []*actor{{}}, roles: map[string]*pastRole{}, confirms: map[confirmKey]int32{}, partlyApproved: map[int32][]bool{},
		votings: map[int32]*evidence.Voting{}, uses: map[pastUse]int64{}, plans: map[string]*pastPlan{}, planList: []*pastPlan{{}}, contexts: map[string]string{}, destinations: map[string]bool{}, policies: map[string]int64{}, restoredSeq: -1,
	}
}

// NewPartialHistory returns a History for an excerpt of a log, such as a bundle.
func NewPartialHistory() *History {
	h := NewHistory()
	h.partial = true
	return h
}

// facts are the members of an entry's data that History reads.
type facts struct {
	// of confirms
	TargetType   string         `json:"target_type"`
	StepID       string         `json:"step_id"`
	Unbound      bool           `json:"unbound"`
	Unknown      bool           `json:"unknown"`
	RequiredRole string         `json:"required_role"`
	Timeout      int64          `json:"timeout"`
	SelfApproval bool           `json:"self_approval"`
	Subject      string         `json:"subject"`
	OlderThan    *int64         `json:"older_than_seconds"`
	DecidedSeq   int64          `json:"decided_seq"`
	Findings     []ShownFinding `json:"findings"`
	Vote         string         `json:"vote"`
	RoleID       string         `json:"role_id"`
	Policies     []policyFact   `json:"policies"`
	Policy       *policyFact    `json:"policy"`
	// of plans and steps
	From      string   `json:"from"`
	Status    string   `json:"status"`
	Steps     *int     `json:"steps"`
	Locked    bool     `json:"locked"`
	ConfirmID string   `json:"confirm_id"`
	Blocked   []string `json:"blocked"`
	Unblocked []string `json:"unblocked"`
	MoreSteps int      `json:"more_steps"` // that followed without being listed
	ContextID string   `json:"context_id"`
	// of users, keys and roles
	Name      string       `json:"name"`
	Version   int64        `json:"version"`
	Roles     []string     `json:"roles"`
	Setup     bool         `json:"setup"`
	Owner     string       `json:"owner"`
	MadeBy    string       `json:"made_by"`
	MayDecide bool         `json:"may_decide"`
	ExpiresAt string       `json:"expires_at"`
	Granted   []Capability `json:"granted"`
	Revoked   []Capability `json:"revoked"`
}

func factsOf(e *evidence.Entry) (f facts) {
	if len(e.Data) > 0 {
		_ = json.Unmarshal(e.Data, &f) // unreadable data has no facts
	}
	return f
}

func (h *History) report(format string, args ...any) {
	h.findings = append(h.findings, fmt.Sprintf(format, args...))
}

// Check takes the next entry and returns what is wrong with it.
func (h *History) Check(e *evidence.Entry) []string {
	h.findings = nil
	h.checkActor(e)
	family, event, _ := strings.Cut(e.Type, ".")
	switch {
	case family == "confirm" && event == "consumed":
		h.followConsumption(e)
	case family == "confirm" && (event == "requested" || event == "imported"):
		h.followRequest(e)
	case e.Type == entryVoted:
		h.followVote(e)
	case e.Type == entryEscalated:
		h.followEscalation(e)
	case family == "confirm" && pastStatuses[Status(event)] != pastPending:
		h.followDecision(e, Status(event))
	case e.Type == entryPruned:
		h.followPrune(e)
	case h.partial:
	case family == "plan":
		h.followPlan(e, event)
	case family == "step":
		h.followStep(e, event)
	case family == "context":
		h.contexts[strings.Clone(e.ObjectID)] = strings.Clone(factsOf(e).Status)
	case family == "user", family == "key":
		h.followAccount(e, family, event)
	case family == "role":
		h.followRole(e, event)
	case family == "destination":
		h.followDestination(e, event)
	case family == "policy":
		h.followPolicy(e, event)
	case e.Type == evidence.EntryRestored:
		h.restoredSeq = e.Seq
	}
	return h.findings
}

// clockSlack allows for use cases that read the clock twice: once for a check and once
// for the entry.
const clockSlack = time.Minute

// checkActor checks that whoever made a change existed and was not disabled, revoked or
// expired.
func (h *History) checkActor(e *evidence.Entry) {
	if !strings.HasPrefix(e.Principal, "user:") && !strings.HasPrefix(e.Principal, "key:") {
		return
	}
	a := h.actors[e.Principal]
	switch {
	case a == nil && h.partial:
	case a == nil:
		h.report("%s acted, whom the log has not created", e.Principal)
	case a.disabled:
		h.report("%s acted, who was disabled", e.Principal)
	case a.revoked:
		h.report("%s acted, which was revoked", e.Principal)
	case a.owner != nil && a.owner.disabled:
		h.report("%s acted, whose owner was disabled", e.Principal)
	case !a.expires.IsZero() && e.At.After(a.expires.Add(clockSlack)):
		h.report("%s acted, which had expired", e.Principal)
	}
}

// followAccount follows changes of users and keys.
func (h *History) followAccount(e *evidence.Entry, family, event string) {
	f, id := factsOf(e), family+":"+e.ObjectID
	a := h.actors[id]
	if event == "created" {
		h.addActor(e, family, id, f)
		return
	}
	if a == nil {
		h.report("%s is changed, whom the log has not created", id)
		return
	}
	switch event {
	case "disabled":
		if a.disabled {
			h.report("%s is disabled a second time", id)
		}
		a.disabled = true
	case "enabled":
		if !a.disabled {
			h.report("%s is enabled, who was not disabled", id)
		}
		a.disabled = false
	case "roles_assigned":
		a.roles = cloned(f.Roles)
	case "revoked":
		if a.revoked {
			h.report("%s is revoked a second time", id)
		}
		a.revoked = true
	}
}

// addActor adds a new user or key.
func (h *History) addActor(e *evidence.Entry, family, id string, f facts) {
	if h.actors[id] != nil {
		h.report("%s is created a second time", id)
	}
	if family == "user" {
		if f.Setup && h.userCount > 0 {
			h.report("a first administrator is set up, and there had been a user")
		}
		h.userCount++
	}
	a := &actor{number: int32(len(h.actorList)), decides: family == "user" || f.MayDecide, roles: cloned(f.Roles), creator: h.actors[f.MadeBy]}
	if f.Owner != "" {
		a.owner = h.actors["user:"+f.Owner]
	}
	if t, err := time.Parse(time.RFC3339, f.ExpiresAt); err == nil {
		a.expires = t
	}
	h.actors[strings.Clone(id)] = a
	h.actorList = append(h.actorList, a)
}

// numberOf returns the index of an entry's actor, 0 if it is unknown.
func (h *History) numberOf(e *evidence.Entry) int32 {
	if a := h.actors[e.Principal]; a != nil {
		return a.number
	}
	return 0
}

func cloned(list []string) []string {
	list = slices.Clone(list)
	for i := range list {
		list[i] = strings.Clone(list[i])
	}
	return list
}

// followRole follows what roles allow.
func (h *History) followRole(e *evidence.Entry, event string) {
	f, r := factsOf(e), h.roles[e.ObjectID]
	switch {
	case event == "created":
		if r != nil {
			h.report("role %s is created a second time", e.ObjectID)
		}
		r = &pastRole{capabilities: f.Granted}
		h.roles[strings.Clone(e.ObjectID)] = r
	case r == nil:
		h.report("role %s is changed, which the log does not have", e.ObjectID)
		return
	case event == "deleted":
		delete(h.roles, e.ObjectID)
		return
	case event == "modified":
		r.capabilities = slices.DeleteFunc(r.capabilities, func(c Capability) bool { return slices.Contains(f.Revoked, c) })
		r.capabilities = append(r.capabilities, f.Granted...)
	default:
		return
	}
	r.name = strings.Clone(f.Name)
	if !slices.Contains(r.names, r.name) {
		r.names = append(r.names, r.name)
	}
}

// followDestination follows which destinations there are.
func (h *History) followDestination(e *evidence.Entry, event string) {
	is := h.destinations[e.ObjectID]
	switch {
	case event == "created" && is:
		h.report("destination %s is created a second time", e.ObjectID)
	case event != "created" && !is:
		h.report("destination %s is changed, which the log does not have", e.ObjectID)
	}
	h.destinations[strings.Clone(e.ObjectID)] = event != "deleted"
}

// followPolicy follows the versions of policies.
func (h *History) followPolicy(e *evidence.Entry, event string) {
	f, current := factsOf(e), h.policies[e.ObjectID]
	switch {
	case event == "created" && current != 0:
		h.report("policy %s is created a second time", e.ObjectID)
	case event != "created" && current == 0:
		h.report("policy %s is changed, which the log does not have", e.ObjectID)
	case f.Version != current+1:
		h.report("policy %s has version %d after version %d", e.ObjectID, f.Version, current)
	}
	h.policies[strings.Clone(e.ObjectID)] = f.Version
}

// HasRole reports whether a role ever had this name or id. Contents name the required
// role by either.
func (h *History) HasRole(id, name string) bool {
	r := h.roles[id]
	return id == name || r == nil || slices.Contains(r.names, name)
}
