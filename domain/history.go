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

// History holds the log to the rules. It is told every entry, in order, and says
// of each what no honest run writes: whoever changes rows of the database, has the
// program write on top of them and puts them back, leaves no other trace. It knows
// nothing but the entries, and keeps little of each confirm: there are millions.
//
// Entries of earlier versions say less. What they do not say is not checked.
type History struct {
	// partial is for some of a log's entries: what is not among them may still
	// have been.
	partial bool
	wrong   []string // with the entry that is being looked at

	actors   map[string]*actor // by "user:<id>" and "key:<id>"
	acting   []*actor          // [0] is nobody known
	people   int               // users that were created
	roles    map[string]*pastRole
	required []string // roles that confirms require, each once

	confirms map[confirmKey]int32 // place in asked
	asked    []asked
	mixed    map[int32][]bool // of what was rejected, which actions were approved
	used     map[use]int64    // the entries that consumed something
	plans    map[string]*pastPlan
	planList []*pastPlan       // [0] is none
	contexts map[string]string // their status
	restored int64             // the last entry that said so, -1 for none
}

// actor is a user or a key, as far as the log tells.
type actor struct {
	number   int32  // place in acting
	owner    *actor // of a key; nil: none
	maker    *actor // of a key, who decides nothing that it asks for; nil: none
	disabled bool   // a user, for now
	revoked  bool
	decides  bool // a key that may
	expires  time.Time
	roles    []string
}

// group is the user who answers for the actor, or the actor itself.
func (a *actor) group() *actor {
	if a.owner != nil {
		return a.owner
	}
	return a
}

// requests says whether what another requests is the actor's own.
func (a *actor) requests(by *actor) bool {
	return by.group() == a.group() || by.maker != nil && by.maker.group() == a.group()
}

// pastRole is a role as the log has it by now.
type pastRole struct {
	name         string
	names        []string // that it ever had
	capabilities []Capability
}

// confirmKey stands for a confirm's id: what no two ids share.
type confirmKey [16]byte

func keyOfConfirm(id string) (k confirmKey) {
	sum := sha256.Sum256([]byte(id))
	copy(k[:], sum[:])
	return k
}

// NewHistory is for a log from its first entry on.
func NewHistory() *History {
	return &History{
		actors: map[string]*actor{}, acting: []*actor{{}}, roles: map[string]*pastRole{}, confirms: map[confirmKey]int32{}, mixed: map[int32][]bool{},
		used: map[use]int64{}, plans: map[string]*pastPlan{}, planList: []*pastPlan{{}}, contexts: map[string]string{}, restored: -1,
	}
}

// NewPartialHistory is for some entries of a log, in their order, such as those of
// a bundle.
func NewPartialHistory() *History {
	h := NewHistory()
	h.partial = true
	return h
}

// facts are what entries say in their data, as far as the history follows it.
type facts struct {
	// of confirms
	TargetType   string `json:"target_type"`
	StepID       string `json:"step_id"`
	Unbound      bool   `json:"unbound"`
	Unknown      bool   `json:"unknown"`
	RequiredRole string `json:"required_role"`
	Timeout      int64  `json:"timeout"`
	SelfApproval bool   `json:"self_approval"`
	Subject      string `json:"subject"`
	OlderThan    *int64 `json:"older_than_seconds"`
	DecidedSeq   int64  `json:"decided_seq"`
	// of plans and steps
	From      string   `json:"from"`
	Status    string   `json:"status"`
	Steps     *int     `json:"steps"`
	Locked    bool     `json:"locked"`
	ConfirmID string   `json:"confirm_id"`
	Blocked   []string `json:"blocked"`
	Unblocked []string `json:"unblocked"`
	MoreSteps int      `json:"more_steps"` // that followed, and are not listed
	ContextID string   `json:"context_id"`
	// of users, keys and roles
	Name      string       `json:"name"`
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
		_ = json.Unmarshal(e.Data, &f) // what cannot be read says nothing
	}
	return f
}

func (h *History) found(format string, args ...any) {
	h.wrong = append(h.wrong, fmt.Sprintf(format, args...))
}

