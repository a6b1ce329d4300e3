package finding

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"countersign/domain/reading"
)

// FuzzCompare looks for texts that make the comparison fail, say more than one sentence
// of the server, or say the same argument twice.
func FuzzCompare(f *testing.F) {
	f.Add("Pay 4,870.50 EUR to 4021 8876 31", `{"account":"4021886731","amount_minor":48705000}`)
	f.Add("9 am New York on staging, 8 shards, 3 t", `{"at":"2026-03-05T09:00:00Z","host":"prod-1","shards":[1],"quantity":3,"unit":"kg"}`)
	f.Add("١٬٢٥٠٫٥٠ درهم 5万 .5 1'000.50 1,2,3 2 million", `{"a":1e99,"b":"-0","c":["1.000"],"“x” approved":12}`)
	f.Add("\xff 12\u202e-4:3 h", `[[{"":"\u0000"}],1e-400,0.0]`)
	f.Fuzz(func(t *testing.T, prose, args string) {
		v, err := reading.Parse([]byte(args))
		if err != nil {
			return
		}
		said := map[string]bool{}
		r := &Request{Reason: prose, Plan: &Plan{Title: prose}, Context: prose, Actions: []Action{{Description: prose, Args: v}}}
		compare(r, func(f Finding) {
			if said[f.Pointer] && !strings.Contains(args, `"`) {
				t.Errorf("%q is reported twice", f.Pointer)
			}
			said[f.Pointer] = true
			if len([]rune(f.Says)) > 120 || strings.Count(f.Says, "“") > 1 || strings.ContainsAny(f.Says, "\n\r") || !utf8.ValidString(f.Here+f.There) {
				t.Errorf("says %+v", f)
			}
		})
	})
}

// TestCompare_IsLinear feeds what is worst for each kind, at the size of a whole request.
func TestCompare_IsLinear(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"1234 ", "12.345,", "100 EUR ", "8 shards ", "9 am New York ", "3 t ", "AB123456 ", "staging ", "1 ", "1,", "٣", "prod-", "orders_1 ", "1.2.3 ", "10.0.0.1 ", "26 May ", "1000 days "} {
		list := strings.TrimSuffix(strings.Repeat(`"`+word+`",`, 256<<10/len(word)/2), ",")
		numbers := strings.TrimSuffix(strings.Repeat(`{"amount":12340,"unit":"kg","shards":[1]},`, 6000), ",")
		for _, args := range []string{"[" + list + "]", "[" + numbers + "]", `{"text":"` + strings.Repeat(word, 60_000) + `"}`} {
			v, err := reading.Parse([]byte(args))
			if err != nil {
				t.Fatal(err)
			}
			prose := strings.Repeat(word, 60_000)
			start := time.Now()
			compare(&Request{Now: now, Reason: prose, Context: prose, Plan: &Plan{Objective: prose}, Actions: []Action{{Args: v}, {Args: v, Description: prose}}}, func(Finding) {})
			if took := time.Since(start); took > 10*tooLong {
				t.Errorf("%q with %.20s took %v", word, args, took)
			} else if took > 50*time.Millisecond {
				t.Logf("%q with %.20s took %v", word, args, took)
			}
		}
	}
}
