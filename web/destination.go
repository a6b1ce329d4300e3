package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/views"
)

const destinationsPath = "/destinations"

func destinationPath(id string) string { return destinationsPath + "/" + url.PathEscape(id) }

// formats and details word the choices of a destination.
var (
	formats = []views.Option{
		{Value: string(domain.FormatSlack), Label: "Slack"},
		{Value: string(domain.FormatTeams), Label: "Microsoft Teams"},
		{Value: string(domain.FormatStandard), Label: "A program (Standard Webhooks)"},
	}
	details = []views.Option{
		{Value: string(domain.DetailsNames), Label: "Names of the tool and the agent"},
		{Value: string(domain.DetailsNone), Label: "No names"},
		{Value: string(domain.DetailsFull), Label: "Reason and arguments too (programs only)"},
	}
)

// usualEvents are ticked for a new destination.
var usualEvents = []string{"confirm.requested"}

func (s *Server) destinations(v *visit) error {
	list, err := s.svc.Destinations(v.ctx(), v.ref())
	if err != nil {
		return err
	}
	view := views.DestinationsView{Notice: noticeOf(v)}
	if v.user.Can(domain.DestinationModify) {
		view.NewURL = destinationsPath + "/new"
	}
	for _, d := range list {
		view.Rows = append(view.Rows, s.newDestinationRow(d))
	}
	return s.show(v, http.StatusOK, "Destinations", views.Destinations(view))
}

func (s *Server) newDestinationRow(d *domain.DestinationRow) views.DestinationRow {
	row := views.DestinationRow{
		URL: destinationPath(d.ID), Name: d.Name, Host: d.Host, Status: "destination " + string(d.Status), Waiting: d.Waiting, Sent: views.Ago(d.Health.SentAt, s.svc.Now()),
	}
	for _, format := range formats {
		if format.Value == string(d.Format) {
			row.Format = format.Label
		}
	}
	for _, kind := range domain.DestinationEvents() {
		if slices.Contains(d.Types, kind.Type) {
			row.Events = append(row.Events, kind.Type)
		}
	}
	return row
}

func (s *Server) newDestination(v *visit) error {
	if !v.user.Can(domain.DestinationModify) {
		return &domain.Error{Code: domain.CodeMissingCapability, Capability: domain.DestinationModify, Message: "You need the capability destination.modify to create destinations."}
	}
	return s.showDestination(v, http.StatusOK, views.DestinationView{Action: destinationsPath, MayEdit: true}, domain.DestinationInput{Types: usualEvents, Details: domain.DetailsNames, Format: domain.FormatSlack})
}

// destinationInput is what the form asks for.
func destinationInput(v *visit) domain.DestinationInput {
	in := domain.DestinationInput{
		Name: v.field("name"), Format: domain.Format(v.field("format")), Address: strings.TrimSpace(v.field("address")),
		Types: v.fields()["type"], Details: domain.Details(v.field("details")), Key: v.field("key"),
	}
	for _, target := range v.fields()["target"] {
		in.TargetTypes = append(in.TargetTypes, domain.TargetType(target))
	}
	for name := range strings.SplitSeq(v.field("roles"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			in.Roles = append(in.Roles, name)
		}
	}
	return in
}

// destinationFields translates the service's names of fields to the form's.
var destinationFields = map[string]string{
	"name": "name", "format": "format", "address": "address", "types": "type", "target_types": "target", "roles": "roles", "key": "key", "details": "details",
}

// createDestination shows the key that signs in its answer: it exists nowhere else.
func (s *Server) createDestination(v *visit) error {
	d, secret, err := s.svc.CreateDestination(v.ctx(), v.ref(), destinationInput(v))
	if wrong := refusedForm(err, destinationFields); wrong != nil {
		return s.renderNewDestinationDraft(v, statusOf(err), wrong)
	} else if err != nil {
		return err
	}
	if secret == "" {
		return redirect(v, destinationPath(d.ID)+"?done=destination-created")
	}
	return s.showDestinationOf(v, http.StatusOK, d.ID, views.DestinationView{Secret: secret})
}

// renderNewDestinationDraft renders the form with what was sent.
func (s *Server) renderNewDestinationDraft(v *visit, status int, wrong views.Errors) error {
	return s.showDestination(v, status, views.DestinationView{Action: destinationsPath, MayEdit: v.user.Can(domain.DestinationModify), Errors: wrong}, destinationInput(v))
}

func (s *Server) destination(v *visit) error {
	return s.showDestinationOf(v, http.StatusOK, v.Param("id"), views.DestinationView{Notice: noticeOf(v)})
}

// renderDestinationDraft renders a destination with what was sent.
func (s *Server) renderDestinationDraft(v *visit, status int, wrong views.Errors) error {
	return s.showDestinationOf(v, status, v.Param("id"), views.DestinationView{Errors: wrong})
}

