package mplp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var someHash = "sha256:" + strings.Repeat("0a", 32)

// posted is a decision's body with more members.
func posted(members string) string { return `{"content_hash":"` + someHash + `",` + members + `}` }

func TestParseDecision_Refuses(t *testing.T) {
	t.Parallel()
	edit := `{"type":"edit","edited_action":{"name":"a","args":{}}}`
	testRefusals(t, ParseDecision, []refusal{
		{"not JSON", ``, []fault{{"", "syntax"}}},
		{"empty", `{}`, []fault{{"content_hash", "required"}, {"status", "required"}}},
		{"hash too short", `{"status":"approved","content_hash":"sha256:00"}`, []fault{{"content_hash", "pattern"}}},
		{"hash in upper case", `{"status":"approved","content_hash":"` + strings.ToUpper(someHash) + `"}`, []fault{{"content_hash", "pattern"}}},
		{"hash null", `{"status":"approved","content_hash":null}`, []fault{{"content_hash", "required"}}},
		{"C-20 pending", posted(`"status":"pending"`), []fault{{"status", "enum"}}},
		{"cancelled has its own address", posted(`"status":"cancelled"`), []fault{{"status", "enum"}}},
		{"status null", posted(`"status":null`), []fault{{"status", "required"}}},
		{"no decisions", posted(`"status":"approved","decisions":[]`), []fault{{"decisions", "min_items"}}},
		{"33 decisions", posted(`"decisions":[{"type":"reject"}` + strings.Repeat(`,{"type":"reject"}`, 32) + `]`), []fault{{"decisions", "max_items"}}},
		{"type missing", posted(`"decisions":[{}]`), []fault{{"decisions[0].type", "required"}}},
		{"type", posted(`"decisions":[{"type":"approved"}]`), []fault{{"decisions[0].type", "enum"}}},
		{"decision no object", posted(`"decisions":["approve"]`), []fault{{"decisions[0]", "type_error"}}},
		{"decisions no array", posted(`"status":"approved","decisions":{"type":"approve"}`), []fault{{"decisions", "type_error"}}},
		{"edit without action", posted(`"decisions":[{"type":"edit"}]`), []fault{{"decisions[0].edited_action", "required"}}},
		{"edit with null action", posted(`"decisions":[{"type":"edit","edited_action":null}]`), []fault{{"decisions[0].edited_action", "required"}}},
		{"edit with empty action", posted(`"decisions":[{"type":"edit","edited_action":{}}]`),
			[]fault{{"decisions[0].edited_action.name", "required"}, {"decisions[0].edited_action.args", "required"}}},
		{"edit with args array", posted(`"decisions":[{"type":"edit","edited_action":{"name":"a","args":[]}}]`), []fault{{"decisions[0].edited_action.args", "type_error"}}},
		{"approve with edited action", posted(`"decisions":[{"type":"approve","edited_action":{"name":"a","args":{}}}]`), []fault{{"decisions[0].edited_action", "unknown"}}},
		{"approved, but one rejected", posted(`"status":"approved","decisions":[` + edit + `,{"type":"reject"}]`), []fault{{"status", "const"}}},
		{"rejected, but all approved", posted(`"decisions":[` + edit + `,{"type":"approve"}],"status":"rejected"`), []fault{{"status", "const"}}},
		{"decided_by_role empty", posted(`"status":"approved","decided_by_role":""`), []fault{{"decided_by_role", "min_length"}}},
		{"decision_id", posted(`"status":"approved","decision_id":"a b"`), []fault{{"decision_id", "pattern"}}},
		{"wrong case", posted(`"status":"rejected","STATUS":"approved"`), []fault{{"STATUS", "syntax"}}},
		{"wrong case in decision", posted(`"decisions":[{"type":"reject","Type":"approve"}]`), []fault{{"decisions[0].Type", "syntax"}}},
		{"wrong case in edited action", posted(`"decisions":[{"type":"edit","edited_action":{"name":"a","args":{},"ARGS":{}}}]`), []fault{{"decisions[0].edited_action.ARGS", "syntax"}}},
	})
}

