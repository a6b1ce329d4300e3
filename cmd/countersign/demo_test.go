package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"countersign/web/client"
)

// reviewing decides over HTTP with a key that may.
type reviewing struct {
	t      *testing.T
	server *running
	client *client.Client
}

// asks waits until the agent has asked this n times and gives the confirm's id.
func (r *reviewing) asks(n int, what string) string {
	r.t.Helper()
	return r.server.stdout.await(r.t, n, `(?m)^agent: `+what+`\? I am waiting for http\S+/confirms/(\S+)$`)[1]
}

// decides posts a decision about what is there now.
func (r *reviewing) decides(id string, decision object) {
	r.t.Helper()
	var told struct {
		ContentHash string `json:"content_hash"`
	}
	r.call(http.MethodGet, "/api/v1/confirms/"+id+"/outcome", nil, &told)
	decision["content_hash"] = told.ContentHash
	r.call(http.MethodPost, "/api/v1/confirms/"+id+"/decisions", decision, nil)
}

func (r *reviewing) call(method, path string, body, out any) {
	r.t.Helper()
	if err := r.client.Call(r.t.Context(), method, path, body, out); err != nil {
		r.t.Fatal(err)
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	server := start(t, "--demo")
	judge := invoke(t, "key", "create", "judge", "--role", "reviewer", "--owner", "reviewer", "--may-decide", "--db", server.db)
	r := &reviewing{t, server, client.New(server.base, judge)}

	const plan, transfer = "Fix the login error", "Execute the wire transfer"
	const trade, cleanup = "Call execute_trade", "Call delete_records and post_message"

	// The one with the short timeout comes first.
	r.decides(r.asks(1, cleanup), object{"decisions": []object{{"type": "approve"}, {"type": "reject", "message": "Not in public"}}})
	server.stdout.await(t, 1, `(?m)^agent: Call delete_records and post_message: rejected .*; delete_records: approve; post_message: reject "Not in public"$`)

	first := r.asks(1, plan)
	r.decides(first, object{"status": "rejected", "reason": "Back up the database first"})
	server.stdout.await(t, 1, `(?m)^agent: Fix the login error: rejected by an agent in the role reviewer; reason: "Back up the database first"$`)

	second := r.asks(2, plan)
	var again struct {
		TargetID   string `json:"target_id"`
		Supersedes string `json:"supersedes"`
	}
	r.call(http.MethodGet, "/api/v1/confirms/"+second, nil, &again)
	if again.Supersedes != first {
		t.Errorf("the plan proposed again supersedes %q, want %q", again.Supersedes, first)
	}
	var revised struct {
		Objective string `json:"objective"`
		Steps     []any  `json:"steps"`
	}
	r.call(http.MethodGet, "/api/v1/plans/"+again.TargetID, nil, &revised)
	if !strings.Contains(revised.Objective, "Back up the database first") || len(revised.Steps) != 5 {
		t.Errorf("the revised plan has %d steps and the objective %q", len(revised.Steps), revised.Objective)
	}
	r.decides(second, object{"status": "approved"})
	server.stdout.await(t, 1, `(?m)^agent: Fix the login error: approved by an agent in the role reviewer$`)

	id := r.asks(1, transfer)
	var bound struct {
		Items []struct {
			ConfirmID string `json:"confirm_id"`
		} `json:"items"`
	}
	r.call(http.MethodGet, "/api/v1/confirms?step_id=transfer", nil, &bound)
	if len(bound.Items) != 1 || bound.Items[0].ConfirmID != id {
		t.Errorf("the confirm of the wire transfer gates another step: %+v", bound)
	}
	r.decides(id, object{"status": "approved", "reason": "Verified transaction details with vendor."})
	server.stdout.await(t, 1, `(?m)^agent: Execute the wire transfer: approved .*; reason: "Verified transaction details with vendor\."$`)
	server.stdout.await(t, 1, `(?m)^agent: Execute the wire transfer: the gate says RESUME \(approved\)$`)
	server.stdout.await(t, 1, `(?m)^agent: Execute the wire transfer: done, and the plan is completed$`)

	fewer := object{"symbol": "VNM", "quantity": 50, "side": "buy", "price": 82000}
	traded := r.asks(1, trade)
	r.decides(traded, object{
		"decisions":         []object{{"type": "edit", "edited_action": object{"name": "execute_trade", "args": fewer}}},
		"user_edit_content": "OK nhưng chỉ mua 50 cổ thôi",
	})
	server.stdout.await(t, 1, `(?m)^agent: Call execute_trade: approved .*; execute_trade: edit to \{.*"quantity":50\D.*\}; note: "OK nhưng chỉ mua 50 cổ thôi"$`)

	// All are decided: the next round asks the same with new ids.
	if next := r.asks(2, trade); next == traded {
		t.Error("the next round asks under the same id")
	}
	r.asks(3, plan)

	server.stop(t)
	if _, err := os.Stat(filepath.Dir(server.db)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the throwaway database is still there: %v", err)
	}
	if strings.Contains(server.stdout.String(), "agent: I stop") {
		t.Errorf("the agent failed:\n%s", server.stdout)
	}
}

// A demo that waits sends nothing itself, and prints a line that works.
func TestDemo_Waits(t *testing.T) {
	t.Parallel()
	server := start(t, "--demo-wait")
	line := server.stdout.await(t, 1, `(?m)^  (COUNTERSIGN_URL=.* ask pay .*)$`)[1]
	judge := invoke(t, "key", "create", "judge", "--role", "reviewer", "--owner", "reviewer", "--may-decide", "--db", server.db)
	r := &reviewing{t, server, client.New(server.base, judge)}
	asks := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(line, os.Args[0], "countersign", 1))
	said := newTranscript()
	asks.Stderr = said
	if err := asks.Start(); err != nil {
		t.Fatal(err)
	}
	id := said.await(t, 1, `/confirms/(\S+)`)[1]
	for found := false; !found; {
		var list struct{ Items []struct{} }
		r.call(http.MethodGet, "/api/v1/confirms?status=pending", nil, &list)
		found = len(list.Items) == 1 // nothing else asks
	}
	r.decides(id, object{"status": "approved"})
	if err := asks.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestDemo_SignIn(t *testing.T) {
	t.Parallel()
	server := start(t, "--demo")
	for _, name := range []string{"admin", "reviewer"} {
		t.Run(name, func(t *testing.T) {
			password := server.stdout.await(t, 1, `(?m)^\S+ +`+name+` +(\S+)$`)[1]
			jar, err := cookiejar.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			browser := &http.Client{Jar: jar}
			form := formOf(t, browser, server.base+"/login")
			form.Set("username", name)
			form.Set("password", password)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.base+"/login", strings.NewReader(form.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			request.Header.Set("Origin", server.base)
			response, err := browser.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if response.StatusCode != http.StatusOK || response.Request.URL.Path != "/confirms" {
				t.Errorf("status %d at %s, want the inbox", response.StatusCode, response.Request.URL.Path)
			}
		})
	}
}

// formOf reads the hidden fields of the form on a page.
func formOf(t *testing.T, browser *http.Client, address string) url.Values {
	t.Helper()
	response, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := goquery.NewDocumentFromReader(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	fields := url.Values{}
	page.Find("form input[type=hidden]").Each(func(_ int, input *goquery.Selection) {
		fields.Set(input.AttrOr("name", ""), input.AttrOr("value", ""))
	})
	return fields
}

func TestOutcomeLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, told string
		tools      []string
		want       string
	}{
		{"a person's yes", `{"status":"approved","cause":"human","decided_by_role":"reviewer"}`, nil,
			`approved by a person in the role reviewer`},
		{"a person's no, on one line", `{"status":"rejected","cause":"human","decided_by_role":"reviewer","reason":"Not now.\nTomorrow."}`, nil,
			`rejected by a person in the role reviewer; reason: "Not now.\nTomorrow."`},
		{"a timeout is nobody's no", `{"status":"rejected","cause":"timeout","decided_by_role":"system","reason":"Timed out after 60 s: nobody decided. This is not a refusal.","decisions":[{"type":"reject"},{"type":"reject"}]}`, []string{"a", "b"},
			`rejected (timeout); a: reject; b: reject; reason: "Timed out after 60 s: nobody decided. This is not a refusal."`},
		{"an edit keeps its numbers", `{"status":"approved","cause":"agent","decided_by_role":"lead","decisions":[{"type":"edit","edited_action":{"name":"a","args":{"n":9007199254740993}}}]}`, []string{"a"},
			`approved by an agent in the role lead; a: edit to {"n":9007199254740993}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var o client.Outcome
			if err := json.Unmarshal([]byte(test.told), &o); err != nil {
				t.Fatal(err)
			}
			if got := outcomeLine(&o, test.tools); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// An agent that is refused says why and asks no more.
func TestDemoAgent_SaysWhyItStops(t *testing.T) {
	t.Parallel()
	server := start(t)
	out := newTranscript()
	agent := newDemoAgent(client.New(server.base, "cs_none"), out, nil)
	agent.run(t.Context())
	out.await(t, 1, `^agent: I stop: POST /api/v1/\S+: 401 Unauthorized: \S`)

	stopped, stop := context.WithCancel(t.Context())
	stop()
	quiet := newTranscript()
	newDemoAgent(client.New(server.base, "cs_none"), quiet, nil).run(stopped)
	if text := fmt.Sprint(quiet); text != "" {
		t.Errorf("an agent that was told to stop complains: %s", text)
	}
}
