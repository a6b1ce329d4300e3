package main

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// turned are texts that browsers draw in another order than they are stored in,
// if they are left to it.
var turned = []string{
	"pay א 100 200 300", "copy א/ב/ג 100 200", "mv א ב", "الأ → ب", "٧١١٢ - ٧١١٣", "1٤0 + 20",
	"ߊ ߋ ߁߂߃ - ߄߅", "𞤀 𞤁 𞥑𞥒 - 𞥓𞥔", "שלום 12:30 עולם 45", "ܐ ܒ 1 2", "۱۲ - ۳۴ ج",
}

// orders finds where a text is drawn: it gives what is out of order in it, from
// the left to the right in each line. The letters of a word count as one, for they
// have the direction of their script.
const orders = `(root, text) => {
	const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), nodes = [];
	let all = "";
	while (walk.nextNode()) { nodes.push([all.length, walk.currentNode]); all += walk.currentNode.data; }
	const at = all.indexOf(text);
	if (at < 0) return ["not shown: " + text];
	const box = (from, to) => {
		const range = document.createRange();
		const place = i => { const [start, node] = nodes.findLast(([start]) => start <= i); return [node, i - start]; };
		range.setStart(...place(from));
		const [node, i] = place(to - 1);
		range.setEnd(node, i + 1);
		return range.getBoundingClientRect();
	};
	const wrong = [];
	let before;
	for (const unit of text.matchAll(/[[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Syriac}]&&[\p{L}\p{M}]]+|\S/gv)) {
		const now = box(at + unit.index, at + unit.index + unit[0].length);
		if (!now.width) wrong.push("nothing drawn for " + unit[0]);
		if (before && Math.abs(before.y - now.y) < now.height / 2 && now.x < before.x + before.width - 1) wrong.push(unit[0] + " is not after what it follows in " + text);
		before = now;
	}
	return wrong;
}`

// inOrder fails the test unless an element shows every text in its order.
func (p *page) inOrder(where, selector string, texts ...string) {
	p.t.Helper()
	p.waitFor(selector)
	for _, text := range texts {
		var wrong []string
		p.eval(`(`+orders+`)(`+query(selector)+`, `+quote(text)+`)`, &wrong)
		if len(wrong) > 0 {
			p.t.Errorf("%s: %q", where, wrong)
		}
	}
}

// The eye reads operands and numbers in the order in which a program gets them,
// whatever the script.
func TestD1_VisualOrderIsLogicalOrder(t *testing.T) {
	s := newStage(t)
	args, more := object{}, object{}
	for i, text := range turned {
		args[string(rune('a'+i))] = text
		more[text] = i
	}
	all := strings.Join(turned, "\n")
	called := s.asks(object{"target_type": "other", "reason": all, "actions": []object{
		{"name": turned[0], "description": all, "args": args}, {"name": turned[1], "args": more}, {"name": turned[4], "args": object{}},
	}})
	said := s.asks(object{"target_type": "other", "reason": turned[1]})
	edited := s.asksFor(all, object{"name": turned[2], "args": args})
	s.calls(http.MethodPost, "/api/v1/plans", object{
		"plan_id": "turned", "context_id": "c-1", "title": strings.Join(turned, ", "), "objective": all,
		"steps": []object{{"step_id": "s1", "description": turned[2]}, {"step_id": "s2", "description": turned[4], "dependencies": []string{"s1"}}},
	}, nil)
	var proposed pending
	s.calls(http.MethodPost, "/api/v1/plans/turned/propose", object{"reason": "Now"}, &proposed)

	p := s.signsIn("reviewer")
	p.waitFor("#row-" + called.ConfirmID)
	p.inOrder("tools in the inbox", "#row-"+called.ConfirmID+" h2", turned[0], turned[1], turned[4])
	p.inOrder("reason in the inbox", "#row-"+called.ConfirmID+" .row-reason", turned[0], turned[1])
	p.inOrder("heading in the inbox", "#row-"+said.ConfirmID+" h2", turned[1])

	p.opensConfirm(called.ConfirmID)
	p.inOrder("heading", "h1", turned[0], turned[1], turned[4])
	p.inOrder("tool", "#action-1 h3", turned[0])
	p.inOrder("reason", ".reason", turned...)
	p.inOrder("description", "#action-1 .row-reason", turned...)
	p.inOrder("arguments", "#action-1 .rows", turned...)
	p.inOrder("members", "#action-2 .rows", turned...)
	p.opensRecord()
	p.inOrder("exact arguments", ".record .code", turned...)
	p.inOrder("exact members", ".record .code ~ .code", turned...)
	p.inOrder("tally", ".tally", turned[0], turned[1], turned[4])
	p.sees("#action-1", "right-to-left letters")
	var copied string
	p.eval(`(s => { s.selectAllChildren(document.querySelector(".reason .agent-text")); return s.toString(); })(getSelection())`, &copied)
	if copied != all {
		t.Errorf("copied %q, want %q", copied, all)
	}

	p.opensConfirm(edited.ConfirmID)
	p.click(".verdicts button", "Edit")
	changed := maps.Clone(args)
	changed["a"] = "pay א 300 200 100"
	p.fill("#args_0", quoteObject(t, changed))
	p.click(".editor button")
	p.waitFor(".diff")
	p.inOrder("edit", ".diff", append(slices.Clone(turned), "pay א 300 200 100")...)
	p.inOrder("tool of the edit", ".card h2 .tool", turned[2])

	p.open("/plans")
	p.inOrder("plans", ".row h2", turned[0]) // a list cuts a title
	p.open("/plans/turned")
	p.inOrder("plan's title", "h1", turned...)
	p.inOrder("objective", ".reason", turned...)
	p.inOrder("steps", ".steps", turned[2], turned[4])
	p.inOrder("drawing", ".drawing", turned[2], turned[4])
	p.opensConfirm(proposed.ConfirmID)
	p.inOrder("what will happen", ".lead", turned...)
}

func quoteObject(t *testing.T, o object) string {
	t.Helper()
	var members []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		text, _ := o[name].(string)
		members = append(members, quote(name)+": "+quote(text))
	}
	return "{" + strings.Join(members, ",\n") + "}"
}

// A tool's name, however long, leaves the decision in sight, and is there whole.
func TestD8_LongNamesLeaveTheDecisionInSight(t *testing.T) {
	s := newStage(t)
	name := strings.TrimSpace(strings.Repeat("read the file and then ", 44))[:1000] + " end"
	long := s.asksFor("Read", object{"name": name, "args": object{}})
	for view, p := range map[string]*page{"wide": s.signsIn("reviewer"), "narrow": s.signsIn("reviewer", narrow())} {
		p.opensConfirm(long.ConfirmID)
		decision := `[data-verdict="approve"]`
		if view == "narrow" {
			decision = `.bar [data-verdict-of="approve"]`
		}
		if !p.is(`(box => box.height > 0 && box.bottom <= innerHeight)(` + query(decision) + `.getBoundingClientRect())`) {
			t.Errorf("%s: the decision is out of sight", view)
		}
		if !p.is(`(e => e.textContent.includes(` + quote(name) + `) && e.scrollHeight <= e.clientHeight + 1 && e.scrollWidth <= e.clientWidth + 1)(` + query("h1") + `)`) {
			t.Errorf("%s: the name is not whole", view)
		}
	}
}
