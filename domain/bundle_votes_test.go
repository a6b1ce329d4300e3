package domain_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/domain/evidence"
)

const lessMoney = `{"amount":11000,"currency":"EUR","iban":"DE02120300000000202051"}`

// votedWorld has a request that three people approved as one of them edited it, after
// another policy matched too, and one that is approved as it was asked.
func votedWorld(t *testing.T) (w *votingWorld, edited, asked *domain.Confirm) {
	t.Helper()
	w = newVotingWorld(t, "")
	w.policy(`{"v":1,"name":"All money","effect":"require","match":{"tools":["wire_*"]},"quorum":[{"role":"finance","approvals":2}]}`)
	edited, asked = w.post(w.agent, transfer), w.post(w.agent, transfer)
	w.mustVote(w.fay, edited, domain.Approved, "") // replaced below
	for _, voter := range []domain.Ref{w.sue, w.finn, w.fay} {
		if _, err := w.edited(voter, edited, lessMoney); err != nil {
			t.Fatal(err)
		}
		w.mustVote(voter, asked, domain.Approved, "")
	}
	for _, c := range []*domain.Confirm{edited, asked} {
		if got := w.outcome(c.ID).Confirm.Status; got != domain.Approved {
			t.Fatalf("it is %s", got)
		}
	}
	return w, edited, asked
}

func (w *world) bundle(id string) *evidence.Bundle {
	w.t.Helper()
	data, err := w.ConfirmBundle(w.ctx, domain.System, id)
	b := new(evidence.Bundle)
	if err = errors.Join(err, json.Unmarshal(data, b)); err != nil {
		w.t.Fatal(err)
	}
	return b
}

