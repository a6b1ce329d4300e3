package web

import (
	"fmt"
	"slices"
	"time"

	"countersign/domain"
	"countersign/views"
)

func newInboxRows(f inboxFilter, list []domain.InboxRow, reader domain.Ref, now time.Time) []views.InboxRow {
	from := f.addTo("") // the same for all rows
	rows := make([]views.InboxRow, len(list))
	isMixed := slices.ContainsFunc(list, func(row domain.InboxRow) bool { return !row.Mine })
	for i, row := range list {
		rows[i] = newInboxRow(confirmPath(row.ID)+from, row, f, reader, now)
		rows[i].IsMineMarked = isMixed
	}
	return rows
}

func newInboxRow(address string, c domain.InboxRow, f inboxFilter, reader domain.Ref, now time.Time) views.InboxRow {
	if c.Unproven {
		return views.InboxRow{ID: c.ID, URL: address, Decided: f.Decided, Unproven: true}
	}
	row := views.InboxRow{
		ID: c.ID, URL: address, Tools: c.Tools, TargetType: string(c.TargetType), Target: c.TargetID, Step: c.StepID,
		Reason: c.Reason.Text, ReasonMore: c.Reason.Omitted, Requester: c.RequestedByName, RequestRole: c.RequestedByRole, RoleUnknown: !c.RoleRegistered,
		RequiredRole: c.RequiredRole, Requested: views.Ago(c.ReceivedAt, now), Deadline: views.Until(c.ExpiresAt, now),
		Import: c.Imported, Unbound: c.Binding == domain.BoundUnknown, Locked: c.Locked, Mine: c.Mine,
		Decided: f.Decided, Status: shownStatus(&c.Confirm),
	}
	if brief := c.Brief; brief != nil {
		for _, v := range brief.Values {
			row.Values = append(row.Values, views.InboxValue(v))
		}
		if !f.Decided {
			row.Notices, row.Notice, row.NoticeLevel = brief.Findings, brief.Gravest.Says, string(brief.Gravest.Level)
		}
	}
	switch {
	case c.Title != "":
		row.Target = c.Title
	case isGeneratedTarget(&c.Confirm):
		row.Target = ""
	}
	if v := c.Voting; v != nil {
		row.Votes = fmt.Sprintf("%d of %d", v.Approved, v.Needed)
		row.HasVoted = v.HasVoted(reader)
	}
	row.Rest = views.InboxRest{Owner: c.Remainder.Owner, Name: c.Remainder.Name, Left: c.Remainder.Count, Cap: maxPendingCount}
	if c.Remainder.Group != "" {
		row.Rest.URL = f.forGroup(c.Remainder.Group)
	}
	if len(c.Tools) == 0 {
		row.Heading = views.Heading(c.Title, c.Reason.Text, string(c.TargetType))
		if c.Reason.Omitted == 0 && views.SaysAll(row.Heading, c.Reason.Text) {
			row.Reason = ""
		}
	}
	if !c.IsFinal() && !c.Imported {
		return row
	}
	row.Cause, row.Outcome, row.DecidedAt = string(c.Cause), outcomeWords(&c.Confirm, c.Decision), views.At(c.DecidedAt)
	if !c.DecidedAt.IsZero() && !c.Imported {
		row.Took = views.Span(c.DecidedAt.Sub(c.ReceivedAt))
	}
	if c.Decision != nil && c.Decision.DecidedBy.Kind != domain.KindSystem && !c.Imported {
		row.By = c.Decision.DecidedByName
	}
	return row
}

// shownStatus returns the status for pages. What an import says of itself is not
// substantiated.
func shownStatus(c *domain.Confirm) string {
	if c.Imported {
		return "unsubstantiated"
	}
	return string(c.Status)
}

// outcomeWords returns why a request ended as it did, for lists.
func outcomeWords(c *domain.Confirm, d *domain.Decision) string {
	edited := c.EffectiveHash != "" && c.EffectiveHash != c.ContentHash
	switch {
	case c.Imported && c.IsFinal():
		return "imported as " + string(c.Status)
	case c.Imported:
		return "imported with decisions"
	case c.Cause == domain.CauseTimeout && c.Quorum > 0:
		return "not enough approvals in time"
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
