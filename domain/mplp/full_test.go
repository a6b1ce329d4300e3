package mplp

import "strings"

// full are valid objects of each module with every member that the schema
// knows; ID stands for an identifier, TIME for a time.
var full = func() map[string]string {
	const meta = `"meta":{"protocol_version":"1.0.0","schema_version":"2.10.0","created_at":TIME,"created_by":"a","updated_at":TIME,"updated_by":"b",
		"tags":["x","y"],"cross_cutting":["security","event-bus"]}`
	const span = `{"trace_id":ID,"span_id":ID,"parent_span_id":ID,"context_id":ID,"attributes":{"a":[1]}}`
	const events = `"events":[{"event_id":ID,"event_type":"plan.created2.x","source":"plan","timestamp":TIME,"trace_id":ID,"data":{"a":null}},
		{"event_id":ID,"event_type":"plan","source":"","timestamp":TIME,"data":null}]`
	const governance = `"governance":{"lifecyclePhase":"active","truthDomain":"d","locked":false,"lastConfirmRef":{"id":ID,"module":"confirm","description":"x"}}`
	objects := map[string]string{
		"confirm": `{` + meta + `,` + governance + `,"confirm_id":ID,"target_type":"plan","target_id":ID,"status":"approved","requested_by_role":"planner",
			"requested_at":TIME,"reason":"r","decisions":[{"decision_id":ID,"status":"approved","decided_by_role":"reviewer","decided_at":TIME,"reason":"r"}],
			"trace":` + span + `,` + events + `}`,
		"plan": `{` + meta + `,"plan_id":ID,"context_id":ID,"title":"t","objective":"o","status":"draft","steps":[
			{"step_id":ID1,"description":"d","status":"pending","dependencies":[],"agent_role":"coder","order_index":0},
			{"step_id":ID2,"description":"d","status":"blocked","dependencies":[ID1],"agent_role":"","order_index":7}],"trace":` + span + `,` + events + `}`,
		"role": `{` + meta + `,` + governance + `,"role_id":ID,"name":"reviewer","description":"d","capabilities":["plan.*","plan.*",""],"created_at":TIME,
			"updated_at":TIME,"trace":` + span + `,` + events + `}`,
		"context": `{` + meta + `,` + governance + `,"context_id":ID,"root":{"domain":"d","environment":"e","entry_point":"p","more":[null]},"title":"t",
			"summary":"s","status":"active","tags":["a","a"],"language":"en","owner_role":"r","constraints":{"a":1},"created_at":TIME,"updated_at":TIME,
			"trace":` + span + `,` + events + `}`,
		"trace": `{` + meta + `,` + governance + `,"trace_id":ID,"context_id":ID,"plan_id":ID,"root_span":` + span + `,"status":"running","started_at":TIME,
			"finished_at":TIME,"segments":[{"segment_id":ID,"parent_segment_id":ID,"label":"l","status":"skipped","started_at":TIME,"finished_at":TIME,
			"attributes":{"a":1}}],` + events + `}`,
	}
	fill := strings.NewReplacer("ID1", `"`+hex550+`1"`, "ID2", `"`+hex550+`2"`, "ID", `"`+hex550+`0"`, "TIME", `"2025-12-07T00:00:00.000Z"`)
	for module, text := range objects {
		objects[module] = fill.Replace(text)
	}
	return objects
}()
