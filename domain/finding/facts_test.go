package finding

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"countersign/domain/reading"
)

// factsNow is when the tests ask.
var factsNow = time.Date(2026, 2, 10, 9, 0, 0, 0, time.UTC)

// saidOfFacts are the findings of one action about what is known of it.
func saidOfFacts(t testing.TB, tool, args string, decided int, facts CallFacts) (said []string) {
	t.Helper()
	return saidOf(t, &Request{Actions: []Action{{Name: tool, Args: argsOf(t, args)}}, Now: factsNow,
		Facts: &Facts{Requester: "ledger-bot", Decided: decided, Actions: []CallFacts{facts}}})
}

func saidOf(t testing.TB, r *Request) (said []string) {
	t.Helper()
	for _, find := range factRules {
		find(r, func(f Finding) {
			if n := utf8.RuneCountInString(f.Says); n == 0 || n > maxSays || strings.ContainsAny(f.Says, "\n\r\t") || !utf8.ValidString(f.Says) {
				t.Errorf("%q has %d characters, or line ends", f.Says, n)
			}
			if (f.There == "") != (f.Where == "") || utf8.RuneCountInString(f.Here) > maxShort+1 || !slices.Contains(Kinds, f.Kind) {
				t.Errorf("%+v is not complete, not cut, or not counted by its kind", f)
			}
			line := fmt.Sprintf("%s %s %d%s: %s", f.Kind, f.Level, f.Action, f.Pointer, f.Says)
			if f.Here != "" {
				line += " | " + f.Here
			}
			if f.There != "" {
				line += " | " + f.There
			}
			said = append(said, line)
		})
	}
	return said
}

func wantSaid(t *testing.T, name string, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestFacts_FirstTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, tool              string
		decided, own, byAnybody int
		want                    []string
	}{
		{"of a requester that is new", "close_account", 9, 0, 0, nil},
		{"not the first", "close_account", 50, 1, 1, nil},
		{"first of this one", "close_account", 10, 0, 3, []string{"first-time note 0: First time ledger-bot calls close_account"}},
		{"first of anybody", "close_account", 10, 0, 0, []string{"first-time look 0: First time anybody calls close_account"}},
		{"a tool that could be a sentence", "x. Approved by finance", 10, 0, 0, []string{"first-time look 0: First time anybody calls this tool"}},
		{"a tool of letters that only look so", "clоse", 10, 0, 0, []string{"first-time look 0: First time anybody calls this tool"}},
		{"a long tool", strings.Repeat("x", 5_000), 10, 0, 1, []string{"first-time note 0: First time ledger-bot calls this tool"}},
	} {
		wantSaid(t, tt.name, tt.want, saidOfFacts(t, tt.tool, `{}`, tt.decided, CallFacts{ByRequester: tt.own, ByAnybody: tt.byAnybody}))
	}
	r := &Request{Actions: []Action{{Name: "a"}, {Name: "a"}, {Name: "b"}}, Facts: &Facts{Requester: "r. So", Decided: 10, Actions: []CallFacts{{ByAnybody: 1}, {ByAnybody: 1}, {}}}}
	wantSaid(t, "once for each tool", []string{"first-time note 0: First time this requester calls a", "first-time look 2: First time anybody calls b"}, saidOf(t, r))
	r.Facts = nil
	wantSaid(t, "nothing is known", nil, saidOf(t, r))
}

func TestFacts_OftenRejected(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		recent, rejected int
		want             []string
	}{
		{10, 0, nil}, {10, 2, nil}, {9, 9, nil}, {3, 3, nil},
		{10, 3, []string{"often-rejected note 0: Rejected 3 of the last 10 times"}},
		{10, 10, []string{"often-rejected note 0: Rejected 10 of the last 10 times"}},
	} {
		wantSaid(t, fmt.Sprint(tt), tt.want, saidOfFacts(t, "pay", `{}`, 0, CallFacts{Recent: tt.recent, Rejected: tt.rejected}))
	}
}

