package evidence

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Checkpoint says what a log was at one moment: its number of entries and the root of
// its tree. Signed, it is a promise that the log only grows. Its text has the form of
// c2sp.org/tlog-checkpoint.
type Checkpoint struct {
	Origin string
	Size   int64
	Root   Hash
}

// Sign returns the checkpoint as a signed note. Two keys sign when one takes over from
// the other.
func (c Checkpoint) Sign(keys ...*SigningKey) (string, error) {
	signers := make([]note.Signer, len(keys))
	for i, k := range keys {
		signers[i] = k.signer
	}
	text := fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, c.Root)
	signed, err := note.Sign(&note.Note{Text: text}, signers...)
	return string(signed), err
}

var (
	errSignature  = errors.New("it is not signed by the key")
	errCheckpoint = errors.New("it is not a checkpoint")
)

// OpenCheckpoint reads a signed checkpoint. At least one of the keys must have signed
// it.
func OpenCheckpoint(signed string, vkeys ...string) (Checkpoint, error) {
	n, err := openNote(signed, vkeys)
	if err != nil {
		return Checkpoint{}, err
	}
	return parseCheckpoint(n.Text)
}

// openExactly reads a checkpoint that exactly these keys have signed, and refuses any
// other spelling: every byte counts.
func openExactly(signed string, vkeys ...string) (Checkpoint, error) {
	n, err := openNote(signed, vkeys)
	if err != nil {
		return Checkpoint{}, err
	}
	if len(n.Sigs) != len(vkeys) {
		return Checkpoint{}, errSignature
	}
	if formatNote(n) != signed {
		return Checkpoint{}, errors.New("it is not written as it was signed")
	}
	return parseCheckpoint(n.Text)
}

// ExtractSignature returns a signed checkpoint with the signature of one key only.
func ExtractSignature(signed, vkey string) (string, error) {
	n, err := openNote(signed, []string{vkey})
	if err != nil {
		return "", err
	}
	return formatNote(n), nil
}

// formatNote writes a note with its verified signatures.
func formatNote(n *note.Note) string {
	text := n.Text + "\n"
	for _, s := range n.Sigs {
		raw, _ := base64.StdEncoding.DecodeString(s.Base64) // it was verified
		text += "— " + s.Name + " " + base64.StdEncoding.EncodeToString(raw) + "\n"
	}
	return text
}

func openNote(signed string, vkeys []string) (*note.Note, error) {
	var known []note.Verifier
	for _, vkey := range vkeys {
		v, err := note.NewVerifier(vkey)
		if err != nil {
			return nil, ErrVKey
		}
		known = append(known, v)
	}
	n, err := note.Open([]byte(signed), note.VerifierList(known...))
	if err != nil {
		return nil, errSignature
	}
	return n, nil
}

// ErrVKey says that a text is not a verifier key.
var ErrVKey = errors.New("this is not a key to verify with")

// CheckVKey refuses a text that is not a verifier key.
func CheckVKey(vkey string) error {
	if _, err := note.NewVerifier(vkey); err != nil {
		return ErrVKey
	}
	return nil
}

// PeekCheckpoint reads a checkpoint without checking its signatures: what it says is a
// claim.
func PeekCheckpoint(signed string) (Checkpoint, error) {
	text, _, found := strings.Cut(signed, "\n\n")
	if !found {
		return Checkpoint{}, errCheckpoint
	}
	return parseCheckpoint(text + "\n")
}

func parseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[0] == "" || lines[3] != "" {
		return Checkpoint{}, errCheckpoint
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return Checkpoint{}, errCheckpoint
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil || root.String() != lines[2] {
		return Checkpoint{}, errCheckpoint
	}
	return Checkpoint{Origin: lines[0], Size: size, Root: root}, nil
}
