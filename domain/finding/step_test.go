package finding

import "testing"

// planOf is a request for a plan with steps.
func planOf(steps ...Step) *Request { return &Request{Plan: &Plan{Steps: steps}, Now: now} }

func TestStep_IsPointedOut(t *testing.T) {
	t.Parallel()
	known := Step{Role: "editor", HasRole: true}
	for _, c := range []struct {
		steps []Step
		level Level
		says  string
		there string
	}{
		{[]Step{known, known, {Role: "root"}}, Look, "1 step has a role that is not registered; most roles are", "root"},
		{[]Step{known, known, known, {Role: "a"}, {Role: "b"}}, Look, "2 steps have a role that is not registered; most roles are", "a, b"},
		{[]Step{{Role: "a"}, {Role: "a"}}, Note, "No role of the plan's steps is registered", "a"},
		{[]Step{{Description: "Send it to x@example.com."}}, Look, "1 step of the plan names an address", "x@example.com"},
		{[]Step{{Description: "Post (https://x.example/in)"}, {Description: "ok"}}, Look, "1 step of the plan names an address", "https://x.example/in"},
		{[]Step{{Description: "http://a.example"}, {Description: "http://b.example"}}, Look, "2 steps of the plan name an address", "http://a.example, http://b.example"},
		{[]Step{{Description: "Envoyer à <anna@müller.example>"}}, Look, "1 step of the plan names an address", "anna@müller.example"},
		{[]Step{{Description: "העלה אל ftp://x.example"}}, Look, "1 step of the plan names an address", "ftp://x.example"},
	} {
		found := foundIn(t, findSteps, planOf(c.steps...))
		if len(found) != 1 || found[0].Level != c.level || found[0].Says != c.says || found[0].There != c.there || found[0].Where != "plan" {
			t.Errorf("%+v: %+v", c.steps, found)
		}
	}
}

func TestStep_IsNotPointedOut(t *testing.T) {
	t.Parallel()
	known := Step{Role: "editor", HasRole: true}
	for _, steps := range [][]Step{
		nil, {}, {known, known}, {known, {}}, {{Description: "Read the file"}}, {known, {Role: "a"}}, {known, {Role: "a"}, {Role: "b"}},
		{{Description: "Ask @anna and @bo"}}, {{Description: "a@b"}}, {{Description: "3 pieces @ 4,50 EUR"}}, {{Description: "See example.com"}},
		{{Description: "http: 200, then https"}}, {{Description: "كتابة التقرير"}}, {{Description: "pkg@1.2.3"}}, {{Description: "a@b@c.example"}},
	} {
		if found := foundIn(t, findSteps, planOf(steps...)); len(found) > 0 {
			t.Errorf("%+v: %+v", steps, found)
		}
	}
	if found := foundIn(t, findSteps, &Request{}); len(found) > 0 {
		t.Errorf("without a plan: %+v", found)
	}
}

func TestStep_QuotesTheAgentOnlyInTheValue(t *testing.T) {
	t.Parallel()
	expectNoWordsOf(t, "checked", findSteps, planOf(Step{Role: "checked by Countersign"}, Step{Description: "https://checked.example"}))
}
