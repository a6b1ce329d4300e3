package ledger

import (
	"errors"
	"fmt"

	"countersign/domain"
	"countersign/domain/evidence"
)

// signer adds each group to the Merkle tree, and signs it. It belongs to the writer's
// goroutine.
type signer struct {
	keys *keyFile
	file headFile
	tree *evidence.Tree // as of the last commit known; nil: to be read
	// hasForeignEntries reports whether the tree has entries of other processes. It is
	// compared with the checkpoint before anything is signed over them.
	hasForeignEntries bool
	head              string        // the newest checkpoint of this process
	rollback          *rollbackInfo // to be accepted before anything is signed
}

// keyRotation is a change of keys in a group: next signs from now on. Without old no key
// vouches for it.
type keyRotation struct {
	old, next *evidence.SigningKey
	epoch     bool
}

// signedGroup is a group in the tree, to be kept once it is committed.
type signedGroup struct {
	tree     *evidence.Tree
	signed   string
	made     evidence.Checkpoint // what is signed
	rotation *keyRotation
}

// signGroup stores the inner nodes that the group's entries complete, and signs the log
// with them. first is the number of the first. After an error the group must not be
// committed.
func (s *signer) signGroup(r *Reader, first int64, leaves []evidence.Hash, h *keyRotation) (*signedGroup, error) {
	if s.rollback != nil && (h == nil || !h.epoch) {
		return nil, s.rollback
	}
	key, tree, err := s.resume(r, first, h)
	if err != nil {
		return nil, err
	}
	var nodes []evidence.Hash
	for _, leaf := range leaves {
		stored, err := tree.Append(leaf)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, stored...)
	}
	if err := insertNodes(r.Conn, evidence.NodeCount(first), nodes); err != nil {
		return nil, err
	}
	root, err := tree.Root()
	if err != nil {
		return nil, err
	}
	signers := []*evidence.SigningKey{key}
	if h != nil {
		signers = signers[:0]
		for _, k := range []*evidence.SigningKey{h.next, h.old} {
			if k != nil {
				signers = append(signers, k)
			}
		}
	}
	done := &signedGroup{tree: tree, rotation: h, made: evidence.Checkpoint{Origin: signers[0].Origin(), Size: tree.Size(), Root: root}}
	if done.signed, err = done.made.Sign(signers...); err != nil {
		return nil, err
	}
	if h != nil {
		if err := r.Conn.Queue("INSERT INTO log_handovers (size, checkpoint) VALUES ($1, $2)", tree.Size(), done.signed); err != nil {
			return nil, err
		}
	}
	err = r.Conn.Queue(`INSERT INTO log_head (id, size, checkpoint) VALUES (1, $1, $2)
		ON CONFLICT (id) DO UPDATE SET size = excluded.size, checkpoint = excluded.checkpoint`, tree.Size(), done.signed)
	return done, err
}

// resume returns the key that signs, and the tree before the group. After another process
// has written, both are read again.
func (s *signer) resume(r *Reader, size int64, h *keyRotation) (*evidence.SigningKey, *evidence.Tree, error) {
	if s.tree != nil && s.tree.Size() == size && (!s.hasForeignEntries || s.matchesCheckpoint(r)) {
		s.hasForeignEntries = false
		return s.keys.current(), s.tree.Clone(), nil
	}
	if err := s.verifyExtends(r, size); err != nil {
		return nil, nil, err
	}
	signed, err := r.head()
	if err != nil {
		return nil, nil, err
	}
	if size == 0 && signed == "" {
		return s.begin(r)
	}
	if h != nil && h.old == nil {
		tree, err := r.tree(signed, size, false)
		return nil, tree, err
	}
	key, err := s.keys.load(signed)
	if err != nil {
		return nil, nil, err
	}
	tree, err := r.tree(signed, size, true)
	return key, tree, err
}

