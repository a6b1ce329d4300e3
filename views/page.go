package views

import "context"

// Frame is what surrounds the content of every page.
type Frame struct {
	Title     string // without the product's name
	Assets    Assets
	SignedIn  bool
	UserName  string
	Nav       Nav
	Events    []string // of the stream: live regions refresh after them
	Seen      int64    // last log entry before the page was read: live events start after it
	Now       string   // the server's time, RFC 3339: countdowns use it
	Shortcuts bool     // the account's setting for keyboard shortcuts
	Address   string   // of the page, if it differs from the requested one
	Refresh   int      // seconds between reloads without JavaScript, 0 for never (the inbox: 30)
	Notice    *Notice  // the result of the user's last action on another page
	Alarm     *Alarm   // nil if there is no alarm, or not for this user
	CSSOnly   bool     // leaves out the scripts, for error pages
}

// Assets are the hashed addresses of the static files.
type Assets struct {
	Style  string // app.css
	Script string // app.js
	HTMX   string // lib/htmx.min.js
	SSE    string // lib/hx-sse.min.js
	Icon   string // icon.svg
}

// Nav says which sections the user may open, beside the inbox and the account,
// and which one is open.
type Nav struct {
	Current    string // the section's address
	Links      []Link
	Pending    int // pending confirms that the user sees, at most PendingCap
	PendingCap int // above it the count is shown as "200+"; 0 means no cap
}

// Tone is the colour of a notice. Its icon and words say the same.
type Tone string

// The tones of a notice.
const (
	ToneGood Tone = "good"
	ToneWarn Tone = "warn"
	ToneBad  Tone = "bad"
	ToneInfo Tone = "info"
)

// Notice is a message to the user about what just happened.
type Notice struct {
	Tone   Tone
	Title  string
	Detail string // may be empty
}

// Alarm says that the last verification found changes in the database.
type Alarm struct {
	At       Moment   // when that verification ended
	Findings []string // the first of them; nil if the user may not read the log
	More     int      // findings beyond these
}

// Errors has the messages of a refused form by field name. The name "" is for those
// without a field.
type Errors map[string]string

type tokenKey struct{}

// WithToken returns a context in which every form has the session's CSRF token, in
// the hidden field csrf.
func WithToken(ctx context.Context, token string) context.Context {
	return context.WithValue(ctx, tokenKey{}, token)
}

func token(ctx context.Context) string {
	value, _ := ctx.Value(tokenKey{}).(string)
	return value
}
