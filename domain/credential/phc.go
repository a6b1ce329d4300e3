package credential

import (
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"golang.org/x/crypto/argon2"
)

// ErrPHC means that a stored password hash is not an argon2id string as
// [Hasher] writes it, or asks for more work than the package is willing to do.
var ErrPHC = errors.New("password hash is malformed")

const (
	saltSize = 16
	keySize  = 32

	// A tampered row must not be able to claim the machine's memory or hold a
	// processor for minutes, so a hash that asks for more is not computed.
	maxMemory      = 128 << 10 // KiB
	maxTime        = 10
	maxParallelism = 8
)

// Params is the cost of one password hash.
type Params struct {
	Memory      uint32 // KiB
	Time        uint32 // passes over the memory
	Parallelism uint8  // lanes
}

// DefaultParams is the smallest argon2id cost that OWASP recommends; it keeps a
// sign-in well under a tenth of a second of one core.
var DefaultParams = Params{Memory: 19456, Time: 2, Parallelism: 1}

// valid reports whether p is something argon2 can compute within the bounds.
func (p Params) valid() bool {
	return p.Parallelism >= 1 && p.Parallelism <= maxParallelism &&
		p.Time >= 1 && p.Time <= maxTime &&
		p.Memory >= 8*uint32(p.Parallelism) && p.Memory <= maxMemory
}

// derive computes the argon2id key of a password.
func (p Params) derive(password string, salt []byte) []byte {
	return argon2.IDKey([]byte(password), salt, p.Time, p.Memory, p.Parallelism, keySize)
}

// phc is a password hash taken apart: the fields of a PHC string.
type phc struct {
	params Params
	salt   []byte // saltSize bytes
	key    []byte // keySize bytes
}

func (h phc) String() string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		h.params.Memory, h.params.Time, h.params.Parallelism, b64(h.salt), b64(h.key))
}

var phcPattern = regexp.MustCompile(
	`\A\$argon2id\$v=19\$m=([0-9]{1,6}),t=([0-9]{1,2}),p=([0-9])\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})\z`)

// parsePHC takes a stored hash apart. Only the one spelling that String gives
// back is accepted; anything else is ErrPHC.
func parsePHC(text string) (phc, error) {
	m := phcPattern.FindStringSubmatch(text)
	if m == nil {
		return phc{}, ErrPHC
	}
	// The pattern leaves only digits few enough to fit and base64 of the right
	// length; what these could still get wrong, the last comparison finds.
	memory, _ := strconv.ParseUint(m[1], 10, 32)
	time, _ := strconv.ParseUint(m[2], 10, 32)
	parallelism, _ := strconv.ParseUint(m[3], 10, 8)
	salt, _ := base64.RawStdEncoding.DecodeString(m[4])
	key, _ := base64.RawStdEncoding.DecodeString(m[5])

	h := phc{
		params: Params{Memory: uint32(memory), Time: uint32(time), Parallelism: uint8(parallelism)},
		salt:   salt,
		key:    key,
	}
	if !h.params.valid() || h.String() != text {
		return phc{}, ErrPHC
	}
	return h, nil
}
