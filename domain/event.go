package domain

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// Event is one MPLP event: a reading of a log entry, valid against the official
// event schemas (requirements F-11 to F-14, C-40, C-41; contradictions 10, 12).
// An entry gives S2's dotted event, and S0's bus events where S0 names one.
type Event struct {
	Cursor Cursor
	ID     string // a UUID that follows from the cursor
	Type   string
	Family string
	Entry  *evidence.Entry
	Extra  map[string]any // the members that the family's schema requires
	Facts  map[string]any // the payload
}

// The event families that this server's entries belong to.
const (
	FamilyPipelineStage    = "pipeline_stage"
	FamilyGraphUpdate      = "graph_update"
	FamilyRuntimeExecution = "runtime_execution"
)

// Families lists them, for filters.
func Families() []string {
	return []string{FamilyPipelineStage, FamilyGraphUpdate, FamilyRuntimeExecution}
}

// EntryTypes lists every type of entry that this server writes.
func EntryTypes() []string {
	return []string{
		"confirm.requested", "confirm.approved", "confirm.rejected", "confirm.cancelled", "confirm.imported", "confirm.consumed",
		"plan.created", "plan.revised", "plan.imported", "plan.proposed", "plan.approved", "plan.rejected",
		"plan.started", "plan.completed", "plan.failed", "plan.cancelled",
		"step.started", "step.completed", "step.failed", "step.skipped", "step.retried", "step.blocked",
		"context.created", "context.modified", "trace.created",
		"role.created", "role.modified", "role.deleted",
		"user.created", "user.roles_assigned", "user.disabled", "user.enabled", "user.reset", "user.password_set",
		"key.created", "key.revoked",
		entryPruned, evidence.EntryKeyRotated, evidence.EntryRestored,
	}
}

// FamilyOf is the event family that entries of a type belong to.
func FamilyOf(entryType string) string {
	switch {
	case executionStatus[entryType] != "":
		return FamilyRuntimeExecution
	case stageStatus[entryType] != "":
		return FamilyPipelineStage
	}
	return FamilyGraphUpdate
}

// EventFilter narrows a list of events.
type EventFilter struct {
	After     *Cursor
	ConfirmID string
	PlanID    string
	TraceID   string
	Family    string
	Type      string
	Limit     int
}

// stageStatus is what an entry says of its pipeline stage.
var stageStatus = map[string]string{
	"confirm.requested": "pending", "confirm.approved": "completed", "confirm.rejected": "failed", "confirm.cancelled": "skipped",
	"confirm.imported": "skipped", "plan.proposed": "pending", "plan.approved": "completed", "plan.rejected": "failed",
	"plan.started": "running", "plan.completed": "completed", "plan.failed": "failed", "plan.cancelled": "skipped",
}

// executionStatus is what an entry says of an execution.
var executionStatus = map[string]string{
	"step.started": "running", "step.completed": "completed", "step.failed": "failed", "step.skipped": "cancelled",
	"step.retried": "pending", "step.blocked": "pending", "confirm.consumed": "running",
}

// graphChange is what an entry says of the graph of objects: the kind of update
// and by how many nodes it grew.
var graphChange = map[string]struct {
	kind  string
	nodes int
}{
	"created": {"node_add", 1}, "imported": {"node_add", 1}, "deleted": {"node_delete", -1}, "revoked": {"node_delete", -1},
}

// eventsOf reads an entry as events.
func eventsOf(e *evidence.Entry) (list []Event) {
	facts := map[string]any{}
	if len(e.Data) > 0 {
		_ = json.Unmarshal(e.Data, &facts) // our own bytes
	}
	add := func(kind, family string, extra, payload map[string]any) {
		c := Cursor{Seq: e.Seq, N: len(list)}
		list = append(list, Event{Cursor: c, ID: mplp.CanonicalID("event", c.String()), Type: kind, Family: family, Entry: e, Extra: extra, Facts: payload})
	}
	payload := entryPayload(e, facts)
	switch {
	case executionStatus[e.Type] != "":
		add(e.Type, FamilyRuntimeExecution, map[string]any{
			"execution_id": mplp.CanonicalID("execution", executionOf(e, facts)), "executor_kind": "agent", "status": executionStatus[e.Type],
		}, payload)
	case stageStatus[e.Type] != "":
		stage := stageOf(e, stageStatus[e.Type])
		add(e.Type, FamilyPipelineStage, stage, payload)
		for _, bus := range busTypes(e, facts) {
			add(bus, FamilyPipelineStage, stage, payload)
		}
	default:
		_, verb, _ := strings.Cut(e.Type, ".")
		change, known := graphChange[verb]
		if !known {
			change.kind = "node_update"
		}
		edges := 0
		if n, ok := facts["edges"].(float64); ok {
			edges = int(n)
		}
		if n, ok := facts["steps"].(float64); ok {
			change.kind, change.nodes = "bulk", int(n)
		}
		add(e.Type, FamilyGraphUpdate, map[string]any{
			"graph_id": mplp.CanonicalID("graph", graphOf(e)), "update_kind": change.kind, "node_delta": change.nodes, "edge_delta": edges,
		}, payload)
	}
	return list
}

