package reading

import (
	"math/big"
	"slices"
	"strings"
)

// currencyNames are names of members that hold the code of a currency.
var currencyNames = []string{"currency", "ccy", "währung", "waehrung", "devise", "moneda", "valuta", "moeda", "waluta"}

// currencyIn returns the currency that an object names beside its sums.
func currencyIn(v Value) string {
	for _, item := range v.Items {
		if isCurrency(item) && v.Type == Object && slices.Contains(currencyNames, firstOf(wordsOf(item.Name))) {
			return strings.ToUpper(item.Text)
		}
	}
	return ""
}

// currenciesOf returns the currencies that belong to one member: of price it is
// price_currency.
func currenciesOf(v Value) map[string]string {
	var owns map[string]string
	for _, item := range v.Items {
		name, found := strings.CutSuffix(item.Name, "_currency")
		if !found || v.Type != Object || !isCurrency(item) || owns[name] != "" {
			continue
		}
		if owns == nil {
			owns = map[string]string{}
		}
		owns[name] = strings.ToUpper(item.Text)
	}
	return owns
}

func firstOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// decimalsOf are the digits of minor units where they are not two.
var decimalsOf = map[string]int{"JPY": 0, "KRW": 0, "VND": 0, "CLP": 0, "ISK": 0, "UGX": 0, "XAF": 0, "XOF": 0, "PYG": 0, "BHD": 3, "KWD": 3, "OMR": 3, "JOD": 3, "TND": 3, "IQD": 3}

// sum groups the digits of a sum that has a currency beside it.
func (r *reader) sum(row *Row, v Value, at place) {
	name, currency := wordsOf(v.Name), at.currency
	if own := currencySuffix(name); own != "" {
		currency = own
	}
	isMinor := isMinorName(name)
	if currency == "" && last(name) != "cents" || !isDecimal(row.Text) {
		row.Kind = Other
		return
	}
	row.Unit, row.Parts = currency, digitGroups(row.Text)
	if !isMinor {
		return
	}
	decimals, known := decimalsOf[currency]
	if !known {
		decimals = 2
	}
	row.Unit = "minor units"
	if !strings.Contains(row.Text, ".") && len(row.Text) < 30 {
		row.Notes = append(row.Notes, Note{Says: strings.TrimRight("= "+groupedDigits(shift(row.Text, decimals))+" "+currency, " ")})
	}
}

// shift puts a point before the last digits of an integer.
func shift(text string, decimals int) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	if decimals == 0 {
		return sign + text
	}
	text = strings.Repeat("0", max(0, decimals+1-len(text))) + text
	return sign + text[:len(text)-decimals] + "." + text[len(text)-decimals:]
}

// digitGroups splits a decimal number into groups of three digits before the point.
func digitGroups(text string) []Part {
	whole, _, _ := strings.Cut(text, ".")
	start := 0
	if strings.HasPrefix(whole, "-") {
		start = 1
	}
	first := (len(whole)-start-1)%3 + 1 + start
	parts := []Part{{Text: text[:first]}}
	for i := first; i < len(whole); i += 3 {
		parts = append(parts, Part{text[i : i+3], Digits})
	}
	if rest := text[len(whole):]; rest != "" {
		parts = append(parts, Part{Text: rest})
	}
	return parts
}

func groupedDigits(text string) string {
	var b strings.Builder
	for _, part := range digitGroups(text) {
		if part.Role == Digits {
			b.WriteByte(' ')
		}
		b.WriteString(part.Text)
	}
	return b.String()
}

// larger says in which unit a large quantity is easier to read, and by how much it is
// divided. The first that fits counts.
var larger = map[string][]struct {
	from, by int64
	unit     string
}{
	"s":   {{172800, 86400, "d"}, {7200, 3600, "h"}, {120, 60, "min"}},
	"ms":  {{172800000, 86400000, "d"}, {7200000, 3600000, "h"}, {120000, 60000, "min"}, {1000, 1000, "s"}},
	"min": {{2880, 1440, "d"}, {120, 60, "h"}},
	"h":   {{48, 24, "d"}},
	"d":   {{730, 365, "years"}},
	"B":   {{1 << 40, 1 << 40, "TiB"}, {1 << 30, 1 << 30, "GiB"}, {1 << 20, 1 << 20, "MiB"}, {1 << 10, 1 << 10, "KiB"}},
	"kB":  {{1e6, 1e6, "GB"}, {1000, 1000, "MB"}},
	"MB":  {{1e6, 1e6, "TB"}, {1000, 1000, "GB"}},
	"mg":  {{1e6, 1e6, "kg"}, {1000, 1000, "g"}},
	"g":   {{1e6, 1e6, "t"}, {1000, 1000, "kg"}},
	"kg":  {{1000, 1000, "t"}},
	"mm":  {{1e6, 1e6, "km"}, {1000, 1000, "m"}},
	"m":   {{1000, 1000, "km"}},
	"ml":  {{1000, 1000, "l"}},
}

// quantity puts the unit beside a number, and says a large one in a larger unit.
func (r *reader) quantity(row *Row, v Value, at place) {
	row.Unit = unitOf(wordsOf(v.Name))
	if unit, found := at.schema.Member("unit"); found && unit.Type == String && unit.Text != "" {
		row.Unit = ""
		row.Notes = append(row.Notes, Note{"unit by the agent's schema:", unit.Text})
		return
	}
	if !isDecimal(row.Text) || len(row.Text) > 30 {
		return
	}
	n, ok := new(big.Rat).SetString(row.Text)
	if !ok {
		return
	}
	for _, step := range larger[row.Unit] {
		if n.Cmp(new(big.Rat).SetInt64(step.from)) < 0 {
			continue
		}
		exact := new(big.Rat).Quo(n, new(big.Rat).SetInt64(step.by))
		text, sign := exact.FloatString(2), "= "
		if back, _ := new(big.Rat).SetString(text); back.Cmp(exact) != 0 {
			sign = "about "
		}
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		row.Notes = append(row.Notes, Note{Says: sign + text + " " + step.unit})
		return
	}
}
