package domain_test

import (
	"strings"
	"testing"

	"countersign/domain"
)

// named returns a policy that is like payments and has another name.
func named(name string) string { return strings.Replace(payments, "Payments", name, 1) }

// guard returns a policy that guards policies under a condition.
func guard(effect, condition string) string {
	quorum := ""
	if effect == "require" {
		quorum = `,"quorum":[{"role":"admin","approvals":1}]`
	}
	return `{"v":1,"name":"Guard","effect":"` + effect + `","match":{"target_types":["extension"],"tools":["policy.modify"]},"condition":"` + condition + `"` + quorum + `}`
}

// changes are the ways to change policies, on a new world each.
var changes = map[string]func(w *world, by domain.Ref) error{
	"create": func(w *world, by domain.Ref) error {
		_, err := w.SavePolicy(w.ctx, by, domain.PolicyInput{Document: []byte(named("New")), Enabled: true})
		return err
	},
	"edit": func(w *world, by domain.Ref) error {
		v := w.policyDetail("Used")
		_, err := w.SavePolicy(w.ctx, by, domain.PolicyInput{ID: v.ID, Version: v.Version, Document: []byte(strings.Replace(named("Used"), "100", "200", 1)), Enabled: true})
		return err
	},
	"disable": func(w *world, by domain.Ref) error { _, err := w.DisablePolicy(w.ctx, by, "Used"); return err },
	"enable":  func(w *world, by domain.Ref) error { _, err := w.EnablePolicy(w.ctx, by, "Unused"); return err },
}

// guarded is a world with a policy in force, one that is not, and a guard.
func guarded(t *testing.T, guard string) (w *world, admin domain.Ref) {
	w = newWorld(t)
	admin = w.user("boss", "admin")
	w.key("bot", "admin")
	w.policy(named("Used"))
	w.policy(named("Unused"))
	if _, err := w.DisablePolicy(w.ctx, domain.System, "Unused"); err != nil {
		t.Fatal(err)
	}
	w.policy(guard)
	return w, admin
}

func TestPolicy_ARejectingGuardRefusesChanges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, guard, refused string }{
		{"everything", guard("reject", ""), "create edit disable enable"},
		{"new policies", guard("reject", "args.before == null"), "create"},
		{"one policy", guard("reject", "args.after.name == 'Used'"), "edit disable"},
		{"names of roles", guard("reject", "args.after.quorum[1].role != 'human_user'"), ""},
		{"disabling", guard("reject", "args.before.enabled && !args.after.enabled"), "disable"},
		{"what weakens", guard("reject", "args.after.condition == 'args.amount > 200'"), "edit"},
		{"a person", guard("reject", "requester.name == 'boss'"), "create edit disable enable"},
		{"another person", guard("reject", "requester.name == 'kim'"), ""},
		{"agents", strings.Replace(guard("reject", ""), `"tools"`, `"keys":["bot"],"tools"`, 1), ""},
		{"tools with the word", `{"v":1,"name":"Guard","effect":"reject","match":{"tools":["POLICY.*"]}}`, "create edit disable enable"},
		{"another tool", `{"v":1,"name":"Guard","effect":"reject","match":{"tools":["policy"]}}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for name, change := range changes {
				w, admin := guarded(t, tt.guard)
				entries := len(w.entryTypes())
				want := domain.Code("")
				if strings.Contains(tt.refused+" ", name+" ") {
					want = domain.CodeLocked
				}
				err := change(w, admin)
				if domain.ErrorCode(err) != want {
					t.Errorf("%s: %v, want %q", name, err, want)
				}
				if want == "" {
					continue
				}
				if got := len(w.entryTypes()); got != entries {
					t.Errorf("%s: a refusal wrote something", name)
				}
				if err := change(w, domain.System); err != nil {
					t.Errorf("%s on the command line: %v", name, err)
				}
			}
		})
	}
}
