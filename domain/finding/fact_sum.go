package finding

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// farAbove is how many times the 95th percentile a sum has to be.
const farAbove = 5

// findFarAbove finds a sum above all that were approved, and far above most of them.
func findFarAbove(r *Request, report func(Finding)) {
	eachFacts(r, func(action int, facts *CallFacts) {
		for _, now := range ValuesOf(r.Actions[action].Args).Sums {
			i := slices.IndexFunc(facts.Sums, func(f SumFacts) bool { return f.Member == now.Member && f.Currency == now.Currency })
			if i < 0 {
				continue
			}
			if says := facts.Sums[i].saysFarAbove(now.Amount); says != "" {
				report(Finding{Kind: "far-above", Level: Look, Action: action, Pointer: now.Pointer, Here: now.Amount, Says: says})
			}
		}
	})
}

// saysFarAbove compares an amount with those that were approved. It returns "" if it is
// not far above them, or if they are few.
func (f SumFacts) saysFarAbove(amount string) string {
	type sum struct {
		text  string
		value float64
	}
	var sums []sum
	for _, text := range f.Approved {
		if value, err := strconv.ParseFloat(text, 64); err == nil && isAmount(text) {
			sums = append(sums, sum{text, value})
		}
	}
	value, err := strconv.ParseFloat(amount, 64)
	n := len(sums)
	if err != nil || n < MinSums {
		return ""
	}
	slices.SortFunc(sums, func(a, b sum) int { return cmp.Compare(a.value, b.value) })
	highest, most, median := sums[n-1], sums[(95*n+99)/100-1], sums[(n-1)/2]
	if value <= highest.value || value <= farAbove*most.value {
		return ""
	}
	times, decimals := value/median.value, 0
	if times < 10 {
		decimals = 1
	}
	says := strconv.FormatFloat(times, 'f', decimals, 64) + " x the median of " + strconv.Itoa(n) + " approved"
	if f.IsAll {
		says += " for anybody"
	}
	return says + " (highest " + strings.TrimRight(grouped(highest.text)+" "+f.Currency, " ") + ")"
}

// grouped returns a decimal with narrow spaces between groups of three digits.
func grouped(text string) string {
	whole, _, _ := strings.Cut(text, ".")
	var b strings.Builder
	for i := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteRune('\u202f')
		}
		b.WriteByte(whole[i])
	}
	return b.String() + text[len(whole):]
}
