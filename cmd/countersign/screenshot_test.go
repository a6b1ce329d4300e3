package main

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestE2E_Screenshots takes a picture of the inbox. With COUNTERSIGN_SCREENSHOTS
// naming a directory it takes one of every page there, at 1280 and 390 px, light
// and dark: they are for looking at before a change of the pages is done.
func TestE2E_Screenshots(t *testing.T) {
	s := newStage(t)
	dir := os.Getenv("COUNTERSIGN_SCREENSHOTS")
	if dir == "" {
		s.furnish()
		s.signsIn("reviewer").photograph(filepath.Join(t.TempDir(), "inbox.png"), 1280)
		return
	}
	pages := s.furnish()
	s.decideSome(dir, pages)
	votes := s.voteSome()
	for _, look := range []struct {
		name  string
		width int
		setup []chromedp.Action
	}{
		{"1280-light", 1280, nil},
		{"1280-dark", 1280, []chromedp.Action{dark()}},
		{"390-light", 390, []chromedp.Action{narrow()}},
		{"390-dark", 390, []chromedp.Action{narrow(), dark()}},
	} {
		reviewer, owner := s.signsIn("reviewer", look.setup...), s.signsIn("admin", look.setup...)
		for name, path := range pages {
			p := reviewer
			if ownersPages[name] {
				p = owner
			}
			p.open(path)
			p.waitFor("main h1")
			p.photograph(filepath.Join(dir, name+"-"+look.name+".png"), look.width)
		}
		voter := s.signsIn("ed", look.setup...)
		for name, path := range votes {
			voter.open(path)
			voter.waitFor("main h1")
			voter.photograph(filepath.Join(dir, name+"-"+look.name+".png"), look.width)
		}
		owner.triesPolicy()
		owner.photograph(filepath.Join(dir, "policy-tried-"+look.name+".png"), look.width)
	}
}

// TestScreenshots_OfTheReadme takes the README's pictures: of the requests of six trades,
// and of a plan. With COUNTERSIGN_README_SCREENSHOTS naming a directory (make screenshots)
// they are kept there.
func TestScreenshots_OfTheReadme(t *testing.T) {
	s := newStage(t)
	dir := os.Getenv("COUNTERSIGN_README_SCREENSHOTS")
	if dir == "" {
		dir = t.TempDir()
	}
	asked := map[string]string{}
	for _, r := range reviewRequests(t) {
		asked[r.Name] = s.asks(r.Request).ConfirmID
	}
	p := s.signsIn("reviewer", chromedp.EmulateViewport(1280, 800))
	p.open("/confirms")
	p.waitFor(".notices")
	p.capture(filepath.Join(dir, "inbox.png"))
	for picture, name := range map[string]string{"request": "payment-account-differs", "patch": "patch-drops-check"} {
		p.opensConfirm(asked[name])
		p.waitFor(".finding")
		p.capture(filepath.Join(dir, picture+".png"))
	}
	p.open("/plans/" + s.paymentPlan())
	p.waitFor(".drawing svg")
	p.capture(filepath.Join(dir, "plan.png"))
}

// capture writes what the window shows as a picture that is small enough for a
// repository.
func (p *page) capture(file string) {
	p.t.Helper()
	var picture []byte
	p.do(chromedp.CaptureScreenshot(&picture))
	if len(picture) > 256<<10 {
		p.t.Errorf("%s has %d bytes, want at most 256 KiB", file, len(picture))
	}
	if err := os.WriteFile(file, picture, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// ownersPages are those that a reviewer does not see.
var ownersPages = map[string]bool{"contexts": true, "roles": true, "role": true, "role-new": true, "users": true, "user": true, "keys": true, "connect": true, "destinations": true, "destination": true, "destination-new": true, "deliveries": true, "policies": true, "policy": true, "policy-new": true}

// decideSome leaves decisions to look at, and more pages for them.
func (s *stage) decideSome(dir string, pages map[string]string) {
	s.t.Helper()
	p := s.signsIn("second")
	edited, refused := s.asksFor("Review the quantity: the daily limit is 50", trade()), s.asksFor("Tell everybody", object{"name": "post_message", "args": object{"text": "Done"}})
	p.opensConfirm(edited.ConfirmID)
	p.click(".verdicts button", "Edit")
	p.fill("#args_0", `{"quantity": 50, "side": "buy", "symbol": "VNM"}`)
	p.fill("#reason", "Half of it")
	p.click(".editor button")
	p.waitFor(".diff")
	p.photograph(filepath.Join(dir, "edit-1280-light.png"), 1280)
	p.click(`[data-verdict="approve"]`)
	p.waitFor(".receipt")
	p.photograph(filepath.Join(dir, "receipt-1280-light.png"), 1280)
	p.opensConfirm(refused.ConfirmID)
	p.click(".presets .chip", "Not now")
	p.click(`[data-verdict="reject"]`)
	p.waitFor(".receipt")
	pages["confirm-edited"], pages["confirm-rejected"] = "/confirms/"+edited.ConfirmID, "/confirms/"+refused.ConfirmID
	p = s.signsIn("admin")
	p.open("/users")
	p.submit(".list a", "second")
	pages["user"] = p.path()
}

// photograph writes the whole page as a picture, and checks that it is one.
func (p *page) photograph(file string, width int) {
	p.t.Helper()
	var picture []byte
	p.do(chromedp.FullScreenshot(&picture, 100))
	config, err := png.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		p.t.Fatalf("%s: %v", file, err)
	}
	if config.Width != width || config.Height < 400 {
		p.t.Errorf("%s is %d by %d pixels, want %d pixels wide", file, config.Width, config.Height, width)
	}
	if err := os.WriteFile(file, picture, 0o600); err != nil {
		p.t.Fatal(err)
	}
}
