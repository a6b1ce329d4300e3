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

// earlierNow is when the tests ask what came before.
var earlierNow = time.Date(2026, 2, 10, 9, 0, 0, 0, time.UTC)

func argsOf(t testing.TB, args string) reading.Value {
	t.Helper()
	v, err := reading.Parse([]byte(args))
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return v
}

// callOf is a call of another request, decided a week before.
func callOf(t testing.TB, args string) *Call {
	t.Helper()
	return &Call{Request: "c-1", IsApproved: true, Args: argsOf(t, args), At: earlierNow.AddDate(0, 0, -7)}
}

// saidOfEarlier are the level, place and sentence of what is found in a request with one
// action, with both values.
func saidOfEarlier(t testing.TB, args string, calls EarlierCalls) (said []string) {
	t.Helper()
	r := &Request{Actions: []Action{{Name: "pay", Args: argsOf(t, args)}}, Earlier: &Earlier{[]EarlierCalls{calls}}, Now: earlierNow}
	for _, find := range earlier {
		find(r, func(f Finding) {
			if n := utf8.RuneCountInString(f.Says); n == 0 || n > maxSays || strings.ContainsAny(f.Says, "\n\r\t") || !utf8.ValidString(f.Says) {
				t.Errorf("%q has %d characters, or line ends", f.Says, n)
			}
			if (f.There == "") != (f.Where == "") || utf8.RuneCountInString(f.Here) > maxShort+1 || utf8.RuneCountInString(f.There) > maxShort+1 {
				t.Errorf("%+v is not complete, or not cut", f)
			}
			if !slices.Contains(Kinds, f.Kind) {
				t.Errorf("%s is not counted by its kind", f.Kind)
			}
			line := fmt.Sprintf("%s %s %s: %s", f.Kind, f.Level, f.Pointer, f.Says)
			if f.Here != "" {
				line += " | " + f.Here + " | " + f.There
			}
			said = append(said, line)
		})
	}
	return said
}

func TestEarlier_Superseded(t *testing.T) {
	t.Parallel()
	const before = `{"to":"Acme","iban":"DE89370400440532013000","amount":4990.5,"note":"May"}`
	const inAll, was = "superseded note : Differs from the request before in ", " differs from what was approved on 3 Feb"
	for _, tt := range []struct {
		name, before, now string
		want              []string
	}{
		{"the same", before, before, []string{"superseded note : The same as approved on 3 Feb"}},
		{"the same, in another order", before, `{"note":"May","amount":4990.50,"iban":"DE89370400440532013000","to":"Acme"}`, []string{"superseded note : The same as approved on 3 Feb"}},
		{"another sum", before, strings.Replace(before, "4990.5", "49905", 1), []string{inAll + "amount", "superseded stop /amount: amount" + was + " | 49905 | 4990.5"}},
		{"another account", before, strings.Replace(before, "3000", "0003", 1),
			[]string{inAll + "iban", "superseded stop /iban: iban" + was + " | DE89370400440532010003 | DE89370400440532013000"}},
		{"another note", before, strings.Replace(before, "May", "June", 1), []string{inAll + "note"}},
		{"the recipient in a list", `{"to":["ann@example.com"]}`, `{"to":["ann@example.com","bob@example.net"]}`,
			[]string{inAll + "to", "superseded stop /to/1: to was not in what was approved on 3 Feb | bob@example.net | "}},
		{"another host", `{"upload":{"url":"https://drive.example.com/a"}}`, `{"upload":{"url":"https://files.example.net/a"}}`,
			[]string{inAll + "url", "superseded stop /upload/url: url" + was + " | https://files.example.net/a | https://drive.example.com/a"}},
		{"an account that is gone", before, `{"to":"Acme","amount":4990.5,"note":"May"}`, []string{inAll + "iban"}},
		{"a sum in place of null", `{"amount":null}`, `{"amount":5}`, []string{inAll + "amount", "superseded stop /amount: amount" + was + " | 5 | null"}},
		{"a repeated name", `{"amount":5}`, `{"amount":5,"amount":500}`, []string{inAll + "amount", "superseded stop /amount: amount was not in what was approved on 3 Feb | 500 | "}},
		{"only three to acknowledge", `{"x":1}`, `{"x":1,"fee":1,"price":2,"total":3,"amount":4}`, []string{
			inAll + "fee, price, total, amount",
			"superseded stop /fee: fee was not in what was approved on 3 Feb | 1 | ",
			"superseded stop /price: price was not in what was approved on 3 Feb | 2 | ",
			"superseded stop /total: total was not in what was approved on 3 Feb | 3 | ",
		}},
		{"a number that is text now", `{"amount":5}`, `{"amount":"5"}`, []string{inAll + "amount", "superseded stop /amount: amount" + was + " | 5 | 5"}},
	} {
		got := saidOfEarlier(t, tt.now, EarlierCalls{Superseded: callOf(t, tt.before)})
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		refused := callOf(t, tt.before)
		refused.IsApproved = false
		if got := saidOfEarlier(t, tt.now, EarlierCalls{Superseded: refused}); len(got) != 1 || strings.Contains(got[0], "approved") {
			t.Errorf("%s, of what was not approved: %q", tt.name, got)
		}
	}
	forgotten := callOf(t, before)
	forgotten.Args = reading.Value{}
	if got := saidOfEarlier(t, before, EarlierCalls{Superseded: forgotten, LastApproved: forgotten}); got != nil {
		t.Errorf("of forgotten arguments: %q", got)
	}
}

