package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Text from agents is shown, never obeyed, and nothing invisible stays
// invisible (DESIGN, principles 2 and 5).
func TestE2E_HostileText(t *testing.T) {
	s := newStage(t)
	const script = `<script>window.hacked = true</script><img src=/hostile onerror="window.hacked = true">`
	const control = `<div hx-get="/hostile" hx-trigger="load">hm</div></textarea></blockquote><button name="decision" value="approve" form="decision-form" data-verdict="approve">OK</button>`
	const turned = "to \u202evendor\u202c a\u200bccount, p\u0430ypal" // turned around, a zero-width space, a Cyrillic letter
	asked := pending{ConfirmID: "strange-1"}
	s.postsPlainly("/api/v1/confirms", object{
		"confirm_id":  asked.ConfirmID,
		"target_type": "other", "target_id": "hx-get", "reason": script + control + turned + " {{7*7}} javascript:alert(1)",
		"trace": object{"trace_id": "t-1", "attributes": object{"x": script}},
		"actions": []object{
			{"name": "send" + "\u202e" + "yenom", "description": control + turned, "args": object{"to": script, control: turned}},
			{"name": "post_message", "description": script, "args": object{"text": "\u0000\u0007\ue000\u2066" + script}},
		},
	})
	p := s.signsIn("reviewer")
	sees := func(selector string, marks ...string) {
		t.Helper()
		shown := p.text(selector)
		for _, mark := range append(marks, "⟦U+202E⟧") {
			if !strings.Contains(shown, mark) {
				t.Errorf("%s does not show %s:\n%s", selector, mark, shown)
			}
		}
		for _, hidden := range "\u202e\u202c\u200b\u2066\u0007\ue000" {
			if strings.ContainsRune(shown, hidden) {
				t.Errorf("%s has %U as it is", selector, hidden)
			}
		}
	}
	p.waitFor("#row-" + asked.ConfirmID)
	p.live()
	sees("#row-"+asked.ConfirmID, "<script>window.hacked", "⟦U+200B⟧")

	p.opensConfirm(asked.ConfirmID)
	p.live()
	sees("h1")
	sees(".reason", "⟦U+200B⟧", "⟦U+202C⟧", "<script>", "hx-get", "invisible characters, marked above")
	sees(`[data-action="0"]`, "⟦U+200B⟧", "hx-trigger", "<img src=/hostile")
	if p.count(".reason .mixed-script") == 0 {
		t.Error("a word of two scripts is not marked")
	}
	if got, want := p.count(`[data-verdict="approve"]`), 0; got != want {
		t.Errorf("%d buttons approve, want %d: an agent has made one", got, want)
	}
	for _, selector := range []string{"main script", "main img", ".agent-text *:not(span, bdi, br)", ".agent-inline *:not(span, bdi)", ".code [hx-get]"} {
		if n := p.count(selector); n != 0 {
			t.Errorf("%d of %s on the page", n, selector)
		}
	}

	// The whole of it goes through a decision and the log as well.
	p.click(`label:has([name="action_0"][value="approve"])`)
	p.click(`label:has([name="action_1"][value="reject"])`)
	p.fill("#reason", script+control)
	p.click(`[data-verdict="decide"]`)
	p.sees(".receipt", "<script>window.hacked")
	p.open("/confirms?status=decided&q=" + "hx-get")
	p.waitFor("#row-" + asked.ConfirmID)
	p.open("/log")
	p.sees(".log", "confirm.rejected")

	s.postsPlainly("/api/v1/plans", object{
		"plan_id": "strange-2", "context_id": "c-1", "title": turned + script, "objective": control + turned,
		"steps": []object{
			{"step_id": "s1", "description": turned + control, "agent_role": script},
			{"step_id": "s2", "description": strings.Repeat("W", 400) + script, "dependencies": []string{"s1"}},
		},
	})
	p.open("/plans")
	p.waitFor(".row-link")
	p.open("/plans/strange-2")
	sees("h1")
	sees(".steps", "⟦U+200B⟧", "hx-get")
	p.sees(".drawing", "⟦U+202E⟧")

	if p.is(`window.hacked`) {
		t.Error("a script of the agent has run")
	}
	for _, address := range p.requested() {
		if strings.Contains(address, "hostile") || !strings.HasPrefix(address, s.base) {
			t.Errorf("the page asked for %s", address)
		}
	}
}

// postsPlainly posts < and > as they are: encoders write them as escapes, which
// would not even look dangerous.
func (s *stage) postsPlainly(path string, body object) {
	s.t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		s.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.base+path, &text)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.agent.key)
	request.Header.Set("Content-Type", "application/json")
	if status, answer := send(s.t, request); status != http.StatusCreated {
		s.t.Fatalf("%s: status %d: %s", path, status, answer)
	}
}

// Letters that are written from right to left do not turn a member around, and
// what a writer escaped can be read beside it.
func TestE2E_MembersReadFromLeftToRight(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("Transfer", object{"name": "transfer", "args": object{"المبلغ": "خمسمائة", "n": json.RawMessage(`"Ph\u00ea duy\u1ec7t \u202e"`)}})
	p := s.signsIn("reviewer")
	p.opensConfirm(asked.ConfirmID)
	turned := `[...document.querySelectorAll(".code li")].filter(line => {
		const name = line.querySelector("b");
		if (!name) return false;
		const value = document.createRange();
		value.selectNode(name.nextSibling);
		return value.getBoundingClientRect().left < name.getBoundingClientRect().right - 1;
	}).map(line => line.textContent)`
	var lines []string
	if p.eval(turned, &lines); len(lines) > 0 {
		t.Errorf("the value stands before the name: %q", lines)
	}
	if got, want := p.text(".code .reading"), `reads "n": "Phê duyệt \u202e"`; !strings.HasPrefix(strings.Join(strings.Fields(got), " "), want) {
		t.Errorf("read as %q, want %q", got, want)
	}
}

// However many lines an agent spreads its arguments over, the page is there at
// once, and all of them are in it: to be found, to be copied, and to be gone to.
func TestE2E_VeryManyLines(t *testing.T) {
	s := newStage(t)
	const lines = 50_000
	list := make([]any, lines)
	for i := range list {
		list[i] = 0
	}
	list[lines/2] = "needle"
	asked := s.asksFor("Clean up", object{"name": "purge", "args": object{"ids": list}})
	p := s.signsIn("reviewer")
	p.opensConfirm(asked.ConfirmID)

	var laidOut int // lines that took the browser's time so far
	p.eval(`[...document.querySelectorAll(".code li")].filter(e => e.checkVisibility({contentVisibilityAuto: true})).length`, &laidOut)
	if all := p.count(".code li"); all != lines+4 || laidOut > all/20 {
		t.Errorf("%d of %d lines are laid out, want few of %d", laidOut, all, lines+4)
	}
	if !p.is(`window.find("needle") && (box => box.top >= 0 && box.bottom <= innerHeight)(getSelection().getRangeAt(0).getBoundingClientRect())`) {
		t.Error("a line far down is not found")
	}
	if !p.is(`(s => { s.selectAllChildren(document.querySelector(".code")); return s.toString().split("\n").length; })(getSelection()) === ` + strconv.Itoa(lines+4)) {
		t.Error("not all lines are copied")
	}
	p.click("a", "To the end of 50,004 lines")
	p.until(`(box => box.top > 0 && box.bottom < innerHeight)(document.querySelector(".code .block:last-child li:last-child").getBoundingClientRect())`)
}
