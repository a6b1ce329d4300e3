package mplp

import "slices"

// metaSpellings are the names that the source documents and their SDKs use
// (requirements, contradiction 8).
var metaSpellings = map[string][]string{
	"protocol_version": {"protocolVersion"},
	"schema_version":   {"schemaVersion"},
	"created_at":       {"createdAt"},
	"created_by":       {"createdBy", "source"},
	"updated_at":       {"updatedAt"},
	"updated_by":       {"updatedBy"},
	"cross_cutting":    {"crossCutting"},
}

// respellMeta takes the first spelling of a member whose value fits. Versions
// that none gives are those of this server.
func respellMeta(p *projection, path string, f objectForm, sent *Object) {
	for _, m := range f.members {
		raw, ok := m.from(p, path, sent)
		for _, name := range metaSpellings[m.name] {
			if !ok {
				raw, ok = may(name, m.form).from(p, path, sent)
			}
		}
		switch {
		case ok:
			sent.Set(m.name, raw)
		case m.required:
			sent.Set(m.name, String(ProtocolVersion))
		}
	}
}

// adjustRef reads {"$ref": "confirm-123"} too (requirements, contradiction 15).
// A reference that does not name its module is to a confirm.
func adjustRef(p *projection, path string, _ objectForm, sent *Object) {
	if id, ok := sent.Get("$ref"); ok {
		fill(sent, "id", id)
	}
	module := textOf(sent, "module")
	if !slices.Contains(modules, module) {
		module = "confirm"
		sent.Set("module", String(module))
	}
	if id, ok := must("id", idForm{namespace: module}).from(p, path, sent); ok {
		sent.Set("id", id)
	}
}

// fillSpan fills what requirements, contradiction 25, lets be missing: an
// object that does not say whose span it is is a span of its own.
func fillSpan(p *projection, _ string, _ objectForm, sent *Object) {
	fill(sent, "trace_id", String(p.id))
	fill(sent, "span_id", String(p.id))
}

// fillDecision fills what an imported decision may lack (requirements C-18).
func fillDecision(p *projection, path string, _ objectForm, sent *Object) {
	fill(sent, "decision_id", String(p.derivedID("decision", path)))
	fill(sent, "decided_at", String(p.time))
}

// fillContext gives a context without a title its id for a title.
func fillContext(_ *projection, _ string, _ objectForm, sent *Object) {
	fill(sent, "title", String(textOf(sent, "context_id")))
	fill(sent, "root", Raw(`{}`))
}

const unspecified = "unspecified"

func fillRoot(_ *projection, _ string, _ objectForm, sent *Object) {
	fill(sent, "domain", String(unspecified))
	fill(sent, "environment", String(unspecified))
}

func fillTraceObject(_ *projection, _ string, _ objectForm, sent *Object) {
	fill(sent, "root_span", Raw(`{}`))
}
