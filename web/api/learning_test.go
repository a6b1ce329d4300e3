package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// TestC43_LearningSamples gives one sample for each plan that somebody decided.
func TestC43_LearningSamples(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("architect", "executor"), s.decider("alpha", "reviewer")
	person, _, err := s.AddUser(t.Context(), domain.System, "person", []string{"reviewer"}, "")
	if err != nil {
		t.Fatal(err)
	}
	agent.post("/contexts", `{"context_id":"ctx-1","title":"Project","status":"active"}`).want(http.StatusCreated)
	propose := func(id, members string) reply {
		s.pass(time.Second)
		agent.post("/plans", strings.Replace(draft, "plan-1", id, 1)).want(http.StatusCreated)
		return agent.post("/plans/"+id+"/propose", members).want(http.StatusCreated)
	}
	reviewer.decide(propose("by-key", ""), "approved").want(http.StatusCreated)
	no := propose("by-person", "")
	if _, err := s.Decide(t.Context(), domain.Ref{Kind: domain.KindUser, ID: person.ID}, no.text("confirm_id"), domain.DecisionInput{
		Status: domain.Rejected, Reason: "Too broad", ContentHash: strings.Trim(no.header.Get("ETag"), `"`),
	}); err != nil {
		t.Fatal(err)
	}
	late := propose("late", `{"timeout":1}`)
	agent.post("/confirms/"+propose("cancelled", "").text("confirm_id")+"/cancel", "").want(http.StatusOK)
	agent.get("/confirms/" + late.text("confirm_id") + "/outcome").want(http.StatusOK)
	reviewer.decide(agent.post("/confirms", toolCall).want(http.StatusCreated), "approved").want(http.StatusCreated)

	type sample struct {
		Family string `json:"sample_family"`
		Input  struct {
			Text    string         `json:"intent_text"`
			Context map[string]any `json:"context"`
		}
		Output struct {
			Plan []struct {
				ID string `json:"step_id"`
			} `json:"plan_structure"`
		}
		Feedback struct{ Source, Type, Label, Details string }
	}
	var l struct{ Items []sample }
	answer := agent.get("/learning-samples").want(http.StatusOK)
	answer.decode(&l)
	var feedback []string
	for _, item := range l.Items {
		if item.Family != "intent_resolution" || item.Input.Text != "No more errors" || item.Input.Context["title"] != "Project" || len(item.Output.Plan) != 2 {
			t.Errorf("sample %+v", item)
		}
		feedback = append(feedback, strings.Join([]string{item.Feedback.Source, item.Feedback.Type, item.Feedback.Details}, " "))
	}
	if diff := cmp.Diff([]string{"user rejection Too broad", "agent approval "}, feedback); diff != "" {
		t.Errorf("feedback (-want +got):\n%s", diff)
	}

	lines := agent.do(http.MethodGet, "/learning-samples?limit=1", "", "Accept", "application/x-ndjson").want(http.StatusOK)
	if got := lines.header.Get("Content-Type"); got != "application/x-ndjson" {
		t.Errorf("Content-Type %q", got)
	}
	list := strings.Split(strings.TrimSuffix(lines.body, "\n"), "\n")
	if len(list) != 2 || !strings.HasSuffix(lines.body, "}\n") {
		t.Fatalf("lines %q", lines.body)
	}
	for _, line := range list {
		official(t, "https://mplp.dev/schemas/v1.0/learning/mplp-learning-sample-intent.schema.json", line)
		if !strings.Contains(answer.body, line) {
			t.Errorf("the list does not have %s", line)
		}
	}
	stranger := s.keyFor(domain.KeyInput{Name: "stranger", Roles: []string{"reviewer"}, Owner: "person"})
	if got := stranger.do(http.MethodGet, "/learning-samples", "", "Accept", "application/x-ndjson").want(http.StatusOK).body; got != "" {
		t.Errorf("a stranger learns %s", got)
	}
}
