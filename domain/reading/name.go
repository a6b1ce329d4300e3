package reading

import (
	"slices"
	"strings"
	"unicode"
)

// maxNameLength is how much of a member's name is looked at.
const maxNameLength = 128

// wordsOf splits a member's name at signs, and where a capital follows a small letter:
// "amountDue_cents" is amount, due, cents.
func wordsOf(name string) []string {
	if len(name) > maxNameLength {
		return nil
	}
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	small := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && small:
			flush()
			fallthrough
		default:
			word.WriteRune(unicode.ToLower(r))
		}
		small = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	flush()
	return words
}

func hasWord(words, list []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
}

func last(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

var (
	sumNames        = []string{"amount", "total", "price", "sum", "cost", "fee", "balance", "subtotal", "payout", "refund", "salary", "betrag", "summe", "preis", "kosten", "montant", "prix", "importe", "precio", "importo", "prezzo", "kwota", "bedrag"}
	besideSums      = []string{"center", "centre", "code", "type", "name", "no", "number", "group", "schedule", "status", "items", "pages", "rows", "count", "lines", "records", "list", "class", "category", "reason", "date", "id", "ids", "units", "pct", "percent", "rate"}
	amountNames     = []string{"quantity", "qty", "count", "size", "limit", "max", "min", "number", "offset", "width", "height", "length", "rate", "year", "port", "version", "percent", "value", "weight", "volume", "distance", "duration"}
	identifierNames = []string{"id", "ids", "iban", "bic", "account", "acct", "arn", "commit", "sha", "uuid", "guid", "isin", "lei", "vin", "ssn", "phone", "card", "serial", "invoice", "ref", "reference", "ticket", "order"}
	hostNames       = []string{"host", "hosts", "hostname", "domain", "domains", "server", "servers", "endpoint", "registry", "site", "ip", "fqdn", "cname", "upstream", "origin"}
	pathNames       = []string{"path", "paths", "file", "files", "filename", "filepath", "dir", "directory", "folder", "destination", "cwd", "workdir"}
	instantNames    = []string{"at", "time", "timestamp", "ts", "date", "expires", "expiry", "deadline", "until", "since", "after", "before", "start", "end", "when"}
)

func isSumName(words []string) bool {
	return hasWord(words, sumNames) && unitOf(words) == "" && !slices.Contains(besideSums, last(words)) || isMinorName(words) || currencySuffix(words) != ""
}

func isMinorName(words []string) bool { return last(words) == "minor" || last(words) == "cents" }

func isAmountName(words []string) bool {
	return hasWord(words, amountNames) || hasWord(words, sumNames)
}

func isIdentifierName(words []string) bool {
	return slices.Contains(identifierNames, last(words)) || len(words) > 1 && hasWord(words, []string{"account", "iban", "card", "phone"}) && !isAmountName(words)
}

// currencySuffix returns the currency at the end of a name, such as price_eur.
func currencySuffix(words []string) string {
	if len(words) > 1 {
		if code := strings.ToUpper(last(words)); slices.Contains(currencies, code) {
			return code
		}
	}
	return ""
}

// currencies are the codes that are read at the end of a name.
var currencies = []string{"AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "INR", "JPY", "KRW", "MXN", "NOK", "NZD", "PLN", "SEK", "SGD", "USD", "ZAR"}

// isCurrency reports whether a value is the code of a currency: three letters.
func isCurrency(v Value) bool {
	return v.Type == String && len(v.Text) == 3 && isLetter(v.Text[0]) && isLetter(v.Text[1]) && isLetter(v.Text[2])
}
