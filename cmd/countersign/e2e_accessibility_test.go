package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// violations runs axe-core and lists what it finds, one line for each element.
const violations = `axe.run(document, OPTIONS).then(found => found.violations.flatMap(v =>
	v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + n.any.concat(n.all, n.none).map(c => c.message).join("; "))))`

// theme is a reader who prefers it and no motion, so that no color is halfway
// between two themes.
func theme(scheme string) *emulation.SetEmulatedMediaParams {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	})
}

const wcag = `{runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}`

// Every page passes axe-core (WCAG 2.2 AA), at both widths and in both themes.
func TestE2E_Accessibility(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(root, ".build", "test-tools", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatalf("axe-core is missing, run make test-tools: %v", err)
	}
	s := newStage(t)
	pages := s.furnish()
	p := s.signsIn("admin")
	s.decideSome(t.TempDir(), pages)
	check := func(p *page, name, options string) {
		t.Helper()
		var found []string
		p.do(chromedp.Evaluate(strings.Replace(violations, "OPTIONS", options, 1), &found,
			func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
		for _, violation := range found {
			t.Errorf("%s: %s", name, violation)
		}
	}
	look := func(p *page, name string) {
		t.Helper()
		var ignored any
		p.do(chromedp.Evaluate(string(axe)+"; null", &ignored))
		p.do(emulation.SetDeviceMetricsOverride(1280, 800, 1, false), theme("light"))
		check(p, name+", wide and light", wcag)
		p.do(narrow(), theme("dark"))
		check(p, name+", narrow and dark", wcag)
	}
	for name, path := range pages {
		p.open(path)
		p.waitFor("main h1")
		look(p, name)
	}
	votes, voter := s.voteSome(), s.signsIn("ed")
	for name, path := range votes {
		voter.open(path)
		voter.waitFor("main h1")
		look(voter, name)
	}
	p.open("/confirms/" + s.asksWithSchema().ConfirmID)
	p.click(".editor > summary")
	p.click(".args-json > summary")
	look(p, "fields of arguments")
	p.triesPolicy()
	look(p, "a tried policy")
	stranger := s.opens()
	stranger.open("/login")
	stranger.waitFor("main h1")
	look(stranger, "login")
}
