package mplp

import "slices"

// metaSpellings are the names that the protocol's examples and SDKs use.
var metaSpellings = map[string][]string{
	"protocol_version": {"protocolVersion"},
	"schema_version":   {"schemaVersion"},
	"created_at":       {"createdAt"},
	"created_by":       {"createdBy", "source"},
	"updated_at":       {"updatedAt"},
	"updated_by":       {"updatedBy"},
	"cross_cutting":    {"crossCutting"},
}

// respellMeta takes the first spelling of a member whose value fits. Missing versions
// become this server's.
func respellMeta(p *projection, path string, f objectForm, sent *Object) {
	for _, m := range f.members {
		raw, ok := m.from(p, path, sent)
		for _, name := range metaSpellings[m.name] {
			if !ok {
				raw, ok = optional(name, m.form).from(p, path, sent)
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

// adjustRef also accepts {"$ref": "confirm-123"}. A reference without a module is to a
// confirm.
func adjustRef(p *projection, path string, _ objectForm, sent *Object) {
	if id, ok := sent.Get("$ref"); ok {
		setDefault(sent, "id", id)
	}
	module := textMember(sent, "module")
	if !slices.Contains(modules, module) {
		module = "confirm"
		sent.Set("module", String(module))
	}
	if id, ok := required("id", idForm{namespace: module}).from(p, path, sent); ok {
		sent.Set("id", id)
	}
}

// fillSpan fills a span's ids, which posted objects may leave out: an object that
// names no span is a span of its own.
func fillSpan(p *projection, _ string, _ objectForm, sent *Object) {
	setDefault(sent, "trace_id", String(p.id))
	setDefault(sent, "span_id", String(p.id))
}

// fillDecision fills what an imported decision may lack.
func fillDecision(p *projection, path string, _ objectForm, sent *Object) {
	setDefault(sent, "decision_id", String(p.derivedID("decision", path)))
	setDefault(sent, "decided_at", String(p.time))
}

// fillContext gives a context without a title its id as title.
func fillContext(_ *projection, _ string, _ objectForm, sent *Object) {
	setDefault(sent, "title", String(textMember(sent, "context_id")))
	setDefault(sent, "root", Raw(`{}`))
}

const unspecified = "unspecified"

func fillRoot(_ *projection, _ string, _ objectForm, sent *Object) {
	setDefault(sent, "domain", String(unspecified))
	setDefault(sent, "environment", String(unspecified))
}

func fillTraceObject(_ *projection, _ string, _ objectForm, sent *Object) {
	setDefault(sent, "root_span", Raw(`{}`))
}
