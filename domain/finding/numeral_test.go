package finding

import (
	"slices"
	"testing"
)

// What can be read in two ways is read both ways.
func TestNumbersIn_ReadsNotations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"1,000.50": {"1000.5"}, "1.000,50": {"1000.5"}, "1 000,50": {"1000.5"}, "1'000.50": {"1000.5"}, "1’000,50": {"1000.5"},
		"1\u202f000": {"1000"}, "1.000.000": {"1000000"}, "1,00,000": {"100000"}, "12.50": {"12.5"}, "0,5": {"0.5"}, "0.125": {"0.125"},
		"1.500": {"1500", "1.5"}, "1,500": {"1500", "1.5"}, "12500": {"12500"},
		"١٢٣": {"123"}, "١٬٢٥٠٫٥٠": {"1250.5"}, "۱۲۳": {"123"}, "１２３": {"123"},
		"5k": {"5000", "5"}, "2 million": {"2000000", "2"}, "2,5 Mio.": {"2500000", "2.5"}, "5万": {"50000", "5"},
		"3.11.4": nil, "1.2.3.4": nil, "10.20.30": nil,
	} {
		var readings, wanted []decimal
		for _, m := range numbersIn([]rune(text)) {
			readings = append(readings, m.readings...)
		}
		for _, number := range want {
			wanted = append(wanted, decimals(number)...)
		}
		if !slices.Equal(readings, wanted) {
			t.Errorf("%s is read as %v, want %v", text, readings, wanted)
		}
	}
}

func TestDecimal_IsSwapped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1250", "1520", true}, {"1050", "1500", true}, {"12.5", "15.2", true}, {"12.50", "12.05", true}, {"4021", "1024", true},
		{"1250", "1250", false}, {"1250", "125", false}, {"1234", "1342", false}, {"20", "2", false}, {"0", "0", false}, {"1e30", "1e-30", false},
	} {
		a, b := decimals(c.a)[0], decimals(c.b)[0]
		if a.isSwapped(b) != c.want || b.isSwapped(a) != c.want {
			t.Errorf("%s and %s: want %t", c.a, c.b, c.want)
		}
	}
}
