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
	PendingCap int // above it a count is shown as "200+"; 0 means no cap
	Waiting    Waiting
}

// Waiting is what waits for the user's own decision. The script shows it in the title,
// on the app's badge and in notifications.
type Waiting struct {
	UserID    string // whose choice it is to be notified
	Count     int    // at most Nav.PendingCap, or one more
	Newest    string // the log entries that requested the newest two, the newer first
	NewestURL string // of the newest one's page
}

// titleMark stands before the title of every page: "(3) ".
func titleMark(nav Nav) string {
	if nav.Waiting.Count == 0 {
		return ""
	}
	return "(" + cappedCount(nav.Waiting.Count, nav.PendingCap) + ") "
}

// waitingWords are those of a notification. None are an agent's.
func waitingWords(nav Nav) string {
	if nav.Waiting.Count == 1 {
		return "1 request waits for you"
	}
	return cappedCount(nav.Waiting.Count, nav.PendingCap) + " requests wait for you"
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