// showDestinationOf renders a destination; view brings what the last action led to.
func (s *Server) showDestinationOf(v *visit, status int, id string, view views.DestinationView) error {
	d, err := s.svc.DestinationDetail(v.ctx(), v.ref(), id)
	if err != nil {
		return err
	}
	view.ID, view.DestinationRow = d.ID, s.newDestinationRow(d)
	self := destinationPath(d.ID)
	view.Action, view.MayEdit, view.Failing = self, v.user.Can(domain.DestinationModify), views.At(d.Health.FailingSince)
	view.LogURL = withQuery(deliveriesPath, url.Values{"destination": {d.ID}}.Encode())
	view.Explanation = statusExplanations[d.Status]
	if view.MayEdit {
		view.TestURL, view.DeleteURL = self+"/test", self+"/delete"
		if d.Format == domain.FormatStandard {
			view.RotateURL = self + "/key"
		}
		if d.Status == domain.DestinationEnabled {
			view.DisableURL = self + "/disable"
		} else {
			view.EnableURL = self + "/enable"
		}
	}
	in := domain.DestinationInput{Name: d.Name, Types: d.Types, Roles: d.Roles, TargetTypes: d.TargetTypes, Details: d.Details, Key: d.Key}
	if view.Errors != nil && v.fields().Has("name") {
		in = destinationInput(v)
	}
	return s.showDestination(v, status, view, in)
}

// statusExplanations say why a destination is not told.
var statusExplanations = map[domain.DestinationStatus]string{
	domain.DestinationDisabled: "It is told nothing until it is enabled.",
	domain.DestinationGone:     "Its address answered that it is gone. Enter another one, then enable it.",
	domain.DestinationFailing:  "It failed for three days. Send a test, then enable it.",
	domain.DestinationLost:     "Its address was sealed under another signing key. Enter it again, then enable it.",
}

func (s *Server) showDestination(v *visit, status int, view views.DestinationView, in domain.DestinationInput) error {
	view.Name, view.Address, view.Key, view.Roles = in.Name, in.Address, in.Key, strings.Join(in.Roles, ", ")
	view.Formats, view.Details = selected(formats, string(in.Format)), selected(details, string(in.Details))
	for _, kind := range domain.DestinationEvents() {
		option := views.Option{Value: kind.Type, Label: kind.Label, Selected: slices.Contains(in.Types, kind.Type)}
		if strings.HasPrefix(kind.Type, "confirm.") {
			view.Types = append(view.Types, option)
		} else {
			view.OtherTypes = append(view.OtherTypes, option)
		}
	}
	for _, target := range domain.TargetTypes {
		view.Targets = append(view.Targets, views.Option{Value: string(target), Label: string(target), Selected: slices.Contains(in.TargetTypes, target)})
	}
	title := "New destination"
	if view.ID != "" {
		title = cmp.Or(view.Name, "Destination")
	}
	return s.show(v, status, title, views.Destination(view))
}

func selected(options []views.Option, value string) []views.Option {
	list := slices.Clone(options)
	for i := range list {
		list[i].Selected = list[i].Value == value
	}
	return list
}

func (s *Server) updateDestination(v *visit) error {
	_, err := s.svc.UpdateDestination(v.ctx(), v.ref(), v.Param("id"), destinationInput(v))
	if wrong := refusedForm(err, destinationFields); wrong != nil {
		return s.renderDestinationDraft(v, statusOf(err), wrong)
	} else if err != nil {
		return err
	}
	return redirect(v, destinationPath(v.Param("id"))+"?done=destination-saved")
}

// destinationAction answers a button about a destination.
func (s *Server) destinationAction(done string, act func(ctx context.Context, ref domain.Ref, id string) error) func(*visit) error {
	return func(v *visit) error {
		err := act(v.ctx(), v.ref(), v.Param("id"))
		if wrong := refusedForm(err, nil); wrong != nil {
			return s.renderDestinationDraft(v, statusOf(err), wrong)
		} else if err != nil {
			return err
		}
		if done == "destination-deleted" {
			return redirect(v, destinationsPath+"?done="+done)
		}
		return redirect(v, destinationPath(v.Param("id"))+"?done="+done)
	}
}

// rotateDestinationKey shows the new key in its answer: it exists nowhere else.
func (s *Server) rotateDestinationKey(v *visit) error {
	secret, err := s.svc.RotateDestinationKey(v.ctx(), v.ref(), v.Param("id"))
	if wrong := refusedForm(err, nil); wrong != nil {
		return s.renderDestinationDraft(v, statusOf(err), wrong)
	} else if err != nil {
		return err
	}
	return s.showDestinationOf(v, http.StatusOK, v.Param("id"), views.DestinationView{Secret: secret, SecretIsNew: true})
}

// testDestination sends a test and says what became of it.
func (s *Server) testDestination(v *visit) error {
	sent, err := s.svc.SendTest(v.ctx(), v.ref(), v.Param("id"), s.send)
	if wrong := refusedForm(err, nil); wrong != nil {
		return s.renderDestinationDraft(v, statusOf(err), wrong)
	} else if err != nil {
		return err
	}
	notice := views.Notice{Tone: views.ToneGood, Title: "The test was accepted.", Detail: "Look for it at the receiver."}
	if sent.State != domain.DeliverySent {
		notice = views.Notice{Tone: views.ToneBad, Title: "The test did not arrive.", Detail: failureWords(sent) + "."}
	}
	return s.showDestinationOf(v, http.StatusOK, v.Param("id"), views.DestinationView{Notice: &notice})
}
