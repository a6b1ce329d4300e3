package domain_test

import (
	"encoding/json"
	"slices"
	"testing"

	"countersign/domain"
	"countersign/domain/evidence"
)

// Nothing of a voting can be left out of a bundle, doubled or replaced.
func TestBundle_VotesAndPoliciesAreWhole(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	w.policy(`{"v":1,"name":"Other","effect":"require","match":{"tools":["wire_*"]},"quorum":[{"role":"finance","approvals":1}]}`)
	c := w.post(w.agent, transfer)
	const less = `{"amount":11000,"currency":"EUR","iban":"DE02120300000000202051"}`
	for _, by := range []domain.Ref{w.fay, w.sue} {
		if _, err := w.edited(by, c, less); err != nil {
			t.Fatal(err)
		}
	}
	bundle, err := w.ConfirmBundle(w.ctx, domain.System, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	key, err := evidence.BundleKey(bundle)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(b *evidence.Bundle){
		"nothing":                  func(*evidence.Bundle) {},
		"no vote":                  func(b *evidence.Bundle) { b.Entries = slices.Delete(b.Entries, 1, 2) },
		"a vote twice":             func(b *evidence.Bundle) { b.Entries = slices.Insert(b.Entries, 1, b.Entries[1]) },
		"a vote after the end":     func(b *evidence.Bundle) { b.Entries[1], b.Entries[2] = b.Entries[2], b.Entries[1] },
		"no edit of the vote":      func(b *evidence.Bundle) { b.Contents[0].Votes = nil },
		"another edit of the vote": func(b *evidence.Bundle) { b.Contents[0].Votes[0].Edits = []string{`{"amount":12000}`} },
		"no policies":              func(b *evidence.Bundle) { b.Policies = nil },
		"one policy for another":   func(b *evidence.Bundle) { b.Policies[0].ID = b.Policies[1].ID },
		"another document":         func(b *evidence.Bundle) { b.Policies[0].Document = b.Policies[1].Document },
		"another version of one":   func(b *evidence.Bundle) { b.Policies[0].Version++ },
		"a policy that none names": func(b *evidence.Bundle) {
			b.Policies = append(b.Policies, evidence.BundlePolicy{ID: "x", Version: 1, Document: "{}"})
		},
		"a policy twice": func(b *evidence.Bundle) { b.Policies = append(b.Policies, b.Policies[0]) },
		"an edit twice":  func(b *evidence.Bundle) { b.Contents[0].Votes = append(b.Contents[0].Votes, b.Contents[0].Votes[0]) },
		"an edit of no vote": func(b *evidence.Bundle) {
			b.Contents[0].Votes = append(b.Contents[0].Votes, evidence.BundleVote{Seq: 1, Edits: []string{"{}"}})
		},
		"a request without a voting": func(b *evidence.Bundle) { b.Entries = b.Entries[1:] },
	} {
		b := new(evidence.Bundle)
		if err := json.Unmarshal(bundle, b); err != nil {
			t.Fatal(err)
		}
		change(b)
		changed, err := b.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		report, err := evidence.VerifyBundle(changed, key, "", domain.NewPartialHistory().Check)
		if err != nil || report.IsVerified() != (name == "nothing") {
			t.Errorf("%s: %v, %+v", name, err, report)
		}
	}
}