// busTypes are S0's names for what happened (requirements C-40; contradiction
// 11: a cancelled confirm is no rejection).
func busTypes(e *evidence.Entry, facts map[string]any) []string {
	switch e.Type {
	case "confirm.requested":
		return []string{"confirm_created"}
	case "confirm.approved", "confirm.rejected":
		if facts["target_type"] == string(TargetPlan) {
			return []string{"plan_" + strings.TrimPrefix(e.Type, "confirm."), "confirm_resolved"}
		}
		return []string{"confirm_resolved"}
	case "confirm.cancelled":
		return []string{"confirm_resolved"}
	}
	return nil
}

// explain gives warnings the words that the log leaves out.
func explain(warnings any) {
	list, _ := warnings.([]any)
	for _, warning := range list {
		if w, ok := warning.(map[string]any); ok && w["code"] == mplp.CodeFilled {
			w["message"] = mplp.Missing
		}
	}
}

// entryPayload gathers what an entry says, under the seeds' names (C-41).
func entryPayload(e *evidence.Entry, facts map[string]any) map[string]any {
	payload := map[string]any{}
	for name, value := range facts {
		payload[name] = value
	}
	explain(facts["warnings"])
	set := func(name, value string) {
		if value != "" {
			payload[name] = value
		}
	}
	set("confirm_id", e.ConfirmID)
	set("plan_id", e.PlanID)
	set("object_id", e.ObjectID)
	set("span_id", e.SpanID)
	set("content_hash", e.ContentHash)
	set("cause", e.Cause)
	set("principal_kind", e.Kind)
	if stageStatus[e.Type] != "" && strings.HasPrefix(e.Type, "confirm.") && e.Type != "confirm.requested" {
		set("decided_by", e.Role)
	}
	if e.Type == evidence.EntryRequested {
		set("requested_by", e.Role)
		set("status", string(Pending))
	}
	return payload
}

func stageOf(e *evidence.Entry, status string) map[string]any {
	pipeline, stage := mplp.CanonicalID("confirm", e.ConfirmID), "confirm.decision"
	if e.PlanID != "" {
		pipeline, stage = mplp.CanonicalID("plan", e.PlanID), "plan.approval"
	}
	if strings.HasPrefix(e.Type, "plan.") && e.Type != "plan.proposed" && e.Type != "plan.approved" && e.Type != "plan.rejected" {
		stage = "plan.execution"
	}
	return map[string]any{"pipeline_id": pipeline, "stage_id": stage, "stage_status": status}
}

func executionOf(e *evidence.Entry, facts map[string]any) string {
	if id, ok := facts["execution_id"].(string); ok {
		return id
	}
	return e.PlanID + "/" + e.SpanID
}

func graphOf(e *evidence.Entry) string {
	for _, id := range []string{e.PlanID, e.ObjectID, e.ConfirmID} {
		if id != "" {
			return id
		}
	}
	return "server"
}

// MarshalJSON writes the event as the bus has it.
func (e Event) MarshalJSON() ([]byte, error) {
	members := map[string]any{
		"event_id": e.ID, "event_type": e.Type, "event_family": e.Family, "timestamp": mplp.RenderTime(e.Entry.At),
		"sequence": e.Entry.Seq, "cursor": e.Cursor.String(), "payload": e.Facts,
	}
	if e.Entry.TraceID != "" {
		members["trace_id"] = e.Entry.TraceID
	}
	for name, value := range e.Extra {
		members[name] = value
	}
	return json.Marshal(members)
}

// object is the event as it stands in an object's events (S2's shape).
func (e Event) object() mplp.Raw {
	o := mplp.NewObject()
	o.Set("event_id", mplp.String(e.ID))
	o.Set("event_type", mplp.String(e.Type))
	o.Set("source", mplp.String("countersign"))
	o.Set("timestamp", mplp.String(mplp.RenderTime(e.Entry.At)))
	if facts, err := json.Marshal(e.Facts); err == nil {
		o.Set("data", facts)
	}
	return o.Bytes()
}

// objectEvents are the events that an object gained after it was posted
// (requirements C-15, P-4b), to follow those that came with it.
func objectEvents(r Reader, f EntryFilter) (list []mplp.Raw, err error) {
	f.Limit = MaxPage
	entries, err := r.Entries(f)
	for _, e := range entries {
		list = append(list, eventsOf(e)[0].object())
	}
	return list, err
}

// Entry types whose events an object shows as its own.
var (
	confirmEntries = []string{"confirm.approved", "confirm.rejected", "confirm.cancelled", "confirm.consumed"}
	planEntries    = []string{"plan.revised", "plan.proposed", "plan.approved", "plan.rejected", "plan.started", "plan.completed", "plan.failed", "plan.cancelled"}
)

