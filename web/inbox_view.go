package web

import (
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/domain"
	"countersign/views"
)

func newInboxView(q inboxQuery, rows []domain.InboxRow) views.InboxView {
	q.Mine = q.Mine && !q.Decided
	view := views.InboxView{
		Decided: q.Decided, PendingURL: q.tab(false), DecidedURL: q.tab(true), PendingCap: pendingCap,
		Filter: views.InboxFilter{
			Query: q.Query, Mine: q.Mine, Roles: roleFilter(q.Role, rows),
			TargetTypes: choices(q.TargetType, "Any target", "plan", "context", "trace", "extension", "other"),
			Active:      q.Query != "" || q.Mine || q.Role != "" || q.TargetType != "" || q.Group != "" && !q.Decided, Group: q.values().Get("group"),
			ClearURL: inboxQuery{Decided: q.Decided}.url(),
		},
	}
	return view
}

func newInboxRows(q inboxQuery, rows []domain.InboxRow) iter.Seq[views.InboxRow] {
	from := q.under("")
	return func(yield func(views.InboxRow) bool) {
		for _, row := range rows {
			if !yield(newInboxRow(confirmPath(row.ID)+from, row, q)) {
				return
			}
		}
	}
}

func newInboxRow(address string, c domain.InboxRow, q inboxQuery) views.InboxRow {
	if c.Unproven {
		return views.InboxRow{InboxFacts: views.InboxFacts{ID: c.ID, URL: address, Decided: q.Decided, Unproven: true}}
	}
	row := views.InboxRow{Tools: c.Tools, InboxFacts: views.InboxFacts{
		ID: c.ID, URL: address, TargetType: string(c.TargetType), Target: c.TargetID, Step: c.StepID,
		Reason: c.Reason.Text, ReasonMore: c.Reason.More, Requester: c.RequestedByName, RequestRole: c.RequestedByRole, RoleUnknown: !c.RoleRegistered,
		RequiredRole: c.RequiredRole, Requested: c.ReceivedAt, Deadline: c.ExpiresAt,
		Import: c.Imported, Unbound: c.Binding == domain.BoundUnknown, Locked: c.Locked, Mine: c.Mine,
		Decided: q.Decided, Status: shownStatus(&c.Confirm),
	}}
	switch {
	case c.Title != "":
		row.Target = c.Title
	case c.TargetType == domain.TargetOther && uuid.Validate(c.TargetID) == nil:
		row.Target = "" // most often one that the server made: it tells nobody anything
	}
	row.Rest = views.InboxRest{Owner: c.Rest.Owner, Name: c.Rest.Name, Left: c.Rest.Left, Cap: pendingCap}
	if c.Rest.Group != "" {
		row.Rest.URL = q.of(c.Rest.Group)
	}
	if len(c.Tools) == 0 {
		row.Heading = views.Heading(c.Title, c.Reason.Text, string(c.TargetType))
		if c.Reason.More == 0 && views.SaysAll(row.Heading, c.Reason.Text) {
			row.Reason = ""
		}
	}
	if !c.Final() && !c.Imported {
		return row
	}
	row.Cause, row.Outcome, row.DecidedAt = string(c.Cause), outcomeWords(&c.Confirm, c.Decision), c.DecidedAt
	if !c.DecidedAt.IsZero() && !c.Imported {
		row.Took = c.DecidedAt.Sub(c.ReceivedAt)
	}
	if c.Decision != nil && c.Decision.DecidedBy.Kind != domain.KindSystem && !c.Imported {
		row.By = c.Decision.DecidedByName
	}
	return row
}

// shownStatus is the status in the interface's words: what an import claims of
// itself is not substantiated.
func shownStatus(c *domain.Confirm) string {
	if c.Imported {
		return "unsubstantiated"
	}
	return string(c.Status)
}

// outcomeWords says in a list why a confirm ended as it did.
func outcomeWords(c *domain.Confirm, d *domain.Decision) string {
	edited := c.EffectiveHash != "" && c.EffectiveHash != c.ContentHash
	switch {
	case c.Imported && c.Final():
		return "posted as already " + string(c.Status)
	case c.Imported:
		return "posted with decisions"
	case c.Cause == domain.CauseTimeout:
		return "nobody decided in time"
	case c.Cause == domain.CauseCancelled && d != nil && d.DecidedBy == c.RequestedBy:
		return "withdrawn by the requester"
	case c.Cause == domain.CauseCancelled:
		return "cancelled"
	case edited:
		return "as edited"
	case d != nil && d.Intent == domain.IntentRequestChanges:
		return "changes requested"
	}
	return ""
}

// choices are the options of a filter: any, and each value.
func choices(chosen, anything string, values ...string) []views.Option {
	options := []views.Option{{Label: anything, Selected: chosen == ""}}
	if chosen != "" && !slices.Contains(values, chosen) {
		values = append(slices.Clone(values), chosen) // the list is narrowed to it all the same
	}
	for _, value := range values {
		options = append(options, views.Option{Value: value, Label: value, Selected: value == chosen})
	}
	return options
}

// labelsOffered is how many roles a filter offers at most.
const labelsOffered = 20

// roleFilter offers roles that the list names, and the one chosen. Labels that are
// longer than the names of roles are none of them.
func roleFilter(chosen string, rows []domain.InboxRow) []views.Option {
	var names []string
	if chosen != "" {
		names = append(names, chosen)
	}
	for _, row := range rows {
		label := row.RequestedByRole
		if len(names) < labelsOffered && utf8.RuneCountInString(label) <= domain.MaxName && !slices.Contains(names, label) {
			names = append(names, label)
		}
	}
	slices.Sort(names)
	options := choices(chosen, "Any role", names...)
	for i := range options[1:] { // agents name them
		options[i+1].Label = "“" + options[i+1].Label + "”"
	}
	return options
}
