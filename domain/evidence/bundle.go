package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// Bundle is everything about a confirm, or about a trace, that an auditor needs to
// verify it with this program and a key they already have. It proves that its entries
// are in the log. It does not prove that there are no others.
type Bundle struct {
	V          int             `json:"v"`
	VKey       string          `json:"vkey"` // a claim: the auditor must know the key
	Checkpoint string          `json:"checkpoint"`
	Entries    []BundleEntry   `json:"entries"`
	Contents   []BundleContent `json:"contents,omitempty"`
}

// BundleEntry is the bytes of an entry, with the hashes that lead to the checkpoint's
// root.
type BundleEntry struct {
	Seq   int64  `json:"seq"`
	Entry string `json:"entry"`
	Proof []Hash `json:"proof"`
}

// BundleContent is the content of a confirm, unless it was pruned. Edits are the
// arguments that the decision put in place of the agent's, by action; empty where it
// left them.
type BundleContent struct {
	ConfirmID string   `json:"confirm_id"`
	Salt      []byte   `json:"salt"`
	Content   string   `json:"content"`
	Edits     []string `json:"edits,omitempty"`
}

// Marshal writes the bundle. There is only one way to write it, so that every changed
// byte is detected.
func (b *Bundle) Marshal() ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(b)
	return text.Bytes(), err
}

var errBundle = errors.New("this is not a bundle of evidence")

// parseBundle reads what Marshal writes. exact is false if Marshal would have written
// it differently.
func parseBundle(data []byte) (b *Bundle, exact bool, err error) {
	b = new(Bundle)
	if err := json.Unmarshal(data, b); err != nil || b.V != 1 {
		return nil, false, errBundle
	}
	written, err := b.Marshal()
	return b, bytes.Equal(written, data), err
}

// BundleKey returns the key that a bundle claims to be signed by.
func BundleKey(data []byte) (string, error) {
	b, _, err := parseBundle(data)
	if err != nil {
		return "", err
	}
	return b.VKey, CheckVKey(b.VKey)
}

// VerifyBundle verifies a bundle against a key that the auditor already has, and
// against a checkpoint kept from before, unless that is empty. watch, unless nil, gets
// every entry, in order, and returns what is wrong with it.
func VerifyBundle(data []byte, vkey, kept string, watch func(*Entry) []string) (*Report, error) {
	b, exact, err := parseBundle(data)
	if err != nil {
		return nil, err
	}
	r := new(Report)
	if !exact {
		r.addFinding("bundle: it is not written as it was exported")
	}
	if b.VKey != vkey {
		r.addFinding("bundle: it claims another key than yours")
	}
	if r.Checkpoint, err = openExactly(b.Checkpoint, vkey); err != nil {
		r.addFinding("checkpoint: %v", err)
		return r, nil
	}
	if r.Checkpoint.Size == 0 || len(b.Entries) == 0 {
		r.addFinding("bundle: it has no entries")
	}
	entries := b.checkEntries(r)
	for _, e := range entries {
		r.addWatched(e, watch)
	}
	for i, c := range b.Contents {
		if slices.ContainsFunc(b.Contents[:i], func(other BundleContent) bool { return other.ConfirmID == c.ConfirmID }) {
			r.addFinding("request %s: its content stands there twice", c.ConfirmID)
		}
		b.checkContent(r, entries, c)
	}
	if kept != "" {
		r.compareCheckpoint(kept, vkey)
	}
	return r, nil
}

// compareCheckpoint compares the bundle's checkpoint with another of the same log.
func (r *Report) compareCheckpoint(kept, vkey string) {
	c, err := OpenCheckpoint(kept, vkey)
	switch {
	case err != nil:
		r.addFinding("the checkpoint kept: %v", err)
	case c.Size == r.Checkpoint.Size && c.Root != r.Checkpoint.Root:
		r.addFinding("the checkpoint kept: it is of another log of the same size")
	case c.Size != r.Checkpoint.Size:
		r.addUnknown("the checkpoint kept is of %d log entries and the bundle of %d, and a bundle does not show how a log grew.\n"+
			"  To verify the bundle alone, leave --checkpoint out.\n"+
			"  To verify that the log grew from the one to the other, run beside the database: countersign evidence verify --checkpoint FILE", c.Size, r.Checkpoint.Size)
	}
}

// checkEntries returns the entries that are proven to be in the log.
func (b *Bundle) checkEntries(r *Report) (list []*Entry) {
	last := int64(-1)
	for _, stored := range b.Entries {
		r.Entries++
		if stored.Seq <= last {
			r.addFinding("log entry %d: it is out of order", stored.Seq)
		}
		last = stored.Seq
		if err := checkEntry(r.Checkpoint, stored.Seq, LeafHash([]byte(stored.Entry)), stored.Proof); err != nil {
			r.addFinding("log entry %d: the checkpoint does not prove it", stored.Seq)
			continue
		}
		e, err := ParseEntry([]byte(stored.Entry))
		if err != nil || e.Seq != stored.Seq {
			r.addFinding("log entry %d: its bytes are those of another", stored.Seq)
			continue
		}
		list = append(list, e)
	}
	return list
}

// checkContent checks a content against the entries about it.
func (b *Bundle) checkContent(r *Report, entries []*Entry, c BundleContent) {
	r.Contents++
	logged, decided := "", false
	for _, e := range entries {
		if e.ConfirmID != c.ConfirmID {
			continue
		}
		switch e.Type {
		case "confirm.requested", "confirm.imported":
			logged = e.ContentHash
		case "confirm.approved", "confirm.rejected", "confirm.cancelled":
			decided = true
			d := StoredDecision{ConfirmID: c.ConfirmID, Seq: e.Seq, Salt: c.Salt, Content: []byte(c.Content)}
			for i, logged := range e.Decisions {
				action := StoredActionDecision{Type: logged.Type, ArgsHash: logged.ArgsHash, Filled: logged.Filled}
				if i < len(c.Edits) {
					action.Args = []byte(c.Edits[i])
				}
				d.Actions = append(d.Actions, action)
			}
			if !c.hasEditsOf(e) {
				r.addFinding("request %s: its edits are not those that were logged", c.ConfirmID)
				continue
			}
			checkDecision(r, e, d)
		}
	}
	if len(c.Edits) > 0 && !decided {
		r.addFinding("request %s: it has edits, and no decision", c.ConfirmID)
	}
	checkContent(r, []byte(c.ConfirmID), parseHash(logged), c.Salt, []byte(c.Content))
}

// hasEditsOf reports whether there are edits of exactly the actions that the decision
// edited.
func (c *BundleContent) hasEditsOf(e *Entry) bool {
	edits := make([]bool, len(e.Decisions))
	for i, d := range e.Decisions {
		edits[i] = d.Type == "edit"
	}
	if !slices.Contains(edits, true) {
		return len(c.Edits) == 0
	}
	return slices.EqualFunc(edits, c.Edits, func(edit bool, args string) bool { return edit == (args != "") })
}
