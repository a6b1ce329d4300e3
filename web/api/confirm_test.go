package api_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConfirm_PostGetCancel(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	posted := agent.post("/confirms", toolCall).want(http.StatusCreated)
	id := posted.text("confirm_id")
	posted.gives(toolCall, "meta", "confirm_id", "target_id", "status", "requested_by_role", "requested_at")
	if got, want := posted.header.Get("Location"), "/api/v1/confirms/"+id; got != want {
		t.Errorf("Location %q, want %q", got, want)
	}
	got := agent.get("/confirms/" + id).want(http.StatusOK)
	if got.body != posted.body || got.header.Get("ETag") != posted.header.Get("ETag") {
		t.Errorf("read as %s %s, posted as %s %s", got.header.Get("ETag"), got.body, posted.header.Get("ETag"), posted.body)
	}
	if tag := got.header.Get("ETag"); !strings.HasPrefix(tag, `"sha256:`) || len(tag) != len(`"sha256:"`)+64 {
		t.Errorf("ETag %s is no content hash", tag)
	}

	cancelled := agent.post("/confirms/"+id+"/cancel", `{"reason":"done by hand"}`).want(http.StatusOK)
	if status := cancelled.text("status"); status != "cancelled" {
		t.Errorf("status %s after cancelling", status)
	}
	agent.post("/confirms/"+id+"/cancel", "").problem(http.StatusConflict, "already-decided")
}

// TestConfirm_LongBodies: one of more than any buffer is read whole, however its
// length was announced, and answered in one piece.
func TestConfirm_LongBodies(t *testing.T) {
	t.Parallel()
	agent := newServer(t).agent("executor")
	body := `{"target_type":"other","actions":[{"name":"a","args":{"text":"` + strings.Repeat("x", 100_000) + `"}}]}`
	posted := agent.post("/confirms", body).want(http.StatusCreated)
	posted.gives(body, "meta", "confirm_id", "target_id", "status", "requested_by_role", "requested_at")
	if got, want := posted.header.Get("Content-Length"), fmt.Sprint(len(posted.body)); got != want {
		t.Errorf("Content-Length %q, want %s", got, want)
	}
	chunked, err := http.NewRequestWithContext(t.Context(), http.MethodPost, agent.s.http.URL+"/api/v1/confirms", io.MultiReader(strings.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	chunked.Header.Set("Content-Type", "application/json")
	chunked.Header.Set("Authorization", "Bearer "+agent.key)
	answer, err := agent.s.http.Client().Do(chunked)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Errorf("a body in chunks: status %d", answer.StatusCode)
	}
}

// TestC6_IDIsTheIdempotencyKey repeats posts.
func TestC6_IDIsTheIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, stranger := s.agent("executor"), s.decider("other", "executor")
	body := `{"confirm_id":"c-1",` + toolCall[1:]
	first := agent.post("/confirms", body).want(http.StatusCreated)
	before := s.entries()
	again := agent.post("/confirms", " "+strings.Replace(body, ",", " ,\n", 1)).want(http.StatusOK)
	if first.body != again.body || first.header.Get("Location") != again.header.Get("Location") {
		t.Errorf("first %s, again %s", first.body, again.body)
	}
	agent.post("/confirms", strings.Replace(body, "100", "101", 1)).problem(http.StatusConflict, "id-taken")
	stranger.post("/confirms", body).problem(http.StatusConflict, "id-taken")
	if after := s.entries(); after != before {
		t.Errorf("repeats left %d entries", after-before)
	}
}

func TestConfirm_NumbersSurviveToTheOutcome(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	const args = `{"id":9007199254740993,"big":1e400,"price":100.10,"html":"<b>&\u2028\u00e9é/\/","z":-0}`
	const edited = `{"id":9007199254740995,"big":-1E+400,"price":100.10000000000000000001,"html":"</script>&\u2028\u00e8è\/"}`
	confirm := agent.post("/confirms", `{"target_type":"other","actions":[{"name":"pay","args": `+strings.ReplaceAll(args, ",", ", ")+`}]}`).want(http.StatusCreated)
	for name, body := range map[string]string{"post": confirm.body, "get": agent.get("/confirms/" + confirm.text("confirm_id")).body} {
		if !strings.Contains(body, `"args":`+args) {
			t.Errorf("%s: the arguments changed: %s", name, body)
		}
	}
	reviewer.post("/confirms/"+confirm.text("confirm_id")+"/decisions",
		`{"content_hash":`+confirm.header.Get("ETag")+`,"decisions":[{"type":"edit","edited_action":{"name":"pay","args": `+edited+` }}]}`).want(http.StatusCreated)
	outcome := agent.get("/confirms/" + confirm.text("confirm_id") + "/outcome").want(http.StatusOK)
	if !strings.Contains(outcome.body, `"edited_action":{"name":"pay","args":`+edited+`}`) {
		t.Errorf("the edited arguments changed: %s", outcome.body)
	}
	if outcome.text("effective_hash") == outcome.text("content_hash") {
		t.Error("an edit leaves the effective hash as it was")
	}
}

