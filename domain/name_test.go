package domain_test

import (
	"testing"

	"countersign/domain"
	"countersign/domain/evidence"
)

// Names are new with characters that are seen.
func TestN12_NewNamesDrawSomething(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, r := range "\u2800\u3164\u115f\u1160\uffa0\u034f\ufe0f\u17b4\U0001d159\U00013441" {
		name := "ad" + string(r) + "min"
		_, _, err := w.AddUser(w.ctx, domain.System, name, []string{"reviewer"}, password)
		if domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("a user with %U: %v", r, err)
		}
		if _, _, err = w.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: name, Roles: []string{"executor"}}); domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("a key with %U: %v", r, err)
		}
		if _, err = w.CreateRole(w.ctx, domain.System, domain.RoleInput{Name: name, Capabilities: []string{"confirm.request"}}); domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("a role with %U: %v", r, err)
		}
		if _, err = w.UpdateRole(w.ctx, domain.System, "reviewer", domain.RoleInput{Name: name, Capabilities: []string{"confirm.request"}}); domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("a role renamed with %U: %v", r, err)
		}
	}
	for _, name := range []string{"Nguyễn Thị", "משה", "Иван", "山田"} {
		if _, _, err := w.AddUser(w.ctx, domain.System, name, []string{"reviewer"}, password); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A role that has such a name from before can be changed.
func TestN12_OldNamesStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const name = "over\u2800seer"
	err := w.db.Tx(w.ctx, func(tx domain.Tx) error {
		at := w.now()
		if err := tx.InsertRole(&domain.Role{ID: "old", Name: name, Native: []byte(`{"role_id":"old"}`), CreatedAt: at, UpdatedAt: at}); err != nil {
			return err
		}
		return tx.Append(&evidence.Entry{At: at, Type: "role.created", ObjectID: "old", Principal: "system:clock", Kind: "system"})
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.UpdateRole(w.ctx, domain.System, "old", domain.RoleInput{Name: name, Capabilities: []string{"confirm.request"}}); err != nil {
		t.Error(err)
	}
}
