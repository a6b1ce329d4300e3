package credential

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"hash/crc32"
	"io"
	"math/big"
	"regexp"
	"strings"
)

// ErrKey means that a text is not an API key: its shape or its checksum is wrong.
var ErrKey = errors.New("API key is malformed")

// Widths of a key's parts in base62 digits. 62^43 is the first power of 62
// above 2^256, 62^6 the first above 2^32.
const (
	keyIDWidth       = 12
	keySecretWidth   = 43
	keyChecksumWidth = 6
)

// keyHashPrefix keeps the hash of a key's secret different from hashes for other uses.
const keyHashPrefix = "countersign/key/v1\n"

// Key is a new API key. Text is shown to its owner once and kept nowhere; ID
// finds the key again and may be shown; Hash is what to store.
type Key struct {
	ID   string
	Text string
	Hash []byte
}

// NewKey makes an API key of 256 random bits:
//
//	cs_<12 digits of id>_<43 digits of secret><6 digits of CRC-32>
//
// The digits are base62 (0-9, a-z, A-Z). The checksum (IEEE) is over all the
// text before it: it tells a mistyped or cut-off key from a revoked one without
// asking the database, and lets scanners recognise a leaked one. Randomness is
// read from source, or from crypto/rand if source is nil; its error is the only
// one.
func NewKey(source io.Reader) (Key, error) {
	const idBytes = 16 // so many more than 62^12 needs that no id is likelier than another
	random, err := randomBytes(source, idBytes+32)
	if err != nil {
		return Key{}, err
	}
	number := new(big.Int).SetBytes(random[:idBytes])
	id := base62(number.Mod(number, idCount), keyIDWidth)
	secret := base62(number.SetBytes(random[idBytes:]), keySecretWidth)

	text := "cs_" + id + "_" + secret
	return Key{ID: id, Text: text + checksum(text), Hash: hashSecret(secret)}, nil
}

// ParseKey takes a key apart: the id to look it up by, and the hash to compare
// by [Equal] with the one stored. It asks nobody whether the key exists. The
// error is always [ErrKey].
func ParseKey(text string) (id string, hash []byte, err error) {
	rest, named := strings.CutPrefix(text, "cs_")
	id, secret, _ := strings.Cut(rest, "_")
	if !named || len(id) != keyIDWidth || len(secret) != keySecretWidth+keyChecksumWidth || !isBase62(id) || !isBase62(secret) {
		return "", nil, ErrKey
	}
	secret, sum := secret[:keySecretWidth], secret[keySecretWidth:]
	if checksum(text[:len(text)-keyChecksumWidth]) != sum {
		return "", nil, ErrKey
	}
	return id, hashSecret(secret), nil
}

func isBase62(text string) bool {
	for i := range len(text) {
		if b := text[i]; (b < '0' || b > '9') && (b < 'A' || b > 'Z') && (b < 'a' || b > 'z') {
			return false
		}
	}
	return true
}

// Equal reports in constant time whether two hashes of keys or tokens are the
// same. What is not a hash, such as an empty column, equals nothing.
func Equal(a, b []byte) bool {
	return len(a) == sha256.Size && subtle.ConstantTimeCompare(a, b) == 1
}

// redactPattern is wider than a key, so that one with a digit lost or added is
// not logged in full either.
var redactPattern = regexp.MustCompile(`(cs_[0-9A-Za-z]{12}_)[0-9A-Za-z]+`)

// Redact replaces the secret of everything in s that looks like an API key by
// an ellipsis and leaves its id, which says whose key it was. For logs and
// errors only: what a reviewer decides on is never masked.
func Redact(s string) string {
	if !strings.Contains(s, "cs_") {
		return s
	}
	return redactPattern.ReplaceAllString(s, "${1}…")
}

func hashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(keyHashPrefix + secret))
	return sum[:]
}

func checksum(text string) string {
	return base62(big.NewInt(int64(crc32.ChecksumIEEE([]byte(text)))), keyChecksumWidth)
}

// idCount is how many ids there are.
var idCount = new(big.Int).Exp(big.NewInt(62), big.NewInt(keyIDWidth), nil)

// base62 writes n with leading zeros; n must fit into width digits.
func base62(n *big.Int, width int) string {
	digits := n.Text(62)
	return strings.Repeat("0", width-len(digits)) + digits
}
