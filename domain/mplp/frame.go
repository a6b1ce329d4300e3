package mplp

import "bytes"

// contentBlock is the member of a frame that holds what the frame starts.
const contentBlock = "content_block"

// frame is a content_block_start frame and the block in it. A block that came
// alone is the outer object, and inner is nil.
type frame struct {
	outer, inner *Object
	onOuter      map[string]Raw // looked up once per member, of which there may be thousands
}

// readFrame takes an approval request apart and checks its types.
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

// readType checks the type of a frame or block. A missing one is no fault:
// the address it was sent to says what it must be.
func readType(r *reader, path string, o *Object, want string) {
	if raw, ok := o.Get("type"); ok {
		constant(want)(value{r: r, path: join(path, "type"), raw: raw})
	}
}

// merge brings the members of frame and block together in one object. A member
// may stand in both only if it says the same in both.
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

// at gives the path of a merged member; one that is missing belongs in the
// block.
func (f frame) at(name string) string {
	if f.inner == nil {
		return name
	}
	if _, ok := f.onOuter[name]; ok {
		return name
	}
	return join(contentBlock, name)
}

// anything is the reader of a member that has been read already.
func anything(value) {}