// Events reads the log as MPLP events, oldest first; next is where to go on, nil
// at the end. Needs trace.read; a key sees its group's history.
func (s *Service) Events(ctx context.Context, ref Ref, f EventFilter) (list []Event, next *Cursor, err error) {
	list, last, more, err := s.events(ctx, ref, f)
	if more {
		next = &last
	}
	return list, next, err
}

// events also says how far it has read: past everything that the filter or the
// reader's rights left out.
func (s *Service) events(ctx context.Context, ref Ref, f EventFilter) (list []Event, last Cursor, more bool, err error) {
	if f.Limit <= 0 || f.Limit > MaxPage {
		f.Limit = DefaultPage
	}
	if f.Family != "" && !slices.Contains(Families(), f.Family) && !slices.Contains(otherFamilies, f.Family) {
		return nil, last, false, invalid("family", "enum", "There is no event family %s.", f.Family)
	}
	last = Cursor{Seq: -1}
	if f.After != nil {
		last = *f.After
	}
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.needs(TraceRead); err != nil {
			return err
		}
		types := f.entryTypes()
		if types != nil && len(types) == 0 {
			return nil
		}
		for looked := 0; ; {
			// An entry may have been given in part, so it is read again.
			after, before := last.Seq-1, last
			entries, err := r.Entries(EntryFilter{
				After: &after, ConfirmID: f.ConfirmID, PlanID: f.PlanID, TraceID: f.TraceID, Types: types, Limit: MaxPage,
			})
			if err != nil {
				return err
			}
			for _, e := range entries {
				visible, err := p.seesEntry(r, e)
				if err != nil {
					return err
				}
				for _, event := range eventsOf(e) {
					if !last.before(event.Cursor) {
						continue
					}
					if visible && (f.Family == "" || event.Family == f.Family) && (f.Type == "" || event.Type == f.Type) {
						if len(list) == f.Limit {
							more = true
							return nil
						}
						list = append(list, event)
					}
					last = event.Cursor
				}
			}
			if len(entries) < MaxPage || before == last {
				return nil
			}
			if looked += len(entries); looked >= maxLooked {
				more = true
				return nil
			}
		}
	})
	return list, last, more, err
}

// maxLooked is how many entries one reading looks at, at the most: of a long
// history that few may see it gives the few, or none, and where to go on.
const maxLooked = 2000

// entryTypes are those of which some event may pass the filter; nil for all.
// With an id the few entries about it are read instead.
func (f *EventFilter) entryTypes() []string {
	if f.Family == "" && f.Type == "" || f.ConfirmID != "" || f.PlanID != "" || f.TraceID != "" {
		return nil
	}
	types := []string{}
	for _, t := range EntryTypes() {
		e := evidence.Entry{Type: t}
		names := append(busTypes(&e, map[string]any{"target_type": string(TargetPlan)}), t)
		if (f.Family == "" || FamilyOf(t) == f.Family) && (f.Type == "" || slices.Contains(names, f.Type)) {
			types = append(types, t)
		}
	}
	return types
}

// otherFamilies are those of the official list that nothing here belongs to.
var otherFamilies = []string{"import_process", "intent", "delta_intent", "impact_analysis", "compensation_plan", "methodology", "reasoning_graph", "cost_budget", "external_integration"}

// seesEntry says whether a reader of history may see an entry: a user all, a
// key only what concerns its group's confirms and plans.
func (p *Principal) seesEntry(r Reader, e *evidence.Entry) (bool, error) {
	if p.Kind != KindAgent {
		return true, nil
	}
	group := func(g Group, err error) (bool, error) {
		if err != nil {
			return false, fmt.Errorf("entry %d: %w", e.Seq, err)
		}
		return g == p.Group, nil
	}
	switch {
	case e.ConfirmID != "":
		c, err := r.Confirm(e.ConfirmID)
		if err != nil {
			return group("", err)
		}
		return group(c.RequestedGroup, nil)
	case e.PlanID != "":
		plan, err := r.Plan(e.PlanID)
		if err != nil {
			return group("", err)
		}
		return group(plan.Group, nil)
	}
	return false, nil
}

// FollowEvents sends events as they happen, first what was missed, until ctx or
// the server ends.
func (s *Service) FollowEvents(ctx context.Context, ref Ref, f EventFilter, send func(Event) error) error {
	if f.After == nil {
		last, err := s.LastSeq(ctx)
		if err != nil {
			return err
		}
		f.After = &Cursor{Seq: last, N: 1 << 30}
	}
	return s.follow(ctx, ref, func(*evidence.Entry) error {
		for {
			list, last, more, err := s.events(ctx, ref, f)
			if err != nil {
				return err
			}
			for _, event := range list {
				if err := send(event); err != nil {
					return err
				}
			}
			if f.After = &last; !more {
				return nil
			}
		}
	}, func(*evidence.Entry) bool { return true })
}
