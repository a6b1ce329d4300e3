package main

import (
	"flag"
	"net/netip"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/web/notify"
)

func TestEgress_Flags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		flag       flag.Value
		name, text string
		want       string // empty: refused
	}{
		{new(prefixes), "a range", "10.1.2.3/8", "10.0.0.0/8"},
		{new(prefixes), "both families", "10.0.0.0/8,fd00::/8", "10.0.0.0/8,fd00::/8"},
		{new(prefixes), "twice", "10.0.0.0/8,10.0.0.1/8", "10.0.0.0/8"},
		{new(prefixes), "an address", "10.0.0.1", ""},
		{new(prefixes), "a mapped range", "::ffff:10.0.0.0/104", ""},
		{new(prefixes), "a zone", "fe80::1%eth0/64", ""},
		{new(prefixes), "nothing", "", ""},
		{new(ports), "ports", "443,8443,443", "443,8443"},
		{new(ports), "no port", "0", ""},
		{new(ports), "too high", "65536", ""},
		{new(ports), "a sign", "-1", ""},
		{new(ports), "a name", "https", ""},
		{new(ports), "nothing", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if err := test.flag.Set(test.text); (err == nil) != (test.want != "") || test.flag.String() != test.want {
				t.Errorf("got %q and error %v, want %q", test.flag, err, test.want)
			}
		})
	}
}

// What the flags say reaches the sender, and by default nothing is allowed.
func TestEgress_Options(t *testing.T) {
	t.Parallel()
	base := &url.URL{Scheme: "https", Host: "countersign.example.org"}
	for _, test := range []struct {
		name string
		args []string
		env  map[string]string
		want notify.Options
	}{
		{"nothing", nil, nil, notify.Options{BaseURL: base}},
		{"flags", []string{"--egress-allow", "10.0.0.0/8", "--egress-allow", "fd00::/8", "--egress-ports", "443,8443"}, nil,
			notify.Options{BaseURL: base, Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}, Ports: []uint16{443, 8443}}},
		{"variables", nil, map[string]string{"COUNTERSIGN_EGRESS_ALLOW": "10.0.0.0/8", "COUNTERSIGN_EGRESS_PORTS": "8443"},
			notify.Options{BaseURL: base, Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Ports: []uint16{8443}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var e egress
			f := flag.NewFlagSet("serve", flag.ContinueOnError)
			e.addFlags(f)
			if err := parseFlags(f, test.args, func(name string) string { return test.env[name] }); err != nil {
				t.Fatal(err)
			}
			got := e.options(base)
			if diff := cmp.Diff(test.want, got, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
