package reading

import (
	"strconv"
	"strings"
	"testing"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, json string
		want       Kind
	}{
		{"amount", `4870.50`, Sum}, {"total_cents", `499000`, Sum}, {"unitPrice", `"12.00"`, Sum}, {"fee_eur", `3`, Sum}, {"betrag", `"12000.00"`, Sum}, {"montantTotal", `120`, Sum}, {"cost_center", `"4410"`, Other}, {"total_pages", `12`, Other}, {"priceListId", `88`, Other},
		{"timeout_s", `30`, Quantity}, {"sizeBytes", `"1048576"`, Quantity}, {"total_bytes", `1`, Quantity}, {"s", `4`, Other}, {"bar", `4`, Other},
		{"account", `"4021 8876 31"`, Identifier}, {"to", `"DE89 3704 0044 0532 0130 00"`, Identifier}, {"account", `4021887631`, Identifier},
		{"commit", `"9f1c2ab34d5e6f708192a3b4c5d6e7f801234567"`, Identifier}, {"x", `"arn:aws:iam::123456789012:role/deploy"`, Identifier},
		{"phone", `"+49 170 1234567"`, Identifier}, {"id", `"7b0c9a54-2c1d-4d0a-9a7e-0c5f5e3d1b22"`, Identifier}, {"customer_id", `"cus-green-tree"`, Identifier},
		{"version", `"1.24.0"`, Other}, {"version", `"2024.10.1"`, Other}, {"quantity", `"100000"`, Other}, {"note", `"Pay 1234567 now please"`, Other}, {"status_id", `"open"`, Other},
		{"to", `"mia@example.org"`, Email}, {"to", `"Mia <mia@example.org>"`, Email}, {"to", `"mia@example"`, Other}, {"handle", `"@mia"`, Other},
		{"u", `"https://a.example/x?y=1"`, URL}, {"u", `"https://good.example@evil.example/"`, URL}, {"u", `"mailto:a@b.example"`, URL}, {"u", `"s3://bucket/key"`, URL},
		{"u", `"http:\\\\evil.example\\x"`, URL}, {"u", `"see https://a.example"`, Other}, {"u", `"note: this"`, Other},
		{"h", `"db.internal"`, Host}, {"h", `"10.0.0.7:5432"`, Host}, {"h", `"::1"`, Host}, {"host", `"db1"`, Host}, {"h", `"main.go"`, Other}, {"h", `"users.email"`, Other}, {"h", `"xn--80ak6aa92e.com"`, Host},
		{"p", `"/etc/passwd"`, Path}, {"p", `"../x"`, Path}, {"p", `"C:\\Windows"`, Path}, {"file", `"report.pdf"`, Path}, {"p", `"and/or"`, Other}, {"p", `"/approve this now"`, Other}, {"path", `"/srv/my files"`, Path},
		{"t", `"2026-03-05T14:30:00Z"`, Instant}, {"t", `"2026-03-05"`, Instant}, {"t", `"2026-03-05 14:30"`, Instant}, {"expires_at", `1772721000`, Instant}, {"n", `1772721000`, Other}, {"t", `"2026-13-05"`, Identifier},
		{"n", `null`, Other}, {"n", `true`, Other}, {"n", `""`, Other}, {"n", `"   "`, Other}, {"n", `"two\nlines"`, Other}, {"n", `{}`, Other},
		{"id", strconv.Quote(strings.Repeat("4", 5000)), Other},
	}
	for _, tt := range tests {
		v, err := Parse([]byte(tt.json))
		if err != nil {
			t.Fatalf("%s: %v", tt.json, err)
		}
		v.Name = tt.name
		if got := KindOf(v); got != tt.want {
			t.Errorf("%s: %.60s is %q, want %q", tt.name, tt.json, got, tt.want)
		}
	}
}

func TestParseAddress(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, user, host, port string
		ip, disputed           bool
	}{
		{"https://a.example:8443/x@y", "", "a.example", "8443", false, false},
		{"https://drive.example.com@files.example.net/x", "drive.example.com", "files.example.net", "", false, false},
		{"https://a:b@c@d.example", "a:b@c", "d.example", "", false, false},
		{`https://evil.example\@good.example/`, "", "evil.example", "", false, true},
		{"https:////evil.example/x", "", "evil.example", "", false, false},
		{"http://2130706433/", "", "2130706433", "", true, false},
		{"http://0x7f.1/", "", "0x7f.1", "", true, false},
		{"http://[::1]:80/", "", "::1", "80", true, false},
		{"postgres://app:secret@db.internal:5432/x", "app:secret", "db.internal", "5432", false, false},
		{"Mia <mia@example.org>", "mia", "example.org", "", false, false},
		{"mailto:mia@example.org", "mia", "example.org", "", false, false},
		{"db.internal:5432", "", "db.internal", "5432", false, false},
	}
	for _, tt := range tests {
		a, ok := ParseAddress(tt.text)
		if !ok || a.User != tt.user || a.Host != tt.host || a.Port != tt.port || a.IsIP() != tt.ip || a.Disputed != tt.disputed {
			t.Errorf("%s is %+v, IP %t", tt.text, a, a.IsIP())
		} else if tt.text[a.HostStart:a.HostStart+len(a.Host)] != a.Host {
			t.Errorf("%s: the host begins at %d", tt.text, a.HostStart)
		}
	}
	for _, text := range []string{"", "plain words", "https://", "a/b"} {
		if a, ok := ParseAddress(text); ok {
			t.Errorf("%q is %+v", text, a)
		}
	}
	if a, _ := ParseAddress("https://xn--80ak6aa92e.com/"); a.Unicode() != "аррӏе.com" || a.ASCII() != "xn--80ak6aa92e.com" {
		t.Errorf("punycode is %q, %q", a.Unicode(), a.ASCII())
	}
}
