package mplp

import (
	"crypto/sha256"
	"regexp"
	"strings"

	"github.com/google/uuid"
)

// uuidShape is the protocol's form of an identifier: a UUID v4 in lower case.
var uuidShape = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

const uuidLen = 36

// CanonicalID returns the UUID v4 that stands for an id in canonical form: the id
// itself, if it is one in any case or ends with one after a prefix, or else a hash. The
// namespace is the module that the id belongs to, so that equal ids of two modules
// differ. The result depends on nothing else, so references stay intact.
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

// nestedNamespace is the namespace of ids that are unique within one object only.
func nestedNamespace(namespace, ownerID string) string { return namespace + ":" + ownerID }

func hashedID(namespace, id string) string {
	sum := sha256.Sum256([]byte(namespace + ":" + id))
	shaped := uuid.UUID(sum[:16])
	shaped[6] = shaped[6]&0x0f | 0x40 // version 4
	shaped[8] = shaped[8]&0x3f | 0x80 // the variant of RFC 9562
	return shaped.String()
}
