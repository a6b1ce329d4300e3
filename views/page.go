package views

import "context"

// Frame is what stands around the content of every page.
type Frame struct {
	Title     string // without the product's name
	Assets    Assets
	SignedIn  bool
	UserName  string
	Nav       Nav
	Seen      int64   // last log entry before the page was read: the stream of signals begins after it
	Now       string  // the server's clock, RFC 3339: countdowns run on it, whatever the reader's clock says
	Shortcuts bool    // the account's setting for keyboard shortcuts
	Address   string  // of the page where it is not the one that was asked; empty otherwise
	Refresh   int     // seconds between reloads without JavaScript, 0 for never (the inbox: 30)
	Notice    *Notice // the result of the reader's last action on another page
	Alarm     *Alarm  // nothing can be decided, whatever the page; nil: no alarm for this reader
	CSSOnly   bool    // leave the scripts out, for pages that a failure may have cut off from them
}

// Assets are the hashed addresses of the static files.
type Assets struct {
	Style  string // app.css
	Script string // app.js
	HTMX   string // lib/htmx.min.js
	SSE    string // lib/hx-sse.min.js
	Icon   string // icon.svg
}

// Nav says which sections the reader may open and which one is open.
type Nav struct {
	Current                                                   Section
	Inbox, Plans, Contexts, Roles, Users, Keys, Log, Evidence bool
	Pending                                                   int // pending confirms that the reader sees, at most PendingCap
	PendingCap                                                int // above it the count is shown as "200+"; 0 means no cap
}

// Section is an entry of the navigation.
type Section string

// The sections of the navigation.
const (
	SectionInbox    Section = "inbox"
	SectionPlans    Section = "plans"
	SectionContexts Section = "contexts"
	SectionRoles    Section = "roles"
	SectionUsers    Section = "users"
	SectionKeys     Section = "keys"
	SectionLog      Section = "log"
	SectionEvidence Section = "evidence"
	SectionAccount  Section = "account"
)

// Tone colours a notice; the icon and the words say the same.
type Tone string

// The tones of a notice.
const (
	ToneGood Tone = "good"
	ToneWarn Tone = "warn"
	ToneBad  Tone = "bad"
	ToneInfo Tone = "info"
)

// Notice is one message to the reader about what just happened.
type Notice struct {
	Tone   Tone
	Title  string
	Detail string // may be empty
}

// Alarm says that the last verification found the database changed.
type Alarm struct {
	At       Moment   // when that verification ended
	Findings []string // the first of them; none: the reader may not read the log
	More     int      // findings beyond these
}

// Errors are the messages of a refused form, by field name. The empty name
// holds what belongs to no field.
type Errors map[string]string

type tokenKey struct{}

// WithToken returns a context in which forms carry the session's form token
// as their hidden field csrf.
func WithToken(ctx context.Context, token string) context.Context {
	return context.WithValue(ctx, tokenKey{}, token)
}

func token(ctx context.Context) string {
	value, _ := ctx.Value(tokenKey{}).(string)
	return value
}
