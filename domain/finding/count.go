package finding

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"countersign/domain/reading"
)

// smallNumbers are numbers that prose writes as words.
var smallNumbers = map[string]int{
	"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwölf": 12,
	"deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "sept": 7, "huit": 8, "neuf": 9, "dix": 10,
	"dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10,
}

// boundWords stand before a number that is a bound or a guess, or one of several.
var boundWords = setOf(`up most least over than about around max maximum minimum under every each first last top of other another additional
	more bis höchstens mindestens über etwa ungefähr je erste letzten jusqu à moins plus environ premiers derniers hasta más menos unos cada primeros últimos`)

// maxCounts limits the numbers with a noun that are looked at in one text.
const maxCounts = 20

// counted is a member that says how many of something there are.
type counted struct {
	argument
	n int
}

// compareCounts finds members that have another number of things than prose: "8 shards"
// beside a list "shards" of six. The noun stands once in prose, the number of the
// member nowhere.
func compareCounts(c *comparing) {
	for _, p := range c.passages {
		words := strings.FieldsFunc(strings.ToLower(string(p.text)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && digitOf(r) == 0 })
		counts := 0
		for i, noun := range words[min(1, len(words)):] {
			n, ok := countOf(words[i])
			if !ok || len(noun) < 3 || unitOf(noun) != nil || hasAny(words[max(0, i-2):i], boundWords) || hasAny(words[i+2:min(i+3, len(words))], eachWords) {
				continue
			}
			if counts++; counts > maxCounts {
				break
			}
			if m, exists := p.numberOf(words[i]); exists && !m.isFirm || !isOnce(words, noun) {
				continue
			}
			members := c.countedBy(p, noun)
			total := 0
			for _, member := range members {
				total += member.n
			}
			if len(members) == 0 || total == n || slices.ContainsFunc(members, func(m counted) bool { return m.n == n || p.hasCount(words, m.n) }) {
				continue
			}
			m := members[0]
			c.say("count", Look, p, m.argument, differs(m.argument, p), words[i]+" "+noun)
		}
	}
}

// countOf returns the number that a word is.
func countOf(word string) (int, bool) {
	if n, ok := smallNumbers[word]; ok {
		return n, true
	}
	if numeral, _ := scanNumeral([]rune(word), 0); numeral != "" && len(numeral) <= 6 && numeral[0] != '0' && len([]rune(word)) == len(numeral) {
		n, err := strconv.Atoi(numeral)
		return n, err == nil && n > 0
	}
	return 0, false
}

// numberOf returns the number in a text that consists of this word.
func (p *passage) numberOf(word string) (mention, bool) {
	for _, m := range p.numbers {
		if string(p.text[m.start:m.end]) == word {
			return m, true
		}
	}
	return mention{}, smallNumbers[word] == 0
}

// hasCount reports whether prose has this number anywhere.
func (p *passage) hasCount(words []string, n int) bool {
	d, _ := parseDecimal(strconv.Itoa(n))
	return slices.ContainsFunc(p.numbers, func(m mention) bool { return m.isAny(d) && !p.isMinute(m) }) ||
		slices.ContainsFunc(words, func(word string) bool { return smallNumbers[word] == n && n > 0 })
}

// isMinute reports whether a number stands behind a colon, as in "07:00".
func (p *passage) isMinute(m mention) bool { return m.start > 0 && p.text[m.start-1] == ':' }

// isOnce reports whether only one word is this noun, in the singular or the plural.
func isOnce(words []string, noun string) bool {
	count := 0
	for _, word := range words {
		if isSameNoun(word, noun) {
			count++
		}
	}
	return count == 1
}

// isSameNoun reports whether two words differ by no more than their plural.
func isSameNoun(a, b string) bool {
	return a == b || strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s") || strings.TrimSuffix(a, "es") == strings.TrimSuffix(b, "es")
}

// countedBy returns the members that count a noun: "shards", "shard_count", "num_shards".
func (c *comparing) countedBy(p *passage, noun string) []counted {
	var members []counted
	// A number "floor" is one floor's, "floors" and "floor_count" say how many.
	isCounter := func(pointer string, isList bool) bool {
		all := nameWords(pointer)
		words := slices.DeleteFunc(slices.Clone(all), func(word string) bool { return counterNames[word] })
		return len(words) == 1 && (words[0] == noun || isSameNoun(words[0], noun) && (isList || len(all) > 1))
	}
	for _, a := range c.arguments(p) {
		if a.Type == reading.Number && a.Name == nameOf(a.Pointer) && isCounter(a.Pointer, false) {
			if n, err := strconv.Atoi(a.Text); err == nil && n >= 0 {
				members = append(members, counted{a, n})
			}
		}
	}
	for _, list := range c.lists {
		if (p.action < 0 || p.action == list.action) && isCounter(list.Pointer, true) {
			list.Text = strconv.Itoa(len(list.Items)) + " items"
			members = append(members, counted{list, len(list.Items)})
		}
	}
	return members
}

var counterNames = setOf(`count number num no of total n anzahl nombre número numero cantidad size`)
