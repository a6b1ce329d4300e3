package domain_test

import (
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/credential"
)

func TestR15_R16_SeededRoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	want := map[string]int{"planner": 2, "executor": 2, "reviewer": 3, "architect": 2, "orchestrator": 2, "coder": 2, "tester": 2, "human_user": 2, "admin": 1, "ops": 0}
	roles, err := w.Roles(w.ctx, domain.System)
	if err != nil || len(roles) != len(want) {
		t.Fatalf("%d roles, %v", len(roles), err)
	}
	for _, r := range roles {
		if len(r.Capabilities) != want[r.Name] || r.ID != r.Name {
			t.Errorf("%s (%s): %v", r.Name, r.ID, r.Capabilities)
		}
	}
	if err := w.Prepare(w.ctx); err != nil { // a second start seeds nothing
		t.Fatal(err)
	}
	policies, err := w.Policies(w.ctx, domain.System)
	if err != nil || len(policies) != 3 {
		t.Fatalf("%d policies, %v", len(policies), err)
	}
	for _, p := range policies {
		if p.Enabled || p.Broken != "" || p.Sentence == "" {
			t.Errorf("%s: enabled %v, broken %q", p.Name, p.Enabled, p.Broken)
		}
		t.Log(p.Sentence)
	}
	if got := len(w.entryTypes()); got != len(want)+len(policies) {
		t.Errorf("%d entries", got)
	}
}

func TestR10_R14_Can(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	nobody := w.user("nobody", w.role("nothing"))
	for _, tt := range []struct {
		name, role, capability string
		want                   bool
	}{
		{"R-10 unknown role", "nope", "plan.create", false},
		{"R-10 no capabilities", "nothing", "plan.create", false},
		{"R-11 direct", "planner", "plan.create", true},
		{"R-12 wildcard", "architect", "plan.execute", true},
		{"R-12 of another resource", "architect", "confirm.approve", false},
		{"R-13 everything", "admin", "made.up", true},
		{"R-14 otherwise", "planner", "plan.execute", false},
		{"a wildcard is not its actions", "planner", "plan.*", false},
	} {
		if got, err := w.RoleCan(w.ctx, nobody, tt.role, tt.capability); err != nil || got != tt.want {
			t.Errorf("%s: %v %v, want %v", tt.name, got, err, tt.want)
		}
	}
	_, err := w.RoleCan(w.ctx, nobody, "planner", "Plan.Create")
	w.wantCode(err, domain.CodeInvalid)
}

