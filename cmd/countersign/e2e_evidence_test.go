package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"countersign/domain/evidence"
)

// downloadsTo lets the window store files in a directory, and gives a wait for
// one by its name.
func (p *page) downloadsTo(dir string) (arrived func(name string) string) {
	p.t.Helper()
	c := chromedp.FromContext(p.ctx)
	executor := cdp.WithExecutor(p.ctx, c.Browser)
	info, err := target.GetTargetInfo().WithTargetID(c.Target.TargetID).Do(executor)
	if err != nil {
		p.t.Fatal(err)
	}
	allow := cdpbrowser.SetDownloadBehavior(cdpbrowser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(dir).WithBrowserContextID(info.BrowserContextID)
	if err := allow.Do(executor); err != nil {
		p.t.Fatal(err)
	}
	return func(name string) string {
		p.t.Helper()
		file, late := filepath.Join(dir, name), time.After(soon)
		look := time.NewTicker(15 * time.Millisecond)
		defer look.Stop()
		for {
			text, err := os.ReadFile(file)
			switch {
			case err == nil && len(text) > 0:
				return file
			case err != nil && !errors.Is(err, fs.ErrNotExist):
				p.t.Fatal(err)
			}
			select {
			case <-look.C:
			case <-late:
				p.t.Fatalf("%s never came\n%s", name, p)
			}
		}
	}
}

// A reviewer approves, takes the proof away, and the program alone verifies it.
func TestE2E_Evidence(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("The limit is 100", trade())
	p := s.signsIn("reviewer")
	dir := t.TempDir()
	arrived := p.downloadsTo(dir)
	p.opensConfirm(asked.ConfirmID)
	p.opensRecord()
	p.sees(".evidence .badge", "Proven")
	p.sees(".evidence", "what was requested here")
	p.click(`[data-verdict="approve"]`)
	p.waitFor(".receipt")
	p.opensRecord()
	p.sees(".evidence", "what was decided here")
	p.click(".evidence .button")
	bundle := arrived("evidence-" + asked.ConfirmID + ".json")

	p.click(".evidence a", "What this proves, and how to verify it")
	p.waitPath("/evidence")
	vkey := p.text("#vkey")
	p.click("section[aria-labelledby=checkpoint] a.button")
	signed, err := os.ReadFile(arrived("checkpoint.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := evidence.OpenCheckpoint(string(signed), vkey); err != nil || p.text("section[aria-labelledby=checkpoint] dd:nth-of-type(3)") != c.Root.String() {
		t.Errorf("the checkpoint that came is not that of the page: %+v, %v", c, err)
	}
	if told := invoke(t, "evidence", "verify", "--bundle", bundle, "--vkey", vkey); !strings.HasPrefix(told, "verified: 2 log entries and 1 contents") {
		t.Errorf("the bundle: %s", told)
	}
	invoke(t, "evidence", "verify", "--db", s.db, "--vkey", vkey, "--checkpoint", filepath.Join(dir, "checkpoint.txt"))

	p.fill("#confirm_id", asked.ConfirmID)
	if err := os.Remove(bundle); err != nil {
		t.Fatal(err)
	}
	p.click("section[aria-labelledby=bundle] .button")
	arrived("evidence-" + asked.ConfirmID + ".json")

	text, err := os.ReadFile(filepath.Join(dir, "evidence-"+asked.ConfirmID+".json"))
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(dir, "changed.json")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), "VNM", "VNX", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, told, _ := attempt(t, "evidence", "verify", "--bundle", changed, "--vkey", vkey); code != int(exitTampered) {
		t.Errorf("another share than was approved: exit code %d: %s", code, told)
	}
}
