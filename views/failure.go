package views

// FailureView is an error page or fragment.
type FailureView struct {
	Status    int
	Title     string
	Message   string // what happened and what to do; never internals
	Missing   string // capability, for 403
	After     string // what became of the form that was sent; empty for a page that was asked for
	RequestID string
	BackURL   string
	BackLabel string
}
