package domain

import (
	"context"
	"encoding/json"
	"fmt"

	"countersign/domain/evidence"
)

// Checkpoint returns the newest signed checkpoint as text. Needs trace.read.
func (s *Service) Checkpoint(ctx context.Context, ref Ref) (signed string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.require(TraceRead); err != nil {
			return err
		}
		signed, _, err = r.Checkpoint()
		return notFoundOr(err, "checkpoint (the log is empty)")
	})
	return signed, err
}

// ConsistencyProof shows that the log of To entries begins with the log of From
// entries: it was only appended to.
type ConsistencyProof struct {
	From     int64           `json:"from"`
	To       int64           `json:"to"`
	FromRoot evidence.Hash   `json:"from_root"`
	ToRoot   evidence.Hash   `json:"to_root"`
	Proof    []evidence.Hash `json:"proof"`
}

// ConsistencyProof proves that the log only grew between two sizes. to 0 means the
// newest checkpoint's. Needs trace.read.
func (s *Service) ConsistencyProof(ctx context.Context, ref Ref, from, to int64) (g *ConsistencyProof, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.require(TraceRead); err != nil {
			return err
		}
		_, c, err := r.Checkpoint()
		if err != nil {
			return notFoundOr(err, "checkpoint (the log is empty)")
		}
		if to == 0 {
			to = c.Size
		}
		switch {
		case from < 1:
			return Invalid("from", "limit", "Send 1 or more.")
		case to < from || to > c.Size:
			return Invalid("to", "limit", "Send a size from %[2]d to %[1]d, the entries that the log has.", c.Size, from)
		}
		g = &ConsistencyProof{From: from, To: to}
		if g.FromRoot, err = evidence.Root(from, r); err != nil {
			return err
		}
		if g.ToRoot, err = evidence.Root(to, r); err != nil {
			return err
		}
		g.Proof, err = evidence.ProveConsistency(from, to, r)
		return err
	})
	return g, err
}

// SigningKey is a key that signs, or has signed, checkpoints of the log.
type SigningKey struct {
	VKey string `json:"vkey"`
	From int64  `json:"from"`         // size of the first checkpoint that it may have signed
	To   *int64 `json:"to,omitempty"` // size at which the next key took over; nil: it signs now
}

// EvidenceKeys lists the keys of the log, the oldest first. Needs trace.read.
func (s *Service) EvidenceKeys(ctx context.Context, ref Ref) (list []SigningKey, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.require(TraceRead); err != nil {
			return err
		}
		list, err = signingKeys(r)
		return err
	})
	return list, err
}

func signingKeys(r Reader) (list []SigningKey, err error) {
	vkey, err := r.VKey()
	if err != nil {
		return nil, notFoundOr(err, "key (the log is empty)")
	}
	entries, err := r.Entries(EntryFilter{Types: []string{evidence.EntryKeyRotated, evidence.EntryRestored}, Limit: bundleEntries})
	if err != nil {
		return nil, err
	}
	from := int64(0)
	for _, e := range entries {
		handed, err := evidence.ParseKeyChange(e)
		if err != nil {
			return nil, err
		}
		if size := handed.Size; handed.OldVKey != "" {
			list = append(list, SigningKey{VKey: handed.OldVKey, From: from, To: &size})
		}
		from = handed.Size + 1
	}
	return append(list, SigningKey{VKey: vkey, From: from}), nil
}

// Proof is the result of proving a confirm by the log, with its entry and the tree.
type Proof struct {
	Proven bool
	Seq    int64         // number of the entry
	Size   int64         // entries in the tree
	Root   evidence.Hash // of that tree
}

// Prove verifies the record of a confirm. The entry that decided it, or requested it
// while it is pending, must be in the tree of the newest signed checkpoint. Its
// content, unless pruned, must have the logged hash.
func (s *Service) Prove(ctx context.Context, ref Ref, id string) (proof *Proof, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		c, err := byID(id).findVisible(r, p)
		if err != nil {
			return err
		}
		proof = &Proof{Seq: c.RequestedSeq}
		if c.isDecidedHere() {
			proof.Seq = c.DecidedSeq
		}
		e, checkpoint, err := readProven(r, proof.Seq)
		if err != nil {
			return nil // not proven, for whatever reason
		}
		proof.Size, proof.Root = checkpoint.Size, checkpoint.Root
		proof.Proven = matchesConfirm(r, e, c)
		return nil
	})
	return proof, err
}

// isDecidedHere reports whether the confirm ended on this server.
func (c *Confirm) isDecidedHere() bool { return c.IsFinal() && !c.Imported }

// matchesConfirm reports whether an entry says what is stored of a confirm.
func matchesConfirm(r Reader, e *evidence.Entry, c *Confirm) bool {
	if e.ConfirmID != c.ID || e.ContentHash != c.ContentHash {
		return false
	}
	if c.isDecidedHere() {
		o, err := outcomeOf(r, c)
		if err != nil || e.Type != "confirm."+string(c.Status) || e.EffectiveHash != c.EffectiveHash || !matchesDecision(e, o.Decision) {
			return false
		}
	}
	if c.isDecidedHere() && c.Quorum > 0 {
		if err := proveStoredVotes(r, c); err != nil && err != ErrNotFound {
			return false
		}
	}
	_, err := loadContent(r, c)
	return err == nil || err == ErrNotFound
}

// readProven reads an entry and proves by the newest signed checkpoint that it is in
// the log.
func readProven(r Reader, seq int64) (*evidence.Entry, evidence.Checkpoint, error) {
	_, c, err := r.Checkpoint()
	if err != nil {
		return nil, c, fmt.Errorf("%w: %w", ErrUnproven, err)
	}
	leaf, err := r.Leaf(seq)
	if err != nil {
		return nil, c, fmt.Errorf("%w: %w", ErrUnproven, err)
	}
	if _, err := evidence.Prove(c, seq, evidence.LeafHash(leaf), r); err != nil {
		return nil, c, fmt.Errorf("%w: %w", ErrUnproven, err)
	}
	e, err := evidence.ParseEntry(leaf)
	if err == nil && e.Seq != seq {
		err = ErrUnproven
	}
	return e, c, err
}

// RotateKey hands the signing of checkpoints over to a new key. All sessions and links
// end: their MACs were made with the old one. Only the command line calls it.
func (s *Service) RotateKey(ctx context.Context) (handed *evidence.KeyChange, err error) {
	err = s.store.Tx(ctx, func(tx Tx) error {
		old, err := secretCipher(tx)
		if err != nil {
			return err
		}
		if handed, err = tx.RotateKey(); err != nil {
			return err
		}
		facts, err := json.Marshal(handed)
		if err == nil {
			err = resealSecrets(tx, old)
		}
		if err != nil {
			return err
		}
		if err := s.log(tx, &system, evidence.Entry{Type: evidence.EntryKeyRotated, Data: facts}); err != nil {
			return err
		}
		return s.deleteAllSessions(tx)
	})
	return handed, err
}
