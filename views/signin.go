package views

// SignInView is the form of GET|POST /login.
type SignInView struct {
	Username string // kept after a refusal
	Next     string // path to go to afterwards, posted back as next
	Error    string // does not tell which of the two was wrong
	FirstRun bool   // nobody has an account yet
	Kept     string // encrypted draft of a form, posted back as kept
}

// PasswordView asks for a new password through a one-time link: the first
// administrator's (Setup, which also asks for the name), an invited user's, or
// one whose password was reset. Fields: username (Setup only), password,
// password_again, and the link's secret in Token as link.
type PasswordView struct {
	Action   string // where the form is posted
	Setup    bool
	Username string
	Token    string // the secret of the one-time link; empty when the address holds it
	Invalid  bool   // the link is unknown, used or expired: shows only that
	Errors   Errors
}
