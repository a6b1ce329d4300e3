package notify_test

import (
	"net/netip"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/web/notify"
)

func TestCheckURL(t *testing.T) {
	t.Parallel()
	o := options()
	o.Ports = []uint16{443, 8443}
	o.Allow = []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd12::/16")}
	s := notify.New(o)
	for _, test := range []struct{ address, want string }{ // want is empty: it is accepted
		{"https://hooks.slack.com/services/T0/B0/secret", ""},
		{"https://prod-1.westeurope.logic.azure.com:443/workflows/x/triggers/manual/paths/invoke?api-version=2016-06-01&sig=s", ""},
		{"https://gateway/hook", ""},
		{"https://my_gateway.internal:8443", ""},
		{"HTTPS://Example.ORG/", ""},
		{"https://xn--bcher-kva.example/", ""},
		{"https://1e100.net/", ""},
		{"https://93.184.215.14/", ""},
		{"https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/", ""},
		{"https://10.1.2.3:8443/", ""},
		{"https://[fd12::1]/", ""},
		{"https://example.org/" + strings.Repeat("x", 2028), ""},
		{"https://example.org/" + strings.Repeat("x", 2029), "at most 2048"},
		{"https://10.2.0.1/", "not public"},
		{"https://[fd13::1]/", "not public"},
		{"https://[::ffff:10.1.2.3]/", "not public"},
		{"https://[fd12::1%25eth0]/", "not public"},
		{"https://example.org:444/", "port of the address is not allowed"},
		{"https://example.org:22/", "[443 8443]"},
		{"https://example.org:0/", "port"},
		{"https://example.org:65979/", "port"}, // 443 in 16 bits
		{"https://example.org:-443/", "no address"},
		{"http://example.org/", "begin with https://"},
		{"ftp://example.org/", "begin with https://"},
		{"gopher://example.org:443/", "begin with https://"},
		{"file:///etc/passwd", "no address"},
		{"https:example.org", "no address"},
		{"//example.org/", "begin with https://"},
		{"example.org", "no address"},
		{"javascript:alert(1)", "no address"},
		{"", "no address"},
		{"https://", "no address"},
		{"https:///hook", "no address"},
		{"https://:443/", "no address"},
		{"https://user@example.org/", "user name"},
		{"https://user:password@example.org/", "user name"},
		{"https://@example.org/", "user name"},
		{"https://example.org:443@127.0.0.1/", "user name"},
		{"https://example.org/#fragment", "fragment"},
		{"https://example.org/#", "fragment"},
		{"https://example.org#@127.0.0.1/", "fragment"},
		{"https://example.org\\@127.0.0.1/", "no address"},
		{"https://127.0.0.1\\.example.org/", "no address"},
		{"https://example.org\r\nHost: x/", "no address"},
		{" https://example.org/", "no address"},
		{"https://exa mple.org/", "no address"},
		{"https://example.org./", "no name"},
		{"https://-example.org/", "no name"},
		{"https://example..org/", "no name"},
		{"https://bücher.example/", "no name"},
		{"https://exam%70le.org/", "no address"},
		{"https://127.1/", "no name"},
		{"https://countersign.example.org/hook", "this server's own"},
		{"https://COUNTERSIGN.example.org:8443/hook", "this server's own"},
	} {
		t.Run(test.address[:min(len(test.address), 60)], func(t *testing.T) {
			t.Parallel()
			err := s.CheckURL(test.address)
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (domain.ErrorCode(err) != domain.CodeInvalid || !strings.Contains(domain.AsError(err).Message, test.want)):
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
