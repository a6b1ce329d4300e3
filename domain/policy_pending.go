package domain

import (
	"encoding/json"

	"countersign/domain/quorum"
)

// maxPendingVotings bounds how many pending requests are counted by their policies. Above
// it the counts are too low.
const maxPendingVotings = 1000

// pendingUnder counts the pending requests of each version of a policy. The key has no
// hash.
type pendingUnder map[quorum.PolicyRef]int

// loadPendingUnder reads the entries of what waits for votes. An entry names at most
// maxListed policies.
func loadPendingUnder(r Reader) (pendingUnder, error) {
	seqs, err := r.PendingVotings(maxPendingVotings)
	if err != nil {
		return nil, err
	}
	entries, err := r.EntriesAt(seqs)
	if err != nil {
		return nil, err
	}
	counts := pendingUnder{}
	for _, e := range entries {
		var facts struct {
			Policies []policyFact `json:"policies"`
		}
		if json.Unmarshal(e.Data, &facts) != nil {
			continue // the verification reports it
		}
		for _, p := range facts.Policies {
			counts[quorum.PolicyRef{ID: p.ID, Version: p.Version}]++
		}
	}
	return counts, nil
}

// ofVersion counts those of one version.
func (n pendingUnder) ofVersion(v *PolicyVersion) int {
	return n[quorum.PolicyRef{ID: v.ID, Version: v.Version}]
}

// ofPolicy counts those of all versions.
func (n pendingUnder) ofPolicy(id string) (count int) {
	for of, pending := range n {
		if of.ID == id {
			count += pending
		}
	}
	return count
}