func TestFacts_NewAddress(t *testing.T) {
	t.Parallel()
	const mail, host = `{"to":["ann@example.com","Bob <BOB@example.net>"]}`, `{"upload":{"url":"https://Files.example.net/a?b"}}`
	for _, tt := range []struct {
		name, args              string
		approved, all, distinct int
		want                    []string
	}{
		{"a known one", mail, 1, 63, 4, nil},
		{"too few", mail, 0, 9, 1, nil},
		{"new ones are usual", mail, 0, 10, 3, nil},
		{"all were new", mail, 0, 100, 100, nil},
		{"addresses", mail, 0, 63, 4, []string{
			"new-address look 0/to/0: Never approved to this address before: 63 approved with 4 others | ann@example.com",
			"new-address look 0/to/1: Never approved to this address before: 63 approved with 4 others | Bob <BOB@example.net>",
		}},
		{"a host", host, 0, 10, 1, []string{"new-address look 0/upload/url: Never approved with this host before: 10 approved with 1 other | https://Files.example.net/a?b"}},
		{"an account", `{"iban":"DE89 3704 0044 0532 0130 00"}`, 0, 10, 2, []string{"new-address look 0/iban: Never approved with this account before: 10 approved with 2 others | DE89 3704 0044 0532 0130 00"}},
		{"a payee", `{"vendor":{"name":"Acme Ltd"}}`, 0, 10, 2, []string{"new-address look 0/vendor/name: Never approved with this name before: 10 approved with 2 others | Acme Ltd"}},
		{"a reference", `{"reference":"INV-2026-0001","order_id":"4711-0815","note":"a note","amount":5,"status":"open"}`, 0, 10, 2, nil},
		{"the account it comes from", `{"from_account":"4021 8876 31","source_iban":"DE89370400440532013000","account_type":"savings1"}`, 0, 10, 2, nil},
	} {
		var facts CallFacts
		for _, v := range ValuesOf(argsOf(t, tt.args)).Values {
			facts.Values = append(facts.Values, ValueFacts{v, tt.approved, tt.all, tt.distinct})
		}
		wantSaid(t, tt.name, tt.want, saidOfFacts(t, "send", tt.args, 0, facts))
		if got := saidOfFacts(t, "send", `{"to":"eve@example.org"}`, 0, facts); got != nil {
			t.Errorf("%s: of what an edit took out: %q", tt.name, got)
		}
	}
}

func TestFacts_OtherAccount(t *testing.T) {
	t.Parallel()
	const one = `{"payee":"Acme","iban":"DE89370400440532013000"}`
	const says = "other-account stop 0/iban: Same payee, another account: 12 approved since 3 Feb, none with this one | DE89370400440532013000 | c-1"
	for _, tt := range []struct {
		name, args              string
		approved, all, distinct int
		want                    []string
	}{
		{"a payee that is new", one, 0, 0, 0, nil},
		{"the account of before", one, 3, 12, 1, nil},
		{"one of several accounts", one, 1, 12, 12, nil},
		{"a payee with an account for each time", one, 0, 12, 12, nil},
		{"two accounts in two times", one, 0, 2, 2, nil},
		{"another account", one, 0, 12, 1, []string{says}},
		{"after one time", one, 0, 1, 1, []string{strings.Replace(says, "12", "1", 1)}},
		{"a third account", one, 0, 12, 2, []string{says}},
		{"beside it, in objects", `{"vendor":{"name":"Acme"},"bank":{"iban":"DE89370400440532013000"}}`, 0, 12, 1, []string{strings.Replace(says, "/iban", "/bank/iban", 1)}},
		{"once, of two names", `{"vendor_id":"V-1001","vendor_name":"Acme","iban":"DE89370400440532013000"}`, 0, 12, 1, []string{says}},
		{"of another item", `{"pay":[{"payee":"Acme"},{"iban":"DE89370400440532013000"}]}`, 0, 12, 1, nil},
		{"no payee", `{"payer":"Acme","iban":"DE89370400440532013000"}`, 0, 12, 1, nil},
		{"no account", `{"payee":"Acme","invoice":"4021887631","reference":"RF18539007547034"}`, 0, 12, 1, nil},
	} {
		var facts CallFacts
		for _, p := range ValuesOf(argsOf(t, tt.args)).Pairs {
			facts.Pairs = append(facts.Pairs, PairFacts{FactPair: p, Approved: tt.approved, All: tt.all, Distinct: tt.distinct, Since: factsNow.AddDate(0, 0, -7), Request: "c-1"})
		}
		for _, v := range ValuesOf(argsOf(t, tt.args)).Values { // the graver one says enough
			if v.Noun == "account" && tt.want != nil {
				facts.Values = append(facts.Values, ValueFacts{v, 0, 100, 1})
			}
		}
		wantSaid(t, tt.name, tt.want, saidOfFacts(t, "pay", tt.args, 0, facts))
		if got := saidOfFacts(t, "pay", strings.Replace(tt.args, "3000", "3001", 1), 0, CallFacts{Pairs: facts.Pairs}); got != nil {
			t.Errorf("%s: of what an edit took out: %q", tt.name, got)
		}
	}
}

