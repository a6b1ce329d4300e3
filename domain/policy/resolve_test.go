package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain/quorum"
)

func policyOf(t testing.TB, id, text string) Policy {
	t.Helper()
	c, err := Compile(mustParse(t, `{"v":1,"name":"`+id+`",`+text+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return Policy{ID: id, Version: 2, Compiled: c}
}

func TestResolve_TakesTheStrictest(t *testing.T) {
	t.Parallel()
	a := policyOf(t, "a", `"effect":"require","quorum":[{"role":"sec","approvals":1},{"role":"fin","approvals":2}],"rejections":2,"timeout":600,"escalate":[{"after":90,"role":"ops","for":"fin"}]`)
	b := policyOf(t, "b", `"effect":"require","match":{"tools":["WIRE_*"]},"quorum":[{"role":"fin","approvals":1}],"rejections":3,"timeout":900,"escalate":[{"after":60,"role":"ops","for":"fin"},{"after":10,"role":"law","for":"fin"}]`)
	c := policyOf(t, "c", `"effect":"require","match":{"keys":["k1"]},"quorum":[{"role":"ceo","approvals":1}]`)
	p := postOf(`{}`)
	p.RequiredRole = "sec"
	res := Resolve([]Policy{a, b, c}, p)
	want := &quorum.Requires{
		Policies: []quorum.PolicyRef{{ID: "a", Version: 2, Hash: a.Hash}, {ID: "b", Version: 2, Hash: b.Hash}},
		Quorum: []quorum.Seat{{Role: "fin", Approvals: 2, Also: []quorum.Also{{Role: "ops", After: 90}}},
			{Role: "sec", Approvals: 1}},
		Rejections: 2,
	}
	if diff := cmp.Diff(want, res.Requires); diff != "" {
		t.Errorf("requires (-want +got):\n%s", diff)
	}
	again, err := quorum.ParseRequires(res.Requires.Marshal())
	if diff := cmp.Diff(want, again); err != nil || diff != "" {
		t.Errorf("read again: %v\n%s", err, diff)
	}
	p.RequiredRole = "fin"
	if q := Resolve([]Policy{a}, p).Requires; len(q.Quorum[0].Also) != 0 {
		t.Errorf("the role that the agent asked for may be replaced: %+v", q)
	}
	p.RequiredRole, p.Key = "law", "k1"
	if q := Resolve([]Policy{c}, p).Requires; len(q.Quorum) != 2 || q.Quorum[1].Role != "law" || q.Rejections != 1 {
		t.Errorf("with the agent's role %+v", q)
	}
}

func TestResolve_Timeout(t *testing.T) {
	t.Parallel()
	long := policyOf(t, "a", `"effect":"require","quorum":[{"role":"x","approvals":1}],"timeout":3600`)
	none := policyOf(t, "b", `"effect":"require","quorum":[{"role":"x","approvals":1}]`)
	for _, tc := range []struct {
		policies  []Policy
		asks, out int64
	}{{[]Policy{long}, 0, 3600}, {[]Policy{long}, 60, 60}, {[]Policy{long}, 7200, 3600}, {[]Policy{none}, 7200, 7200}, {[]Policy{none}, 0, 0}, {nil, 60, 60}} {
		p := postOf(`{}`)
		p.Timeout = tc.asks
		if got := Resolve(tc.policies, p).Timeout; got != tc.out {
			t.Errorf("%d policies, asked for %d: %d, want %d", len(tc.policies), tc.asks, got, tc.out)
		}
	}
}

func TestResolve_RejectBeatsAll(t *testing.T) {
	t.Parallel()
	require := policyOf(t, "a", `"effect":"require","quorum":[{"role":"x","approvals":1}]`)
	reject := policyOf(t, "b", `"effect":"reject","condition":"args.path.startsWith('/etc')","note":"Never there."`)
	for args, want := range map[string]string{`{"path":"/tmp"}`: "", `{"path":"/etc/passwd"}`: "b", `{}`: "b args.path is missing", `{"path":5}`: "b args.path is a number"} {
		res := Resolve([]Policy{require, reject}, postOf(`{"path":"/tmp"}`, args))
		got := ""
		if res.Rejected {
			got = strings.TrimSpace(res.Matched[0].ID + " " + res.Matched[0].Because)
		}
		if got != want || (res.Requires == nil) != res.Rejected || res.Rejected && (res.Matched[0].Action != 1 || len(res.Matched) != 1) {
			t.Errorf("%s: rejected by %q (%+v)", args, got, res)
		}
	}
}

func TestResolve_Match(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		match Match
		tool  string
		want  bool
	}{
		"everything":        {Match{}, "a", true},
		"target type":       {Match{TargetTypes: []string{"plan"}}, "a", false},
		"pattern":           {Match{Tools: []string{"x", "wire_*_now"}}, "Wire_eur_NOW", true},
		"part":              {Match{Tools: []string{"wire"}}, "wire_x", false},
		"no expression":     {Match{Tools: []string{"w.re"}}, "wire", false},
		"folded":            {Match{Tools: []string{"task"}}, "taſK", true},
		"line break":        {Match{Tools: []string{"wire_*"}}, "wire_\nx", true},
		"role":              {Match{Roles: []string{"agents", "bots"}}, "a", true},
		"other role":        {Match{Roles: []string{"bots"}}, "a", false},
		"key of a user":     {Match{Keys: []string{"k1"}}, "a", false},
		"all must be right": {Match{Roles: []string{"agents"}, Tools: []string{"b"}}, "a", false},
	} {
		p := postOf(`{}`)
		p.Actions[0].Name = tc.tool
		if got := matchedOf(t, &Document{Effect: Require, Match: tc.match}, p) != ""; got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
