package main

import (
	"flag"
	"testing"
	"time"
)

func TestLife(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		value string
		want  time.Duration // zero: refused
	}{
		{"90d", 90 * 24 * time.Hour},
		{"12h30m", 12*time.Hour + 30*time.Minute},
		{"36500d", 36500 * 24 * time.Hour},
		{"36501d", 0},
		{"99999999999999999999d", 0},
		{"0d", 0},
		{"-1d", 0},
		{"0s", 0},
		{"-1h", 0},
		{"d", 0},
		{"90", 0},
		{"", 0},
	} {
		t.Run(test.value, func(t *testing.T) {
			t.Parallel()
			var got lifetime
			if err := got.Set(test.value); (err == nil) != (test.want > 0) || time.Duration(got) != test.want {
				t.Errorf("got %v and error %v, want %v", time.Duration(got), err, test.want)
			}
		})
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, value, want string }{
		{"host", "https://Countersign.Example.org", "https://countersign.example.org"},
		{"port and slash", "http://10.0.0.1:8080/", "http://10.0.0.1:8080"},
		{"path", "https://x.example/app", ""},
		{"query", "https://x.example?a", ""},
		{"user", "https://a@x.example", ""},
		{"scheme", "ftp://x.example", ""},
		{"no scheme", "x.example", ""},
		{"no host", "https://", ""},
		{"no host but a port", "https://:80", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got address
			if err := got.Set(test.value); (err == nil) != (test.want != "") || got.String() != test.want {
				t.Errorf("got %q and error %v, want %q", got.String(), err, test.want)
			}
		})
	}
}

var _ = []flag.Value{(*list)(nil), (*lifetime)(nil), (*interval)(nil), (*address)(nil), (*networks)(nil)}
