package web

import (
	"path"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/views"
)

// section is a part of the site: a page and all pages below it.
type section struct {
	path   string
	label  string                       // in the navigation; "" keeps it out
	opens  func(*domain.Principal) bool // who has it in the navigation
	events []string                     // its pages refresh after these
	within string                       // the section that the navigation shows instead
}

// sections drive the navigation, the addresses that a sign-in may lead back to,
// and what refreshes by itself. The header has the inbox and the account on its
// own.
var sections = []section{
	{path: inboxPath, events: []string{"confirm", "plan"}},
	{path: plansPath, label: "Plans", opens: (*domain.Principal).CanReadPlans, events: []string{"plan", "confirm"}},
	{path: contextsPath, label: "Contexts", opens: (*domain.Principal).CanReadContexts, events: []string{"context"}},
	{path: rolesPath, label: "Roles", opens: (*domain.Principal).CanReadRoles, events: []string{"role", "user", "key"}},
	{path: usersPath, label: "Users", opens: (*domain.Principal).CanReadUsers},
	{path: keysPath, label: "Keys", opens: (*domain.Principal).CanReadKeys, events: []string{"confirm"}},
	{path: connectPath, events: []string{"confirm"}, within: keysPath},
	{path: destinationsPath, label: "Destinations", opens: (*domain.Principal).CanReadDestinations, events: []string{"destination"}},
	{path: policiesPath, label: "Policies", opens: (*domain.Principal).CanReadPolicies, events: []string{"policy", "confirm"}},
	{path: deliveriesPath, within: destinationsPath},
	{path: logPath, label: "Log", opens: readsLog},
	{path: tracesPath, events: []string{"confirm", "plan"}, within: logPath},
	{path: evidencePath, label: "Evidence", opens: readsLog},
	{path: accountPath},
}

func readsLog(p *domain.Principal) bool { return p.Can(domain.TraceRead) }

// sectionOf returns the section of a page, empty if it is in none.
func sectionOf(page string) section {
	first, _, _ := strings.Cut(strings.TrimPrefix(page, "/"), "/")
	i := slices.IndexFunc(sections, func(s section) bool { return s.path == "/"+first })
	if i < 0 {
		return section{}
	}
	return sections[i]
}

// newNav offers the sections that the user may open.
func newNav(user *domain.Principal, current section, pending domain.PendingConfirms) views.Nav {
	nav := views.Nav{Current: current.path, Pending: pending.All, PendingCap: maxPendingCount, Waiting: newWaiting(user, pending.Mine)}
	if current.within != "" {
		nav.Current = current.within
	}
	for _, s := range sections {
		if s.label != "" && s.opens(user) {
			nav.Links = append(nav.Links, views.Link{Label: s.label, URL: s.path})
		}
	}
	return nav
}

// liveEvents are all events that pages refresh after.
func liveEvents() (names []string) {
	for _, s := range sections {
		for _, name := range s.events {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// safePath returns next if it is the address of a page of this server, and "/"
// otherwise: a sign-in must not send anybody elsewhere.
func safePath(next string) string {
	page, _, _ := strings.Cut(next, "?")
	switch {
	case !strings.HasPrefix(page, "/"), path.Clean(page) != page, strings.ContainsFunc(next, isUnsafeInAddress):
		return "/"
	case page != "/" && sectionOf(page).path == "":
		return "/"
	}
	return next
}

// isUnsafeInAddress reports whether browsers read r differently: they take \ for
// / and drop control characters.
func isUnsafeInAddress(r rune) bool { return r == '\\' || r <= ' ' || r > '~' }
