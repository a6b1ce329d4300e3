package mplp

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// planOf is a plan with the given steps.
func planOf(steps ...string) string {
	return `{"meta":{},"status":"draft","plan_id":"p1","context_id":"ctx-123","title":"t","objective":"o","steps":[` + strings.Join(steps, ",") + `]}`
}

// step is a step with dependencies.
func step(id string, dependencies ...string) string {
	return `{"step_id":"` + id + `","description":"d","status":"pending","dependencies":` + string(Strings(dependencies)) + `}`
}

func TestParsePlan_Refuses(t *testing.T) {
	t.Parallel()
	with := func(member string) string { return planOf(`{"step_id":"s1","description":"d",` + member + `}`) }
	testRefusals(t, ParsePlan, []refusal{
		{"not JSON", `nope`, []fault{{"", "syntax"}}},
		{"empty", `{}`, []fault{{"context_id", "required"}, {"title", "required"}, {"objective", "required"}, {"steps", "required"}}},
		{"P-3d P-3e empty texts", `{"title":"","objective":"","context_id":"c","steps":[` + step("s1") + `]}`, []fault{{"title", "min_length"}, {"objective", "min_length"}}},
		{"P-3c context_id", `{"title":"t","objective":"o","context_id":null,"steps":[` + step("s1") + `]}`, []fault{{"context_id", "required"}}},
		{"P-3f status", `{"title":"t","objective":"o","context_id":"c","status":"done","steps":[` + step("s1") + `]}`, []fault{{"status", "enum"}}},
		{"P-22 no steps", planOf(), []fault{{"steps", "sa_plan_min_steps"}}},
		{"steps no array", `{"title":"t","objective":"o","context_id":"c","steps":{}}`, []fault{{"steps", "type_error"}}},
		{"step no object", planOf(`"s1"`), []fault{{"steps[0]", "type_error"}}},
		{"P-5 step empty", planOf(`{}`), []fault{{"steps[0].step_id", "required"}, {"steps[0].description", "required"}}},
		{"P-7 description empty", planOf(`{"step_id":"s1","description":""}`), []fault{{"steps[0].description", "min_length"}}},
		{"P-8 step status", with(`"status":"done"`), []fault{{"steps[0].status", "enum"}}},
		{"P-9 dependencies", with(`"dependencies":"s1"`), []fault{{"steps[0].dependencies", "type_error"}}},
		{"P-9 dependency", with(`"dependencies":[1]`), []fault{{"steps[0].dependencies[0]", "type_error"}}},
		{"P-9 dependency empty", with(`"dependencies":[""]`), []fault{{"steps[0].dependencies[0]", "min_length"}}},
		{"P-10 agent_role", with(`"agent_role":1`), []fault{{"steps[0].agent_role", "type_error"}}},
		{"P-11 order_index negative", with(`"order_index":-1`), []fault{{"steps[0].order_index", "limit"}}},
		{"P-11 order_index with fraction", with(`"order_index":1.5`), []fault{{"steps[0].order_index", "type_error"}}},
		{"P-24 ids", planOf(step("s1"), step("s2"), step("s1")), []fault{{"steps[2].step_id", "sa_plan_step_unique_ids"}}},
		{"P-18 dangling", planOf(step("s1"), step("s2", "s1", "s9")), []fault{{"steps[1].dependencies[1]", "reference"}}},
		{"P-18 other case", planOf(step("s1"), step("s2", "S1")), []fault{{"steps[1].dependencies[0]", "reference"}}},
		{"P-25 cycle", planOf(step("s1", "s3"), step("s2", "s1"), step("s3", "s2")), []fault{{"steps", "sa_plan_dag_acyclic"}}},
		{"P-20 self", planOf(step("s1", "s1")), []fault{{"steps", "sa_plan_dag_acyclic"}}},
		{"P-20 two cycles are reported once", planOf(step("s1", "s1"), step("s2", "s2")), []fault{{"steps", "sa_plan_dag_acyclic"}}},
		{"everything at once", planOf(step("s1", "s1"), `{"step_id":"s1","order_index":-1}`), []fault{
			{"steps[1].order_index", "limit"}, {"steps[1].description", "required"},
			{"steps[1].step_id", "sa_plan_step_unique_ids"}, {"steps", "sa_plan_dag_acyclic"},
		}},
		{"wrong case", `{"Steps":[]}`, []fault{{"Steps", "syntax"}}},
		{"wrong case in step", with(`"Dependencies":[]`), []fault{{"steps[0].Dependencies", "syntax"}}},
	})
}

