package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/views"
)

const logPath = "/log"

// logEntryPath is the log from one entry on.
func logEntryPath(seq int64) string {
	return pager{path: logPath}.next(strconv.FormatInt(seq+1, 10)) + "#entry-" + strconv.FormatInt(seq, 10)
}

// logIDs are the ids that the log can be narrowed to.
var logIDs = []views.Field{{Name: "confirm_id", Label: "Request id"}, {Name: "plan_id", Label: "Plan id"}, {Name: "trace_id", Label: "Trace id"}}

func (s *Server) log(v *visit) error {
	cursor := v.QueryParam("cursor")
	before, err := entryCursor(cursor)
	if err != nil {
		return err
	}
	f, view := logFilter(v.QueryParams())
	f.Before, f.Limit = before, domain.DefaultPage
	entries, before, err := s.svc.LogPage(v.ctx(), v.ref(), f)
	if err != nil {
		return err
	}
	filter := maps.Clone(v.QueryParams())
	filter.Del("cursor")
	list, next := pager{path: logPath, filter: filter}, ""
	if before != nil {
		next = strconv.FormatInt(*before, 10)
	}
	view.NextURL, view.FirstURL = list.next(next), list.first(cursor)
	if view.Rows, err = s.logRows(v, entries); err != nil {
		return err
	}
	return s.show(v, http.StatusOK, "Log", views.Log(view))
}

// logFilter reads what the log is narrowed to, and gives it back as fields.
func logFilter(query url.Values) (f domain.EntryFilter, view views.LogView) {
	family, kind := query.Get("family"), query.Get("type")
	f = domain.EntryFilter{Type: kind, ConfirmID: query.Get("confirm_id"), PlanID: query.Get("plan_id"), TraceID: query.Get("trace_id")}
	types := domain.EntryTypes()
	if family != "" {
		types = slices.DeleteFunc(types, func(t string) bool { return domain.EventFamilyOf(t) != family })
		f.Types = types
	}
	view.Families, view.Types = choices(family, "Any family", domain.EventFamilies()...), choices(kind, "Any type", types...)
	for _, field := range logIDs {
		field.Value = query.Get(field.Name)
		view.IDs = append(view.IDs, field)
	}
	view.Active = family+kind+f.ConfirmID+f.PlanID+f.TraceID != ""
	return f, view
}

// entryCursor is the number of the entry that a page stands before.
func entryCursor(cursor string) (*int64, error) {
	if cursor == "" {
		return nil, nil
	}
	seq, err := strconv.ParseInt(cursor, 10, 64)
	if err != nil || seq < 0 {
		return nil, domain.Invalid("cursor", "format", "Invalid cursor. Start again from the first page.")
	}
	return &seq, nil
}

// logRows are rows that call each confirm what other pages call it.
func (s *Server) logRows(v *visit, entries []*evidence.Entry) ([]views.LogRow, error) {
	var ids []string
	for _, e := range entries {
		if isConfirm(e) {
			ids = append(ids, e.ConfirmID)
		}
	}
	confirms, err := s.svc.ConfirmRowsByID(v.ctx(), v.ref(), ids)
	if err != nil {
		return nil, err
	}
	rows := make([]views.LogRow, len(entries))
	for i, e := range entries {
		rows[i] = newLogRow(e, v.user)
		if c := confirms[e.ConfirmID]; c != nil && isConfirm(e) {
			rows[i].Called = rowLabel(c)
		}
	}
	return rows, nil
}

// isConfirm reports whether a confirm is what an entry is about.
func isConfirm(e *evidence.Entry) bool {
	return e.ConfirmID != "" && strings.HasPrefix(e.Type, "confirm.")
}

func newLogRow(e *evidence.Entry, reader *domain.Principal) views.LogRow {
	row := views.LogRow{
		Sequence: strconv.FormatInt(e.Seq, 10), At: views.At(e.At), Type: e.Type, Principal: e.Name, Kind: e.Kind, Role: e.Role,
		Cause: e.Cause, Object: entryObject(e, reader), Detail: entryDetail(e.Data),
	}
	if e.TraceID != "" {
		row.Trace = views.Link{Label: e.TraceID, URL: tracePath(e.TraceID)}
	}
	if row.Principal == "" {
		row.Principal = e.Principal
	}
	return row
}

// entryObject leads to what an entry is about, where the reader may open it.
func entryObject(e *evidence.Entry, reader *domain.Principal) views.Link {
	family, _, _ := strings.Cut(e.Type, ".")
	switch {
	case isConfirm(e):
		return views.Link{Label: e.ConfirmID, URL: confirmPath(e.ConfirmID)}
	case e.PlanID != "":
		return views.Link{Label: e.PlanID, URL: planPath(e.PlanID)}
	}
	link := views.Link{Label: e.ObjectID}
	switch {
	case family == "context" && reader.CanReadContexts():
		link.URL = contextPath(e.ObjectID)
	case family == "role" && e.Type != "role.deleted" && reader.CanReadRoles():
		link.URL = rolePath(e.ObjectID)
	case family == "user" && reader.CanReadUsers():
		link.URL = userPath(e.ObjectID)
	case family == "key" && reader.CanReadKeys():
		link.URL = keyPath(e.ObjectID)
	}
	return link
}

// entryDetail is the further facts of an entry, on a line.
func entryDetail(data json.RawMessage) string {
	var facts map[string]json.RawMessage
	if json.Unmarshal(data, &facts) != nil {
		return ""
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(facts)) {
		if value := factWords(name, facts[name]); value != "" {
			parts = append(parts, strings.ReplaceAll(name, "_", " ")+": "+value)
		}
	}
	return strings.Join(parts, " · ")
}

// factWords is a fact as text; what is neither text nor a list is shown as JSON.
func factWords(name string, value json.RawMessage) string {
	var text string
	var list []string
	var warnings []mplp.Warning
	var findings []domain.ShownFinding
	switch {
	case string(value) == "null":
		return ""
	case (name == "title" || name == "target_id" || name == "step_id") && json.Unmarshal(value, &text) == nil:
		return "“" + text + "”" // as an agent calls it
	case value[0] == '"' && json.Unmarshal(value, &text) == nil:
		return text
	case value[0] == '[' && name == "warnings" && json.Unmarshal(value, &warnings) == nil:
		return warningWords(warnings)
	case value[0] == '[' && name == "findings" && json.Unmarshal(value, &findings) == nil:
		return findingWords(findings)
	case value[0] == '[' && json.Unmarshal(value, &list) == nil:
		return strings.Join(list, ", ")
	}
	return string(value)
}

// findingWords puts findings on a line.
func findingWords(list []domain.ShownFinding) string {
	words := make([]string, len(list))
	for i, f := range list {
		words[i] = string(f.Kind) + " (" + string(f.Level) + ")"
	}
	return strings.Join(words, ", ")
}

// warningWords puts warnings on a line.
func warningWords(list []mplp.Warning) string {
	words := make([]string, len(list))
	for i, w := range list {
		if w.Code == mplp.CodeFilled {
			w.Message = mplp.Missing
		}
		words[i] = w.Path + " " + w.Message
	}
	return strings.Join(words, "; ")
}
