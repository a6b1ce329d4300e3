package domain

import (
	"bytes"

	"countersign/domain/evidence"
)

// left stands in a stored object in place of arguments that the content beside
// it has: they are the bulk of both. No JSON text has the byte.
const left = "\x00"

// withoutArgs takes the arguments of the actions out of the object that they
// came in, where they stand in the order of the actions.
func withoutArgs(object []byte, actions []evidence.Action) []byte {
	var stored []byte
	rest := object
	for _, a := range actions {
		before, after, ok := bytes.Cut(rest, a.Args)
		if !ok || len(a.Args) == 0 {
			return object
		}
		stored = append(append(stored, before...), left...)
		rest = after
	}
	return append(stored, rest...)
}

// object is the object as the client sent it, and as the server completed it.
func (c *ConfirmContent) object() ([]byte, error) {
	if !bytes.Contains(c.Native, []byte(left)) {
		return c.Native, nil
	}
	content, err := evidence.ParseContent(c.Content)
	if err != nil {
		return nil, err
	}
	return c.objectOf(content), nil
}

// objectOf is object for those who have parsed the content.
func (c *ConfirmContent) objectOf(content *evidence.Content) []byte {
	if !bytes.Contains(c.Native, []byte(left)) {
		return c.Native
	}
	object := make([]byte, 0, len(c.Native)+len(c.Content)) // where the arguments are
	rest := c.Native
	for _, a := range content.Actions {
		before, after, _ := bytes.Cut(rest, []byte(left))
		object = append(append(object, before...), a.Args...)
		rest = after
	}
	return append(object, rest...)
}
