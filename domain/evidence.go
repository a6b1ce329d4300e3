package domain

import (
	"context"
	"encoding/json"
	"fmt"

	"countersign/domain/evidence"
)

// Checkpoint gives the newest signed checkpoint, as text. Needs trace.read.
func (s *Service) Checkpoint(ctx context.Context, ref Ref) (signed string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.needs(TraceRead); err != nil {
			return err
		}
		signed, _, err = r.Checkpoint()
		return found(err, "checkpoint: the log is empty")
	})
	return signed, err
}

// Growth shows that the log of To entries begins with the log of From entries:
// nothing of it was changed, only added to.
type Growth struct {
	From     int64           `json:"from"`
	To       int64           `json:"to"`
	FromRoot evidence.Hash   `json:"from_root"`
	ToRoot   evidence.Hash   `json:"to_root"`
	Proof    []evidence.Hash `json:"proof"`
}

// ConsistencyProof proves that the log only grew between two sizes; to 0 is the
// newest checkpoint's. Needs trace.read.
func (s *Service) ConsistencyProof(ctx context.Context, ref Ref, from, to int64) (g *Growth, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.needs(TraceRead); err != nil {
			return err
		}
		_, c, err := r.Checkpoint()
		if err != nil {
			return found(err, "checkpoint: the log is empty")
		}
		if to == 0 {
			to = c.Size
		}
		switch {
		case from < 1:
			return Invalid("from", "limit", "A log has grown from 1 entry at least.")
		case to < from || to > c.Size:
			return Invalid("to", "limit", "The log has grown to %d entries, from %d.", c.Size, from)
		}
		g = &Growth{From: from, To: to}
		if g.FromRoot, err = evidence.Root(from, r); err != nil {
			return err
		}
		if g.ToRoot, err = evidence.Root(to, r); err != nil {
			return err
		}
		g.Proof, err = evidence.ProveGrowth(from, to, r)
		return err
	})
	return g, err
}

// SigningKey is a key that signs, or has signed, the log's checkpoints.
type SigningKey struct {
	VKey string `json:"vkey"`
	From int64  `json:"from"`         // the size of the first checkpoint that it may have signed
	To   *int64 `json:"to,omitempty"` // the size at which the next key took over; nil: it signs now
}

// EvidenceKeys lists the keys of the log, the first one first. Needs
// trace.read.
func (s *Service) EvidenceKeys(ctx context.Context, ref Ref) (list []SigningKey, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.needs(TraceRead); err != nil {
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
		return nil, found(err, "key: the log is empty")
	}
	entries, err := r.Entries(EntryFilter{Types: []string{evidence.EntryKeyRotated, evidence.EntryRestored}, Limit: bundleEntries})
	if err != nil {
		return nil, err
	}
	from := int64(0)
	for _, e := range entries {
		handed, err := evidence.ParseSuccession(e)
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

// Proof says how far the log proves a confirm: its latest entry, and the tree
// that the entry is in.
type Proof struct {
	Proven bool
	Seq    int64         // number of the entry
	Size   int64         // entries in the tree
	Root   evidence.Hash // what stands for all of them
}

// Prove verifies the record of a confirm as its page shows it: the entry that
// decided it, or that requested it while it is pending, is in the tree that the
// newest signed checkpoint is of, and the content, unless it was forgotten, is
// the one whose hash is in it.
func (s *Service) Prove(ctx context.Context, ref Ref, id string) (proof *Proof, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		c, err := byID(id).visible(r, p)
		if err != nil {
			return err
		}
		proof = &Proof{Seq: c.RequestedSeq}
		if c.decided() {
			proof.Seq = c.DecidedSeq
		}
		e, checkpoint, err := proven(r, proof.Seq)
		if err != nil {
			return nil // not proven, whatever the reason
		}
		proof.Size, proof.Root = checkpoint.Size, checkpoint.Root
		proof.Proven = tells(r, e, c)
		return nil
	})
	return proof, err
}

// decided says whether this server saw the confirm end.
func (c *Confirm) decided() bool { return c.Final() && !c.Imported }

// tells says whether an entry tells of a confirm what is stored of it.
func tells(r Reader, e *evidence.Entry, c *Confirm) bool {
	if e.ConfirmID != c.ID || e.ContentHash != c.ContentHash {
		return false
	}
	if c.decided() {
		o, err := outcomeOf(r, c)
		if err != nil || e.Type != "confirm."+string(c.Status) || e.EffectiveHash != c.EffectiveHash || !sameActions(e, o.Decision) {
			return false
		}
	}
	_, err := contentOf(r, c)
	return err == nil || err == ErrNotFound
}

// proven reads an entry of which the newest signed checkpoint proves that it is
// in the log.
func proven(r Reader, seq int64) (*evidence.Entry, evidence.Checkpoint, error) {
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

// RotateKey hands the signing of checkpoints over to a new key. Sessions and links
// end: their MACs were made with the old one. Only the command line does.
func (s *Service) RotateKey(ctx context.Context) (handed *evidence.Succession, err error) {
	err = s.store.Tx(ctx, func(tx Tx) error {
		if handed, err = tx.RotateKey(); err != nil {
			return err
		}
		facts, err := json.Marshal(handed)
		if err != nil {
			return err
		}
		if err := s.log(tx, &system, evidence.Entry{Type: evidence.EntryKeyRotated, Data: facts}); err != nil {
			return err
		}
		return s.forgetSessions(tx)
	})
	return handed, err
}
