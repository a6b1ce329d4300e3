package web

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/domain/policy"
	"countersign/views"
)

// maxVersionsShown bounds how many versions a page lists, unless all are asked for.
const maxVersionsShown = 20

func (s *Server) newPolicyRow(p *domain.PolicyRow) views.PolicyRow {
	row := views.PolicyRow{
		URL: policyPath(p.ID), Name: p.Name, Sentence: p.Sentence, Status: policyStatus(p.Enabled), Version: strconv.FormatInt(p.Version, 10),
		By: p.SavedByName, Saved: views.Ago(p.SavedAt, s.svc.Now()), Pending: p.Pending, Short: len(p.Shortages) > 0, Broken: p.Broken,
	}
	if p.Doc != nil {
		row.Effect = effectWords(p.Doc.Effect)
	}
	return row
}

func policyStatus(isEnabled bool) string {
	if isEnabled {
		return "enabled"
	}
	return "disabled"
}

func effectWords(effect policy.Effect) string {
	for _, option := range policyEffects {
		if option.Value == string(effect) {
			return option.Label
		}
	}
	return string(effect)
}

// setPolicy shows a policy that there is, and how it came about.
func (s *Server) setPolicy(v *visit, view *views.PolicyView, d *domain.PolicyDetail, may bool) {
	view.ID, view.PolicyRow = d.ID, s.newPolicyRow(&d.PolicyRow)
	for _, short := range d.Shortages {
		view.Shortages = append(view.Shortages, shortageWords(short))
	}
	if d.Doc != nil {
		view.Warnings = policyWarnings(d.Doc.Warnings())
		view.Members = policyMembers(d.Named)
	}
	switch self := policyPath(d.ID); {
	case may && d.Enabled:
		view.DisableURL = self + "/disable"
	case may:
		view.EnableURL = self + "/enable"
	}
	shown := d.Versions
	if len(shown) > maxVersionsShown && v.QueryParam("versions") != "all" {
		shown = shown[:maxVersionsShown]
		view.MoreURL = withQuery(policyPath(d.ID), url.Values{"versions": {"all"}}.Encode())
	}
	for i, p := range shown {
		version := views.PolicyVersion{
			Number: strconv.FormatInt(p.Version, 10), Status: policyStatus(p.Enabled), By: p.SavedByName, At: views.At(p.SavedAt), Document: p.Document, Pending: p.Pending,
		}
		if i+1 < len(d.Versions) {
			version.Before, version.After = versionLines(d.Versions[i+1]), versionLines(p)
		}
		view.Versions = append(view.Versions, version)
	}
}

// versionLines are what a version says, to be compared with another.
func versionLines(p *domain.PolicyRow) (lines []string) {
	members := []views.PolicyMember{{Label: "Document", Value: p.Document}}
	if p.Named != nil {
		members = append(policyMembers(p.Named), views.PolicyMember{Label: "Status", Value: policyStatus(p.Enabled)})
	}
	for _, m := range members {
		lines = append(lines, strings.Split(m.Label+": "+m.Value, "\n")...)
	}
	return lines
}

// policyMembers are what a document says, by the labels of its form.
func policyMembers(d *policy.Document) (list []views.PolicyMember) {
	add := func(label, value string) {
		if value != "" {
			list = append(list, views.PolicyMember{Label: label, Value: value})
		}
	}
	span := func(seconds int64) string { return views.Span(time.Duration(seconds) * time.Second) }
	add("Name", d.Name)
	add("What it does", effectWords(d.Effect))
	add("Tools", joinList(d.Match.Tools))
	add("About", joinList(d.Match.TargetTypes))
	add("Keys", joinList(d.Match.Keys))
	add("Requesters with the role", joinList(d.Match.Roles))
	add("Condition", d.Condition)
	for _, t := range d.Quorum {
		add("Must approve", fmt.Sprintf("%d of %s", t.Approvals, t.Role))
	}
	if d.Timeout > 0 {
		add("Times out after", span(d.Timeout))
	}
	if d.Rejections > 0 {
		add("Rejections that end it", strconv.Itoa(d.Rejections))
	}
	for _, e := range d.Escalate {
		add("May stand in", fmt.Sprintf("%s in place of %s, after %s", e.Role, e.For, span(e.After)))
	}
	add("Note", d.Note)
	return list
}
