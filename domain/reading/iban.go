package reading

import (
	"slices"
	"strings"
)

// ibanLengths are the lengths of IBANs by country.
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29, "BY": 28, "CH": 21, "CR": 22,
	"CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22,
	"GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30,
	"KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27,
	"MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33,
	"SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29,
	"VA": 22, "VG": 24, "XK": 20, "YE": 30,
}

// payNames are words of names under which a text of an IBAN's form is one.
var payNames = []string{"account", "acct", "konto", "compte", "cuenta", "conto", "conta", "rekening", "payee", "beneficiary", "recipient", "creditor", "debtor", "vendor", "supplier", "bank"}

// HasWrongCheckDigits reports whether a text is an IBAN whose check digits do not fit. The
// name of its member says so, or it has the form and a name or groups of four.
func HasWrongCheckDigits(name, text string) bool {
	if len(text) < 15 || len(text) > 50 || !isLetter(text[0]) || !isLetter(text[1]) || countDigits(text[2:4]) < 2 {
		return false
	}
	words, iban := wordsOf(name), strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(text))
	if len(iban) < 15 || len(iban) > 34 {
		return false
	}
	if !slices.Contains(words, "iban") {
		isGrouped := len(text) > 4 && text[4] == ' '
		if len(iban) != ibanLengths[iban[:2]] || !isGrouped && !hasWord(words, payNames) {
			return false
		}
	}
	rest := 0 // of a division by 97, with letters as the numbers from 10
	for _, c := range []byte(iban[4:] + iban[:4]) {
		switch {
		case c >= '0' && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case isLetter(c):
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return false
		}
	}
	return rest != 1
}