// A bundle of a voting verifies, and no more once a vote that counted, a policy or what
// was required is not as it was.
func TestBundle_Votes(t *testing.T) {
	t.Parallel()
	w, edited, asked := votedWorld(t)
	other := w.bundle(asked.ID)
	later, err := w.SavePolicy(w.ctx, domain.System, domain.PolicyInput{ID: w.policyDetail("All money").ID, Version: 1, Enabled: true,
		Document: []byte(`{"v":1,"name":"All money","effect":"require","match":{"tools":["wire_*"]},"quorum":[{"role":"finance","approvals":1}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	verdict := func(b *evidence.Bundle) *evidence.Report {
		t.Helper()
		data, err := b.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		r, err := evidence.VerifyBundle(data, b.VKey, "", domain.NewPartialHistory().Check)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	// Entries are the request, the vote that was replaced, two that counted and the last.
	if b := w.bundle(edited.ID); len(b.Entries) != 5 || len(b.Policies) != 2 || len(b.Contents[0].Votes) != 2 {
		t.Fatalf("%d entries, %d policies, edits of %d votes", len(b.Entries), len(b.Policies), len(b.Contents[0].Votes))
	}
	wantVerified(t, "as it was exported", verdict(w.bundle(edited.ID)))
	type change func(b *evidence.Bundle)
	changes := map[string]change{
		"the first policy is missing":   func(b *evidence.Bundle) { b.Policies = b.Policies[1:] },
		"the second policy is missing":  func(b *evidence.Bundle) { b.Policies = b.Policies[:1] },
		"no policies":                   func(b *evidence.Bundle) { b.Policies = nil },
		"a policy asks for less":        func(b *evidence.Bundle) { replaceIn(t, &b.Policies[0].Document, `"approvals":2`, `"approvals":1`) },
		"a policy is written otherwise": func(b *evidence.Bundle) { b.Policies[1].Document += " " },
		"a policy says another version": func(b *evidence.Bundle) { b.Policies[0].Version++ },
		"a policy has another id":       func(b *evidence.Bundle) { b.Policies[0].ID = b.Policies[1].ID },
		"a later version of a policy":   func(b *evidence.Bundle) { b.Policies[0].Document = later.Policy.Document },
		"less is required":              func(b *evidence.Bundle) { replaceIn(t, &b.Contents[0].Content, `"approvals":2`, `"approvals":1`) },
		"more rejections are required":  func(b *evidence.Bundle) { replaceIn(t, &b.Contents[0].Content, `"rejections":1`, `"rejections":2`) },
		"nothing is required":           func(b *evidence.Bundle) { b.Contents[0].Content = withoutRequires(t, b.Contents[0].Content) },
		"another version is required":   func(b *evidence.Bundle) { replaceIn(t, &b.Contents[0].Content, `"version":1`, `"version":2`) },
		"the content of another":        func(b *evidence.Bundle) { b.Contents[0] = other.Contents[0] },
		"an edit of a vote is missing":  func(b *evidence.Bundle) { b.Contents[0].Votes = b.Contents[0].Votes[1:] },
		"an edit of a vote is another":  func(b *evidence.Bundle) { replaceIn(t, &b.Contents[0].Votes[1].Edits[0], "11000", "11001") },
		"an edit is another vote's":     func(b *evidence.Bundle) { b.Contents[0].Votes[0].Seq = b.Entries[1].Seq },
		"a vote is a rejection":         func(b *evidence.Bundle) { replaceIn(t, &b.Entries[2].Entry, `"vote":"approved"`, `"vote":"rejected"`) },
	}
	changes["an edit of no vote"] = func(b *evidence.Bundle) {
		b.Contents[0].Votes = append(b.Contents[0].Votes, evidence.BundleVote{Seq: b.Entries[1].Seq + 100, Edits: []string{lessMoney}})
	}
	changes["an empty edit of a vote"] = func(b *evidence.Bundle) {
		b.Contents[0].Votes = append([]evidence.BundleVote{{Seq: b.Entries[1].Seq}}, b.Contents[0].Votes...)
	}
	changes["an edit of a vote twice"] = func(b *evidence.Bundle) { b.Contents[0].Votes = append(b.Contents[0].Votes, b.Contents[0].Votes[0]) }
	changes["a policy more"] = func(b *evidence.Bundle) {
		b.Policies = append(b.Policies, evidence.BundlePolicy{ID: later.Policy.ID, Version: 2, Document: later.Policy.Document})
	}
	changes["a policy twice"] = func(b *evidence.Bundle) { b.Policies = append(b.Policies, b.Policies[0]) }
	changes["another policy of the same version"] = func(b *evidence.Bundle) {
		b.Policies = append(b.Policies, evidence.BundlePolicy{ID: b.Policies[0].ID, Version: 1, Document: later.Policy.Document})
	}
	for i, name := range []string{"the request", "the vote that was replaced", "the first vote", "the second vote", "the last vote"} {
		if i != 1 && i != 4 {
			changes[name+" is missing"] = func(b *evidence.Bundle) { b.Entries = append(b.Entries[:i:i], b.Entries[i+1:]...) }
		}
		changes[name+" stands there twice"] = func(b *evidence.Bundle) {
			b.Entries = append(b.Entries[:i+1:i+1], b.Entries[i:]...)
		}
		changes[name+" is there again at the end"] = func(b *evidence.Bundle) { b.Entries = append(b.Entries, b.Entries[i]) }
		if i < 4 {
			changes[name+" is moved behind the next"] = func(b *evidence.Bundle) { b.Entries[i], b.Entries[i+1] = b.Entries[i+1], b.Entries[i] }
			changes[name+" has the place of the next"] = func(b *evidence.Bundle) {
				b.Entries[i].Entry, b.Entries[i+1].Entry = b.Entries[i+1].Entry, b.Entries[i].Entry
			}
		}
		if 1 < i && i < 4 {
			changes[name+" is one on another request"] = func(b *evidence.Bundle) { b.Entries[i] = other.Entries[i-1] }
			changes[name+" is one of another user"] = func(b *evidence.Bundle) { replaceIn(t, &b.Entries[i].Entry, `"principal":"`, `"principal":"x`) }
		}
	}
	changes["a vote on another request is put in"] = func(b *evidence.Bundle) {
		b.Entries = append(b.Entries[:4:4], other.Entries[2], b.Entries[4])
	}
	for name, change := range changes {
		b := w.bundle(edited.ID)
		change(b)
		if r := verdict(b); !r.IsTampered() {
			t.Errorf("%s: it verifies", name)
		}
	}
}

// replaceIn changes a text, which must have what is to be replaced.
func replaceIn(t *testing.T, text *string, old, with string) {
	t.Helper()
	changed := strings.Replace(*text, old, with, 1)
	if changed == *text {
		t.Fatalf("%s has no %s", *text, old)
	}
	*text = changed
}

func withoutRequires(t *testing.T, content string) string {
	t.Helper()
	before, _, found := strings.Cut(content, `,"requires":`)
	if !found {
		t.Fatalf("%s requires nothing", content)
	}
	return before + "}"
}
