package finding

import "testing"

func TestCopies_LooksAtABlindCopyToAnotherDomain(t *testing.T) {
	t.Parallel()
	const says = "A blind copy goes to a domain"
	expectSamples(t, findCopies, Look, []sample{
		{args: `{"from":"hr@kovarna.cz","to":["jana@kovarna.cz"],"bcc":["p.dvorak1979@seznam.cz"]}`, says: says},
		{args: `{"to":"a@north.example.org","bcc":"b@mail.example.com"}`, says: says},
		{args: `{"de":"a@nord.fr","a":"b@nord.fr","cci":"Paul <c@sud.fr>"}`, says: says},
		{args: `{"mail":{"to":["a@nord.fr"],"Bcc":["b@nord.fr","c@sud.fr"]}}`, says: says},
		{args: `{"to":"a@nord.fr","blind_copies":["c@sud.fr"]}`, says: says},
		{args: `{"para":"a@nord.es","cco":"c@sur.es"}`, says: says},
		{args: `{"a":"a@nord.it","ccn":"c@sud.it"}`, says: says},
		{args: `{"to":"a@nord.fr","cc":["d@ouest.fr"],"bcc":["c@sud.fr"]}`, says: says},
	})
	expectSamples(t, findCopies, Note, []sample{{args: `{"to":"a@nord.fr","bcc":"archiv@sud.fr"}`, says: says}})
	expectNothing(t, findCopies, []string{
		`{"to":"a@nord.fr","bcc":"b@nord.fr"}`,
		`{"to":"a@nord.fr","bcc":"b@mail.nord.fr"}`,
		`{"to":"a@nord.fr","bcc":[]}`,
		`{"to":"a@nord.fr","bcc":""}`,
		`{"to":"a@nord.fr","cc":"c@sud.fr"}`,
		`{"bcc":["a@nord.fr","c@sud.fr"]}`,
		`{"to":"team","bcc":"c@sud.fr"}`,
		`{"to":"a@nord.fr","text":"bcc: c@sud.fr"}`,
		`{"from":"x@sud.fr","to":"a@nord.fr","bcc":"c@sud.fr"}`,
		`{"to":"a@nord.fr","bcc":true}`,
		`{"to":"a@nord.fr","bcc_count":2}`,
		`{"to":"أحمد@nord.fr","bcc":"b@nord.fr"}`,
	})
	r := requestOf(t, "call", `{"to":"a@nord.fr","bcc":"archive@sud.fr"}`)
	r.Reason = "With a blind copy to archive@sud.fr"
	if found := foundIn(t, findCopies, r); len(found) > 0 {
		t.Errorf("found %+v, though the reason names it", found)
	}
}
