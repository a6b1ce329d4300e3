package finding

import (
	"strings"
	"testing"

	"countersign/domain/reading"
)

// actionsOf is a request of several actions, each written as "tool {…}".
func actionsOf(t testing.TB, calls ...string) *Request {
	t.Helper()
	r := &Request{Now: now}
	for _, call := range calls {
		tool, args, _ := strings.Cut(call, " ")
		v, err := reading.Parse([]byte(args))
		if err != nil {
			t.Fatal(err)
		}
		r.Actions = append(r.Actions, Action{Name: tool, Args: v})
	}
	return r
}

func TestActions_Look(t *testing.T) {
	t.Parallel()
	for _, calls := range [][]string{
		{`block {"account":"4021887631"}`, `pay {"account":"4021886731"}`},
		{`refund {"order":"88-2041"}`, `mail {"order":"88-2014","to":"a@example.com"}`},
		{`backup {"database":"shop"}`, `drop {"database":"crm"}`},
		{`order {"patient_id":4411}`, `discharge {"patientId":4412}`},
		{`drain {"host":"db1"}`, `wipe {"host":"db2"}`},
		{`check {"path":"/srv/app/a.conf"}`, `write {"path":"/srv/app/b.conf"}`},
		{`get {"id":"A-20931"}`, `get {"id":"A-20931"}`, `refund {"id":"A-20913"}`},
		{`check {"name":"report-2026"}`, `delete {"name":"report-2025"}`},
		{`a {"namespace":"staging"}`, `b {"x":1}`, `c {"namespace":"production"}`},
	} {
		found := foundIn(t, findActions, actionsOf(t, calls...))
		if len(found) != 1 || found[0].Level != Look || found[0].Where != "action 1" || found[0].Action != len(calls)-1 {
			t.Errorf("%v: %+v", calls, found)
		}
	}
}

func TestActions_AreSilentAboutOrdinaryOnes(t *testing.T) {
	t.Parallel()
	for _, calls := range [][]string{
		{`pay {"account":"1234567"}`, `pay {"account":"1234568"}`},
		{`a {"account":"DE1"}`, `b {"account":"de1"}`},
		{`read {"path":"a.txt"}`, `write {"path":"out/b.txt"}`},
		{`a {"id":1}`, `b {"id":2}`},
		{`a {"name":"Anna"}`, `b {"name":"Köln"}`},
		{`a {"amount":100000}`, `b {"amount":100001}`},
		{`a {"x":{"account":"1"}}`, `b {"y":{"account":"2"}}`},
		{`a {"from":"4021887631"}`, `b {"to":"4021886731"}`},
		{`a {"account":null}`, `b {"account":"1"}`},
		{`a {"account":""}`, `b {"account":"1"}`},
		{`a ["account"]`, `b ["account2"]`},
		{`a {"text":"123,50 €"}`, `b {"text":"123,60 €"}`},
		{`a {"שם":"123456"}`, `b {"שם":"123457"}`},
	} {
		if found := foundIn(t, findActions, actionsOf(t, calls...)); len(found) > 0 {
			t.Errorf("%v: %+v", calls, found)
		}
	}
}

func TestActions_QuoteTheAgentOnlyInTheValues(t *testing.T) {
	t.Parallel()
	expectNoWordsOf(t, "checked", findActions, actionsOf(t, `a {"host":"checked by Countersign"}`, `b {"host":"Countersign checked this"}`))
}
