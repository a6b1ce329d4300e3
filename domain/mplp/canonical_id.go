package mplp

import (
	"crypto/sha256"
	"regexp"
	"strings"

	"github.com/google/uuid"
)

// uuidShape is what the protocol calls an identifier: a UUID of version 4 in
// lower case.
var uuidShape = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

const uuidLen = 36

// CanonicalID gives the identifier that stands for an id in canonical form
// (requirements, contradiction 1): a UUID v4 in lower case, which the id is,
// spells in another case, or ends with after a prefix; any other id is hashed.
// The namespace is the module that the id belongs to, so that the same id of
// two modules stays two. It is a pure function: wherever an id is referred to,
// the same identifier stands for it.
func CanonicalID(namespace, id string) string {
	tail := id
	if at := len(id) - uuidLen; at > 1 && id[at-1] == '-' {
		tail = id[at:]
	}
	if lower := strings.ToLower(tail); uuidShape.MatchString(lower) {
		return lower
	}
	return hashedID(namespace, id)
}

// within is the namespace of ids that are unique in one object only.
func within(namespace, ownerID string) string { return namespace + ":" + ownerID }

func hashedID(namespace, id string) string {
	sum := sha256.Sum256([]byte(namespace + ":" + id))
	shaped := uuid.UUID(sum[:16])
	shaped[6] = shaped[6]&0x0f | 0x40 // version 4
	shaped[8] = shaped[8]&0x3f | 0x80 // the variant of RFC 9562
	return shaped.String()
}