// follow adds the entries of other processes to the tree. After a change of keys the tree
// is read again instead.
func (s *signer) follow(entries []*evidence.Entry, leaves []evidence.Hash) {
	if s.tree == nil || s.tree.Size() != entries[0].Seq {
		return
	}
	tree := s.tree.Clone()
	for i, e := range entries {
		if e.ChangesKey() {
			return
		}
		if _, err := tree.Append(leaves[i]); err != nil {
			return
		}
	}
	if _, err := tree.Root(); err == nil { // drops what is not needed any more
		s.tree, s.hasForeignEntries = tree, true
	}
}

// matchesCheckpoint reports whether the tree with the entries of other processes is the
// one that they have signed. If not, it is read again, which finds out why.
func (s *signer) matchesCheckpoint(r *Reader) bool {
	signed, err := r.head()
	if err != nil {
		return false
	}
	c, err := s.keys.open(signed)
	if err != nil {
		return false
	}
	root, err := s.tree.Root()
	return err == nil && c.Size == s.tree.Size() && c.Root == root
}

// verifyExtends refuses a log that does not begin with the entries that this process has
// seen: a copy of the database that lags behind took over, say.
func (s *signer) verifyExtends(r *Reader, size int64) error {
	if s.tree == nil {
		return nil
	}
	if size < s.tree.Size() {
		return fmt.Errorf("%w: the database has %d log entries, and had %d", ErrRollback, size, s.tree.Size())
	}
	was, err := s.tree.Root()
	if err != nil {
		return err
	}
	is, err := evidence.Root(s.tree.Size(), r)
	if err == nil && is != was {
		err = fmt.Errorf("%w: the log does not begin with the %d entries that it had", ErrRollback, s.tree.Size())
	}
	return err
}

// tree reads the tree, and compares it with a checkpoint.
func (r *Reader) tree(signed string, size int64, checked bool) (*evidence.Tree, error) {
	c, err := evidence.PeekCheckpoint(signed)
	if err == nil && checked {
		c, err = r.keys.open(signed)
	}
	if err != nil {
		return nil, err
	}
	tree := evidence.NewTree(size, r)
	root, err := tree.Root()
	if err != nil {
		return nil, err
	}
	if c.Size != size || c.Root != root {
		return nil, fmt.Errorf("%w: its newest checkpoint is of %d entries, it has %d, and they are not the same", errTampered, c.Size, size)
	}
	return tree, nil
}

var errTampered = errors.New("the log is not as it was signed")

// begin starts a log. The head file is written before the first entry, so that its
// absence means something.
func (s *signer) begin(r *Reader) (*evidence.SigningKey, *evidence.Tree, error) {
	key, err := s.keys.create()
	if err != nil {
		return nil, nil, err
	}
	tree := evidence.NewTree(0, r)
	root, err := tree.Root()
	if err != nil {
		return nil, nil, err
	}
	signed, err := evidence.Checkpoint{Origin: key.Origin(), Root: root}.Sign(key)
	if err == nil {
		err = s.file.write(signed)
	}
	return key, tree, err
}

// committed keeps a group that was committed.
func (s *signer) committed(done *signedGroup) error {
	s.tree, s.head, s.hasForeignEntries = done.tree, done.signed, false
	s.keys.remember(done.signed, done.made)
	if done.rotation == nil {
		return nil
	}
	s.rollback = nil
	// A change of keys must not wait for the next poll.
	return errors.Join(s.keys.adopt(done.rotation.next), s.file.write(s.head))
}

// RotateKey makes a new signing key, which takes over with this transaction:
// its checkpoint is signed by both.
func (x *Tx) RotateKey() (*evidence.KeyChange, error) {
	signed, err := x.Log.head()
	if err != nil {
		return nil, err
	}
	if signed == "" || x.rotation != nil {
		return nil, domain.ErrConflict
	}
	old, err := x.signer.keys.load(signed)
	if err != nil {
		return nil, err
	}
	next, err := x.signer.keys.prepare(old.Origin())
	if err != nil {
		return nil, err
	}
	x.rotation = &keyRotation{old: old, next: next}
	return &evidence.KeyChange{OldVKey: old.VKey(), NewVKey: next.VKey(), Size: x.next}, nil
}
