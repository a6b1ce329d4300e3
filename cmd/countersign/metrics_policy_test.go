package main

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestMetrics_Policies: requests that policies match are counted by effect, and a policy
// that is tried is not.
func TestMetrics_Policies(t *testing.T) {
	t.Parallel()
	m := startMeasured(t)
	agent := invoke(t, "key", "create", "bot", "--role", "executor", "--db", m.db)
	const large = `{"v":1,"name":"Large","effect":"require","match":{"tools":["pay"]},"condition":"args.amount > 100","quorum":[{"role":"reviewer","approvals":2}]}`
	policies := func(document string, words ...string) string {
		t.Helper()
		var stdout bytes.Buffer
		words = append(words, "--file", "-", "--db", m.db)
		if code := run(t.Context(), append([]string{"policy"}, words...), noEnvironment, strings.NewReader(document), &stdout, io.Discard); code != exitDone {
			t.Fatalf("policy %s: exit code %d", words, code)
		}
		return stdout.String()
	}
	want := func(required, rejected, unknown string) {
		t.Helper()
		m.want(map[string]string{
			`countersign_policy_matches_total{effect="require"}`: required,
			`countersign_policy_matches_total{effect="reject"}`:  rejected,
			`countersign_policy_unknown_total`:                   unknown,
			`countersign_votes_total`:                            "0",
		})
	}
	post := func(tool string, args object) {
		t.Helper()
		m.call(agent, http.MethodPost, "/api/v1/confirms", object{"target_type": "other", "actions": []object{{"name": tool, "args": args}}}, nil)
	}
	post("pay", object{"amount": 999})
	want("0", "0", "0")
	policies(large, "set", "Large")
	policies(`{"v":1,"name":"Never","effect":"reject","match":{"tools":["wipe"]}}`, "set", "Never")
	post("pay", object{"amount": 999})
	post("pay", object{"amount": 1})
	post("pay", object{"sum": 1})
	post("wipe", object{})
	want("2", "1", "1")

	text := policies(large, "try")
	for _, pattern := range []string{
		`(?m)^It matches 3 of the last 5 requests: 1 because a value is missing or cannot be compared\. 3 would have needed more than one person\.$`,
		`(?m)^reviewer: 0 may approve$`, `(?m)^Too few of reviewer: 2 are needed\.`,
		`(?m)^\d{4}-\S+ \S+ +[0-9a-f-]{36} +pay +bot +pending +args\.amount is missing$`,
	} {
		if !regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("policy try lacks %s:\n%s", pattern, text)
		}
	}
	want("2", "1", "1")
}
