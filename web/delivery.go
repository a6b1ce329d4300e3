package web

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"countersign/domain"
	"countersign/views"
)

const deliveriesPath = "/deliveries"

func (s *Server) deliveries(v *visit) error { return s.showDeliveries(v, http.StatusOK, noticeOf(v)) }

func (s *Server) showDeliveries(v *visit, status int, notice *views.Notice) error {
	f := domain.DeliveryFilter{DestinationID: v.QueryParam("destination"), State: domain.DeliveryState(v.QueryParam("state"))}
	cursor := v.QueryParam("cursor")
	rows, next, err := s.svc.DeliveryRows(v.ctx(), v.ref(), f, domain.Page{Cursor: cursor})
	if err != nil {
		return err
	}
	destinations, err := s.svc.Destinations(v.ctx(), v.ref())
	if err != nil {
		return err
	}
	list := pager{path: deliveriesPath, filter: url.Values{"destination": {f.DestinationID}, "state": {string(f.State)}}}
	view := views.DeliveriesView{Notice: notice, NextURL: list.next(next), FirstURL: list.first(cursor), Active: f != domain.DeliveryFilter{}}
	view.States = selected([]views.Option{{Label: "Any state"}, {Value: string(domain.DeliveryWaiting), Label: "Waiting"}, {Value: string(domain.DeliverySent), Label: "Sent"}, {Value: string(domain.DeliveryDead), Label: "Not delivered"}}, string(f.State))
	options := []views.Option{{Label: "Any destination"}}
	for _, d := range destinations {
		options = append(options, views.Option{Value: d.ID, Label: d.Name})
	}
	view.Destinations = selected(options, f.DestinationID)
	for _, row := range rows {
		view.Rows = append(view.Rows, newDeliveryRow(row, v.user))
	}
	return s.show(v, status, "Deliveries", views.Deliveries(view))
}

func newDeliveryRow(d *domain.DeliveryRow, reader *domain.Principal) views.DeliveryRow {
	row := views.DeliveryRow{
		ID: d.ID, At: views.At(d.CreatedAt), Destination: views.Link{Label: d.Destination, URL: destinationPath(d.DestinationID)},
		Type: d.Type, Status: "delivery " + string(d.State), Failure: failureWords(&d.Delivery), Attempts: d.Attempts,
	}
	if d.ConfirmID != "" {
		row.Subject = views.Link{Label: "request", URL: confirmPath(d.ConfirmID)}
	}
	if d.State == domain.DeliveryWaiting && d.Attempts > 0 {
		row.Next = views.At(d.DueAt)
	}
	if d.State != domain.DeliveryWaiting && d.Type != domain.MessageTest && reader.Can(domain.DestinationModify) {
		row.RetryURL = deliveriesPath + "/" + url.PathEscape(d.ID) + "/retry"
	}
	return row
}

// failureWords says why the last attempt failed, "" if it did not.
func failureWords(d *domain.Delivery) string {
	switch d.Failure {
	case "":
		return ""
	case domain.FailureStatus:
		return fmt.Sprintf("The receiver answered %d", d.HTTPStatus)
	case domain.FailureRedirect:
		return fmt.Sprintf("The receiver answered %d, which leads elsewhere", d.HTTPStatus)
	case domain.FailureGone:
		return "The receiver answered 410: it is gone for good"
	case domain.FailureTimeout:
		return "No answer in time"
	case domain.FailureName:
		return "The host name is not known"
	case domain.FailureAddress:
		return "The host has an address that may not be reached; see --egress-allow and --egress-ports"
	case domain.FailureConnection:
		return "No connection"
	case domain.FailureCertificate:
		return "The certificate is not trusted"
	case domain.FailureSecret:
		return "The address or the signing key cannot be read any more"
	case domain.FailureSize:
		return "The message would be too large"
	case domain.FailureUnproven:
		return "The log does not prove what it would say"
	}
	return "It failed"
}

// tellingTime is how long after a request nobody needs to know of it yet.
const tellingTime = 30 * time.Second

func newTold(p *confirmPage) *views.ToldView {
	if p.Told == nil {
		return nil
	}
	isLate := p.Now.Sub(p.Confirm.ReceivedAt) >= tellingTime
	return &views.ToldView{Sent: p.Told.Sent, Waiting: p.Told.Waiting, Failed: p.Told.Dead, Nobody: len(p.Told.Sent) == 0 && isLate}
}

func (s *Server) retryDelivery(v *visit) error {
	err := s.svc.RetryDelivery(v.ctx(), v.ref(), v.Param("id"))
	if isStale(err) {
		return s.showDeliveries(v, statusOf(err), newRefusal(err))
	} else if err != nil {
		return err
	}
	return redirect(v, returnToList(v, deliveriesPath, "delivery-queued"))
}
