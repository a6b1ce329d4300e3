package domain

import (
	"encoding/json"
	"maps"
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
		entryUserCreated, "user.roles_assigned", entryUserDisabled, "user.enabled", entryUserReset, entryPasswordSet,
		entrySessionsEnded, entrySignedOut,
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

	bytes int // a list ends with the event that reaches so many; 0: none does
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
	payload := entryPayload(e)
	add := func(kind, family string, extra map[string]any) {
		c := Cursor{Seq: e.Seq, N: len(list)}
		list = append(list, Event{Cursor: c, ID: mplp.CanonicalID("event", c.String()), Type: kind, Family: family, Entry: e, Extra: extra, Facts: payload})
	}
	switch {
	case executionStatus[e.Type] != "":
		add(e.Type, FamilyRuntimeExecution, map[string]any{
			"execution_id": mplp.CanonicalID("execution", executionOf(e, payload)), "executor_kind": "agent", "status": executionStatus[e.Type],
		})
	case stageStatus[e.Type] != "":
		stage := stageOf(e, stageStatus[e.Type])
		add(e.Type, FamilyPipelineStage, stage)
		for _, bus := range busTypes(e, payload) {
			add(bus, FamilyPipelineStage, stage)
		}
	default:
		_, verb, _ := strings.Cut(e.Type, ".")
		change, known := graphChange[verb]
		if !known {
			change.kind = "node_update"
		}
		edges := 0
		if n, ok := payload["edges"].(float64); ok {
			edges = int(n)
		}
		if n, ok := payload["steps"].(float64); ok {
			change.kind, change.nodes = "bulk", int(n)
		}
		add(e.Type, FamilyGraphUpdate, map[string]any{
			"graph_id": mplp.CanonicalID("graph", graphOf(e)), "update_kind": change.kind, "node_delta": change.nodes, "edge_delta": edges,
		})
	}
	return list
}

// busTypes are S0's names for what happened (requirements C-40; contradiction
// 11: a cancelled confirm is no rejection).
func busTypes(e *evidence.Entry, payload map[string]any) []string {
	switch e.Type {
	case "confirm.requested":
		return []string{"confirm_created"}
	case "confirm.approved", "confirm.rejected":
		if payload["target_type"] == string(TargetPlan) {
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
func entryPayload(e *evidence.Entry) map[string]any {
	var payload map[string]any
	if _ = json.Unmarshal(e.Data, &payload); payload == nil { // our own bytes, if there are any
		payload = map[string]any{}
	}
	explain(payload["warnings"])
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

func executionOf(e *evidence.Entry, payload map[string]any) string {
	if id, ok := payload["execution_id"].(string); ok {
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
	maps.Copy(members, e.Extra)
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