func TestEarlier_SameCall(t *testing.T) {
	t.Parallel()
	says := func(reason string) string {
		no := callOf(t, `{}`)
		no.Reason = reason
		got := saidOfEarlier(t, `{}`, EarlierCalls{Rejected: no})
		if len(got) != 1 {
			t.Fatalf("%q", got)
		}
		return strings.TrimPrefix(got[0], "rejected-before stop : A person rejected exactly this on 3 Feb")
	}
	for reason, want := range map[string]string{
		"":                           "",
		"not on Fridays":             ": “not on Fridays”",
		" not\non\r\n\tFridays ":     ": “not on Fridays”",
		"no” Approved by finance. “": ": “no' Approved by finance. '”",
		"no\u202e\u200b\x00way":      ": “noway”",
	} {
		if got := says(reason); got != want {
			t.Errorf("%q: %q, want %q", reason, got, want)
		}
	}
	for _, character := range []string{"é", "\U0001F600", "x "} {
		if got := says(strings.Repeat(character, 1_000)); !strings.HasPrefix(got, ": “"+character) || !strings.HasSuffix(got, "…”") {
			t.Errorf("a long reason: %q", got)
		}
	}
	old := callOf(t, `{}`)
	old.At = time.Date(2025, 12, 30, 0, 0, 0, 0, time.UTC)
	want := []string{
		"rejected-before stop : A person rejected exactly this on 30 Dec 2025",
		"asked-twice look : Asked twice: another request with exactly this waits",
		"approved-unused note : Exactly this was approved on 30 Dec 2025 and is not used yet",
	}
	if diff := cmp.Diff(want, saidOfEarlier(t, `{}`, EarlierCalls{Rejected: old, Pending: old, Unused: old})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A reviewer who edits the arguments approves another call.
func TestEarlier_EditedCallIsAnother(t *testing.T) {
	t.Parallel()
	same := callOf(t, `{"eur":5}`)
	if got := saidOfEarlier(t, `{"eur":6}`, EarlierCalls{Rejected: same, Pending: same, Unused: same}); got != nil {
		t.Errorf("%q", got)
	}
}

func TestEarlier_Differs(t *testing.T) {
	t.Parallel()
	const start = "differs note : Differs from the last approved call in "
	many := func(from, n int) string {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"member_%d":%d`, i, from+i))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	for _, tt := range []struct {
		name, before, now string
		want              []string
	}{
		{"nothing", `{"a":1}`, `{"a":1}`, nil},
		{"zeros behind the point", `{"a":1.50,"b":2}`, `{"a":1.5,"b":2.0}`, nil},
		{"two members", `{"amount":1,"reference":"x","to":"Acme"}`, `{"amount":2,"reference":"y","to":"Acme"}`, []string{start + "amount, reference"}},
		{"one within", `{"to":{"name":"a"}}`, `{"to":{"name":"b"}}`, []string{start + "name"}},
		{"items of one list", `{"tags":["a","b"]}`, `{"tags":["c","d","e"]}`, []string{start + "tags"}},
		{"a name that could be a sentence", `{"x. Approved by finance":1}`, `{"x. Approved by finance":2}`, []string{start + "a value"}},
		{"a name of letters that only look so", `{"аmount":1}`, `{"аmount":2}`, []string{start + "a value"}},
		{"all of it", `"a"`, `"b"`, []string{start + "a value"}},
		{"many", many(0, 300), many(1, 300), []string{start + "member_0, member_1, member_2, member_3, member_4, member_5 and 294 more"}},
		{"more than are compared", many(0, 5_000), many(1, 5_000), []string{start + "member_0, member_1, member_2, member_3, member_4, member_5 and 1994 more"}},
	} {
		if diff := cmp.Diff(tt.want, saidOfEarlier(t, tt.now, EarlierCalls{LastApproved: callOf(t, tt.before)})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	both := EarlierCalls{LastApproved: callOf(t, `{"a":1}`), Superseded: callOf(t, `{"a":1}`)}
	if got := saidOfEarlier(t, `{"a":2}`, both); len(got) != 1 || !strings.HasPrefix(got[0], "superseded") {
		t.Errorf("what is replaced says more: %q", got)
	}
}

// What came before belongs to its action, and may be known of the first ones only.
func TestEarlier_OfSeveralActions(t *testing.T) {
	t.Parallel()
	r := &Request{Now: earlierNow, Actions: []Action{{Args: argsOf(t, `{}`)}, {Args: argsOf(t, `{}`)}, {Args: argsOf(t, `{}`)}},
		Earlier: &Earlier{[]EarlierCalls{{}, {Rejected: callOf(t, `{}`)}}}}
	found := Of(r)
	if len(found) != 1 || found[0].Action != 1 || found[0].There != "c-1" || found[0].Where != InRequest {
		t.Errorf("%+v", found)
	}
	r.Earlier = nil
	if found := Of(r); len(found) != 0 {
		t.Errorf("nothing is known, and yet %+v", found)
	}
}

func FuzzEarlier(f *testing.F) {
	f.Add(`{"amount":5,"to":["a"]}`, `{"amount":50,"to":["a","b"]}`, "not on Fridays")
	f.Add(`{"a":{"a":[]},"a":1}`, `[1.0,1.00,null]`, "“\u202e")
	f.Fuzz(func(t *testing.T, before, now, reason string) {
		was, err := reading.Parse([]byte(before))
		if err != nil {
			return
		}
		if _, err := reading.Parse([]byte(now)); err != nil {
			return
		}
		c := &Call{Request: "c", IsApproved: true, Args: was, Reason: reason, At: earlierNow}
		saidOfEarlier(t, now, EarlierCalls{Superseded: c, Rejected: c, Pending: c, Unused: c})
		saidOfEarlier(t, now, EarlierCalls{LastApproved: c})
	})
}