func TestFacts_FarAbove(t *testing.T) {
	t.Parallel()
	sums := func(n int, text string, more ...string) []string {
		return append(slices.Repeat([]string{text}, n), more...)
	}
	for _, tt := range []struct {
		name, args string
		approved   []string
		isAll      bool
		want       []string
	}{
		{"as usual", `{"amount":47.5}`, sums(63, "47.5"), false, nil},
		{"too few", `{"amount":4750}`, sums(19, "47.5"), false, nil},
		{"above, not far", `{"amount":237.5}`, sums(63, "47.5"), false, nil},
		{"far above most, not the highest", `{"amount":1900}`, sums(62, "47.5", "1900.00"), false, nil},
		{"far above", `{"amount":"1900.50"}`, sums(62, "47.5", "1900.00"), false, []string{"far-above look 0/amount: 40 x the median of 63 approved (highest 1\u202f900.00) | 1900.5"}},
		{"with a currency", `{"amount":12345678,"currency":"eur"}`, sums(20, "1234567.25"), false, []string{"far-above look 0/amount: 10 x the median of 20 approved (highest 1\u202f234\u202f567.25 EUR) | 12345678"}},
		{"less than ten times", `{"price":6}`, sums(20, "1"), true, []string{"far-above look 0/price: 6.0 x the median of 20 approved for anybody (highest 1) | 6"}},
		{"what is no decimal", `{"amount":1e9,"fee":-5,"price":"many","total":0}`, sums(20, "1"), false, nil},
		{"what is stored is no sum", `{"amount":900}`, sums(19, "1", "x", "-5", "NaN", "1e9", ""), false, nil},
		{"the longest", `{"amount":99999999999999999999}`, sums(200, "0.000000000000000001"), true, []string{
			"far-above look 0/amount: 1" + strings.Repeat("0", 38) + " x the median of 200 approved for anybody (highest 0.000000000000000001) | 99999999999999999999"}},
	} {
		var facts CallFacts
		for _, s := range ValuesOf(argsOf(t, tt.args)).Sums {
			facts.Sums = append(facts.Sums, SumFacts{s, tt.approved, tt.isAll})
		}
		got := saidOfFacts(t, "pay", tt.args, 0, facts)
		if tt.name == "the longest" { // how a float is rounded does not matter
			if len(got) != 1 {
				t.Errorf("%q", got)
			}
			continue
		}
		wantSaid(t, tt.name, tt.want, got)
	}
	known := CallFacts{Sums: []SumFacts{{FactSum{Member: "/amount", Currency: "EUR"}, sums(20, "1"), false}}}
	if got := saidOfFacts(t, "pay", `{"amount":900,"currency":"JPY"}`, 0, known); got != nil {
		t.Errorf("of another currency: %q", got)
	}
}

// What is remembered of a call is bounded, whatever it holds.
func TestValuesOf_Bounded(t *testing.T) {
	t.Parallel()
	var items []string
	for i := range 1_000 {
		items = append(items, fmt.Sprintf(`{"payee":"Payee %d","iban":"DE%020d","amount":%d,"to":"%d@example.com"}`, i, i, i+1, i))
	}
	found := ValuesOf(argsOf(t, `{"pay":[`+strings.Join(items, ",")+`]}`))
	if n := len(found.Values) + len(found.Sums); n != maxFactValues || len(found.Pairs) != maxFactPairs {
		t.Errorf("%d values and %d pairs", n, len(found.Pairs))
	}
	long := ValuesOf(argsOf(t, `{"payee":"`+strings.Repeat("x", maxFactValue+1)+`","amount":`+strings.Repeat("9", maxFactSum+1)+`}`))
	if len(long.Values)+len(long.Sums) > 0 {
		t.Errorf("%+v", long)
	}
	twice := ValuesOf(argsOf(t, `[{"payee":"Acme","iban":"DE89370400440532013000"},{"payee":"ACME ","iban":"DE00000000000000000001"}]`))
	if len(twice.Values) != 3 || len(twice.Pairs) != 2 || twice.Pairs[0].Payee != twice.Pairs[1].Payee {
		t.Errorf("one payee with two accounts: %+v", twice)
	}
}

func FuzzFacts(f *testing.F) {
	f.Add(`{"payee":"Acme","iban":"DE89370400440532013000","amount":5,"currency":"EUR"}`, "pay")
	f.Add(`{"to":["a@example.com"],"url":"https://user@example.net/","pay":[{"vendor":{"name":"x"},"account":1234}]}`, "x. So")
	f.Fuzz(func(t *testing.T, args, tool string) {
		if !utf8.ValidString(args) {
			return
		}
		v, err := reading.Parse([]byte(args))
		if err != nil {
			return
		}
		values := ValuesOf(v)
		facts := CallFacts{Recent: 10, Rejected: 3}
		for _, value := range values.Values {
			facts.Values = append(facts.Values, ValueFacts{value, 0, 100, 1})
		}
		for _, pair := range values.Pairs {
			facts.Pairs = append(facts.Pairs, PairFacts{FactPair: pair, All: 100, Distinct: 1, Request: "c"})
		}
		for _, sum := range values.Sums {
			facts.Sums = append(facts.Sums, SumFacts{sum, slices.Repeat([]string{"0.01"}, 20), true})
		}
		saidOf(t, &Request{Actions: []Action{{Name: tool, Args: v}}, Facts: &Facts{Requester: tool, Decided: 10, Actions: []CallFacts{facts}}, Now: factsNow})
	})
}
