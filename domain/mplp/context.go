package mplp

// Context is a context as it is posted. Every member is optional; Status is ""
// when absent. Domain and Environment come from the member root.
type Context struct {
	ID, Title, Status, OwnerRole, Domain, Environment string
	CreatedAt, UpdatedAt                              string // as RenderTime writes them
	Locked                                            bool   // governance.locked
	Trace                                             *Trace
	Native                                            *Object // as sent, without "$comment"
	Warnings                                          []Warning
}

// ParseContext reads a posted context: only what is there is checked. Errors
// are *SyntaxError or *Invalid.
func ParseContext(data []byte, l Limits) (*Context, error) {
	r, o, err := open(data, l)
	if err != nil {
		return nil, err
	}
	c := &Context{Native: o}
	var ignored string
	var tags []string
	r.filled(o, "", "meta")
	r.filled(o, "", "status")
	r.members("", o, fields{
		{"meta", anyObject},
		{"events", events},
		{"governance", governance(&c.Locked)},
		{"trace", trace(&c.Trace)},
		{"context_id", id(&c.ID)},
		{"root", c.root},
		{"title", filledTitle(&c.Title)},
		{"status", oneOf(&c.Status, contextStatuses...)},
		{"summary", described(&ignored)},
		{"language", title(&ignored)},
		{"owner_role", title(&c.OwnerRole)},
		{"tags", titles(&tags)},
		{"constraints", anyObject},
		{"created_at", moment(&c.CreatedAt)},
		{"updated_at", moment(&c.UpdatedAt)},
	})
	c.Warnings = r.warnings
	return verdict(r, c)
}

// root is open: a key that differs from a known one in case is another key.
func (c *Context) root(v value) {
	o := v.object()
	if o == nil {
		return
	}
	c.Domain = openText(v, o, "domain")
	c.Environment = openText(v, o, "environment")
}

// openText reads an optional string out of an open object.
func openText(v value, o *Object, name string) string {
	raw, ok := o.Get(name)
	if !ok || isNull(raw) {
		return ""
	}
	text, _ := value{r: v.r, path: join(v.path, name), raw: raw}.textWithin(v.r.limits.Title)
	return text
}
