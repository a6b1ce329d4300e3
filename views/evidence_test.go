package views_test

import (
	"strings"
	"testing"
	"time"

	"countersign/views"
)

const (
	root   = "b5bXk2bB1G9m1nYQvG0gqkCk6mJx1l1y9O3x0o6Yx1Q="
	origin = "countersign/d39b2ebef0d52f27"
	vkey   = origin + "+c81db0e6+AddsZKLL2+hUcP+jhi839NgNjuLTXhD0InKJLaVidP3G"
)

func evidenceView() views.EvidenceView {
	return views.EvidenceView{
		BaseURL: "http://127.0.0.1:8080", VKey: vkey,
		Checkpoint: views.Checkpoint{
			Origin: origin, Size: "120", Root: root, At: views.At(now), URL: "/evidence/checkpoint.txt",
			Signed: origin + "\n120\n" + root + "\n\n— " + origin + " " + strings.Repeat("yB2w", 23) + "\n",
		},
		Keys: []views.EvidenceKey{{VKey: vkey, Current: true, Signed: "signed every checkpoint", Trust: "the first key of this log"}},
	}
}

// changes are findings of a verification, one of them hostile.
var changes = []string{"users 4f1c: the row is not as it was logged", "plans \u202e<b>p</b>: the row is missing"}

func alarmed(f views.Frame, findings ...string) views.Frame {
	f.Alarm = &views.Alarm{At: views.At(now), Findings: findings}
	return f
}

func changedView() views.EvidenceView {
	v := evidenceView()
	v.Verification = views.VerificationView{
		Ended: views.At(now), Took: "1.234s", Entries: "120", Findings: changes, More: 3,
		Failure: "signal: killed", FailedAt: views.At(now.Add(time.Hour)), Next: views.At(now.Add(2 * time.Hour)),
	}
	return v
}

func restoredView() views.EvidenceView {
	v := evidenceView()
	entry := views.Link{Label: "90", URL: "/log?cursor=91#entry-90"}
	v.Keys = []views.EvidenceKey{
		{VKey: strings.Replace(vkey, "d39b", "0011", 1), Signed: "signed up to 90 entries", Trust: "the first key of this log"},
		{VKey: vkey, Current: true, Signed: "signs from 91 entries on", Since: views.At(now), Entry: entry, Trust: "the key before it vouches for this one"},
	}
	v.Restores = []views.EvidenceRestore{{Entry: entry, At: views.At(now.Add(-time.Hour)), Kept: "90", Lost: "At least 7 were lost.", Origin: "countersign/00112ebef0d52f27"}}
	v.Imports = []views.LogRow{{Sequence: "12", At: views.At(now), Type: "confirm.imported", Principal: "importer", Kind: "agent", Object: views.Link{Label: "old-1", URL: "/confirms/old-1"}}}
	v.MoreImports = []views.Link{{Label: "confirm.imported", URL: "/log?type=confirm.imported"}}
	return v
}

func proof(state views.EvidenceState) *views.ConfirmEvidence {
	e := &views.ConfirmEvidence{State: state, Decided: true, Entry: views.Link{Label: "41", URL: "/log?cursor=42#entry-41"}, AboutURL: "/evidence"}
	if state != views.EvidenceUnproven {
		e.Size, e.Root = "120", root
	}
	if state.Holds() {
		e.Signer, e.BundleURL = origin+"+c81db0e6", "/evidence/confirms/c1"
	}
	return e
}

// A reader learns from words, not from a colour, how far a record is proven;
// and what is not proven is not offered as proof.
func TestEvidenceOfAConfirmInWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, story, badge, words string
		bundle, alarm             int
	}{
		{"proven", "confirm-approved", "Proven", "what was decided here", 1, 0},
		{"forgotten", "confirm-forgotten", "Proven, content deleted", "Only an exported bundle still has its text", 1, 0},
		{"import", "confirm-import", "Proven only as an import", "does not prove that anybody decided it", 1, 0},
		{"altered", "confirm-altered", "Not proven", "differs from the signed log", 0, 1},
		{"unproven", "confirm-unproven", "Not proven", "missing from the signed log", 0, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			card := find(t, tc.story).Find(".evidence")
			if got := strings.TrimSpace(card.Find(".badge").Text()); got != tc.badge {
				t.Errorf("badge %q, want %q", got, tc.badge)
			}
			if !strings.Contains(card.Text(), tc.words) {
				t.Errorf("the card does not say %q:\n%s", tc.words, card.Text())
			}
			if got := card.Find("a[href^='/evidence/confirms/']").Length(); got != tc.bundle {
				t.Errorf("%d bundles offered, want %d", got, tc.bundle)
			}
			if got := card.Find("[role=alert]").Length(); got != tc.alarm {
				t.Errorf("%d alarms, want %d", got, tc.alarm)
			}
		})
	}
	if got := find(t, "confirm-action").Find(".evidence").Length(); got != 0 {
		t.Error("a reader who may not take the evidence away is shown a card")
	}
}

// Every command to copy names the key or the address that it needs.
func TestEvidenceCommandsAreWhole(t *testing.T) {
	t.Parallel()
	doc := find(t, "evidence")
	for id, want := range map[string]string{
		"verify-bundle": "--vkey '" + vkey + "'", "verify-database": "--vkey '" + vkey + "'", "keep": "http://127.0.0.1:8080/api/v1/evidence/checkpoint", "vkey": vkey,
	} {
		if got := doc.Find("#" + id).Text(); !strings.Contains(got, want) {
			t.Errorf("%s: %q does not have %q", id, got, want)
		}
		if doc.Find("[data-copy='#"+id+"']").Length() != 1 {
			t.Errorf("%s cannot be copied", id)
		}
	}
	if got := doc.Find("#signed").Text(); got != evidenceView().Checkpoint.Signed {
		t.Errorf("the checkpoint is not as it was signed: %q", got)
	}
	if got := doc.Find("#restores").Length(); got != 0 {
		t.Error("a log that was never restored has a list of restores")
	}
}

func TestEvidenceShowsNewBeginnings(t *testing.T) {
	t.Parallel()
	doc := find(t, "evidence-restored")
	if got := doc.Find("section[aria-labelledby=evidence-keys] li").Length(); got != 2 {
		t.Errorf("%d keys, want 2", got)
	}
	if got := doc.Find("section[aria-labelledby=restores]").Text(); !strings.Contains(got, "At least 7 were lost.") {
		t.Errorf("restores: %q", got)
	}
	if got := doc.Find("section[aria-labelledby=imports] tbody a").AttrOr("href", ""); got != "/confirms/old-1" {
		t.Errorf("the import leads to %q", got)
	}
}

// What was found is shown to whoever may read the log, and nothing in it hides or
// is markup; to others the alarm says whom to ask.
func TestAlarmInWords(t *testing.T) {
	t.Parallel()
	for story, words := range map[string][]string{
		"evidence-changed": {"Nothing can be decided now", changes[0], "<b>p</b>: the row is missing", "What to do"},
		"confirm-changed":  {"Nothing can be decided now", "Tell an administrator"},
	} {
		alarm := find(t, story).Find("#alarm [role=alert]")
		for _, want := range words {
			if !strings.Contains(alarm.Text(), want) {
				t.Errorf("%s: the alarm does not say %q: %s", story, want, alarm.Text())
			}
		}
		if strings.Contains(alarm.Text(), "\u202e") {
			t.Errorf("%s: what hides is not marked", story)
		}
	}
	if got := find(t, "evidence").Find("#alarm").Children().Length(); got != 0 {
		t.Error("there is an alarm without a reason")
	}
}
