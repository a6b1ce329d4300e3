package mplp

import (
	"testing"
	"time"
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, want string // want is "" for a refusal
		naive      bool
	}{
		{"2025-12-07T00:00:00.000Z", "2025-12-07T00:00:00.000Z", false},
		{"2025-12-22T10:00:00Z", "2025-12-22T10:00:00.000Z", false},
		{"2025-12-22t10:00:00z", "2025-12-22T10:00:00.000Z", false},
		{"2025-12-22 10:00:00+01:00", "2025-12-22T09:00:00.000Z", false},
		{"2025-12-07T00:00:00.123456", "2025-12-07T00:00:00.123Z", true},
		{"2025-12-07T23:59:59.123456789012345-00:30", "2025-12-08T00:29:59.123Z", false},
		{"2024-02-29T00:00:00", "2024-02-29T00:00:00.000Z", true},
		{"2025-02-29T00:00:00Z", "", false},
		{"2025-12-07", "", false},
		{"2025-12-07T24:00:00Z", "", false},
		{"2025-12-07T0:00:00Z", "", false},
		{"2025-12-07T00:00:00,5Z", "", false},
		{"2025-12-07T00:00:00.Z", "", false},
		{"2025-12-07T00:00:00+1:00", "", false},
		{"2025-12-07T00:00:00Z ", "", false},
		{"9999-12-31T23:59:59-01:00", "", false},
		{"0000-01-01T00:00:00+01:00", "", false},
		{"not-a-date", "", false},
		{"", "", false},
	}
	for _, tt := range tests {
		got, naive, ok := parseTime(tt.text)
		if ok != (tt.want != "") || naive != tt.naive || ok && RenderTime(got) != tt.want {
			t.Errorf("parseTime(%q) = %s, naive %t, ok %t; want %q, naive %t", tt.text, RenderTime(got), naive, ok, tt.want, tt.naive)
		}
	}
}

func TestC30_RenderTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 12, 7, 1, 2, 3, 4_999_999, time.FixedZone("", 3600))
	if got, want := RenderTime(at), "2025-12-07T00:02:03.004Z"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