func TestConfirm_ListFilters(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor", "planner"), s.decider("alpha", "reviewer")
	post := func(body string) reply { return agent.post("/confirms", body).want(http.StatusCreated) }
	approved := post(`{"confirm_id":"a",` + toolCall[1:])
	reviewer.decide(approved, "approved").want(http.StatusCreated)
	post(`{"confirm_id":"b","target_type":"plan","target_id":"plan-9","requested_by_role":"planner","trace":{"trace_id":"t-1"}}`)
	post(`{"confirm_id":"c","target_type":"other","session_id":"s-1","actions":[{"name":"send_mail","args":{}}]}`)
	agent.post("/plans", draft).want(http.StatusCreated)
	post(`{"confirm_id":"d","target_type":"plan","target_id":"plan-1","step_id":"s2"}`)

	tests := []struct {
		query string
		want  []string
	}{
		{"status=approved", []string{"a"}},
		{"status=pending&target_type=plan", []string{"b", "d"}},
		{"target_id=plan-9", []string{"b"}},
		{"step_id=s2", []string{"d"}},
		{"trace_id=t-1", []string{"b"}},
		{"session_id=s-1", []string{"c"}},
		{"status=pending&requested_by_role=planner", []string{"b"}},
		{"q=send_m", []string{"c"}},
		{"q=nothing", []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			got := agent.on(t).get("/confirms?" + tt.query).want(http.StatusOK)
			if diff := cmp.Diff(tt.want, got.ids("confirm_id")); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
			if !strings.HasSuffix(strings.TrimSpace(got.body), `"next_cursor":null}`) {
				t.Errorf("no null cursor at the end of %s", got.body)
			}
		})
	}
}

func TestConfirm_ListInPages(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	var want, got []string
	for i := range 7 {
		id := fmt.Sprintf("c-%d", i)
		agent.post("/confirms", `{"confirm_id":"`+id+`",`+toolCall[1:]).want(http.StatusCreated)
		want = append(want, id)
	}
	for cursor := ""; ; {
		page := agent.get("/confirms?status=pending&limit=3&cursor=" + url.QueryEscape(cursor)).want(http.StatusOK)
		got = append(got, page.ids("confirm_id")...)
		if cursor = page.text("next_cursor"); cursor == "" {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

func TestConfirm_MalformedQueries(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	tests := []struct{ query, path, code string }{
		{"limit=0", "limit", "limit"},
		{"limit=201", "limit", "limit"},
		{"limit=-1", "limit", "type_error"},
		{"limit=ten", "limit", "type_error"},
		{"limit=99999999999999999999", "limit", "type_error"},
		{"cursor=garbage", "cursor", "format"},
		{"status=open", "status", "enum"},
		{"target_type=step", "target_type", "enum"},
		{"form=official", "form", "enum"},
		{"status=pending&status=approved", "status", "unique"},
		{"status=%zz", "", "format"},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			agent.on(t).get("/confirms?"+tt.query).problem(http.StatusUnprocessableEntity, "invalid").fault(tt.path, tt.code)
		})
	}
}

func TestConfirm_Warnings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"as SDKs send it", `{"target_type":"other","timeout":60,"requested_at":"2025-12-07T00:00:00.123456","reason":null,"requested_by_role":"vai trò 😀"}`,
			[]string{"meta filled", "requested_at naive_time", "reason null", "requested_by_role unregistered"}},
		{"for a plan that is not there", `{"meta":{},"target_type":"plan","target_id":"none"}`, []string{"target_id reference"}},
		{"for a step of a plan that is not there", `{"meta":{},"target_type":"other","plan_id":"none","step_id":"s1"}`, []string{"plan_id reference"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			posted := s.agent(s.role("asker", "confirm.request", "plan.propose")).post("/confirms", tt.body).want(http.StatusCreated)
			var warnings []struct{ Path, Code, Message string }
			reply{t: t, body: posted.header.Get("Countersign-Warnings")}.decode(&warnings)
			var codes []string
			for _, w := range warnings {
				codes = append(codes, w.Path+" "+w.Code)
			}
			if diff := cmp.Diff(tt.want, codes); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestConfirm_ContentHasTheHashOfItsTarget: what was approved can be told from
// what is there later.
func TestConfirm_ContentHasTheHashOfItsTarget(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, stranger := s.agent("architect", "executor", s.role("asker", "confirm.request")), s.decider("stranger", "executor", "asker")
	agent.post("/contexts", `{"context_id":"ctx-1","title":"Shop","status":"active"}`).want(http.StatusCreated)
	agent.post("/traces", `{"trace_id":"trace-1","context_id":"ctx-1"}`).want(http.StatusCreated)
	for _, tt := range []struct {
		name, target string
		by           *client
		want         string
		doubted      bool
	}{
		{"a context as it is stored", `{"target_type":"context","target_id":"ctx-1"}`, agent, hashed(agent.get("/contexts/ctx-1").body), false},
		{"a trace as it is stored", `{"target_type":"trace","target_id":"trace-1"}`, agent, hashed(agent.get("/traces/trace-1").body), false},
		{"a trace that is not there", `{"target_type":"trace","target_id":"none"}`, agent, "", true},
		{"another's trace", `{"target_type":"trace","target_id":"trace-1"}`, stranger, "", true},
		{"an extension", `{"target_type":"extension","target_id":"ext-1"}`, agent, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			posted := tt.by.on(t).post("/confirms", tt.target).want(http.StatusCreated)
			var bundle struct{ Contents []struct{ Content string } }
			tt.by.on(t).get("/evidence/confirms/" + posted.text("confirm_id")).want(http.StatusOK).decode(&bundle)
			var content struct {
				TargetHash string `json:"target_hash"`
			}
			reply{t: t, body: bundle.Contents[0].Content}.decode(&content)
			if content.TargetHash != tt.want {
				t.Errorf("hash %q, want %q", content.TargetHash, tt.want)
			}
			warnings := posted.header.Get("Countersign-Warnings")
			if doubted := strings.Contains(warnings, `"path":"target_id","code":"reference"`); doubted != tt.doubted {
				t.Errorf("warnings %s", warnings)
			}
		})
	}
}

func hashed(text string) string {
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text)))
}
