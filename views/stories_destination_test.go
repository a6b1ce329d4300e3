package views_test

import (
	"time"

	"countersign/views"
)

func destinationRow() views.DestinationRow {
	return views.DestinationRow{
		URL: "/destinations/d1", Name: "Payments", Format: "Slack", Host: "hooks.example", Events: []string{"confirm.requested", "role.*"},
		Status: "destination failing", Waiting: 3, Sent: views.Ago(now.Add(-time.Hour), now),
	}
}

func destinationsView() views.DestinationsView {
	odd := destinationRow()
	odd.Name = hostile
	return views.DestinationsView{Rows: []views.DestinationRow{destinationRow(), odd}, NewURL: "/destinations/new"}
}

func destinationView() views.DestinationView {
	return views.DestinationView{
		DestinationRow: destinationRow(), ID: "d1", Action: "/destinations/d1", MayEdit: true, Secret: "whsec_AAAA", SecretIsNew: true,
		Errors:     views.Errors{"address": "The address must begin with https://."},
		Types:      []views.Option{{Value: "confirm.requested", Label: "A request waits for a decision", Selected: true}},
		OtherTypes: []views.Option{{Value: "role.*", Label: "A role changed"}}, Targets: []views.Option{{Value: "plan", Label: "plan"}},
		Details: []views.Option{{Value: "full", Label: "Reason and arguments too", Selected: true}}, Roles: "finance", Key: "bot",
		Failing: views.At(now), Explanation: "It failed for three days.", LogURL: "/deliveries?destination=d1", TestURL: "/destinations/d1/test",
		RotateURL: "/destinations/d1/key", EnableURL: "/destinations/d1/enable", DeleteURL: "/destinations/d1/delete",
	}
}

func deliveriesView() views.DeliveriesView {
	return views.DeliveriesView{
		States: []views.Option{{Label: "Any state"}}, Destinations: []views.Option{{Label: "Any destination"}}, NextURL: "/deliveries?cursor=x",
		Rows: []views.DeliveryRow{
			{ID: "1", At: views.At(now), Destination: views.Link{Label: hostile, URL: "/destinations/d1"}, Type: "confirm.requested",
				Subject: views.Link{Label: "request", URL: "/confirms/c"}, Status: "delivery waiting", Failure: "No answer in time", Attempts: 1, Next: views.At(now)},
			{ID: "2", At: views.At(now), Destination: views.Link{Label: "Ops"}, Type: "test", Status: "delivery dead", RetryURL: "/deliveries/2/retry"},
		},
	}
}
