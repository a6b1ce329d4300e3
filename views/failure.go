package views

// FailureView is an error page or fragment.
type FailureView struct {
	Status    int
	Title     string
	Message   string // what happened and what to do; never internals
	Missing   string // capability, for 403
	After     string // whether the form that was sent was saved; empty for GET requests
	RequestID string
	BackURL   string
	BackLabel string
}
