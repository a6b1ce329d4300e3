package domain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"countersign/domain/evidence"
)

// bundleEntries is the maximum number of entries in one bundle.
const bundleEntries = 10_000

// ConfirmBundle returns everything that an auditor needs to verify a confirm offline.
// Needs trace.read, but not for one's own group's.
func (s *Service) ConfirmBundle(ctx context.Context, ref Ref, id string) (bundle []byte, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		c, err := byID(id).findVisible(r, p)
		if err != nil {
			return err
		}
		if p.Group != c.RequestedGroup {
			if err := p.require(TraceRead); err != nil {
				return err
			}
		}
		bundle, err = bundleOf(r, EntryFilter{ConfirmID: id}, p.Kind == KindAgent && !c.IsFinal())
		return err
	})
	return bundle, err
}

// TraceBundle is ConfirmBundle for all entries of a trace. Needs trace.read. A key gets
// no trace with entries of another group.
func (s *Service) TraceBundle(ctx context.Context, ref Ref, traceID string) (bundle []byte, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.require(TraceRead); err != nil {
			return err
		}
		entries, err := r.Entries(EntryFilter{TraceID: traceID, Limit: bundleEntries})
		if err != nil {
			return err
		}
		for _, e := range entries {
			if visible, err := p.canSeeEntry(r, e); err != nil {
				return err
			} else if !visible {
				return errNotFound("trace")
			}
		}
		if traceID == "" || len(entries) == 0 {
			return errNotFound("trace")
		}
		bundle, err = bundleOf(r, EntryFilter{TraceID: traceID}, false)
		return err
	})
	return bundle, err
}

// bundleOf bundles entries and the contents that they name. Votes may be left out: an
// agent does not see them before the end.
func bundleOf(r Reader, f EntryFilter, omitVotes bool) ([]byte, error) {
	signed, c, err := r.Checkpoint()
	if err != nil {
		return nil, err
	}
	b := &evidence.Bundle{V: 1}
	if b.VKey, err = r.VKey(); err != nil {
		return nil, err
	}
	if b.Checkpoint, err = evidence.ExtractSignature(signed, b.VKey); err != nil {
		return nil, err
	}
	f.Limit = bundleEntries
	entries, err := r.Entries(f)
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	for _, e := range entries {
		if omitVotes && e.Type == entryVoted {
			continue
		}
		leaf, err := r.Leaf(e.Seq)
		if err != nil {
			return nil, err
		}
		proof, err := evidence.Prove(c, e.Seq, evidence.LeafHash(leaf), r)
		if err != nil {
			return nil, fmt.Errorf("log entry %d: %w", e.Seq, err)
		}
		b.Entries = append(b.Entries, evidence.BundleEntry{Seq: e.Seq, Entry: string(leaf), Proof: proof})
		if e.ConfirmID == "" || done[e.ConfirmID] {
			continue
		}
		done[e.ConfirmID] = true
		content, err := bundleContent(r, e.ConfirmID, omitVotes)
		if errors.Is(err, ErrNotFound) {
			continue // pruned: the hashes remain
		} else if err != nil {
			return nil, err
		}
		b.Contents = append(b.Contents, *content)
		if err := addPolicies(r, b, content.Content); err != nil {
			return nil, err
		}
	}
	return b.Marshal()
}

func bundleContent(r Reader, confirmID string, omitVotes bool) (*evidence.BundleContent, error) {
	c, err := r.Confirm(confirmID)
	if err != nil {
		return nil, err
	}
	stored, err := loadContent(r, c)
	if err != nil {
		return nil, err
	}
	content := &evidence.BundleContent{ConfirmID: confirmID, Salt: stored.Salt, Content: string(stored.Content)}
	decisions, err := loadDecisions(r, c)
	for _, d := range decisions {
		edits, edited := make([]string, len(d.Actions)), false
		for i, action := range d.Actions {
			edits[i] = string(action.Args)
			edited = edited || len(action.Args) > 0
		}
		switch {
		case edited && d.Seq == c.DecidedSeq:
			content.Edits = edits
		case edited && !omitVotes:
			content.Votes = append(content.Votes, evidence.BundleVote{Seq: d.Seq, Edits: edits})
		}
	}
	return content, err
}

// addPolicies adds the documents of the policies that a content names.
func addPolicies(r Reader, b *evidence.Bundle, stored string) error {
	content, err := evidence.ParseContent([]byte(stored))
	if err != nil {
		return err
	}
	requires, err := content.Quorum()
	if err != nil || requires == nil {
		return err
	}
	for _, named := range requires.Policies {
		if slices.ContainsFunc(b.Policies, func(p evidence.BundlePolicy) bool { return p.ID == named.ID && p.Version == named.Version }) {
			continue
		}
		versions, err := r.PolicyVersions(named.ID)
		if err != nil {
			return err
		}
		for _, v := range versions {
			if v.Version == named.Version {
				b.Policies = append(b.Policies, evidence.BundlePolicy{ID: v.ID, Version: v.Version, Document: v.Document})
			}
		}
	}
	return nil
}
