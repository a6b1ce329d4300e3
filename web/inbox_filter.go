package web

import (
	"net/url"
	"slices"
	"unicode/utf8"

	"countersign/domain"
	"countersign/views"
)

// inboxFilter is the filter of the inbox. A confirm that is opened from a list
// carries it on as the parameter from: the next one is the next of that list.
type inboxFilter struct {
	Decided                 bool
	TargetType, Role, Query string
	Group                   string // of what is pending: the requests of one principal group
	Mine                    bool
}

// inboxParams are the filter's parameters in an address. A flag is set by one
// value.
var inboxParams = []struct {
	name, on string
	text     func(*inboxFilter) *string
	flag     func(*inboxFilter) *bool
}{
	{name: "status", on: "decided", flag: func(f *inboxFilter) *bool { return &f.Decided }},
	{name: "target_type", text: func(f *inboxFilter) *string { return &f.TargetType }},
	{name: "role", text: func(f *inboxFilter) *string { return &f.Role }},
	{name: "q", text: func(f *inboxFilter) *string { return &f.Query }},
	{name: "group", text: func(f *inboxFilter) *string { return &f.Group }},
	{name: "mine", on: "1", flag: func(f *inboxFilter) *bool { return &f.Mine }},
}

func newInboxFilter(values url.Values) (f inboxFilter) {
	for _, p := range inboxParams {
		if p.text != nil {
			*p.text(&f) = values.Get(p.name)
		} else {
			*p.flag(&f) = values.Get(p.name) == p.on
		}
	}
	return f
}

// parseFrom reads what encode wrote; anything else is the plain inbox.
func parseFrom(from string) inboxFilter {
	values, err := url.ParseQuery(from)
	if err != nil {
		return inboxFilter{}
	}
	return newInboxFilter(values)
}

// values returns the parameters that are not at their default.
func (f inboxFilter) values() url.Values {
	if f.Decided {
		f.Group = ""
	}
	values := url.Values{}
	for _, p := range inboxParams {
		if p.text != nil && *p.text(&f) != "" {
			values.Set(p.name, *p.text(&f))
		} else if p.flag != nil && *p.flag(&f) {
			values.Set(p.name, p.on)
		}
	}
	return values
}

// url is the inbox with this filter.
func (f inboxFilter) url() string { return withQuery(inboxPath, f.values().Encode()) }

func (f inboxFilter) pager() pager { return pager{path: inboxPath, filter: f.values()} }

// tab is the same filter in the list of pending or of decided ones.
func (f inboxFilter) tab(decided bool) string {
	f.Decided = decided
	return f.url()
}

// forGroup is the same filter for one group.
func (f inboxFilter) forGroup(g domain.Group) string {
	f.Group = string(g)
	return f.url()
}

// confirmURL is the page of one confirm of the list.
func (f inboxFilter) confirmURL(id string) string { return f.addTo(confirmPath(id)) }

// receiptAgain is the parameter receipt after a vote that changed nothing.
const receiptAgain = "again"

// receiptURL is that page after the user has decided.
func (f inboxFilter) receiptURL(id string, again bool) string {
	receipt := "1"
	if again {
		receipt = receiptAgain
	}
	return withQuery(confirmPath(id), encodeNonEmpty(url.Values{"from": {f.values().Encode()}, "receipt": {receipt}}))
}

// addTo adds the filter to an address of a confirm.
func (f inboxFilter) addTo(path string) string {
	if f == (inboxFilter{}) {
		return path // as in most requests
	}
	return withQuery(path, encodeNonEmpty(url.Values{"from": {f.values().Encode()}}))
}

// confirms is the list that the filter means.
func (f inboxFilter) confirms() domain.ConfirmFilter {
	filter := domain.ConfirmFilter{
		TargetType: domain.TargetType(f.TargetType), RequestedByRole: f.Role, Query: f.Query, Mine: f.Mine && !f.Decided,
		Decided: f.Decided, WithImports: f.Decided,
	}
	if !f.Decided {
		filter.Status, filter.Group = domain.Pending, domain.Group(f.Group)
	}
	return filter
}

// view is the filter's form. It offers the roles that the rows name.
func (f inboxFilter) view(rows []domain.InboxRow) views.InboxFilter {
	cleared := inboxFilter{Decided: f.Decided}
	f.Mine = f.Mine && !f.Decided
	return views.InboxFilter{
		Query: f.Query, Mine: f.Mine, Roles: roleOptions(f.Role, rows), Group: f.values().Get("group"),
		TargetTypes: choices(f.TargetType, "Any target", "plan", "context", "trace", "extension", "other"),
		Active:      f.url() != cleared.url(), ClearURL: cleared.url(),
	}
}

// maxRoleOptions is how many roles a filter offers.
const maxRoleOptions = 20

// roleOptions offers roles that the list names, and the one chosen. Labels that are
// longer than the names of roles are none of them.
func roleOptions(chosen string, rows []domain.InboxRow) []views.Option {
	var names []string
	if chosen != "" {
		names = append(names, chosen)
	}
	for _, row := range rows {
		label := row.RequestedByRole
		if len(names) < maxRoleOptions && utf8.RuneCountInString(label) <= domain.MaxName && !slices.Contains(names, label) {
			names = append(names, label)
		}
	}
	slices.Sort(names)
	options := choices(chosen, "Any role", names...)
	for i := range options[1:] { // agents name them
		options[i+1].Label = "“" + options[i+1].Label + "”"
	}
	return options
}

// choices are the options of a filter: any, and each value.
func choices(chosen, anything string, values ...string) []views.Option {
	options := []views.Option{{Label: anything, Selected: chosen == ""}}
	if chosen != "" && !slices.Contains(values, chosen) {
		values = append(slices.Clone(values), chosen) // the list is narrowed to it all the same
	}
	for _, value := range values {
		options = append(options, views.Option{Value: value, Label: value, Selected: value == chosen})
	}
	return options
}
