package finding

import (
	"slices"
	"strconv"
	"strings"

	"countersign/domain/reading"
)

// change is a value that differs between two calls.
type change struct {
	name        string        // of the member that it belongs to
	here, there reading.Value // no type: there is none
}

// maxLeaves is how many values of a call are compared.
const maxLeaves = 2000

// named is a value with the name of the member that it belongs to.
type named struct {
	reading.Value
	member string
	place  string // its pointer, numbered if the name repeats
}

// changesOf returns what differs in now from before, in the order of now. What is gone
// comes last.
func changesOf(before, now reading.Value) (changes []change) {
	was, is := leavesOf(before), leavesOf(now)
	old := make(map[string]named, len(was))
	for _, v := range was {
		old[v.place] = v
	}
	kept := make(map[string]bool, len(is))
	for _, v := range is {
		kept[v.place] = true
		if at, ok := old[v.place]; !ok || !isEqual(at.Value, v.Value) {
			changes = append(changes, change{v.member, v.Value, at.Value})
		}
	}
	for _, v := range was {
		if !kept[v.place] {
			changes = append(changes, change{v.member, reading.Value{}, v.Value})
		}
	}
	return changes
}

// leavesOf returns the first values of a call, and its empty objects and lists.
func leavesOf(v reading.Value) (leaves []named) {
	seen := map[string]int{}
	var add func(v reading.Value, member string)
	add = func(v reading.Value, member string) {
		if len(leaves) >= maxLeaves {
			return
		}
		if v.IsLeaf() || len(v.Items) == 0 {
			place := v.Pointer
			if n := seen[v.Pointer]; n > 0 {
				place += "#" + strconv.Itoa(n)
			}
			seen[v.Pointer]++
			leaves = append(leaves, named{v, member, place})
			return
		}
		for _, item := range v.Items {
			if v.Type == reading.Object {
				add(item, item.Name)
			} else {
				add(item, member)
			}
		}
	}
	add(v, "")
	return leaves
}

// isEqual reports whether two values say the same. A number may have zeros behind its
// decimal point.
func isEqual(a, b reading.Value) bool {
	if a.Type != b.Type {
		return false
	}
	return a.Text == b.Text || a.Type == reading.Number && withoutZeros(a.Text) == withoutZeros(b.Text)
}

func withoutZeros(digits string) string {
	if !strings.Contains(digits, ".") || strings.ContainsAny(digits, "eE") {
		return digits
	}
	return strings.TrimRight(strings.TrimRight(digits, "0"), ".")
}

// graveKinds say who or what is concerned, and how much is paid.
var graveKinds = []reading.Kind{reading.Sum, reading.Identifier, reading.Email, reading.URL, reading.Host}

// isGrave reports whether the change is of a value that says who is concerned or how much
// is paid. What is gone is not on the page to be acknowledged.
func (c change) isGrave() bool {
	if c.here.Type == "" {
		return false
	}
	return slices.Contains(graveKinds, c.kindOf(c.here)) || c.there.Type != "" && slices.Contains(graveKinds, c.kindOf(c.there))
}

// kindOf recognises a value by the member that it belongs to: an item of a list has no
// name of its own.
func (c change) kindOf(v reading.Value) reading.Kind {
	v.Name = c.name
	return reading.KindOf(v)
}

// where says where the other value stands.
func (c change) where() string {
	if c.there.Text == "" {
		return ""
	}
	return InBefore
}

// verb says how the value differs from what was approved.
func (c change) verb() string {
	if c.there.Type == "" {
		return " was not in what was approved on "
	}
	return " differs from what was approved on "
}

// maxShort is how many characters of a value a finding repeats.
const maxShort = 100

// shortText returns the beginning of a value.
func shortText(text string) string {
	n := 0
	for i := range text {
		if n == maxShort {
			return text[:i] + "…"
		}
		n++
	}
	return text
}
