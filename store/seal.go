package store

import (
	"errors"
	"fmt"

	"countersign/domain"
	"countersign/domain/evidence"
)

// sealer makes each commit group part of the signed Merkle tree. It belongs to
// the writer's goroutine.
type sealer struct {
	keys *signing
	file headFile
	tree *evidence.Tree // as of the last commit known; nil: to be read
	// followed says that the tree has entries of others, which are held to the
	// checkpoint before anything is signed over them.
	followed bool
	head     string // the newest checkpoint of this process
	lost     *loss  // what must be accepted before anything is signed
}

// handover is a change of keys in a commit group: next signs from now on.
// Without old nobody vouches for it.
type handover struct {
	old, next *evidence.SigningKey
	epoch     bool
}

// seal is a group made part of the tree, to be kept once it is committed.
type seal struct {
	tree     *evidence.Tree
	signed   string
	made     evidence.Checkpoint // what is signed
	handover *handover
}

// seal stores the inner nodes that the group's entries complete, of which first
// is the number of the first, and signs what the log is then. The group must not be committed
// when it fails.
func (s *sealer) seal(c *conn, first int64, leaves []evidence.Hash, h *handover) (*seal, error) {
	if s.lost != nil && (h == nil || !h.epoch) {
		return nil, s.lost
	}
	key, tree, err := s.resume(c, first, h)
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
	if err := c.insertNodes(evidence.NodeCount(first), nodes); err != nil {
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
	done := &seal{tree: tree, handover: h, made: evidence.Checkpoint{Origin: signers[0].Origin(), Size: tree.Size(), Root: root}}
	if done.signed, err = done.made.Sign(signers...); err != nil {
		return nil, err
	}
	if h != nil {
		if err := c.later("INSERT INTO log_handovers (size, checkpoint) VALUES ($1, $2)", tree.Size(), done.signed); err != nil {
			return nil, err
		}
	}
	err = c.later(`INSERT INTO log_head (id, size, checkpoint) VALUES (1, $1, $2)
		ON CONFLICT (id) DO UPDATE SET size = excluded.size, checkpoint = excluded.checkpoint`, tree.Size(), done.signed)
	return done, err
}

// resume gives the key that signs and the tree as it was before the group.
// When another process has written, both are read again.
func (s *sealer) resume(c *conn, size int64, h *handover) (*evidence.SigningKey, *evidence.Tree, error) {
	r := &reader{c: c, keys: s.keys}
	if s.tree != nil && s.tree.Size() == size && (!s.followed || s.confirmed(r)) {
		s.followed = false
		return s.keys.current(), s.tree.Clone(), nil
	}
	if err := s.grown(r, size); err != nil {
		return nil, nil, err
	}
	signed, err := r.head()
	if err != nil {
		return nil, nil, err
	}
	if size == 0 && signed == "" {
		return s.begin(c)
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

// follow lets the tree grow with entries that others have committed. After a
// change of keys it is to be read again.
func (s *sealer) follow(entries []*evidence.Entry, leaves []evidence.Hash) {
	if s.tree == nil || s.tree.Size() != entries[0].Seq {
		return
	}
	tree := s.tree.Clone()
	for i, e := range entries {
		if e.HandsOver() {
			return
		}
		if _, err := tree.Append(leaves[i]); err != nil {
			return
		}
	}
	if _, err := tree.Root(); err == nil { // it keeps no more than that needs
		s.tree, s.followed = tree, true
	}
}

// confirmed says whether the tree, grown with the entries of others, is the one
// that they have signed. If not, all is read again, which finds out why.
func (s *sealer) confirmed(r *reader) bool {
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

// grown refuses a log that is not the one this process has seen, and more. The
// database was put back while it ran: a copy of it that lags behind took over,
// say.
func (s *sealer) grown(r *reader, size int64) error {
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

// tree reads the tree that a checkpoint is of, and holds it to it.
func (r *reader) tree(signed string, size int64, checked bool) (*evidence.Tree, error) {
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

// begin starts a log. The head file is there before the first entry is, so
// that its absence means something.
func (s *sealer) begin(c *conn) (*evidence.SigningKey, *evidence.Tree, error) {
	key, err := s.keys.create()
	if err != nil {
		return nil, nil, err
	}
	tree := evidence.NewTree(0, &reader{c: c, keys: s.keys})
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

// committed keeps what a group made.
func (s *sealer) committed(done *seal) error {
	s.tree, s.head, s.followed = done.tree, done.signed, false
	s.keys.remember(done.signed, done.made)
	if done.handover == nil {
		return nil
	}
	s.lost = nil
	// What comes after a handover must not depend on the file's next turn.
	return errors.Join(s.keys.adopt(done.handover.next), s.file.write(s.head))
}

// RotateKey makes a new signing key, which takes over with this transaction:
// its checkpoint is signed by both.
func (x *tx) RotateKey() (*evidence.Succession, error) {
	signed, err := x.head()
	if err != nil {
		return nil, err
	}
	if signed == "" || x.handover != nil {
		return nil, domain.ErrConflict
	}
	old, err := x.keys.load(signed)
	if err != nil {
		return nil, err
	}
	next, err := x.keys.prepare(old.Origin())
	if err != nil {
		return nil, err
	}
	x.handover = &handover{old: old, next: next}
	return &evidence.Succession{OldVKey: old.VKey(), NewVKey: next.VKey(), Size: x.next}, nil
}
