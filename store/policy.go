package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/domain/evidence"
)

var policies = newTable("policies", 2, func(v *domain.PolicyVersion) []column {
	return []column{
		{"policy_id", text(&v.ID)},
		{"version", number(&v.Version)},
		{"name", text(&v.Name)},
		{"enabled", flag(&v.Enabled)},
		{"document", text(&v.Document)},
		{"saved_by", ref(&v.SavedBy)},
		{"saved_by_name", text(&v.SavedByName)},
		{"saved_at", moment(&v.SavedAt)},
	}
})

// policyList is what the cache has: every request asks for the same few.
type policyList struct{ current []*domain.PolicyVersion }

func (r *reader) Policies() ([]*domain.PolicyVersion, error) {
	list, err := cached(r, policies.name, "current", "", r.currentPolicies)
	if err != nil {
		return nil, err
	}
	return list.current, nil
}

// currentPolicies reads the current versions. It refuses them all if the log has a later
// version or another policy: removing a row must not remove a rule.
func (r *reader) currentPolicies() (*policyList, error) {
	list, claims, err := policies.claimed(r, `WHERE version = (SELECT MAX(version) FROM policies v WHERE v.policy_id = policies.policy_id)
		ORDER BY name, policy_id`)
	if err == nil {
		err = r.prove(claims...)
	}
	if err != nil {
		return nil, policies.wrap("read", err)
	}
	for i, v := range list {
		if err := r.isLatestVersion(claims[i], v.ID); err != nil {
			return nil, err
		}
	}
	created, err := r.Entries(domain.EntryFilter{Type: "policy.created", Limit: domain.MaxPolicies + 1})
	if err != nil {
		return nil, err
	}
	for _, e := range created {
		if !slices.ContainsFunc(list, func(v *domain.PolicyVersion) bool { return v.ID == e.ObjectID }) {
			return nil, claim{table: policies.name, key: e.ObjectID, seq: e.Seq, err: errors.New("it is missing")}.unproven()
		}
	}
	return &policyList{list}, nil
}

// isLatestVersion refuses a version if a later entry has another of the same policy.
func (r *reader) isLatestVersion(c claim, id string) error {
	isLater := false
	err := r.EachEntry(fmt.Sprintf("WHERE object_id = $1 AND seq > $2 ORDER BY seq DESC LIMIT %d", maxLater), []any{id, c.seq}, func(e *evidence.Entry, _ []byte) {
		isLater = isLater || slices.ContainsFunc(e.Rows, func(row evidence.Row) bool {
			return row.Table == policies.name && strings.HasPrefix(row.Key, id+"/")
		})
	})
	if err == nil && isLater {
		err = c.unproven()
	}
	return err
}

func (r *reader) PolicyVersions(id string) ([]*domain.PolicyVersion, error) {
	return policies.all(r, "WHERE policy_id = $1 ORDER BY version DESC", id)
}

func (x *tx) InsertPolicy(v *domain.PolicyVersion) error { return policies.insert(x, v) }
