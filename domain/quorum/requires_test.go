package quorum

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRequires_KeepsBytes(t *testing.T) {
	t.Parallel()
	r := &Requires{
		Policies: []PolicyRef{{"a", 2, "sha256:<1>"}, {"b", 1, "sha256:2"}},
		Quorum: []Seat{{Role: "fin", Approvals: 2, Also: []Also{{"law", 10}, {"ops", 60}}},
			{Role: "sec", Approvals: 1}},
		Rejections: 2,
	}
	const want = `{"policies":[{"id":"a","version":2,"hash":"sha256:<1>"},{"id":"b","version":1,"hash":"sha256:2"}],` +
		`"quorum":[{"role":"fin","approvals":2,"also":[{"role":"law","after":10},{"role":"ops","after":60}]},{"role":"sec","approvals":1}],"rejections":2}`
	if diff := cmp.Diff(want, string(r.Marshal())); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	again, err := ParseRequires([]byte(want))
	if diff := cmp.Diff(r, again); err != nil || diff != "" {
		t.Errorf("read again: %v\n%s", err, diff)
	}
}

func TestParseRequires_Refuses(t *testing.T) {
	t.Parallel()
	const good = `{"policies":[{"id":"a","version":1,"hash":"h"}],"quorum":[{"role":"x","approvals":1}],"rejections":1}`
	if _, err := ParseRequires([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{{`"rejections":1`, `"rejections":0`}, {`"rejections":1`, `"rejections":1,"signature":"passkey"`}, {`"approvals":1`, `"approvals":0`}, {`:1}]`, `:1},{"role":"x","approvals":1}]`},
		{`[{"role":"x","approvals":1}]`, "[]"}, {`"approvals":1`, `"approvals":1,"also":[{"role":"y","after":0}]`}, {`"approvals":1`, `"approvals":1,"also":[]`}, {`{"p`, `{ "p`}, {`"role":"x"`, `"role":"\u0078"`},
		{`"role":"x"`, "\"role\":\"\xff\""}, {`"quorum"`, `"Quorum"`}, {`"rejections":1`, `"rejections":2,"rejections":1`}, {`"rejections":1}`, `"rejections":1}{}`}} {
		if r, err := ParseRequires([]byte(strings.Replace(good, change[0], change[1], 1))); err == nil {
			t.Errorf("%s is read as %+v", change[1], r)
		}
	}
}
