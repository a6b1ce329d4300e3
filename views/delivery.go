package views

// DeliveriesView is GET /deliveries.
type DeliveriesView struct {
	Notice            *Notice
	States            []Option
	Destinations      []Option
	Active            bool // a filter is set
	Rows              []DeliveryRow
	NextURL, FirstURL string
}

// DeliveryRow is what one destination is told of one entry.
type DeliveryRow struct {
	ID          string
	At          Moment
	Destination Link
	Type        string
	Subject     Link // the request, or nothing
	Status      string
	Failure     string // in words
	Attempts    int
	Next        Moment // of the next attempt; zero: none
	Ended       Moment
	RetryURL    string // set if the reader may
}

// ToldView says on a request's page who was told of it.
type ToldView struct {
	Sent, Waiting, Failed []string
	Nobody                bool // nobody was told, and somebody should have been
}
