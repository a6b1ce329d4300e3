package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"countersign/domain"
)

// narrow is a telephone.
func narrow() *emulation.SetDeviceMetricsOverrideParams {
	return emulation.SetDeviceMetricsOverride(390, 844, 1, true)
}

// dark is a reader who prefers a dark screen.
func dark() *emulation.SetEmulatedMediaParams {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}})
}

// furnish posts one of everything and gives the pages that show it.
func (s *stage) furnish() (pages map[string]string) {
	s.t.Helper()
	plan := s.loginPlan()
	var proposed pending
	s.calls(http.MethodPost, "/api/v1/plans/"+plan+"/propose", object{"reason": "Requesting approval to fix login 500 error"}, &proposed)
	transfer := s.paymentPlan()
	gated := s.asks(object{"target_type": "plan", "target_id": transfer, "requested_by_role": "executor-agent",
		"reason": "Step 3 requires financial authorization for amount > $1000.", "trace": object{"trace_id": "trace-tx-789", "span_id": "span-step-3"}})
	var traded, several pending
	trade := example("trade")
	trade["session_id"] = "abc-123"
	s.calls(http.MethodPost, "/api/v1/approvals", trade, &traded)
	cleanup := example("cleanup")
	cleanup["session_id"] = "abc-124"
	s.calls(http.MethodPost, "/api/v1/approvals", cleanup, &several)
	destination := s.addDestination("Payments channel")
	policy := s.addPolicy("Large transfers")
	long := s.asksFor("A long one: "+longWord, object{"name": "write_" + longWord, "args": object{longWord: longWord, "n": 1}})
	return map[string]string{
		"inbox": "/confirms", "decided": "/confirms?status=decided", "confirm": "/confirms/" + traded.ConfirmID,
		"confirm-several": "/confirms/" + several.ConfirmID, "confirm-plan": "/confirms/" + proposed.ConfirmID,
		"confirm-step": "/confirms/" + gated.ConfirmID, "confirm-long": "/confirms/" + long.ConfirmID,
		"plans": "/plans", "plan": "/plans/" + plan, "plan-gated": "/plans/" + transfer, "contexts": "/contexts",
		"connect": "/connect", "roles": "/roles", "role": "/roles/reviewer", "role-new": "/roles/new", "users": "/users", "keys": "/keys",
		"destinations": "/destinations", "destination": destination, "destination-new": "/destinations/new", "deliveries": "/deliveries",
		"policies": "/policies", "policy": policy, "policy-new": "/policies/new",
		"log": "/log", "evidence": "/evidence", "account": "/account",
	}
}

// addDestination adds a destination that nobody reaches, and returns the address of its
// page.
func (s *stage) addDestination(name string) (page string) {
	s.t.Helper()
	if code := run(s.t.Context(), []string{"destination", "add", name, "--db", s.db, "--format", "slack", "--url-stdin"}, noEnvironment, strings.NewReader("https://hooks.example/services/secret\n"), io.Discard, os.Stderr); code != 0 {
		s.t.Fatalf("destination add: exit code %d", code)
	}
	opened(s.t, s.db, func(h *house) {
		list, err := h.Destinations(s.t.Context(), domain.System)
		if err != nil || len(list) == 0 {
			s.t.Fatal(err)
		}
		page = "/destinations/" + list[0].ID
	})
	return page
}

// addPolicy saves two versions of a policy that nobody can meet, and returns the address
// of its page.
func (s *stage) addPolicy(name string) (page string) {
	s.t.Helper()
	var in domain.PolicyInput
	opened(s.t, s.db, func(h *house) {
		for _, amount := range []int{10_000, 20_000} {
			in.Enabled, in.Document = true, fmt.Appendf(nil, `{"v":1,"name":%q,"effect":"require","match":{"tools":["wire_*","pay_invoice"]},"condition":"args.amount > %d && args.currency == \"EUR\"",
				"quorum":[{"role":"reviewer","approvals":1},{"role":"architect","approvals":1}],"timeout":3600,"escalate":[{"after":900,"role":"admin","for":"architect"}],"note":"Call the bank first."}`, name, amount)
			saved, err := h.SavePolicy(s.t.Context(), domain.System, in)
			if err != nil {
				s.t.Fatal(err)
			}
			in.ID, in.Version = saved.Policy.ID, saved.Policy.Version
		}
	})
	return "/policies/" + in.ID
}

const longWord = "a_word_that_goes_on_and_on_without_a_place_where_it_could_be_broken_into_lines_0123456789"

// paymentPlan posts a plan whose third step moves money.
func (s *stage) paymentPlan() (id string) {
	s.t.Helper()
	var where, draft posted
	s.calls(http.MethodPost, "/api/v1/contexts", example("accounting"), &where)
	plan := example("payment")
	plan["context_id"] = where.ContextID
	s.calls(http.MethodPost, "/api/v1/plans", plan, &draft)
	return draft.PlanID
}

