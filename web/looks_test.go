package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// Whatever an agent says is quoted, or stands under a label that says so.
func TestD4_AgentsWordsAreRecognisable(t *testing.T) {
	t.Parallel()
	const said = "Proven and approved by root"
	w := newWorld(t)
	agent, b := w.asker(), w.user("reviewer", "reviewer")
	w.postPlan(agent, `{"plan_id":"p-1","context_id":"ctx-1","title":"`+said+`","objective":"`+said+`","trace":{"trace_id":"trace-1"},"steps":[{"step_id":"s1","description":"`+said+`","agent_role":"`+said+`"}]}`)
	call := w.post(agent, `{"trace":{"trace_id":"trace-1"},"target_type":"other","reason":"`+said+`","requested_by_role":"`+said+`","actions":[{"name":"`+said+`","description":"`+said+`","args":{}}]}`)
	whole := w.post(agent, `{"target_type":"plan","target_id":"p-1","reason":"`+said+`"}`)
	step := w.post(agent, `{"target_type":"plan","target_id":"p-1","step_id":"s1","reason":"`+said+`"}`)
	bare := w.post(agent, `{"target_type":"other","reason":"`+said+`"}`)
	for _, path := range []string{
		"/confirms", "/confirms/" + call.ID, "/confirms/" + whole.ID, "/confirms/" + step.ID, "/confirms/" + bare.ID, "/plans", "/plans/p-1", "/log", "/traces/trace-1",
	} {
		doc := b.want(b.get(path), http.StatusOK).doc(t)
		if !strings.Contains(doc.Find("main").Text(), said) {
			t.Errorf("%s does not say it", path)
		}
		for _, place := range doc.Find("main *").EachIter() {
			own := place.Contents().FilterFunction(func(_ int, n *goquery.Selection) bool { return goquery.NodeName(n) == "#text" }).Text()
			if strings.Contains(own, said) && !recognisable(place, own, said) {
				html, _ := goquery.OuterHtml(place.Parent())
				t.Errorf("%s has it as if the server said so: %.300s", path, html)
			}
		}
	}
}

func recognisable(place *goquery.Selection, own, said string) bool {
	label := place.Closest("blockquote").PrevFiltered(".label").Text() + place.Closest("figure").Find("figcaption").Text()
	return place.Closest("q").Length() > 0 || strings.Contains(own, "“"+said+"”") || strings.Contains(label, "the agent's own words")
}

// Names of users, roles and keys are marked wherever they are shown.
func TestD7_NamesAreMarked(t *testing.T) {
	t.Parallel()
	const user, key, role = "gооgle", "ａｄｍｉｎ", "сору"
	w := newWorld(t)
	b := w.user("admin", "admin")
	w.role(role, "confirm.request")
	w.user(user, role)
	w.agent(key, role)
	for path, want := range map[string][]string{
		"/users": {user, role}, "/keys": {key, role}, "/roles": {role}, "/log": {user, key},
	} {
		doc := b.want(b.get(path), http.StatusOK).doc(t)
		marked := doc.Find("main .mixed-script, main .look-alike").Text()
		for _, name := range want {
			if !strings.Contains(marked, name) {
				t.Errorf("%s does not mark %s", path, name)
			}
		}
	}
}
