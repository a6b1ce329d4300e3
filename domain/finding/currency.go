package finding

import (
	"slices"
	"strings"
)

// currencyCodes are the codes of signs and words that stand for one currency. A dollar
// is many.
var currencyCodes = map[string]string{
	"€": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP", "¥": "JPY", "円": "JPY", "yen": "JPY", "元": "CNY", "rmb": "CNY", "₹": "INR", "rupees": "INR",
	"zł": "PLN", "kč": "CZK", "₽": "RUB", "руб": "RUB", "рублей": "RUB", "₩": "KRW", "원": "KRW", "us$": "USD", "r$": "BRL", "reais": "BRL", "ft": "HUF", "lei": "RON",
	"franken": "CHF", "sfr": "CHF",
}

// currencyNames are names of members that hold a currency.
var currencyNames = setOf("currency ccy curr währung waehrung devise moneda valuta moeda waluta валюта")

// currencyCode returns the code of a sign, a word or a code, or "".
func currencyCode(word string) string {
	lower := strings.ToLower(strings.TrimSpace(word))
	if code := currencyCodes[lower]; code != "" {
		return code
	}
	if len(lower) == 3 && currencies[lower] && strings.Trim(lower, "abcdefghijklmnopqrstuvwxyz") == "" {
		return strings.ToUpper(lower)
	}
	return ""
}

// compareCurrencies finds a sum of prose in another currency.
func compareCurrencies(c *comparing) {
	for _, p := range c.passages {
		if !p.isNear() {
			continue
		}
		stated := map[string]bool{}
		for _, m := range p.numbers {
			stated[currencyCode(m.currency)] = true
		}
		for word := range strings.FieldsSeq(string(p.text)) {
			stated[currencyCode(trimEnd(word))] = true
		}
		for _, m := range p.numbers {
			want := currencyCode(m.currency)
			if want == "" || !m.isFirm {
				continue
			}
			for _, a := range c.arguments(p) {
				isSame := slices.ContainsFunc(m.readings, func(d decimal) bool { return a.isEqual(d) || a.isEqual(d.times(2)) })
				if !isSame {
					continue
				}
				at, code := c.currencyOf(a)
				if code != "" && code != want && !stated[code] {
					c.say("sum", Look, p, at, quotedName(at.Pointer)+" is another currency than in the "+p.where, p.written(m))
				}
			}
		}
	}
}

// currencyOf returns the currency of a sum, and the argument that says it: beside the
// number, in its name, in a member beside it or above.
func (c *comparing) currencyOf(a argument) (argument, string) {
	if code := currencyCode(a.beside); code != "" {
		return a, code
	}
	if len(a.words) > 1 {
		if code := currencyCode(a.words[len(a.words)-1]); code != "" {
			return a, code
		}
	}
	for parent := a.parent; ; {
		for _, other := range c.byAction[a.action] {
			if other.parent == parent && other.hasWord(currencyNames) {
				return other, currencyCode(other.Text)
			}
		}
		at := strings.LastIndexByte(parent, '/')
		if at < 0 {
			return a, ""
		}
		parent = parent[:at]
	}
}
