package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Text from agents is shown, never obeyed, and nothing invisible stays
// invisible.
func TestE2E_HostileText(t *testing.T) {
	s := newStage(t)
	const script = `<script>window.hacked = true</script><img src=/hostile onerror="window.hacked = true">`
	const control = `<div hx-get="/hostile" hx-trigger="load">hm</div></textarea></blockquote><button name="decision" value="approve" form="decision-form" data-verdict="approve">OK</button>`
	const turned = "to \u202evendor\u202c a\u200bccount, p\u0430ypal" // turned around, a zero-width space, a Cyrillic letter
	asked := pending{ConfirmID: "strange-1"}
	s.calls(http.MethodPost, "/api/v1/confirms", object{
		"confirm_id":  asked.ConfirmID,
		"target_type": "other", "target_id": "hx-get", "reason": script + control + turned + " {{7*7}} javascript:alert(1)",
		"trace": object{"trace_id": "t-1", "attributes": object{"x": script}},
		"actions": []object{
			{"name": "send" + "\u202e" + "yenom", "description": control + turned, "args": object{"to": script, control: turned}},
			{"name": "post_message", "description": script, "args": object{"text": "\u0000\u0007\ue000\u2066" + script}},
		},
	}, nil)
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
	for _, selector := range []string{"main script", "main img", ".agent-text *:not(span, bdi, br)", ".agent-inline *:not(span, bdi)", ".code [hx-get]", ".rows [hx-get]"} {
		if n := p.count(selector); n != 0 {
			t.Errorf("%d of %s on the page", n, selector)
		}
	}

	// The whole of it goes through a decision and the log as well.
	p.click(`label:has([name="action_0"][value="approve"])`)
	p.click(`label:has([name="action_1"][value="reject"])`)
	p.acknowledgesAll()
	p.fill("#reason", script+control)
	p.click(`[data-verdict="decide"]`)
	p.sees(".receipt", "<script>window.hacked")
	p.open("/confirms?status=decided&q=" + "hx-get")
	p.waitFor("#row-" + asked.ConfirmID)
	p.open("/log")
	p.sees(".log", "confirm.rejected")

	s.calls(http.MethodPost, "/api/v1/plans", object{
		"plan_id": "strange-2", "context_id": "c-1", "title": turned + script, "objective": control + turned,
		"steps": []object{
			{"step_id": "s1", "description": turned + control, "agent_role": script},
			{"step_id": "s2", "description": strings.Repeat("W", 400) + script, "dependencies": []string{"s1"}},
		},
	}, nil)
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

// Letters that are written from right to left do not turn a member around, and
// what a writer escaped can be read beside it.
func TestE2E_MembersReadFromLeftToRight(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("Transfer", object{"name": "transfer", "args": object{"المبلغ": "خمسمائة", "n": json.RawMessage(`"Ph\u00ea duy\u1ec7t \u202e"`)}})
	p := s.signsIn("reviewer")
	p.opensConfirm(asked.ConfirmID)
	p.opensRecord()
	turned := `[...document.querySelectorAll(".rows .member, .record .code li")].map(line => {
		const name = line.querySelector(".row-name, b");
		if (!name) return null;
		const value = document.createRange();
		value.selectNode(line.querySelector(".row-value") ?? name.nextSibling);
		return [line.textContent, value.getBoundingClientRect().left < name.getBoundingClientRect().right - 1];
	}).filter(line => line)`
	var lines [][2]any
	if p.eval(turned, &lines); len(lines) != 4 {
		t.Errorf("two members stand in %d lines, want two rows and two lines of code: %q", len(lines), lines)
	}
	for _, line := range lines {
		if line[1] == true {
			t.Errorf("the value stands before the name: %q", line[0])
		}
	}
	if got, want := p.text(`.rows [data-pointer="/n"] .row-value .exact`), "Phê duyệt ⟦U+202E⟧"; got != want {
		t.Errorf("the row shows %q, want %q", got, want)
	}
	if got, want := p.text(".record .code .reading"), `reads "n": "Phê duyệt \u202e"`; !strings.HasPrefix(strings.Join(strings.Fields(got), " "), want) {
		t.Errorf("read as %q, want %q", got, want)
	}
}

// Blanks take room where a line wraps, and say how many they are: else text behind
// hundreds of them looks as if it stood beside.
func TestE2E_BlanksTakeRoom(t *testing.T) {
	s := newStage(t)
	gap := "a" + strings.Repeat(" ", 1000) + "b"
	asked := s.asks(object{"target_type": "other", "reason": gap, "actions": []object{{"name": "post_message", "description": gap, "args": object{"text": gap}}}})
	p := s.signsIn("reviewer")
	p.opensConfirm(asked.ConfirmID)
	for _, selector := range []string{".reason .agent-text", "#action-1 .row-reason .agent-text", `.rows [data-pointer="/text"] .code`} {
		if !p.is(query(selector) + `.getBoundingClientRect().height > 80`) {
			t.Errorf("blanks vanish in %s", selector)
		}
		if got := p.text(selector); got != gap {
			t.Errorf("%s reads %q", selector, got)
		}
		if !p.is(`getComputedStyle(` + query(selector+" .blanks") + `, "::before").content.includes("000 blanks")`) {
			t.Errorf("%s does not count the blanks", selector)
		}
	}
}

// However many lines an agent spreads its arguments over, the page is there at
// once, and all of them are in it: to be found, to be copied, and to be gone to. It has
// them once.
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
	if all := p.count(".code li"); all != lines+2 || laidOut > all/20 {
		t.Errorf("%d of %d lines are laid out, want few of %d", laidOut, all, lines+2)
	}
	if !p.is(`window.find("needle") && (box => box.top >= 0 && box.bottom <= innerHeight)(getSelection().getRangeAt(0).getBoundingClientRect())`) {
		t.Error("a line far down is not found")
	}
	if !p.is(`(s => { s.selectAllChildren(document.querySelector(".rows .code")); return s.toString().split("\n").length; })(getSelection()) === ` + strconv.Itoa(lines+2)) {
		t.Error("not all lines are copied")
	}
	p.until(`(e => {
		e.scrollIntoView({block: "center", behavior: "instant"});
		const box = e.getBoundingClientRect();
		return box.top > 0 && box.bottom < innerHeight;
	})(document.querySelector(".rows .code .block:last-child li:last-child"))`)
	p.opensRecord()
	p.sees(".record", "50,004 lines are not repeated here")
	p.eval(`fetch([...document.querySelectorAll(".record a")].find(e => e.innerText === "Download as sent")).then(r => r.json()).then(sent => { window.sent = sent; }), 0`, nil)
	p.until(`window.sent?.ids.length === ` + strconv.Itoa(lines))
}
