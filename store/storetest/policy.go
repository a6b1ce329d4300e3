package storetest

import (
	"testing"

	"countersign/domain"
)

func policy(id string, version int64, name string) *domain.PolicyVersion {
	return &domain.PolicyVersion{ID: id, Version: version, Name: name, Document: `{"v":1,"name":"é"}`, SavedBy: domain.System, SavedAt: at(int(version))}
}

func testPolicies(t *testing.T, s Store) {
	first, second, other := policy("p1", 1, "Payments"), policy("p1", 2, "Transfers"), policy("p2", 1, "Deploys")
	second.Enabled, second.SavedBy, second.SavedByName = true, domain.Ref{Kind: domain.KindUser, ID: "u1"}, "Kim"
	current := func() []*domain.PolicyVersion { t.Helper(); return read(t, s, domain.Reader.Policies) }
	same(t, "none", 0, len(current()))
	write(t, s, func(tx domain.Tx) error { return all(tx.InsertPolicy(first), tx.InsertPolicy(other)) })
	same(t, "current, by name", []*domain.PolicyVersion{other, first}, current())
	write(t, s, func(tx domain.Tx) error {
		err := tx.InsertPolicy(second)
		list, read := tx.Policies()
		same(t, "current, in the transaction", []*domain.PolicyVersion{other, second}, list)
		return all(err, read)
	})
	same(t, "current after a change", []*domain.PolicyVersion{other, second}, current())
	versions := func(id string) []*domain.PolicyVersion {
		return read(t, s, func(r domain.Reader) ([]*domain.PolicyVersion, error) { return r.PolicyVersions(id) })
	}
	same(t, "versions, the newest first", []*domain.PolicyVersion{second, first}, versions("p1"))
	same(t, "versions of none", 0, len(versions("p3")))
	err := tryWrite(s, func(tx domain.Tx) error { return tx.InsertPolicy(policy("p1", 2, "Again")) })
	wantError(t, "a version that there is", domain.ErrConflict, err)
	same(t, "current after a refusal", []*domain.PolicyVersion{other, second}, current())
}
