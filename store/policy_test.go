package store

import (
	"errors"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/storetest"
)

// Whoever removes a row must not remove a rule: then no policy is read.
func TestPolicies_MissNoneOfTheLog(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change string
		want   error
	}{
		"nothing":                     {"UPDATE policies SET name = name", nil},
		"its newest version is gone":  {"DELETE FROM policies WHERE policy_id = 'p1' AND version = 2", domain.ErrUnproven},
		"an old version is gone":      {"DELETE FROM policies WHERE policy_id = 'p1' AND version = 1", nil}, // a verification finds it
		"a policy is gone":            {"DELETE FROM policies WHERE policy_id = 'p1'", domain.ErrUnproven},
		"all policies are gone":       {"DELETE FROM policies", domain.ErrUnproven},
		"another document":            {"UPDATE policies SET document = '{}' WHERE policy_id = 'p2'", domain.ErrUnproven},
		"it is disabled":              {"UPDATE policies SET enabled = 0 WHERE policy_id = 'p2'", domain.ErrUnproven},
		"an old version as a new one": {"UPDATE policies SET version = 3 WHERE policy_id = 'p1' AND version = 1", domain.ErrUnproven},
		"a version that nobody saved": {"INSERT INTO policies SELECT policy_id, 3, name, 0, document, saved_by, saved_by_name, saved_at, entry_seq FROM policies WHERE policy_id = 'p1' AND version = 2", domain.ErrUnproven},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, path string) {
				db := openTest(t, path, Options{})
				save := func(id string, version int64, event string) {
					t.Helper()
					if err := db.Tx(t.Context(), func(tx domain.Tx) error {
						v := &domain.PolicyVersion{ID: id, Version: version, Name: id, Enabled: true, Document: `{"v":1}`, SavedBy: domain.System, SavedAt: time.Unix(version, 0)}
						if err := tx.InsertPolicy(v); err != nil {
							return err
						}
						return tx.Append(&evidence.Entry{Type: event, ObjectID: id, Principal: "system", Kind: "system"})
					}); err != nil {
						t.Fatal(err)
					}
				}
				save("p1", 1, "policy.created")
				save("p2", 1, "policy.created")
				save("p1", 2, "policy.modified")
				if err := storetest.Meddle(t, path, tt.change); err != nil {
					t.Fatal(err)
				}
				again := openTest(t, path, Options{}) // that has read nothing yet
				err := again.View(t.Context(), func(r domain.Reader) error {
					list, err := r.Policies()
					if err == nil && (len(list) != 2 || list[0].Version != 2) {
						t.Errorf("%d policies, version %d", len(list), list[0].Version)
					}
					return err
				})
				if !errors.Is(err, tt.want) {
					t.Errorf("%v, want %v", err, tt.want)
				}
			})
		})
	}
}
