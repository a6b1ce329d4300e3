package finding

import (
	"slices"
	"strings"
	"unicode"
)

// Limits of what is read in one text.
const (
	maxProse    = 8_000 // characters
	maxMentions = 60
)

// mention is a number in prose.
type mention struct {
	start, end int       // of the numeral, in characters
	readings   []decimal // what it can mean, with a word such as "million" counted in
	parts      []decimal // its groups, were they numbers of a list
	isFirm     bool      // it is a quantity: no date, version, time, share or part of a name
	currency   string    // the sign or code beside it
	unit       string    // the word right after it
}

// isAny reports whether the number can be read as d.
func (m mention) isAny(d decimal) bool {
	return slices.Contains(m.readings, d) || slices.Contains(m.parts, d)
}

// digitZeros are the zeros of the decimal digits that prose is read in, ASCII first.
var digitZeros = []rune{'0', '٠', '۰', '०', '০', '๐', '０'}

// digitOf returns the ASCII digit of r, or 0.
func digitOf(r rune) byte {
	for _, zero := range digitZeros {
		if r >= zero && r <= zero+9 {
			return byte('0' + r - zero)
		}
	}
	return 0
}

// separatorOf returns the ASCII form of what can stand between digits, or 0.
func separatorOf(r rune) byte {
	switch r {
	case '.', '٫', '．':
		return '.'
	case ',', '٬', '，':
		return ','
	case '\'', '’':
		return '\''
	case ' ', 0xA0, 0x202F, 0x2009:
		return ' '
	}
	return 0
}

// firstRunes returns the first characters of a text.
func firstRunes(text string, limit int) []rune {
	if len(text) > 4*limit {
		text = text[:4*limit]
	}
	runes := []rune(strings.ToValidUTF8(text, "�"))
	return runes[:min(len(runes), limit)]
}

// numbersIn returns the numbers in a text.
func numbersIn(text []rune) []mention {
	var found []mention
	for i := 0; i < len(text) && len(found) < maxMentions; {
		if digitOf(text[i]) == 0 {
			i++
			continue
		}
		numeral, end := scanNumeral(text, i)
		m := mention{start: i, end: end, readings: readNumeral(numeral)}
		for part := range strings.FieldsFuncSeq(numeral, func(r rune) bool { return r == ',' || r == ' ' }) {
			if part != numeral && len(part) > 1 && part[0] != '0' {
				m.parts = append(m.parts, readNumeral(part)...)
			}
		}
		m.weigh(text, numeral)
		if len(m.readings)+len(m.parts) > 0 {
			found = append(found, m)
		}
		i = end
	}
	return found
}

// scanNumeral returns the digits from start on with the separators between them, in
// ASCII, and where they end.
func scanNumeral(text []rune, start int) (string, int) {
	var numeral []byte
	group := 0
	end := start
	for end < len(text) {
		if digit := digitOf(text[end]); digit != 0 {
			numeral = append(numeral, digit)
			group++
			end++
			continue
		}
		sep := separatorOf(text[end])
		if sep == 0 || end+1 == len(text) || digitOf(text[end+1]) == 0 {
			break
		}
		if sep == ' ' {
			// A blank groups digits by three, and nothing else.
			next := end + 1
			for next < len(text) && digitOf(text[next]) != 0 {
				next++
			}
			if group > 3 || next-end-1 != 3 || strings.ContainsAny(string(numeral), ".,'") {
				break
			}
		}
		numeral = append(numeral, sep)
		group = 0
		end++
	}
	return string(numeral), end
}