func TestP20_BothFaults(t *testing.T) {
	t.Parallel()
	_, err := ParsePlan([]byte(planOf(step("s1", "s9"), step("s2", "s3"), step("s3", "s2"))), DefaultLimits)
	want := &Invalid{Problems: []Problem{
		{"steps[0].dependencies[0]", "reference", "Step s1 depends on non-existent s9"},
		{"steps", "sa_plan_dag_acyclic", "Cyclic dependency detected"},
	}, Notes: []Warning{{"steps", "cycle", "Step s2 depends on s3, which depends on s2."}}}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

// TestP20_MessagesStayShort: an id that fills a body does not fill each message
// about it.
func TestP20_MessagesStayShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 100_000)
	body := planOf(step(long, long, "s9"))
	_, liberal := ParsePlan([]byte(body), DefaultLimits)
	for name, err := range map[string]error{"liberal": liberal, "strict": ValidateStrict("plan", []byte(body), DefaultLimits)} {
		var refused *Invalid
		if !errors.As(err, &refused) || len(refused.Problems) < 3 || len(refused.Notes) != 1 {
			t.Fatalf("%s: error %v, want an Invalid about the id, the dependency and the cycle", name, err)
		}
		for _, p := range append(refused.Problems, Problem(refused.Notes[0])) {
			if len(p.Message) > 400 {
				t.Errorf("%s: the message about %s has %d bytes", name, p.Path, len(p.Message))
			}
		}
	}
}

