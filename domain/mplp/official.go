package mplp

import "regexp"

// The objects of the protocol as its schemas v1.0.0 define them (requirements,
// section 3). The member that takes the product's data stands last, where it
// can be added without changing the order.

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
	must("meta", meta),
	must("confirm_id", idForm{namespace: "confirm"}),
	must("target_type", choice(targetTypes...)),
	must("target_id", idForm{namespace: "target"}),
	must("status", choice(confirmStatuses...)),
	must("requested_by_role", anyText),
	must("requested_at", timeForm{}),
	may("reason", anyText),
	may("decisions", listForm{of: decisionRecord}),
	may("governance", governed),
	may("events", listForm{of: event}),
	may("trace", span),
}}

var decisionRecord = objectForm{adjust: fillDecision, members: []memberForm{
	must("decision_id", idForm{namespace: "decision"}),
	must("status", choice(decisionStatuses...)),
	must("decided_by_role", anyText),
	must("decided_at", timeForm{}),
	may("reason", anyText),
}}

// planForm has no governance: the schema leaves it out.
var planForm = objectForm{members: []memberForm{
	must("meta", meta),
	must("plan_id", idForm{namespace: "plan"}),
	must("context_id", idForm{namespace: "context"}),
	must("title", someText),
	must("objective", someText),
	must("status", choice(planStatuses...)),
	must("steps", listForm{of: planStep, least: 1}),
	may("events", listForm{of: event}),
	may("trace", span),
}}

var planStep = objectForm{members: []memberForm{
	must("step_id", idForm{namespace: "step"}),
	must("description", someText),
	must("status", choice(stepStatuses...)),
	may("dependencies", listForm{of: idForm{namespace: "step", refers: true}}),
	may("agent_role", anyText),
	may("order_index", natural),
}}

var roleForm = objectForm{members: []memberForm{
	must("meta", meta),
	must("role_id", idForm{namespace: "role"}),
	must("name", anyText),
	may("description", anyText),
	may("capabilities", listForm{of: anyText}),
	may("created_at", timeForm{}),
	may("updated_at", timeForm{}),
	may("governance", governed),
	may("events", listForm{of: event}),
	may("trace", span),
}}

var contextForm = objectForm{adjust: fillContext, members: []memberForm{
	must("meta", meta),
	must("context_id", idForm{namespace: "context"}),
	must("title", someText),
	must("status", choice(contextStatuses...)),
	must("root", objectForm{open: true, adjust: fillRoot, members: []memberForm{
		must("domain", anyText),
		must("environment", anyText),
		may("entry_point", anyText),
	}}),
	may("summary", anyText),
	may("tags", listForm{of: someText}),
	may("language", anyText),
	may("owner_role", anyText),
	may("constraints", openValue),
	may("created_at", timeForm{}),
	may("updated_at", timeForm{}),
	may("governance", governed),
	may("events", listForm{of: event}),
	may("trace", span),
}}

var traceObjectForm = objectForm{adjust: fillTraceObject, members: []memberForm{
	must("meta", meta),
	must("trace_id", idForm{namespace: "trace"}),
	must("context_id", idForm{namespace: "context"}),
	must("status", choice(traceStatuses...)),
	may("plan_id", idForm{namespace: "plan"}),
	may("started_at", timeForm{}),
	may("finished_at", timeForm{}),
	may("segments", listForm{of: objectForm{members: []memberForm{
		must("segment_id", idForm{namespace: "segment"}),
		must("label", anyText),
		must("status", choice(segmentStatuses...)),
		may("parent_segment_id", idForm{namespace: "segment", refers: true}),
		may("started_at", timeForm{}),
		may("finished_at", timeForm{}),
		may("attributes", openValue),
	}}}),
	may("governance", governed),
	may("events", listForm{of: event}),
	must("root_span", span),
}}

var meta = objectForm{adjust: respellMeta, members: []memberForm{
	must("protocol_version", shaped(versionShape, "must be three numbers with dots between")),
	must("schema_version", shaped(versionShape, "must be three numbers with dots between")),
	may("created_at", timeForm{}),
	may("created_by", anyText),
	may("updated_at", timeForm{}),
	may("updated_by", anyText),
	may("tags", listForm{of: anyText, unique: true}),
	may("cross_cutting", listForm{of: choice(concerns...), unique: true}),
}}

var governed = objectForm{members: []memberForm{
	may("lifecyclePhase", anyText),
	may("truthDomain", anyText),
	may("locked", flag),
	may("lastConfirmRef", objectForm{adjust: adjustRef, members: []memberForm{
		must("id", idForm{}),
		must("module", choice(modules...)),
		may("description", anyText),
	}}),
}}

var span = objectForm{adjust: fillSpan, members: []memberForm{
	must("trace_id", idForm{namespace: "trace"}),
	must("span_id", idForm{namespace: "span"}),
	may("parent_span_id", idForm{namespace: "span"}),
	may("context_id", idForm{namespace: "context"}),
	may("attributes", openValue),
}}

var event = eventForm{objectForm{members: []memberForm{
	must("event_id", idForm{namespace: "event"}),
	must("event_type", shaped(eventTypeShape, "must be lower-case words of a-z 0-9 with dots between")),
	must("source", anyText),
	must("timestamp", timeForm{}),
	may("trace_id", idForm{namespace: "trace"}),
	may("data", dataValue),
}}}
