package domain

import (
	"encoding/json"
	"maps"
	"strings"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// Event is one MPLP event, derived from a log entry and valid against the official
// event schemas. An entry gives an event with a dotted name, and for confirms also the
// bus events that the protocol names.
type Event struct {
	Cursor Cursor
	ID     string // a UUID derived from the cursor
	Type   string
	Family string
	Entry  *evidence.Entry
	Extra  map[string]any // the members that the family's schema requires
	Facts  map[string]any // the payload
}

// The event families of this server's entries.
const (
	FamilyPipelineStage    = "pipeline_stage"
	FamilyGraphUpdate      = "graph_update"
	FamilyRuntimeExecution = "runtime_execution"
)

// EventFamilies lists the families for filters.
func EventFamilies() []string {
	return []string{FamilyPipelineStage, FamilyGraphUpdate, FamilyRuntimeExecution}
}

// EntryTypes lists every type of log entry that this server writes.
func EntryTypes() []string {
	return []string{
		"confirm.requested", "confirm.approved", "confirm.rejected", "confirm.cancelled", "confirm.imported", "confirm.consumed", entryVoted, entryEscalated,
		"plan.created", "plan.revised", "plan.imported", "plan.proposed", "plan.approved", "plan.rejected",
		"plan.started", "plan.completed", "plan.failed", "plan.cancelled",
		"step.started", "step.completed", "step.failed", "step.skipped", "step.retried", "step.blocked",
		"context.created", "context.modified", "trace.created",
		"role.created", "role.modified", "role.deleted",
		entryUserCreated, "user.roles_assigned", entryUserDisabled, "user.enabled", entryUserReset, entryPasswordSet,
		entrySessionsEnded, entrySignedOut,
		"key.created", "key.revoked",
		"destination.created", "destination.modified", "destination.key_rotated", "destination.tested", "destination.disabled", "destination.enabled", "destination.deleted",
		"policy.created", "policy.modified", "policy.disabled",
		entryPruned, evidence.EntryKeyRotated, evidence.EntryRestored,
	}
}

// EventFamilyOf returns the event family of an entry type.
func EventFamilyOf(entryType string) string {
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

	bytes int // a list ends with the event that reaches this size; 0: no limit
}

// stageStatus is the status of the pipeline stage by entry type.
var stageStatus = map[string]string{
	"confirm.requested": "pending", "confirm.approved": "completed", "confirm.rejected": "failed", "confirm.cancelled": "skipped",
	"confirm.imported": "skipped", "plan.proposed": "pending", "plan.approved": "completed", "plan.rejected": "failed",
	"plan.started": "running", "plan.completed": "completed", "plan.failed": "failed", "plan.cancelled": "skipped",
}

// executionStatus is the status of the execution by entry type.
var executionStatus = map[string]string{
	"step.started": "running", "step.completed": "completed", "step.failed": "failed", "step.skipped": "cancelled",
	"step.retried": "pending", "step.blocked": "pending", "confirm.consumed": "running",
}

// graphChange is the kind of update of the object graph, and by how many nodes it grew,
// by the verb of the entry type.
var graphChange = map[string]struct {
	kind  string
	nodes int
}{
	"created": {"node_add", 1}, "imported": {"node_add", 1}, "deleted": {"node_delete", -1}, "revoked": {"node_delete", -1},
}

// eventsOf returns the events of an entry.
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

// busTypes returns the names of the bus events of an entry.
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

// addWarningTexts adds the texts of warnings that the log leaves out.
func addWarningTexts(warnings any) {
	list, _ := warnings.([]any)
	for _, warning := range list {
		if w, ok := warning.(map[string]any); ok && w["code"] == mplp.CodeFilled {
			w["message"] = mplp.Missing
		}
	}
}

// entryPayload gathers what an entry says, under the protocol's names.
func entryPayload(e *evidence.Entry) map[string]any {
	var payload map[string]any
	if _ = json.Unmarshal(e.Data, &payload); payload == nil { // our own bytes, if there are any
		payload = map[string]any{}
	}
	addWarningTexts(payload["warnings"])
	forgetFindings(payload)
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

// MarshalJSON writes the event in the form of the event bus.
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

// object writes the event in the form of an object's member events.
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