// weigh reads what stands around a numeral.
func (m *mention) weigh(text []rune, numeral string) {
	before, after := rune(' '), rune(' ')
	if m.start > 0 {
		before = text[m.start-1]
	}
	if m.end < len(text) {
		after = text[m.end]
	}
	previous, hasBlankBefore := wordBefore(text, m.start)
	next, hasBlankAfter := wordAfter(text, m.end)
	m.unit = next
	if k, ok := magnitudes[strings.ToLower(next)]; ok {
		plain := m.readings
		m.readings = nil
		for _, d := range plain {
			m.readings = append(m.readings, d.times(k), d)
		}
		next, _ = wordAfter(text, skipWord(text, m.end))
		hasBlankAfter = true
		if unitOf(m.unit) == nil {
			m.unit = next
		}
	}
	if end := skipWord(text, m.end); unitOf(m.unit) != nil && end < len(text) {
		following, _ := wordAfter(text, end)
		if strings.ContainsRune("/²³^·*", text[end]) || rates[strings.ToLower(following)] {
			m.unit = "" // a part of another one, such as a speed
		}
	}
	switch {
	case isCurrency(next):
		m.currency = next
	case isCurrency(previous):
		m.currency = previous
	}
	m.isFirm = len(m.readings) > 0 && len(numeral) <= 20 && !formerWords[strings.ToLower(previous)] &&
		(numeral[0] != '0' || len(numeral) > 1 && numeral[1] < '0') &&
		!isJoined(before, previous, hasBlankBefore) && !isJoinedAfter(text, m.end, after, next, hasBlankAfter) &&
		!datesAround[strings.ToLower(previous)] && !datesAround[strings.ToLower(next)] && !isGroupBeside(text, m.start, m.end)
	if m.currency != "" && !hasLetterOrDigit(before) {
		m.isFirm = m.isFirm || len(m.readings) > 0 && after != '%'
	}
}

func hasLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isJoined reports whether what stands before a numeral makes it part of a name, a
// date, a range or a time.
func isJoined(before rune, word string, hasBlank bool) bool {
	if strings.ContainsRune("-/:.,#_^@\\+–—*第", before) {
		return true
	}
	return unicode.IsLetter(before) && !hasBlank && !isUnspaced(before) && !isCurrency(word)
}

// isJoinedAfter reports the same of what stands after it.
func isJoinedAfter(text []rune, end int, after rune, word string, hasBlank bool) bool {
	if strings.ContainsRune("%٪‰º^_@\\*=#", after) {
		return true
	}
	if strings.ContainsRune("-/:–—.", after) && end+1 < len(text) &&
		(digitOf(text[end+1]) != 0 || after == '.' && unicode.IsLetter(text[end+1])) {
		return true
	}
	if after == '.' && (end+1 == len(text) || text[end+1] == ' ') {
		// "am 3. Mai": a month may follow.
		month, _ := wordAfter(text, end+1)
		return datesAround[strings.ToLower(month)]
	}
	if word == "%" || percents[strings.ToLower(word)] {
		return true
	}
	lower := strings.ToLower(word)
	return unicode.IsLetter(after) && !hasBlank && !isUnspaced(after) && !isCurrency(word) &&
		magnitudes[lower] == 0 && unitOf(word) == nil
}

// isGroupBeside reports whether other digits stand one blank away: the numeral is a
// part of something longer.
func isGroupBeside(text []rune, start, end int) bool {
	return start > 1 && separatorOf(text[start-1]) == ' ' && digitOf(text[start-2]) != 0 ||
		end+1 < len(text) && separatorOf(text[end]) == ' ' && digitOf(text[end+1]) != 0
}

// isUnspaced reports whether r is of a script that puts no blanks between words.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Arabic, unicode.Hebrew)
}

// isWordRune reports whether r belongs to a word, or is a sign that stands for one.
func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.Sc, r) || r == '%'
}

// wordAfter returns the word that begins at or right after a place, and whether a blank
// stands between. Of scripts without blanks it is one character.
func wordAfter(text []rune, at int) (string, bool) {
	start := at
	if start < len(text) && (separatorOf(text[start]) == ' ' || text[start] == '-') {
		start++
	}
	end := start
	for end < len(text) && isWordRune(text[end]) && end-start < 40 {
		end++
		if unicode.In(text[end-1], unicode.Han) || unicode.Is(unicode.Sc, text[end-1]) {
			break
		}
	}
	return string(text[start:end]), start > at
}

// skipWord returns where the word that wordAfter finds ends.
func skipWord(text []rune, at int) int {
	word, hasBlank := wordAfter(text, at)
	at += len([]rune(word))
	if hasBlank {
		at++
	}
	return at
}

// wordBefore returns the word that ends at or right before a place, and whether a
// blank stands between.
func wordBefore(text []rune, at int) (string, bool) {
	end := at
	if end > 0 && separatorOf(text[end-1]) == ' ' {
		end--
	}
	start := end
	for start > 0 && isWordRune(text[start-1]) && end-start < 40 {
		start--
		if unicode.Is(unicode.Sc, text[start]) {
			break
		}
	}
	return string(text[start:end]), end < at
}