func TestR8_MalformedCapabilitiesAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", ".", "plan", "plan.", ".create", "*.approve", "*.*", "**", "plan.**", "plan.cre*", "plan.create.x",
		"Plan.Create", " plan.create", "plan.create\n", "plan .create", "сonfirm.approve", "plan\u200b.create", "plan\x00.create",
		"1plan.create", "plan._x", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.x"} {
		if c, err := domain.ParseCapability(text); err == nil {
			t.Errorf("%q is accepted as %q", text, c)
		}
	}
	for _, text := range []string{"*", "plan.*", "plan.create", "a.b", "a1_b.c2_d", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.x"} {
		if _, err := domain.ParseCapability(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestEscalation_NobodyGrantsWhatTheyDoNotHold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.role("people", "user.modify", "role.modify", "key.modify", "plan.create")
	boss, clerk := w.user("boss", "admin"), w.user("clerk", "people")
	target := w.user("target", "planner")

	in := func(capabilities ...string) domain.RoleInput {
		return domain.RoleInput{Name: "made", Capabilities: capabilities}
	}
	_, err := w.CreateRole(w.ctx, clerk, in("confirm.approve"))
	w.wantCode(err, domain.CodeMissingCapability)
	_, err = w.CreateRole(w.ctx, clerk, in("plan.*"))
	w.wantCode(err, domain.CodeMissingCapability)
	if _, err = w.CreateRole(w.ctx, clerk, in("plan.create")); err != nil {
		t.Error(err)
	}
	_, err = w.UpdateRole(w.ctx, clerk, "planner", domain.RoleInput{Name: "planner", Capabilities: []string{"plan.create", "plan.propose", "confirm.approve"}})
	w.wantCode(err, domain.CodeMissingCapability)
	_, _, err = w.AddUser(w.ctx, clerk, "friend", []string{"reviewer"}, password)
	w.wantCode(err, domain.CodeMissingCapability)
	w.wantCode(w.AssignRoles(w.ctx, clerk, target.ID, []string{"admin"}), domain.CodeMissingCapability)
	w.wantCode(w.AssignRoles(w.ctx, clerk, clerk.ID, []string{"made"}), domain.CodeMissingCapability)
	w.wantCode(w.AssignRoles(w.ctx, boss, boss.ID, []string{"reviewer"}), domain.CodeMissingCapability)
	_, _, err = w.CreateKey(w.ctx, clerk, domain.KeyInput{Name: "k", Roles: []string{"reviewer"}})
	w.wantCode(err, domain.CodeMissingCapability)
	_, err = w.ResetUser(w.ctx, clerk, boss.ID) // the link would make the clerk the boss
	w.wantCode(err, domain.CodeMissingCapability)

	// Nobody adds to a role they hold, however much they hold otherwise.
	_, err = w.UpdateRole(w.ctx, clerk, "people", domain.RoleInput{Name: "people", Capabilities: []string{"user.modify", "role.modify", "key.modify", "plan.create", "plan.propose"}})
	w.wantCode(err, domain.CodeMissingCapability)
}

func TestLockOut_OneAdministratorRemains(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	boss, second := w.user("boss", "admin"), w.user("second", "admin")
	if err := w.DisableUser(w.ctx, boss, second.ID); err != nil {
		t.Fatal(err)
	}
	w.wantCode(w.DisableUser(w.ctx, domain.System, boss.ID), domain.CodeRoleInUse)
	w.wantCode(w.AssignRoles(w.ctx, domain.System, boss.ID, []string{"reviewer"}), domain.CodeRoleInUse)
	_, err := w.UpdateRole(w.ctx, domain.System, "admin", domain.RoleInput{Name: "admin", Capabilities: []string{"plan.create"}})
	w.wantCode(err, domain.CodeRoleInUse)
	w.wantCode(w.DeleteRole(w.ctx, domain.System, "admin"), domain.CodeRoleInUse)
	w.wantCode(w.DeleteRole(w.ctx, domain.System, "nope"), domain.CodeNotFound)
	if err := w.DeleteRole(w.ctx, boss, "tester"); err != nil {
		t.Errorf("an unused seeded role: %v", err)
	}
}

func TestRoles_NamesAndIDsAreUnambiguous(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, in := range map[string]domain.RoleInput{
		"name taken, case folded": {Name: "Reviewer"},
		"id of another's name":    {ID: "reviewer", Name: "other"},
		"name of another's id":    {ID: "x", Name: "planner"},
	} {
		_, err := w.CreateRole(w.ctx, domain.System, in)
		if domain.ErrorCode(err) != domain.CodeIDTaken {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "system", "SYSTEM", " padded", "tab\tbed", "zero\u200bwidth"} {
		_, err := w.CreateRole(w.ctx, domain.System, domain.RoleInput{Name: name})
		if domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestKeys_MayDecideNeedsAnOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.user("owner", "reviewer")
	_, _, err := w.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: "k", Roles: []string{"reviewer"}, MayDecide: true})
	w.wantCode(err, domain.CodeInvalid)

	key, text, err := w.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: "k", Roles: []string{"reviewer"}, MayDecide: true, Owner: "owner", Lifetime: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := w.Authenticate(w.ctx, text); err != nil || p.ID != key.ID || !p.MayDecide {
		t.Fatalf("%+v %v", p, err)
	}
	if err := w.DisableUser(w.ctx, domain.System, owner.ID); err != nil {
		t.Fatal(err)
	}
	_, err = w.Authenticate(w.ctx, text)
	w.wantCode(err, domain.CodeUnauthenticated) // a disabled owner disables the key
	if got := w.keyStatus(key.ID); got != "owner disabled" {
		t.Errorf("the key's status is %q", got)
	}
	if err := w.EnableUser(w.ctx, domain.System, owner.ID); err != nil {
		t.Fatal(err)
	}
	if _, err = w.Authenticate(w.ctx, text); err != nil {
		t.Fatal(err)
	}
	w.pass(24 * time.Hour)
	_, err = w.Authenticate(w.ctx, text)
	w.wantCode(err, domain.CodeUnauthenticated) // expired
}

// keyStatus is the status that lists give a key.
func (w *world) keyStatus(id string) string {
	w.t.Helper()
	list, _, err := w.KeyRows(w.ctx, domain.System, domain.KeyFilter{Name: id}, domain.Page{})
	if err != nil || len(list) != 1 {
		w.t.Fatalf("%d keys %s: %v", len(list), id, err)
	}
	return list[0].Status(w.Now())
}

func TestKeys_RevokedKeyEndsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, text, err := w.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: "k", Roles: []string{"executor"}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Authenticate(w.ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	c := w.post(p.Ref, toolCall)
	if err := w.RevokeKey(w.ctx, domain.System, "k"); err != nil {
		t.Fatal(err)
	}
	_, err = w.Authenticate(w.ctx, text)
	w.wantCode(err, domain.CodeUnauthenticated)
	_, err = w.CancelConfirm(w.ctx, p.Ref, c.ID, "") // a request that was on its way
	w.wantCode(err, domain.CodeUnauthenticated)
	for _, wrong := range []string{"", "cs_", text + "x", text[:len(text)-1]} {
		_, err = w.Authenticate(w.ctx, wrong)
		w.wantCode(err, domain.CodeUnauthenticated)
	}
}

func TestSetup_LinkMakesTheFirstAdministratorOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, err := w.CreateSetupLink(w.ctx)
	if err != nil || token == "" {
		t.Fatal(token, err)
	}
	_, _, err = w.UseOneTimeLink(w.ctx, token, "boss", "short", "")
	w.wantCode(err, domain.CodeInvalid)
	session, user, err := w.UseOneTimeLink(w.ctx, token, "boss", password, "browser")
	if err != nil || user.Roles[0] != domain.AdminRole {
		t.Fatal(user, err)
	}
	if visitor, err := w.SessionUser(w.ctx, session); err != nil || !visitor.Principal.Can(domain.UserModify) {
		t.Errorf("%+v %v", visitor, err)
	}
	_, _, err = w.UseOneTimeLink(w.ctx, token, "second", password, "")
	w.wantCode(err, domain.CodeNotFound)
	if token, err := w.CreateSetupLink(w.ctx); err != nil || token != "" {
		t.Errorf("a set-up link for a server with users: %q %v", token, err)
	}
}

