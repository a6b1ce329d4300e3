package finding

import (
	"strings"
	"unicode"
)

// Limits of an identifier, in letters and digits.
const (
	minIdentifier = 6
	maxIdentifier = 64
)

// isIdentifying reports whether letters and digits are enough to name one thing: six of
// them, four of them digits, and no word with a year.
func isIdentifying(compact string) bool {
	if len(compact) < minIdentifier || len(compact) > maxIdentifier {
		return false
	}
	digits := 0
	for _, r := range compact {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	word := strings.TrimRight(compact, "0123456789")
	isWordAndYear := word != "" && isYear(compact[len(word):]) && !strings.ContainsAny(word, "0123456789")
	return digits >= 4 && !isWordAndYear
}

// shapeOf returns 9 for each digit and A for each letter. Long mixtures and hexadecimal
// ones have letters anywhere: of them only the length counts.
func shapeOf(compact string) string {
	letters, changes := 0, 0
	isHex, wasLetter := true, false
	for i, r := range compact {
		isLetter := r < '0' || r > '9'
		if isLetter {
			letters++
			isHex = isHex && r <= 'F'
		}
		if i > 0 && isLetter != wasLetter {
			changes++
		}
		wasLetter = isLetter
	}
	switch {
	case letters > 0 && isHex && changes > 1:
		return strings.Repeat("h", len(compact))
	case len(compact) >= 12 && (changes > 2 || len(compact) >= 15 && letters >= 2):
		return strings.Repeat("x", len(compact))
	}
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return 'A'
		}
		return '9'
	}, compact)
}

// isSimilar reports whether two texts of one length differ in at most two places.
func isSimilar(a, b string) bool {
	differences := 0
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			differences++
		}
	}
	return len(a) == len(b) && differences <= 2
}

func isYear(s string) bool {
	return len(s) == 4 && (strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20"))
}

// isDated reports whether a text is a date, a time of day or two years.
func isDated(text string) bool {
	groups := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	letters := strings.IndexFunc(text, unicode.IsLetter)
	switch {
	case len(groups) == 0 || letters == 0:
		return false
	case len(groups) == 1: // 20260304, also with a time after it
		s := groups[0]
		return (len(s) == 8 || len(s) == 12 || len(s) == 14) && isYear(s[:4]) && isDay(s[4:6], s[6:8])
	case isYear(groups[0]):
		return isYear(groups[1]) || len(groups) > 2 && isDay(groups[1], groups[2]) || len(groups) == 2 && isDay(groups[1], "01")
	case len(groups[0]) <= 2 && len(groups[1]) == 2 && strings.Contains(text, ":"):
		return len(groups) < 5
	case len(groups) == 3:
		return (isDay(groups[0], groups[1]) || isDay(groups[1], groups[0])) && (isYear(groups[2]) || len(groups[2]) == 2)
	}
	return false
}

// isDay reports whether a month and a day of it can be meant.
func isDay(month, day string) bool {
	return len(month) <= 2 && len(day) <= 2 && month > "0" && month != "00" && (len(month) == 1 || month <= "12") &&
		day != "00" && (len(day) == 1 || day <= "31")
}
