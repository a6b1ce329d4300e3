package finding

import "testing"

func TestCompareNetworks_FindsAnotherOne(t *testing.T) {
	t.Parallel()
	checkKind(t, "network", Stop, []contradiction{
		{"Allow SSH from 203.0.113.0/24 only", `{"rules":[{"port":443,"source":"10.0.0.0/8"},{"port":22,"source":"0.0.0.0/0"}]}`, "/rules/1/source"},
		{"Allow SSH from 203.0.113.0/24 only", `{"rules":[{"port":443,"source":"0.0.0.0/0"},{"port":22,"source":"0.0.0.0/0"}]}`, "/rules"},
		{"Allow SSH from 203.0.113.0/24.", `{"cidr":"203.0.113.0/16"}`, "/cidr"},
		{"Block 198.51.100.7", `{"ip":"198.51.100.70"}`, "/ip"},
		{"Block the host 10.0.112.44", `{"ip":"10.0.112.45"}`, "/ip"},
		{"Block 198.51.100.7", `{"command":"iptables -A INPUT -s 198.51.100.0/24 -j DROP"}`, "/command"},
		{"DNS auf 192.0.2.53 setzen", `{"zone":"a 300 A 192.0.2.35"}`, "/zone"},
		{"Autoriser 2001:db8:7::/48", `{"cidr":"::/0"}`, "/cidr"},
		{"Permitir (203.0.113.9)", `{"allow":["203.0.112.9"]}`, "/allow/0"},
		{"允许 203.0.113.9 访问", `{"cidr":"203.0.113.0/24"}`, "/cidr"},
	}, [][2]string{
		{"Allow SSH from 203.0.113.0/24 only", `{"source":"203.0.113.0/24"}`},
		{"Allow SSH from 203.0.113.0/24; HTTPS is for all", `{"rules":[{"source":"0.0.0.0/0"},{"source":"203.0.113.0/24"}]}`},
		{"Block 198.51.100.7", `{"ip":"198.51.100.7/32"}`},
		{"Move it from 192.0.2.5 to 192.0.2.6", `{"ip":"192.0.2.6","gateway":"192.0.2.1"}`},
		{"Errors from 198.51.100.7", `{"host":"10.3.2.1"}`},
		{"Version 1.2.3.4 at 10:20", `{"n":"8.8.4.4"}`},
		{"Allow the office", `{"source":"0.0.0.0/0"}`},
		{"Ping 10.0.0.1", `{"hosts":["10.0.0.1","10.0.0.2","10.0.0.3"]}`},
		{"Allow 0.0.0.0/0", `{"source":"0.0.0.0/0"}`},
		{"IPv6 ::1", `{"bind":"::1"}`},
		{"Серверы 10.1.1.1, 10.1.1.2", `{"hosts":"10.1.1.1 10.1.1.2"}`},
		{"Ratio 1/2", `{"ratio":"1/3"}`},
	})
}