// At 390 px nothing needs scrolling sideways.
func TestE2E_Narrow(t *testing.T) {
	s := newStage(t)
	pages := s.furnish()
	p := s.signsIn("admin", narrow())
	for name, path := range pages {
		p.open(path)
		p.waitFor("main h1")
		var width int
		if p.eval(`document.documentElement.scrollWidth`, &width); width > 390 {
			var widest string
			p.eval(`[...document.querySelectorAll("main *, header *")].filter(e => !e.closest(".drawing-scroll") && e.getBoundingClientRect().right > 391).map(e => e.tagName + "." + e.className).slice(0, 5).join(" ")`, &widest)
			t.Errorf("%s is %d px wide, because of %s", name, width, widest)
		}
		var cut string
		p.eval(`[...document.querySelectorAll("main button, main .button, main input, main textarea")].filter(e => e.checkVisibility() && !e.closest(".drawing-scroll") && (r => r.left < 0 || r.right > 390)(e.getBoundingClientRect())).map(e => e.outerHTML.slice(0, 80)).join("\n")`, &cut)
		if cut != "" {
			t.Errorf("%s has controls that are not all there:\n%s", name, cut)
		}
	}
}

// An administrator's sections are one row at 390 px: it shows which one is open
// and how much waits, and the Tab key brings every other into sight.
func TestE2E_NarrowSections(t *testing.T) {
	s := newStage(t)
	p := s.signsIn("admin", narrow())
	p.open("/evidence")
	p.waitFor("main h1")
	var height float64
	if p.eval(`document.querySelector(".sections").getBoundingClientRect().height`, &height); height > 60 {
		t.Errorf("the sections are %v px high", height)
	}
	var out []string
	p.eval(`(() => {
		const covered = (e, x) => !e.contains(document.elementFromPoint(x, e.getBoundingClientRect().top + 9));
		const out = e => (r => r.left < 0 || r.right > 390 || covered(e, r.left + 9) || covered(e, r.right - 9))(e.getBoundingClientRect()) ? [e.textContent.trim()] : [];
		const links = [...document.querySelectorAll(".sections a")];
		const inSight = () => [".sections [aria-current=page]", "#pending-count"].flatMap(s => out(document.querySelector(s)));
		return [...inSight(), ...links.reverse().flatMap(e => (e.focus(), [...out(e), ...out(document.querySelector("#pending-count"))]))];
	})()`, &out)
	if len(out) > 0 {
		t.Errorf("out of sight: %q", out)
	}
}

// contrasts gives the pairs of text and ground that WCAG AA does not accept:
// under 4.5, or 3 for large text.
const contrasts = `(() => {
	const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
	const rgba = color => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
	const luminance = ([r, g, b]) => { const [R, G, B] = [r, g, b].map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * R + .7152 * G + .0722 * B; };
	const ground = e => { for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; } return [255, 255, 255]; };
	const weak = [];
	for (const e of document.querySelectorAll("body *")) {
		const words = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join("");
		if (!words || !e.checkVisibility() || e.closest(".sr-only, .skip, :disabled, noscript, script, svg title, svg desc")) continue;
		const style = getComputedStyle(e), size = parseFloat(style.fontSize);
		const box = e.closest("svg a")?.querySelector(".box");
		const pair = box ? [style.fill, getComputedStyle(box).fill].map(rgba) : [rgba(style.color), ground(e)];
		const [a, b] = pair.map(luminance).sort((x, y) => y - x);
		const ratio = (a + .05) / (b + .05), large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
		if (ratio < (large ? 3 : 4.5)) weak.push(ratio.toFixed(2) + " " + e.tagName + "." + e.getAttribute("class") + " " + words.slice(0, 30));
	}
	return weak;
})()`

func TestE2E_ColoursInBothThemes(t *testing.T) {
	s := newStage(t)
	pages := s.furnish()
	colours := `(s => s.backgroundColor + " " + s.color)(getComputedStyle(document.body))`
	seen := map[string]string{}
	for theme, p := range map[string]*page{"light": s.signsIn("admin"), "dark": s.signsIn("admin", dark())} {
		for name, path := range pages {
			p.open(path)
			p.waitFor("main h1")
			var weak []string
			if p.eval(contrasts, &weak); len(weak) > 0 {
				t.Errorf("%s, %s: too little contrast: %q", name, theme, weak)
			}
			if name == "confirm" && p.count(".badge") == 0 {
				t.Error("the page of a confirm has no status")
			}
		}
		var found string
		p.eval(colours, &found)
		seen[theme] = found
	}
	if seen["dark"] == seen["light"] {
		t.Errorf("both themes have the colours %s", seen["dark"])
	}
}

// At 390 px what is pressed is large enough for a finger; a link within a line
// of text is as high as the line.
func TestE2E_ControlsFitFingers(t *testing.T) {
	s := newStage(t)
	pages := s.furnish()
	p := s.signsIn("admin", narrow())
	for name, path := range pages {
		p.open(path)
		p.waitFor("main h1")
		var small []string
		p.eval(`[...document.querySelectorAll("button, .button, select, summary, textarea, nav a, header a, .crumbs a, label.check, label.choice, input:not([type=hidden], [type=checkbox], [type=radio])")]
			.filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44)
			.map(e => e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 20) + " " + e.getBoundingClientRect().height)`, &small)
		if len(small) > 0 {
			t.Errorf("%s has controls under 44 px: %q", name, small)
		}
	}
}
