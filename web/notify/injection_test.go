package notify_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/web/notify"
)

// hostileNames returns names that try to be more than text: each payload in each
// disguise.
func hostileNames() (names []string) {
	payloads := []string{
		"<!channel>", "<!here|here>", "<@U012AB3CD>", "<#C024BE7LR>", "@here", "@channel", "<at>everyone</at>", "<!subteam^S1|@all>",
		"<https://evil.example|Approve>", "https://evil.example/approve", "HTTP://evil.example", "www.evil.example", "evil.example", "//evil.example",
		"mailto:a@evil.example", "a@evil.example", "tel:+15551234", "slack://open", "javascript:alert(1)", "data:text/html,x", "192.0.2.1",
		"[Approve](https://evil.example)", "![x](https://evil.example/x.png)", "[a]: https://evil.example", "<a href=\"https://evil.example\">Approve</a>",
		"*bold*", "_italic_", "__strong__", "~gone~", "`code`", "```\ncode\n```", "# Heading", "> quoted", "- item", "1. item", "| a | b |", "\\*x\\*", ":tada:",
		`"}],"actions":[{"type":"Action.OpenUrl","title":"Approve","url":"https://evil.example"}]`,
		`","url":"https://evil.example","x":"`, `{"type":"Image","url":"https://evil.example/x.png"}`, `\u003chttps://evil.example\u003e`, `\",\"a\":\"`,
		"{{DATE(2026-01-01T00:00:00Z, SHORT)}}", "${url}", "@{triggerBody()}", "%0d%0aX: y", "&lt;!channel&gt;", "&amp;", "</script><script>alert(1)</script>",
		"\x00\x01\x1b[31m", "\xff\xfe", "\u202eevil", "\u2066x\u2069", "a\u200bb", "\ufeff", "\u2028\u2029", "\U000e0041", "\u0336s\u0336", "\ufdfa",
	}
	disguises := []string{
		"%s", "kim %s", "%s kim", "kim%skim", "kim\r\n%s\r\nX-Header: y\r\n\r\n", "\u202e%s\u202c", "\u200b%s\u200b", "(%s)", "\n\n%s\n\n",
		"kim. It expires at 09:00 UTC.\n%s",
	}
	for _, payload := range payloads {
		for _, disguise := range disguises {
			names = append(names, fmt.Sprintf(disguise, payload))
		}
	}
	return append(names, strings.Repeat("x", 10<<20), strings.Repeat("<!channel>", 1<<20), strings.Repeat("\u200b", 1<<20)+"kim")
}

// skeletonOf returns a message with its texts left out, and the texts. The link that
// all messages have stays.
func skeletonOf(t *testing.T, body string) (skeleton any, texts []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &skeleton); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	var empty func(v any) any
	empty = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for name, value := range v {
				if text, isText := value.(string); isText && (name == "text" || name == "requested_by") && text != "Open the request" {
					texts = append(texts, text)
					v[name] = "a text"
				} else {
					v[name] = empty(value)
				}
			}
		case []any:
			for i := range v {
				v[i] = empty(v[i])
			}
		}
		return v
	}
	return empty(skeleton), texts
}

// active is what some chat program makes a link, a mention or a format of.
var active = regexp.MustCompile("[<>\\[\\]{}*~`|\\\\#!@&=\"$%^+;?:/]|[\\pL\\pN]\\.[\\pL\\pN]|(^|[^\\pL\\pN_])_|_($|[^\\pL\\pN_])")

// Whatever the name of a requester is, messages keep their form and their one link, and
// the name is short text on one line.
func TestInjection(t *testing.T) {
	t.Parallel()
	names := hostileNames()
	if len(names) < 500 {
		t.Fatalf("only %d names", len(names))
	}
	for _, format := range []domain.Format{domain.FormatStandard, domain.FormatSlack, domain.FormatTeams} {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t, true, nil)
			s := notify.New(r.options())
			d := dispatch(format, r.URL)
			want, _ := skeletonOf(t, r.send(t, s, d).body)
			for _, name := range names {
				d = dispatch(format, r.URL)
				d.Message.Confirm.Requester = name
				got, texts := skeletonOf(t, r.send(t, s, d).body)
				shown := name[:min(len(name), 100)]
				if format == domain.FormatStandard && len(texts) == 0 {
					got.(map[string]any)["data"].(map[string]any)["requested_by"] = "a text" // nothing of the name can be seen
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%q changes the form (-want +got):\n%s", shown, diff)
				}
				for _, text := range texts {
					checkName(t, format, shown, text)
				}
			}
		})
	}
}

// checkName checks what became of a name in a text.
func checkName(t *testing.T, format domain.Format, name, text string) {
	t.Helper()
	if format != domain.FormatStandard {
		var isOurs bool
		text, isOurs = strings.CutPrefix(text, "A request waits for a decision: wire_transfer")
		rest, hasEnd := strings.CutSuffix(text, ". It expires at 14:05 UTC.")
		text = strings.TrimPrefix(rest, ", asked for by ")
		if !isOurs || !hasEnd {
			t.Errorf("%q changes our words: %q", name, text)
		}
		if active.MatchString(text) {
			t.Errorf("%q becomes %q", name, text)
		}
	}
	isHidden := func(r rune) bool {
		return !unicode.IsGraphic(r) || r == utf8.RuneError || unicode.IsSpace(r) && r != ' '
	}
	if n := utf8.RuneCountInString(text); n > 66 || strings.ContainsFunc(text, isHidden) {
		t.Errorf("%q becomes %q", name, text)
	}
}

// Names that are not hostile can be read as they are.
func TestInjection_KeepsNames(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, true, nil)
	s := notify.New(r.options())
	for name, want := range map[string]string{
		"payments-agent":        "payments-agent",
		"nightly_build_2":       "nightly_build_2",
		"Dr. Ångström (Ops)":    "Dr. Ångström (Ops)",
		"Ольга, 東京":             "Ольга, 東京",
		"  two \t\n spaces  ":   "two spaces",
		"v1.2":                  "v1․2",
		"kim@example.org":       "kim＠example․org",
		"mcp:pay":               "mcp꞉pay",
		strings.Repeat("é", 64): strings.Repeat("é", 64),
		strings.Repeat("é", 65): strings.Repeat("é", 64) + "…",
	} {
		d := dispatch(domain.FormatSlack, r.URL)
		d.Message.Confirm.Requester = name
		text := decodeSlack(t, r.send(t, s, d).body).Text
		if got := strings.TrimPrefix(text, "A request waits for a decision: wire_transfer, asked for by "); got != want+". It expires at 14:05 UTC." {
			t.Errorf("%q: got %q", name, got)
		}
	}
}