// TestP20_NamesTheCycle names the steps of one cycle beside the fixed words,
// and none that only wait for it.
func TestP20_NamesTheCycle(t *testing.T) {
	t.Parallel()
	ring := make([]string, 100)
	for i := range ring {
		ring[i] = step(fmt.Sprintf("s%d", i), fmt.Sprintf("s%d", (i+1)%len(ring)))
	}
	tests := []struct{ name, plan, want string }{
		{"itself", planOf(step("s1", "s1")), "Step s1 depends on s1."},
		{"three", planOf(step("s1", "s3"), step("s2", "s1"), step("s3", "s2")), "Step s1 depends on s3, which depends on s2, which depends on s1."},
		{"behind what waits for it", planOf(step("s0"), step("s1", "s0", "s2"), step("s2", "s3"), step("s3", "s2")), "Step s2 depends on s3, which depends on s2."},
		{"one of two", planOf(step("s1", "s1"), step("s2", "s2")), "Step s1 depends on s1."},
		{"twice the same id", planOf(step("s1", "s2"), step("s1", "s1"), step("s2", "s1")), "Step s1 depends on s2, which depends on s1."},
		{"a long one", planOf(ring...), "Step s0 depends on s1, which depends on s2, which depends on s3, which depends on s4, " +
			"which depends on s5, which depends on s6, which depends on s7, which depends on s8, and so on through 100 steps back to s0."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParsePlan([]byte(tt.plan), DefaultLimits)
			var refused *Invalid
			if !errors.As(err, &refused) {
				t.Fatalf("error %v, want an Invalid", err)
			}
			if diff := cmp.Diff([]Warning{{"steps", "cycle", tt.want}}, refused.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParsePlan_Reads(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       Plan
	}{
		{"P-34 as the SDK sends it", `{"meta":{"protocolVersion":"1.0.0"},"plan_id":"p1","context_id":"ctx-123","title":"t","objective":"o","status":"draft",
			"steps":[{"step_id":"s1","description":"d","dependencies":[],"status":"pending","order_index":0},{"step_id":"s2","description":"e","dependencies":["s1"],"agent_role":"coder","status":"pending","order_index":1}]}`,
			Plan{ID: "p1", ContextID: "ctx-123", Title: "t", Objective: "o", Status: "draft", Steps: []Step{
				{ID: "s1", Description: "d", Status: "pending", OrderIndex: new(int64(0))},
				{ID: "s2", Description: "e", Status: "pending", Dependencies: []string{"s1"}, AgentRole: "coder", OrderIndex: new(int64(1))},
			}}},
		{"P-36 as pydantic sends it", `{"plan_id":"p1","context_id":"c","title":"t","objective":"o","status":"draft",
			"steps":[{"step_id":"s1","description":"d","status":"pending","dependencies":[],"agent_role":null,"order_index":null}]}`,
			Plan{ID: "p1", ContextID: "c", Title: "t", Objective: "o", Status: "draft",
				Steps: []Step{{ID: "s1", Description: "d", Status: "pending"}},
				Warnings: []Warning{
					{"meta", "filled", "was missing"},
					{"steps[0].agent_role", "null", "null counts as absent"}, {"steps[0].order_index", "null", "null counts as absent"},
				}}},
		{"P-15 defaults", `{"context_id":"c","title":"t","objective":"o","steps":[{"step_id":"s1","description":"d"}],"governance":{"locked":true}}`,
			Plan{ContextID: "c", Title: "t", Objective: "o", Status: "draft", Locked: true,
				Steps: []Step{{ID: "s1", Description: "d", Status: "pending"}},
				Warnings: []Warning{
					{"meta", "filled", "was missing"}, {"status", "filled", "was missing"}, {"steps[0].status", "filled", "was missing"},
				}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := accepted(t, ParsePlan, tt.body)
			if diff := cmp.Diff(&tt.want, got, cmpopts.IgnoreFields(Plan{}, "Native")); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestP12P13_Statuses(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"draft", "proposed", "approved", "in_progress", "completed", "cancelled", "failed"} {
		if got := accepted(t, ParsePlan, strings.Replace(planOf(step("s1")), "draft", status, 1)).Status; got != status {
			t.Errorf("plan status %s read as %s", status, got)
		}
	}
	for _, status := range []string{"pending", "in_progress", "completed", "blocked", "skipped", "failed"} {
		if got := accepted(t, ParsePlan, strings.Replace(planOf(step("s1")), "pending", status, 1)).Steps[0].Status; got != status {
			t.Errorf("step status %s read as %s", status, got)
		}
	}
}

// largestPlan is a plan of 5,000 steps and at most 20,000 dependencies, each on
// steps before it; the first step also has the dependencies given.
func largestPlan(first ...string) string {
	const steps, edges = 5_000, 20_000
	left := edges - len(first)
	list := []string{step("s0", first...)}
	for i := 1; i < steps; i++ {
		var dependencies []string
		for back := 1; back <= 5 && back <= i && left > 0; back++ {
			dependencies = append(dependencies, fmt.Sprint("s", i-back))
			left--
		}
		list = append(list, step(fmt.Sprint("s", i), dependencies...))
	}
	return planOf(list...)
}

func TestParsePlan_AtItsLimits(t *testing.T) {
	t.Parallel()
	if got := len(accepted(t, ParsePlan, largestPlan()).Steps); got != 5_000 {
		t.Errorf("%d steps, want 5000", got)
	}
	testRefusals(t, ParsePlan, []refusal{
		{"cycle through thousands of steps", largestPlan("s3999"), []fault{{"steps", "sa_plan_dag_acyclic"}}},
		{"5001 steps", strings.Replace(largestPlan(), `"steps":[`, `"steps":[`+step("x")+",", 1), []fault{{"steps", "limit"}}},
		{"20001 dependencies", strings.Replace(largestPlan(), `"s4999","description":"d","status":"pending","dependencies":[`,
			`"s4999","description":"d","status":"pending","dependencies":["s1"`, 1), []fault{{"steps", "limit"}}},
	})
}

// TestP17_AgainstBruteForce compares the verdict on every graph of four steps
// with a search for a way from a step back to itself.
func TestP17_AgainstBruteForce(t *testing.T) {
	t.Parallel()
	const n = 4
	for graph := range 1 << (n * n) {
		edge := func(i, j int) bool { return graph>>(i*n+j)&1 == 1 }
		var reach [n][n]bool
		steps := make([]Step, n)
		for i := range n {
			steps[i].ID = fmt.Sprint(i)
			for j := range n {
				if edge(i, j) {
					reach[i][j] = true
					steps[i].Dependencies = append(steps[i].Dependencies, fmt.Sprint(j))
				}
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		want := reach[0][0] || reach[1][1] || reach[2][2] || reach[3][3]
		r := &reader{}
		validateDAG(r, steps)
		if got := len(r.problems) > 0; got != want {
			t.Fatalf("graph %016b: cyclic is %t, want %t", graph, got, want)
		}
	}
}
