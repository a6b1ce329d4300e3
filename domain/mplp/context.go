package mplp

// Context is a context as it is posted. Every member is optional. Domain and
// Environment come from the member root.
type Context struct {
	ID, Title, Status, OwnerRole, Domain, Environment string
	CreatedAt, UpdatedAt                              string // as RenderTime writes them
	Locked                                            bool   // governance.locked
	Trace                                             *Trace
	Native                                            *Object // as sent, without "$comment"
	Warnings                                          []Warning
}

// ParseContext reads a posted context. It only checks what is there. Errors are
// *SyntaxError or *Invalid.
func ParseContext(data []byte, l Limits) (*Context, error) {
	r, o, err := openDocument(data, l)
	if err != nil {
		return nil, err
	}
	c := &Context{Native: o}
	var ignored string
	var tags []string
	r.warnFilled(o, "", "meta")
	r.warnFilled(o, "", "status")
	r.members("", o, fields{
		{"meta", anyObject},
		{"events", events},
		{"governance", readGovernance(&c.Locked)},
		{"trace", readTrace(&c.Trace)},
		{"context_id", id(&c.ID)},
		{"root", c.readRoot},
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
	return result(r, c)
}

// readRoot reads an open object: a key in another case is another key.
func (c *Context) readRoot(v value) {
	o := v.object()
	if o == nil {
		return
	}
	c.Domain = optionalText(v, o, "domain")
	c.Environment = optionalText(v, o, "environment")
}

// optionalText reads an optional string from an open object.
func optionalText(v value, o *Object, name string) string {
	raw, ok := o.Get(name)
	if !ok || isNull(raw) {
		return ""
	}
	text, _ := value{r: v.r, path: join(v.path, name), raw: raw}.textWithin(v.r.limits.Title)
	return text
}