// Entry takes the next entry and says what is wrong with it.
func (h *History) Entry(e *evidence.Entry) []string {
	h.wrong = nil
	h.acted(e)
	family, event, _ := strings.Cut(e.Type, ".")
	switch {
	case family == "confirm" && event == "consumed":
		h.consumed(e)
	case family == "confirm" && (event == "requested" || event == "imported"):
		h.requested(e)
	case family == "confirm" && pastStatuses[Status(event)] != pastPending:
		h.decided(e, Status(event))
	case e.Type == entryPruned:
		h.pruned(e)
	case h.partial:
	case family == "plan":
		h.planned(e, event)
	case family == "step":
		h.stepped(e, event)
	case family == "context":
		h.contexts[strings.Clone(e.ObjectID)] = strings.Clone(factsOf(e).Status)
	case family == "user", family == "key":
		h.account(e, family, event)
	case family == "role":
		h.role(e, event)
	case e.Type == evidence.EntryRestored:
		h.restored = e.Seq
	}
	return h.wrong
}

// clockSlack is for times that an honest run reads twice: once to see whether a
// time has come, and once more for the entry.
const clockSlack = time.Minute

// acted holds whoever made a change to being known, and let in, at that moment.
func (h *History) acted(e *evidence.Entry) {
	if !strings.HasPrefix(e.Principal, "user:") && !strings.HasPrefix(e.Principal, "key:") {
		return
	}
	a := h.actors[e.Principal]
	switch {
	case a == nil && h.partial:
	case a == nil:
		h.found("%s acted, whom the log has not created", e.Principal)
	case a.disabled:
		h.found("%s acted, who was disabled", e.Principal)
	case a.revoked:
		h.found("%s acted, which was revoked", e.Principal)
	case a.owner != nil && a.owner.disabled:
		h.found("%s acted, whose owner was disabled", e.Principal)
	case !a.expires.IsZero() && e.At.After(a.expires.Add(clockSlack)):
		h.found("%s acted, which had expired", e.Principal)
	}
}

// account follows users and keys.
func (h *History) account(e *evidence.Entry, family, event string) {
	f, id := factsOf(e), family+":"+e.ObjectID
	a := h.actors[id]
	if event == "created" {
		h.joined(e, family, id, f)
		return
	}
	if a == nil {
		h.found("%s is changed, whom the log has not created", id)
		return
	}
	switch event {
	case "disabled":
		if a.disabled {
			h.found("%s is disabled a second time", id)
		}
		a.disabled = true
	case "enabled":
		if !a.disabled {
			h.found("%s is enabled, who was not disabled", id)
		}
		a.disabled = false
	case "roles_assigned":
		a.roles = cloned(f.Roles)
	case "revoked":
		if a.revoked {
			h.found("%s is revoked a second time", id)
		}
		a.revoked = true
	}
}

// joined takes a new user or key.
func (h *History) joined(e *evidence.Entry, family, id string, f facts) {
	if h.actors[id] != nil {
		h.found("%s is created a second time", id)
	}
	if family == "user" {
		if f.Setup && h.people > 0 {
			h.found("a first administrator is set up, and there had been a user")
		}
		h.people++
	}
	a := &actor{number: int32(len(h.acting)), decides: family == "user" || f.MayDecide, roles: cloned(f.Roles), maker: h.actors[f.MadeBy]}
	if f.Owner != "" {
		a.owner = h.actors["user:"+f.Owner]
	}
	if t, err := time.Parse(time.RFC3339, f.ExpiresAt); err == nil {
		a.expires = t
	}
	h.actors[strings.Clone(id)] = a
	h.acting = append(h.acting, a)
}

// numberOf is the place of whoever made an entry, 0 if unknown.
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

// role follows what roles allow.
func (h *History) role(e *evidence.Entry, event string) {
	f, r := factsOf(e), h.roles[e.ObjectID]
	switch {
	case event == "created":
		if r != nil {
			h.found("role %s is created a second time", e.ObjectID)
		}
		r = &pastRole{capabilities: f.Granted}
		h.roles[strings.Clone(e.ObjectID)] = r
	case r == nil:
		h.found("role %s is changed, which the log does not have", e.ObjectID)
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

// Named says whether a role once had this id or name: confirms name the role that
// they require by either.
func (h *History) Named(id, name string) bool {
	r := h.roles[id]
	return id == name || r == nil || slices.Contains(r.names, name)
}
