package finding

import "testing"

func TestHosts_LooksAtHostsThatSeemAnother(t *testing.T) {
	t.Parallel()
	const reason, request = "Nearly the host in the reason", "Nearly another host in the request"
	tests := []struct{ reason, args, says, pointer string }{
		{"Install from registry.npmjs.org", `{"registry":"https://registry.npmjs.org.pkg-cdn.io/"}`, reason, "/registry"},
		{"Fetch it from files.example.org.", `{"url":"https://files.exarnple.org/a"}`, reason, "/url"},
		{"Invite anna@northwind.com", `{"to":"anna@nortwhind.com"}`, reason, "/to"},
		{"Invite anna@northwind.com", `{"to":"anna@northw1nd.com"}`, reason, "/to"},
		{"Log in at https://accounts.northwind.com", `{"html":"<a href=\"https://accounts.northwind-com.net/x\">go</a>"}`, reason, "/html"},
		{"Schreibe an (info@beispiel.de)", `{"an":["info@beispeil.de"]}`, reason, "/an/0"},
		{"", `{"from":"a@northwind.com","to":["b@northwind.com","c@northwlnd.com"]}`, request, "/to/1"},
		{"", `{"from":"a@norrhav.se","to":"c@norrhav-se.com"}`, request, "/to"},
		{"", `{"text":"Pay at https://pay.example.org.invoices.top/x","from":"https://pay.example.org"}`, request, "/text"},
	}
	for _, tt := range tests {
		r := requestOf(t, "call", tt.args)
		r.Reason = tt.reason
		found := foundIn(t, findHosts, r)
		if len(found) != 1 || found[0].Says[:20] != tt.says[:20] || found[0].Pointer != tt.pointer {
			t.Errorf("%s %s: found %+v, want %q at %s", tt.reason, tt.args, found, tt.says, tt.pointer)
		}
	}
}

func TestHosts_IsSilentAboutOtherHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2]string{
		{"Install from registry.npmjs.org", `{"registry":"https://registry.npmjs.org/"}`},
		{"Install from npmjs.org", `{"registry":"https://registry.npmjs.org/","proxy":"https://proxy.example.com"}`},
		{"Invite anna@northwind.com", `{"to":"anna@northwind.de","cc":"anna@northwind.co.uk"}`},
		{"Move web1.example.com to web2.example.com", `{"from":"web1.example.com","to":"web2.example.com"}`},
		{"", `{"from":"a@host1.de","to":"b@host2.de"}`},
		{"", `{"hosts":["db1.internal","db2.internal","db-1.internal"]}`},
		{"", `{"a":"https://ab.io","b":"https://ac.io"}`},
		{"", `["a@norrhav.se","b@norrhav.se","c@norrhav.se","d@norrhav.se","e@norrhav.se","f@norrhav.se","g@norrhav.se","h@norrhav-se.com"]`},
		{"Merge them", `{"files":["report-a.pdf","report-b.pdf"],"into":"summary.md","also":"summery.md"}`},
		{"Edit main.go and mail.go", `{"files":["main.go","mail.go"]}`},
		{"Move it from northwind.com to northwlnd.com", `{"from":"northwind.com","to":"northwlnd.com"}`},
		{"Version 1.2.3 of e.g. this", `{"tag":"1.2.4"}`},
		{"Пригласить anna@пример.рф", `{"to":"anna@примёр.рф"}`},
		{"", `{"text":"see https://example.com/a and https://example.org/b"}`},
	} {
		r := requestOf(t, "call", tt[1])
		r.Reason = tt[0]
		if found := foundIn(t, findHosts, r); len(found) > 0 {
			t.Errorf("%s %s: found %+v", tt[0], tt[1], found)
		}
	}
}
