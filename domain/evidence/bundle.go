package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"countersign/domain/quorum"
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
	Policies   []BundlePolicy  `json:"policies,omitempty"` // that the contents name
}

// BundleEntry is the bytes of an entry, with the hashes that lead to the checkpoint's
// root.
type BundleEntry struct {
	Seq   int64  `json:"seq"`
	Entry string `json:"entry"`
	Proof []Hash `json:"proof"`
}

// BundlePolicy is the document of a version of a policy.
type BundlePolicy struct {
	ID       string `json:"id"`
	Version  int64  `json:"version"`
	Document string `json:"document"`
}

// BundleContent is the content of a confirm, unless it was pruned. Edits are the
// arguments that the decision put in place of the agent's, by action; empty where it
// left them. Votes have those of decisions before the last.
type BundleContent struct {
	ConfirmID string       `json:"confirm_id"`
	Salt      []byte       `json:"salt"`
	Content   string       `json:"content"`
	Edits     []string     `json:"edits,omitempty"`
	Votes     []BundleVote `json:"votes,omitempty"`
}

// BundleVote is what the vote of an entry edited.
type BundleVote struct {
	Seq   int64    `json:"seq"`
	Edits []string `json:"edits"`
}

// editsOf returns the edits of the decision with this entry.
func (c *BundleContent) editsOf(e *Entry) []string {
	if e.Type != EntryVoted {
		return c.Edits
	}
	for _, v := range c.Votes {
		if v.Seq == e.Seq {
			return v.Edits
		}
	}
	return nil
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
	votings := b.checkVotes(r, entries)
	var named []quorum.PolicyRef
	for i, c := range b.Contents {
		if slices.ContainsFunc(b.Contents[:i], func(other BundleContent) bool { return other.ConfirmID == c.ConfirmID }) {
			r.addFinding("request %s: its content stands there twice", c.ConfirmID)
		}
		b.checkContent(r, entries, c)
		c.checkVoteEdits(r, entries)
		named = append(named, b.checkRequires(r, votings, c)...)
	}
	b.checkPolicies(r, named)
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
		case "confirm.approved", "confirm.rejected", "confirm.cancelled", EntryVoted:
			decided = decided || e.Type != EntryVoted
			edits := c.editsOf(e)
			d := StoredDecision{ConfirmID: c.ConfirmID, Seq: e.Seq, Salt: c.Salt, Content: []byte(c.Content)}
			for i, logged := range e.Decisions {
				action := StoredActionDecision{Type: logged.Type, ArgsHash: logged.ArgsHash, Filled: logged.Filled}
				if i < len(edits) {
					action.Args = []byte(edits[i])
				}
				d.Actions = append(d.Actions, action)
			}
			if !hasEditsOf(e, edits) {
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
func hasEditsOf(e *Entry, edits []string) bool {
	edited := make([]bool, len(e.Decisions))
	for i, d := range e.Decisions {
		edited[i] = d.Type == "edit"
	}
	if !slices.Contains(edited, true) {
		return len(edits) == 0
	}
	return slices.EqualFunc(edited, edits, func(edit bool, args string) bool { return edit == (args != "") })
}
