package mplp

import "bytes"

// contentBlock is the member of a frame with the block that it starts.
const contentBlock = "content_block"

// frame is a content_block_start frame and the block in it. A block that was sent alone
// is the outer object, and inner is nil.
type frame struct {
	outer, inner *Object
	onOuter      map[string]Raw // looked up once per member, of which there may be thousands
}

// readFrame splits an approval request and checks its types.
func readFrame(r *reader, o *Object) frame {
	raw, framed := o.Get(contentBlock)
	if !framed {
		readType(r, "", o, "approval_request")
		return frame{outer: o}
	}
	readType(r, "", o, "content_block_start")
	inner := value{r: r, path: contentBlock, raw: raw}.object()
	if inner == nil {
		inner = NewObject()
	}
	readType(r, contentBlock, inner, "approval_request")
	f := frame{outer: o, inner: inner, onOuter: make(map[string]Raw, o.Len())}
	for _, m := range o.members {
		f.onOuter[m.name] = m.value
	}
	return f
}

// readType checks the type of a frame or block. It may be missing: the address says
// what it must be.
func readType(r *reader, path string, o *Object, want string) {
	if raw, ok := o.Get("type"); ok {
		constant(want)(value{r: r, path: join(path, "type"), raw: raw})
	}
}

// merge puts the members of frame and block into one object. A member may be in both
// only with the same value.
func (f frame) merge(r *reader) *Object {
	merged := NewObject()
	for _, m := range f.outer.members {
		if m.name != "type" && m.name != contentBlock {
			merged.members = append(merged.members, m)
		}
	}
	if f.inner == nil {
		return merged
	}
	for _, m := range f.inner.members {
		outer, both := f.onOuter[m.name]
		switch {
		case m.name == "type":
		case !both:
			merged.members = append(merged.members, m)
		case !bytes.Equal(outer, m.value):
			r.problem(join(contentBlock, m.name), "unique", "says something else than the same member of the frame")
		}
	}
	return merged
}

// at returns the path of a merged member. A missing one belongs in the block.
func (f frame) at(name string) string {
	if f.inner == nil {
		return name
	}
	if _, ok := f.onOuter[name]; ok {
		return name
	}
	return join(contentBlock, name)
}

// anything ignores a member that has been read already.
func anything(value) {}
