package finding

import (
	"strconv"
	"strings"
)

// decimal is a number without its sign: digits × 10^exp. The digits neither begin nor
// end with a zero, so equal numbers are equal values.
type decimal struct {
	digits string
	exp    int
}

// maxDigits limits the digits of a number that is compared.
const maxDigits = 30

// parseDecimal reads an unsigned number as JSON writes it.
func parseDecimal(text string) (decimal, bool) {
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		n, err := strconv.Atoi(text[i+1:])
		if err != nil || n < -99 || n > 99 {
			return decimal{}, false
		}
		mantissa, exponent = text[:i], n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || len(digits) > maxDigits || strings.Trim(digits, "0123456789") != "" {
		return decimal{}, false
	}
	short := strings.TrimRight(digits, "0")
	d := decimal{strings.TrimLeft(short, "0"), exponent - len(fraction) + len(digits) - len(short)}
	if d.digits == "" {
		d.exp = 0
	}
	return d, true
}

// times returns d × 10^k.
func (d decimal) times(k int) decimal {
	if d.digits != "" {
		d.exp += k
	}
	return d
}

// float returns d as a floating-point number.
func (d decimal) float() float64 {
	f, _ := strconv.ParseFloat(d.digits+"e"+strconv.Itoa(d.exp), 64)
	return f
}

// at returns the digit that stands for 10^place.
func (d decimal) at(place int) byte {
	if i := len(d.digits) - 1 - (place - d.exp); i >= 0 && i < len(d.digits) {
		return d.digits[i]
	}
	return '0'
}

// isSwapped reports whether two digits of one changed places in the other.
func (d decimal) isSwapped(other decimal) bool {
	top := d.exp + len(d.digits)
	if top != other.exp+len(other.digits) {
		return false
	}
	low := min(d.exp, other.exp, 0)
	if top-low > 2*maxDigits {
		return false
	}
	first, second, count := 0, 0, 0
	for place := low; place < top; place++ {
		if d.at(place) == other.at(place) {
			continue
		}
		switch count++; count {
		case 1:
			first = place
		case 2:
			second = place
		default:
			return false
		}
	}
	return count == 2 && d.at(first) == other.at(second) && d.at(second) == other.at(first)
}

// readNumeral returns what a numeral can mean. It consists of ASCII digits with
// separators between them: a point, a comma, an apostrophe or a blank. "1.500" is read
// both ways. Nothing is returned for what is no number, such as a version.
func readNumeral(text string) []decimal {
	last := strings.LastIndexAny(text, ".,' ")
	if last < 0 {
		return decimals(text)
	}
	head, tail, sep := text[:last], text[last+1:], text[last]
	joined := strings.NewReplacer(".", "", ",", "", "'", "", " ", "").Replace(head)
	kinds := strings.Count(head, string(sep))
	switch {
	case sep == '\'' || sep == ' ' || kinds > 0:
		if len(tail) == 3 && isGrouped(head, sep) {
			return decimals(joined + tail)
		}
		return nil
	case joined != head: // another separator before it: this one is of decimals
		other := head[strings.IndexAny(head, ".,' ")]
		if joined == strings.ReplaceAll(head, string(other), "") && isGrouped(head, other) {
			return decimals(joined + "." + tail)
		}
		return nil
	case len(tail) == 3 && len(head) <= 3 && head != "" && head[0] != '0':
		return decimals(head+tail, head+"."+tail)
	}
	return decimals(head + "." + tail)
}

// isGrouped reports whether the digits stand in groups of three, or of two as in India.
func isGrouped(text string, sep byte) bool {
	groups := strings.Split(text, string(sep))
	for i, group := range groups {
		if len(group) > 3 || len(group) == 0 || i > 0 && len(group) != 3 && (len(group) != 2 || sep != ',') {
			return false
		}
	}
	return groups[0][0] != '0'
}

func decimals(texts ...string) []decimal {
	var all []decimal
	for _, text := range texts {
		if d, ok := parseDecimal(text); ok {
			all = append(all, d)
		}
	}
	return all
}