func TestParseDecision_Reads(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       DecisionPost
	}{
		{"status alone", posted(`"status":"rejected","reason":"no"`), DecisionPost{Status: "rejected", Reason: "no"}},
		{"everything", posted(`"user_edit_content":"half","decided_by_role":"reviewer","decision_id":"d1","decided_at":"never",
			"decisions":[{"type":"edit","edited_action":{"name":"a","args":{ "q" : 1e400 }},"message":"m"},{"type":"approve","edited_action":null}]`),
			DecisionPost{
				Status: "approved", UserEditContent: "half", DecidedByRole: "reviewer", DecisionID: "d1",
				Decisions: []ActionDecision{{Type: "edit", Name: "a", Args: []byte(`{"q":1e400}`), Message: "m"}, {Type: "approve"}},
				Warnings: []Warning{
					{"decided_at", "dropped", "the time of a decision is the server's"},
					{"decisions[1].edited_action", "null", "null counts as absent"},
				},
			}},
		{"one rejected", posted(`"status":"rejected","decisions":[{"type":"approve"},{"type":"reject"}]`),
			DecisionPost{Status: "rejected", Decisions: []ActionDecision{{Type: "approve"}, {Type: "reject"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.ContentHash = someHash
			if diff := cmp.Diff(&tt.want, accepted(t, ParseDecision, tt.body)); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseDecisionPatch_Refuses(t *testing.T) {
	t.Parallel()
	testRefusals(t, ParseDecisionPatch, []refusal{
		{"not JSON", `{"decisions":[}`, []fault{{"decisions[0]", "syntax"}}},
		{"empty", `{}`, []fault{{"decisions", "required"}}},
		{"status alone", `{"status":"approved"}`, []fault{{"decisions", "required"}}},
		{"no decision", `{"decisions":[],"status":"approved"}`, []fault{{"decisions", "min_items"}}},
		{"two decisions", `{"decisions":[{"status":"approved"},{"status":"approved"}]}`, []fault{{"decisions", "max_items"}}},
		{"decision no object", `{"decisions":[1]}`, []fault{{"decisions[0]", "type_error"}}},
		{"decisions no array", `{"decisions":{}}`, []fault{{"decisions", "type_error"}}},
		{"decision without status", `{"decisions":[{}],"status":"approved"}`, []fault{{"decisions[0].status", "required"}}},
		{"F-10 status differs", `{"decisions":[{"status":"approved"}],"status":"rejected"}`, []fault{{"status", "const"}}},
		{"cancelled", `{"decisions":[{"status":"cancelled"}],"status":"cancelled"}`, []fault{{"decisions[0].status", "enum"}, {"status", "enum"}}},
		{"wrong case", `{"decisions":[{"status":"approved","STATUS":"rejected"}]}`, []fault{{"decisions[0].STATUS", "syntax"}}},
	})
}

func TestF10_DecisionPatch(t *testing.T) {
	t.Parallel()
	want := &DecisionPost{
		Status: "approved", DecisionID: "dec-441-z9", DecidedByRole: "finance-admin-human",
		Reason:   "Verified transaction details with vendor.",
		Warnings: []Warning{{"decisions[0].decided_at", "dropped", "the time of a decision is the server's"}},
	}
	if diff := cmp.Diff(want, accepted(t, ParseDecisionPatch, example(t, "s002-L048-decisions.json"))); diff != "" {
		t.Errorf("decision (-want +got):\n%s", diff)
	}
}

func TestStatusOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		types []string
		want  string
	}{
		{"none", nil, "rejected"},
		{"approve", []string{"approve"}, "approved"},
		{"approve and edit", []string{"approve", "edit"}, "approved"},
		{"one reject", []string{"approve", "reject", "approve"}, "rejected"},
		{"unknown", []string{"approve", ""}, "rejected"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var decisions []ActionDecision
			for _, kind := range tt.types {
				decisions = append(decisions, ActionDecision{Type: kind})
			}
			if got := StatusOf(decisions); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
