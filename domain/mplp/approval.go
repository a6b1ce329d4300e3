package mplp

import "regexp"

// Approval is an approval request: a content_block_start frame, or its content block
// alone. Key is "" when the server is to choose it. Confirm is the request as a confirm
// with target_type other.
type Approval struct {
	Key     string
	Index   int64
	Confirm *Confirm
}

// ParseApproval reads an approval request. Optional members may be in the frame or in
// its content block. Errors are *SyntaxError or *Invalid.
func ParseApproval(data []byte, l Limits) (*Approval, error) {
	r, o, err := openDocument(data, l)
	if err != nil {
		return nil, err
	}
	sent := readFrame(r, o)
	native, at := sent.merge(r), sent.at
	c := &Confirm{Native: native}
	a := &Approval{Confirm: c}

	if _, ok := native.Get("target_type"); !ok {
		native.Set("target_type", String("other"))
	}
	c.TargetType = "other"
	c.read(r, at, fields{
		{"target_type", constant("other")},
		{"approval_key", approvalKey(&a.Key)},
		{"index", index(&a.Index)},
		{"type", anything}, // of the frame, and so is its block
		{contentBlock, anything},
	}, "target_type", "actions")

	c.SessionID = resolveSession(r, at("session_id"), c.SessionID, a.Key)
	if c.SessionID == "" && a.Key == "" {
		r.problem(at("session_id"), "required", "is required without approval_key")
	}
	native.Set("session_id", String(c.SessionID))
	if c.IsImported() {
		r.problem(at("status"), "const", "must be pending, without decisions")
	}

	c.Warnings = r.warnings
	return result(r, a)
}

var keyShape = regexp.MustCompile(`^(.+)_[0-9]+$`)

// approvalKey reads {session_id}_{interrupt_count}.
func approvalKey(p *string) func(value) {
	return func(v value) {
		id(p)(v)
		if IsID(*p) && !keyShape.MatchString(*p) {
			v.problem("pattern", "must be a session id, an underscore and a number")
		}
	}
}

// resolveSession returns the session that is named, or else the one in the key, before
// its last underscore. Both must agree.
func resolveSession(r *reader, path, session, key string) string {
	parts := keyShape.FindStringSubmatch(key)
	switch {
	case parts == nil:
		return session
	case session == "":
		return parts[1]
	case session != parts[1]:
		r.problem(path, "const", "must be the session that approval_key names")
	}
	return session
}

func index(p *int64) func(value) {
	return func(v value) {
		var n *int64
		if whole(&n, 0, maxIndex)(v); n != nil {
			*p = *n
		}
	}
}
