package mplp

import "regexp"

// The objects of the protocol as its schemas v1.0.0 define them. The member
// that takes the product's data stands last, where it can be added without
// changing the order.

var (
	targetTypes      = []string{"context", "plan", "trace", "extension", "other"}
	confirmStatuses  = []string{"pending", "approved", "rejected", "cancelled"}
	decisionStatuses = []string{"approved", "rejected", "cancelled"}
	planStatuses     = []string{"draft", "proposed", "approved", "in_progress", "completed", "cancelled", "failed"}
	stepStatuses     = []string{"pending", "in_progress", "completed", "blocked", "skipped", "failed"}
	contextStatuses  = []string{"draft", "active", "suspended", "archived", "closed"}
	traceStatuses    = []string{"pending", "running", "completed", "failed", "cancelled"}
	segmentStatuses  = append(traceStatuses[:5:5], "skipped")

	modules  = []string{"context", "plan", "confirm", "trace", "role", "extension", "dialog", "collab", "core", "network"}
	concerns = []string{
		"coordination", "error-handling", "event-bus", "learning-feedback", "observability", "orchestration",
		"performance", "protocol-versioning", "security", "state-sync", "transaction",
	}

	versionShape   = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)
	eventTypeShape = regexp.MustCompile(`^[a-z][a-z0-9]*(\.[a-z][a-z0-9]*)*$`)
)

var confirmForm = objectForm{members: []memberForm{
	required("meta", meta),
	required("confirm_id", idForm{namespace: "confirm"}),
	required("target_type", choice(targetTypes...)),
	required("target_id", idForm{namespace: "target"}),
	required("status", choice(confirmStatuses...)),
	required("requested_by_role", anyText),
	required("requested_at", timeForm{}),
	optional("reason", anyText),
	optional("decisions", listForm{of: decisionRecord}),
	optional("governance", governed),
	optional("events", listForm{of: event}),
	optional("trace", span),
}}

var decisionRecord = objectForm{adjust: fillDecision, members: []memberForm{
	required("decision_id", idForm{namespace: "decision"}),
	required("status", choice(decisionStatuses...)),
	required("decided_by_role", anyText),
	required("decided_at", timeForm{}),
	optional("reason", anyText),
}}

// planForm has no governance: the schema leaves it out.
var planForm = objectForm{members: []memberForm{
	required("meta", meta),
	required("plan_id", idForm{namespace: "plan"}),
	required("context_id", idForm{namespace: "context"}),
	required("title", someText),
	required("objective", someText),
	required("status", choice(planStatuses...)),
	required("steps", listForm{of: planStep, least: 1}),
	optional("events", listForm{of: event}),
	optional("trace", span),
}}

var planStep = objectForm{members: []memberForm{
	required("step_id", idForm{namespace: "step"}),
	required("description", someText),
	required("status", choice(stepStatuses...)),
	optional("dependencies", listForm{of: idForm{namespace: "step", refers: true}}),
	optional("agent_role", anyText),
	optional("order_index", natural),
}}

var roleForm = objectForm{members: []memberForm{
	required("meta", meta),
	required("role_id", idForm{namespace: "role"}),
	required("name", anyText),
	optional("description", anyText),
	optional("capabilities", listForm{of: anyText}),
	optional("created_at", timeForm{}),
	optional("updated_at", timeForm{}),
	optional("governance", governed),
	optional("events", listForm{of: event}),
	optional("trace", span),
}}

var contextForm = objectForm{adjust: fillContext, members: []memberForm{
	required("meta", meta),
	required("context_id", idForm{namespace: "context"}),
	required("title", someText),
	required("status", choice(contextStatuses...)),
	required("root", objectForm{open: true, adjust: fillRoot, members: []memberForm{
		required("domain", anyText),
		required("environment", anyText),
		optional("entry_point", anyText),
	}}),
	optional("summary", anyText),
	optional("tags", listForm{of: someText}),
	optional("language", anyText),
	optional("owner_role", anyText),
	optional("constraints", openValue),
	optional("created_at", timeForm{}),
	optional("updated_at", timeForm{}),
	optional("governance", governed),
	optional("events", listForm{of: event}),
	optional("trace", span),
}}

var traceObjectForm = objectForm{adjust: fillTraceObject, members: []memberForm{
	required("meta", meta),
	required("trace_id", idForm{namespace: "trace"}),
	required("context_id", idForm{namespace: "context"}),
	required("status", choice(traceStatuses...)),
	optional("plan_id", idForm{namespace: "plan"}),
	optional("started_at", timeForm{}),
	optional("finished_at", timeForm{}),
	optional("segments", listForm{of: objectForm{members: []memberForm{
		required("segment_id", idForm{namespace: "segment"}),
		required("label", anyText),
		required("status", choice(segmentStatuses...)),
		optional("parent_segment_id", idForm{namespace: "segment", refers: true}),
		optional("started_at", timeForm{}),
		optional("finished_at", timeForm{}),
		optional("attributes", openValue),
	}}}),
	optional("governance", governed),
	optional("events", listForm{of: event}),
	required("root_span", span),
}}

var meta = objectForm{adjust: respellMeta, members: []memberForm{
	required("protocol_version", shaped(versionShape, "must be three numbers with dots between")),
	required("schema_version", shaped(versionShape, "must be three numbers with dots between")),
	optional("created_at", timeForm{}),
	optional("created_by", anyText),
	optional("updated_at", timeForm{}),
	optional("updated_by", anyText),
	optional("tags", listForm{of: anyText, unique: true}),
	optional("cross_cutting", listForm{of: choice(concerns...), unique: true}),
}}

var governed = objectForm{members: []memberForm{
	optional("lifecyclePhase", anyText),
	optional("truthDomain", anyText),
	optional("locked", flag),
	optional("lastConfirmRef", objectForm{adjust: adjustRef, members: []memberForm{
		required("id", idForm{}),
		required("module", choice(modules...)),
		optional("description", anyText),
	}}),
}}

var span = objectForm{adjust: fillSpan, members: []memberForm{
	required("trace_id", idForm{namespace: "trace"}),
	required("span_id", idForm{namespace: "span"}),
	optional("parent_span_id", idForm{namespace: "span"}),
	optional("context_id", idForm{namespace: "context"}),
	optional("attributes", openValue),
}}

var event = eventForm{objectForm{members: []memberForm{
	required("event_id", idForm{namespace: "event"}),
	required("event_type", shaped(eventTypeShape, "must be lower-case words of a-z 0-9 with dots between")),
	required("source", anyText),
	required("timestamp", timeForm{}),
	optional("trace_id", idForm{namespace: "trace"}),
	optional("data", dataValue),
}}}
