package evidence

import (
	"strings"
	"testing"
)

func TestIsOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, content string
		want          bool
	}{
		{"as it is written", `{"v":1,"confirm_id":"c1","target_type":"other","received_at":"2026-01-02T03:04:05.678Z"}`, true},
		{"written otherwise", `{"confirm_id": "c\u0031", "received_at": "2026-01-02T03:04:05.678Z"}`, true},
		{"another confirm's", `{"v":1,"confirm_id":"c2","target_type":"other","received_at":"2026-01-02T03:04:05.678Z"}`, false},
		{"one that begins with it", `{"v":1,"confirm_id":"c12","target_type":"other","received_at":"2026-01-02T03:04:05.678Z"}`, false},
		{"nobody's", `{"v":1,"received_at":"2026-01-02T03:04:05.678Z"}`, false},
		{"no content", `{"v":1,"confirm_id":"c1"`, false},
		{"nothing", ``, false},
	} {
		if got := isContentOf([]byte("c1"), []byte(tt.content)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestParseHash(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("0a", 32)
	for _, tt := range []struct {
		name, text string
		known      bool
	}{
		{"as it is written", "sha256:" + digits, true},
		{"capital digits", "sha256:" + strings.ToUpper(digits), false},
		{"no prefix", digits, false},
		{"too short", "sha256:" + digits[2:], false},
		{"too long", "sha256:" + digits + "0a", false},
		{"not all digits", "sha256:" + digits[:62] + "xy", false},
		{"nothing", "", false},
	} {
		got := parseHash(tt.text)
		if known := got != (Hash{}); known != tt.known || known && formatHash(got) != tt.text {
			t.Errorf("%s: %x", tt.name, got)
		}
	}
}
