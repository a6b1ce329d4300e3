package reading

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Type is the JSON type of a value.
type Type string

// The types of JSON values.
const (
	Object Type = "object"
	Array  Type = "array"
	String Type = "string"
	Number Type = "number"
	Bool   Type = "boolean"
	Null   Type = "null"
)

// Value is a JSON value with its place in the document.
type Value struct {
	Pointer string // JSON Pointer (RFC 6901), or a digest of a very long one; "" is the whole document
	Name    string // the member's name, or the index in an array; "" of the whole document
	Type    Type
	Text    string  // of a string its characters, of a number the digits as sent; otherwise true, false, null or ""
	Items   []Value // of an object or array, in the order sent; an object may repeat a name
}

// maxDepth limits how deep Parse goes. The protocol's reader has a lower limit.
const maxDepth = 1000

var errTooDeep = errors.New("the JSON is nested too deeply")

// Parse reads one JSON value. It keeps the digits of numbers, the order of members, and
// names that repeat.
func Parse(json []byte) (Value, error) {
	d := &decoder{jsontext.NewDecoder(bytes.NewBuffer(json), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)), countItems(json)}
	v, err := d.parse("", "", 0)
	if err != nil {
		return Value{}, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return Value{}, errors.New("something follows the JSON value")
	}
	return v, nil
}

// decoder reads values.
type decoder struct {
	*jsontext.Decoder
	counts []int32 // items of the objects and arrays to come, so that they need not grow
}

// countItems returns how many commas each object and array has, in the order in which
// they begin. Of what is no JSON the counts are wrong.
func countItems(json []byte) (counts []int32) {
	var open []int // what is around
	for i := 0; i < len(json); i++ {
		switch json[i] {
		case '{', '[':
			open = append(open, len(counts))
			counts = append(counts, 0)
		case '}', ']':
			open = open[:max(0, len(open)-1)]
		case ',':
			if len(open) > 0 {
				counts[open[len(open)-1]]++
			}
		case '"':
			for i++; i < len(json) && json[i] != '"'; i++ {
				if json[i] == '\\' {
					i++
				}
			}
		}
	}
	return counts
}

// items is where the items of the next object or array go.
func (d *decoder) items() []Value {
	commas := d.counts[0]
	d.counts = d.counts[1:]
	if kind := d.PeekKind(); kind == '}' || kind == ']' {
		return nil
	}
	return make([]Value, 0, commas+1)
}

func (d *decoder) parse(pointer, name string, depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, errTooDeep
	}
	token, err := d.ReadToken()
	if err != nil {
		return Value{}, err
	}
	kind := token.Kind()
	if len(pointer) > maxParent && (kind == '{' || kind == '[') {
		pointer = digestOf(pointer)
	}
	v := Value{Pointer: pointer, Name: name}
	switch kind {
	case '{':
		v.Type, v.Items = Object, d.items()
		for d.PeekKind() != '}' {
			member, err := d.ReadToken()
			if err != nil {
				return Value{}, err
			}
			name := member.String()
			item, err := d.parse(pointerTo(pointer, name), name, depth+1)
			if err != nil {
				return Value{}, err
			}
			v.Items = append(v.Items, item)
		}
		_, err = d.ReadToken()
	case '[':
		v.Type, v.Items = Array, d.items()
		for d.PeekKind() != ']' {
			at := pointer + "/" + strconv.Itoa(len(v.Items))
			item, err := d.parse(at, at[len(pointer)+1:], depth+1)
			if err != nil {
				return Value{}, err
			}
			v.Items = append(v.Items, item)
		}
		_, err = d.ReadToken()
	case '"':
		v.Type, v.Text = String, token.String()
	case '0':
		v.Type, v.Text = Number, token.String()
	case 't', 'f':
		v.Type, v.Text = Bool, token.String()
	default:
		v.Type, v.Text = Null, "null"
	}
	return v, err
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// Limits of the pointers of a document whose long names contain many values. Each of the
// values repeats the pointer of what it is in.
const (
	maxPointer = 1024
	maxParent  = 128 // of an object or array
)

func pointerTo(parent, name string) string {
	if len(parent)+len(name) > maxPointer {
		return digestOf(parent + "/" + name)
	}
	return parent + "/" + pointerEscapes.Replace(name)
}

func digestOf(pointer string) string { return fmt.Sprintf("/…%x", sha256.Sum256([]byte(pointer))) }

// IsLeaf reports whether the value has no members: it is no object or array.
func (v Value) IsLeaf() bool { return v.Type != Object && v.Type != Array }

// Leaves yields the strings, numbers, booleans and nulls in a value, in the order sent.
func (v Value) Leaves() iter.Seq[Value] {
	return func(yield func(Value) bool) { v.eachLeaf(yield) }
}

func (v Value) eachLeaf(yield func(Value) bool) bool {
	if v.IsLeaf() {
		return yield(v)
	}
	for _, item := range v.Items {
		if !item.eachLeaf(yield) {
			return false
		}
	}
	return true
}

// Member returns the first member of an object with this name.
func (v Value) Member(name string) (Value, bool) {
	if v.Type != Object {
		return Value{}, false
	}
	for i := range v.Items { // a copy of each would cost more than the look
		if v.Items[i].Name == name {
			return v.Items[i], true
		}
	}
	return Value{}, false
}
