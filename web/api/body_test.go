package api

import (
	"encoding/json"
	"testing"

	"countersign/domain/mplp"
)

// TestASCII: no warning of today has such text, but a header must never.
func TestASCII(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"plain", "a \"b\"", `"a \"b\""`},
		{"two bytes", "é", `"\u00e9"`},
		{"three bytes", "Ủ", `"\u1ee6"`},
		{"beyond the basic plane", "😀", `"\ud83d\ude00"`},
		{"delete", "\x7f", `"\u007f"`},
		{"new line", "a\r\nb", `"a\r\nb"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			quoted, err := json.Marshal(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			got := mplp.Escape(string(quoted), isNotASCII)
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			var back string
			if err := json.Unmarshal([]byte(got), &back); err != nil || back != tt.text {
				t.Errorf("read back as %q, %v", back, err)
			}
		})
	}
}
