package finding

import (
	"slices"
	"strings"
	"unicode"
)

// currencies are codes and words for money. "Pound" is not among them: it also weighs.
var currencies = setOf(`usd eur gbp chf jpy cny inr brl cad aud nzd sek nok dkk pln czk huf ron bgn try zar mxn ars clp
	cop pen sgd hkd twd krw thb idr myr php vnd ils aed sar egp ngn kes ghs mad uah rub kzt pkr bdt lkr isk rsd btc eth usdt usdc
	euro euros dollar dollars dólares dólar francs franken rupees rupien yen zł kč kr sek fr lei ft pesos reais
	元 円 원 рублей руб евро долларов يورو دولار درهم ريال ₿ r$ us$ rmb quid`)

// isCurrency reports whether a word names a currency.
func isCurrency(word string) bool {
	if word == "" {
		return false
	}
	if r := []rune(word); len(r) == 1 && unicode.Is(unicode.Sc, r[0]) {
		return true
	}
	return currencies[strings.ToLower(word)]
}

// sumNames are words in names of sums.
var sumNames = setOf(`amount total subtotal price sum cost fee payment budget salary refund deposit charge wage rent premium payout
	betrag summe preis gesamt kosten gebühr gehalt montant prix somme frais salaire importe precio monto suma coste costo tarifa
	importo prezzo totale valor preço quantia bedrag prijs totaal kwota cena minor cents`)

// besideSums end a name that is about a sum and is none, such as "cost_center".
var besideSums = setOf("center centre code type name no number group schedule status items pages rows count lines records list class category reason date id ids units pct percent rate stelle art")

// isSum reports whether an argument is a sum of money.
func (a argument) isSum() bool {
	return len(a.numbers) > 0 && (a.hasWord(sumNames) && !besideSums[a.words[len(a.words)-1]] || a.beside != "" && unitOf(a.beside) == nil)
}

// compareSums finds sums that prose states and no argument has. Minor units count. Of
// several in a text all have to be missing. Where prose speaks of a share or a deduction,
// only the digits of the sum itself are compared.
func compareSums(c *comparing) {
	for _, p := range c.passages {
		all := c.arguments(p)
		if !slices.ContainsFunc(all, argument.isSum) {
			continue
		}
		var missing []mention
		for _, m := range p.numbers {
			if m.currency == "" || !m.isFirm {
				continue
			}
			if c.has(p, m) || hasMinor(all, m) || isComputed(all, m) {
				missing = nil
				break
			}
			missing = append(missing, m)
		}
		if len(missing) == 0 {
			continue
		}
		isShared := strings.ContainsAny(string(p.text), "%٪½¼/") || hasAny(strings.Fields(strings.ToLower(string(p.text))), shareWords)
		for _, a := range all {
			if !a.isSum() || c.isNamed(p, a) {
				continue
			}
			alike := slices.IndexFunc(missing, func(m mention) bool { return isNear(m, a) })
			if alike >= 0 || p.isNear() && !isShared {
				c.say("sum", Look, p, a, differs(a, p), p.written(missing[max(0, alike)]))
				break
			}
		}
	}
}

// hasMinor reports whether an argument has the sum in minor units, or in thousands.
func hasMinor(all []argument, m mention) bool {
	return slices.ContainsFunc(all, func(a argument) bool {
		return slices.ContainsFunc(m.readings, func(d decimal) bool {
			return a.isEqual(d.times(2)) || a.isEqual(d.times(-2)) || a.isEqual(d.times(3)) && a.hasWord(millNames)
		})
	})
}

var millNames = setOf(`mills millis milli thousandths`)

// isComputed reports whether the sum is all of one name's arguments added up, or a
// product of two arguments.
func isComputed(all []argument, m mention) bool {
	totals := map[string]float64{}
	var factors []float64
	for _, a := range all {
		if len(a.numbers) == 1 {
			totals[nameOf(a.Pointer)] += a.numbers[0].float()
			if len(factors) < 40 {
				factors = append(factors, a.numbers[0].float())
			}
		}
	}
	for _, d := range m.readings {
		want := d.float()
		for _, total := range totals {
			if isClose(total, want) || isClose(total, 100*want) {
				return true
			}
		}
		for i, x := range factors {
			for _, y := range factors[i+1:] {
				if isClose(x*y, want) || isClose(x*y, 100*want) {
					return true
				}
			}
		}
	}
	return false
}

// isClose reports whether two numbers differ by no more than rounding.
func isClose(x, y float64) bool { return x > 0 && x-y <= 1e-6*y && y-x <= 1e-6*y }
