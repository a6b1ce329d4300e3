package domain

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"countersign/domain/evidence"
)

// callDigest names a tool with its arguments, so that the same call is found again. It
// is short, which keeps the index small, so it proves nothing: callers compare the
// content that the log proves.
func callDigest(a *evidence.Action) string {
	sum := sha256.Sum256([]byte("countersign/call/v1\n" + argsHash(a) + a.Name))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// argsHash is evidence.ArgsHash of the arguments as a content has them.
func argsHash(a *evidence.Action) string {
	if len(a.Args) == 0 {
		return evidence.ArgsHash([]byte("null"))
	}
	return evidence.ArgsHash(a.Args)
}

// CallDigests returns what the calls of a request are found by, each once.
func CallDigests(actions []evidence.Action) (digests []string) {
	for i := range actions {
		if digest := callDigest(&actions[i]); !slices.Contains(digests, digest) {
			digests = append(digests, digest)
		}
	}
	return digests
}