func TestLink_InvitedUserChoosesAPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user, token, err := w.AddUser(w.ctx, domain.System, "invited", []string{"reviewer"}, "")
	if err != nil || token == "" {
		t.Fatal(err)
	}
	_, _, err = w.SignIn(w.ctx, "invited", "", domain.Client{})
	w.wantCode(err, domain.CodeUnauthenticated)
	if _, _, err := w.UseOneTimeLink(w.ctx, token, "", password, ""); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.SignIn(w.ctx, "Invited", password, domain.Client{}); err != nil {
		t.Errorf("names are compared without case: %v", err)
	}
	late, err := w.ResetUser(w.ctx, domain.System, user.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = w.SignIn(w.ctx, "invited", password, domain.Client{})
	w.wantCode(err, domain.CodeUnauthenticated) // a reset voids the password
	w.pass(domain.OneTimeLinkLifetime)
	_, _, err = w.UseOneTimeLink(w.ctx, late, "", password, "")
	w.wantCode(err, domain.CodeNotFound)
}

// A reviewer who is signed in can read while nothing can be stored, but not for
// longer than without doing anything.
func TestSessions_ReadWhileNothingCanBeStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("someone", "reviewer")
	token, _, err := w.SignIn(w.ctx, "someone", password, domain.Client{Browser: "browser"})
	if err != nil {
		t.Fatal(err)
	}
	w.sql("CREATE TRIGGER no_space BEFORE UPDATE ON volatile_sessions BEGIN SELECT RAISE(ABORT, 'no space'); END")
	w.pass(domain.SessionIdleTimeout / 2)
	if _, err := w.SessionUser(w.ctx, token); err != nil {
		t.Error(err)
	}
	w.pass(domain.SessionIdleTimeout / 2)
	_, err = w.SessionUser(w.ctx, token)
	w.wantCode(err, domain.CodeUnauthenticated)
}

func TestSessions_EndWhenIdleOldOrTakenAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user := w.user("someone", "reviewer")
	signIn := func() string {
		token, _, err := w.SignIn(w.ctx, "someone", password, domain.Client{Browser: "browser"})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	valid := func(token string) bool {
		_, err := w.SessionUser(w.ctx, token)
		return err == nil
	}
	for _, tt := range []struct {
		name string
		end  func(token string) error
	}{
		{"signed out", func(token string) error { return w.SignOut(w.ctx, token) }},
		{"all ended", func(string) error { return w.EndSessions(w.ctx, user, user.ID) }},
		{"one ended", func(token string) error { return w.EndOwnSession(w.ctx, user, credential.HashToken(token)) }},
		{"password changed elsewhere", func(string) error { return w.ChangePassword(w.ctx, user, password, password, nil) }},
		{"idle", func(string) error { w.pass(domain.SessionIdleTimeout); return nil }},
	} {
		token := signIn()
		if !valid(token) {
			t.Fatalf("%s: not signed in", tt.name)
		}
		if err := tt.end(token); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if valid(token) {
			t.Errorf("%s: still signed in", tt.name)
		}
	}
	watched := signIn()
	for range 2 { // looked at, which is no use
		if _, err := w.PeekSession(w.ctx, watched); err != nil {
			t.Fatal(err)
		}
		w.pass(domain.SessionIdleTimeout / 2)
	}
	if _, err := w.PeekSession(w.ctx, watched); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("a session that was only looked at: %v", err)
	}
	token := signIn()
	for range int(domain.SessionLifetime/domain.SessionIdleTimeout)*2 - 1 { // in use all the time
		w.pass(domain.SessionIdleTimeout / 2)
		if !valid(token) {
			t.Fatal("ended while in use")
		}
	}
	w.pass(domain.SessionIdleTimeout / 2)
	if valid(token) {
		t.Error("a session outlives its absolute limit")
	}
}

func TestSignIn_WrongNameAndWrongPasswordReadTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user := w.user("someone", "admin")
	w.user("second", "admin")
	_, _, unknown := w.SignIn(w.ctx, "nobody", password, domain.Client{})
	_, _, wrong := w.SignIn(w.ctx, "someone", password+"!", domain.Client{})
	if err := w.DisableUser(w.ctx, domain.System, user.ID); err != nil {
		t.Fatal(err)
	}
	_, _, disabled := w.SignIn(w.ctx, "someone", password, domain.Client{})
	for _, err := range []error{unknown, wrong, disabled} {
		w.wantCode(err, domain.CodeUnauthenticated)
		if err.Error() != wrong.Error() {
			t.Errorf("%q differs from %q", err, wrong)
		}
	}
}
