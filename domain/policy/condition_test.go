package policy

import (
	"encoding/json"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func postOf(args ...string) *Post {
	p := &Post{TargetType: "other", Name: "bot", Roles: []string{"agents"}, Reason: "Pay it", ReceivedAt: noon}
	for _, a := range args {
		p.Actions = append(p.Actions, Action{Name: "wire_transfer", Args: json.RawMessage(a)})
	}
	return p
}

func TestCondition_HasThreeValues(t *testing.T) {
	t.Parallel()
	const args = `{"amount":9007199254740993,"quoted":"5","huge":1e400,"fine":10000.0000000000000000001,"tiny":1e-400,"price":10.5,"max":9223372036854775807,
		"over":9223372036854775808,"text":"EUR","none":null,"list":[1,2],"texts":["a"],"object":{"0":"a","in":1,"due date":3},"yes":true,"mixed":[1,"a"]}`
	for _, tc := range []struct{ condition, want string }{
		{"args.amount == 9007199254740993", "true"},
		{"args.amount == 9007199254740992", "false"},
		{"args.amount > 9007199254740992", "true"},
		{"args.price > 10 && args.price < 10.6", "true"},
		{"args.huge > 5", `the number "1e400" cannot be compared exactly`},
		{"args.fine > 10000", `the number "10000.0000000000000000001" cannot be compared exactly`},
		{"args.tiny == 0", `the number "1e-400" cannot be compared exactly`},
		{"args.over > 5", `the number "9223372036854775808" cannot be compared exactly`},
		{"args.huge > 5 || args.yes", "true"},
		{"args.gone > 5", "args.gone is missing"},
		{"args.Amount > 5", "args.Amount is missing"},
		{"args.text == 'USD' && args.gone > 5", "false"},
		{"args.text == 'EUR' && args.gone > 5", "args.gone is missing"},
		{"args.gone > 5 || args.text == 'EUR'", "true"},
		{"!(args.gone > 5)", "args.gone is missing"},
		{"args.object.a.b == 1", "args.object.a is missing"},
		{"args.object['due date'] == 3 && args.object['in'] == 1", "true"},
		{"args.object['no such'] == 3", `args.object["no such"] is missing`},
		{"args.list[2] == 1", "args.list[2] is missing"},
		{"args.quoted > 4", "args.quoted is text"},
		{"args.quoted == 5", "args.quoted is text"},
		{"args.quoted != 5", "args.quoted is text"},
		{"args.quoted in [5, 6]", "args.quoted is text"},
		{"args.text in ['USD', 'EUR']", "true"},
		{"args.text in ['USD']", "false"},
		{"args.text in {'USD': 1}", "false"},
		{"args.text in {'EUR': 1} && {'EUR': 1}[args.text] == 1", "true"},
		{"1 in args.texts", "args.texts is a list"},
		{"1 in args.mixed", "true"},
		{"2 in args.mixed", "args.mixed is a list"},
		{"args.none == 5", "args.none is null"},
		{"args.none > 5", "args.none is null"},
		{"args.none.x > 5", "args.none.x is missing"},
		{"args.none == null", "true"},
		{"args.text == null", "false"},
		{"args.text != null", "true"},
		{"args.list == [1, 2]", "true"},
		{"args.list == [1.0, 2]", "true"},
		{"args.list == [1, 3]", "false"},
		{"args.list == [1, 2, 3]", "false"},
		{"args.list == ['1', '2']", "args.list is a list"},
		{"args.object == {'0': 'a', 'in': 1, 'due date': 3}", "true"},
		{"args.object == {'0': 'b', 'in': 1, 'due date': 3}", "false"},
		{"args.object == {'0': 'a', 'in': '1', 'due date': 3}", "args.object is an object"},
		{"args.texts.exists(x, x == 'a')", "true"},
		{"args.list.filter(x, x > 1) == [2] && args.list.map(x, x * 2) == [2, 4] && args.list.map(x, x > 1, [x]) == [[2]]", "true"},
		{"args.list.filter(x, x > args.gone) == []", "args.gone is missing"},
		{"args.list + [3] == [1, 2, 3]", "args.list is a list"},
		{"args.object.exists(x, x == 'a')", "args.object is an object"},
		{"args.text.exists(x, x == 'a')", "args.text is text"},
		{"args.exists(name, name == 'texts')", "true"},
		{"args.max + 1 > 0", "args.max is a number"},
		{"args.yes", "true"},
		{"args.text", "the condition gives text where true or false is needed"},
		{"args.text.startsWith('E') && args.text.lowerAscii() == 'eur'", "true"},
		{"args.text.matches('^E.R$')", "true"},
		{"args.amount.matches('^E.R$')", "args.amount is a number"},
		{"type(args.amount) == int", "true"},
		{"actions.size() == 1 && actions[0].name == tool && actions[0].args.yes", "true"},
		{"requester.name == 'bot' && 'agents' in requester.roles && target_type == 'other' && reason != ''", "true"},
		{"requester.owner == 'kim'", "requester.owner is missing"},
		{"plan.title == 'x'", "plan is missing"},
		{"now.getHours() >= 12 && now < timestamp('2026-03-02T12:00:01Z')", "true"},
		{"timestamp(args.text) < now", "args.text is text"},
	} {
		t.Run(tc.condition, func(t *testing.T) {
			t.Parallel()
			c, err := compile(tc.condition)
			if err != nil {
				t.Fatal(err)
			}
			value, because := c.evaluate(newRequest(postOf(args)), 0)
			got := because
			if value != isUnknown {
				got = map[truth]string{isTrue: "true", isFalse: "false"}[value]
			}
			if got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestCondition_OfAPlanWithoutActions(t *testing.T) {
	t.Parallel()
	p := postOf()
	p.TargetType, p.Plan = "plan", &Plan{Title: "Move", ContextID: "c1", Steps: []Step{{ID: "s1", Description: "Copy", Role: "coder"}}}
	for condition, want := range map[string]string{
		"plan.title == 'Move' && plan.context_id == 'c1' && plan.steps.exists(s, s.role == 'coder')": "matched",
		"size(plan.steps) > 1":     "",
		"tool == 'a'":              "tool is missing",
		"args.a == 1":              "args is missing",
		"actions.exists(a, true)":  "",
		"plan.steps[0].id == 's1'": "matched",
	} {
		if got := matchedOf(t, &Document{Effect: Require, Condition: condition}, p); got != want {
			t.Errorf("%s: got %q, want %q", condition, got, want)
		}
	}
	if got := matchedOf(t, &Document{Effect: Require, Match: Match{Tools: []string{"*"}}}, p); got != "" {
		t.Errorf("a policy for tools matches a request without any: %q", got)
	}
}

// matchedOf returns "" if a policy does not match, "matched", or why it is unknown.
func matchedOf(t testing.TB, d *Document, p *Post) string {
	t.Helper()
	c, err := Compile(d)
	if err != nil {
		t.Fatalf("%s: %v", d.Condition, err)
	}
	res := Resolve([]Policy{{ID: "p", Version: 1, Compiled: c}}, p)
	switch {
	case len(res.Matched) == 0:
		return ""
	case res.Matched[0].Because == "":
		return "matched"
	default:
		return res.Matched[0].Because
	}
}
