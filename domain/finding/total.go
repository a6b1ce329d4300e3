package finding

import (
	"strconv"

	"countersign/domain/reading"
)

var (
	totalNames   = setOf("total sum gesamt summe totale")
	priceNames   = setOf("price cost preis prix precio prezzo")
	countNames   = setOf("quantity qty menge anzahl cantidad quantité quantità count")
	besideTotals = setOf("tax vat mwst iva tva shipping freight discount fee fees rebate deposit delivery rabatt skonto gross brutto")
)

// findTotals reports a total that is far from the lines beside it. Taxes and the like
// explain what is near.
func findTotals(r *Request, report func(Finding)) {
	for i, a := range r.Actions {
		eachValue(a.Args, func(v reading.Value) {
			if v.Type != reading.Object || len(v.Items) > 100 {
				return
			}
			lines, totals := 0.0, []reading.Value{}
			for _, member := range v.Items {
				words := wordsOf(member.Name)
				switch {
				case hasAny(words, besideTotals):
					return
				case member.Type == reading.Array:
					sum := sumOfLines(member)
					if sum > 0 && lines > 0 {
						return
					}
					lines += sum
				case hasAny(words, totalNames):
					totals = append(totals, member)
				}
			}
			if lines == 0 || len(totals) != 1 {
				return
			}
			total, err := strconv.ParseFloat(totals[0].Text, 64)
			if ratio := total / lines; err == nil && total > 0 && (ratio < 0.7 || ratio > 1.3) && !isClose(ratio, 100) && !isClose(ratio, 0.01) {
				report(Finding{Kind: "total", Level: Look, Action: i, Pointer: totals[0].Pointer,
					Says: quotedName(totals[0].Pointer) + " is not what the lines add up to", Here: shortened(totals[0].Text), There: strconv.FormatFloat(lines, 'f', 2, 64), Where: "lines"})
			}
		})
	}
}

// sumOfLines adds up quantity times price of the objects of a list, or is 0 if one has
// not exactly one of both.
func sumOfLines(list reading.Value) float64 {
	sum := 0.0
	for _, line := range list.Items {
		count, price := 0.0, 0.0
		for _, member := range line.Items {
			n, err := strconv.ParseFloat(member.Text, 64)
			words := wordsOf(member.Name)
			switch {
			case hasAny(words, besideTotals) || hasAny(words, totalNames):
				return 0
			case err != nil || !member.IsLeaf():
			case hasAny(words, countNames) && count == 0:
				count = n
			case hasAny(words, priceNames) && price == 0:
				price = n
			case hasAny(words, countNames) || hasAny(words, priceNames):
				return 0
			}
		}
		if count <= 0 || price <= 0 {
			return 0
		}
		sum += count * price
	}
	return sum
}
