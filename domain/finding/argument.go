package finding

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"countersign/domain/reading"
)

// Limits of what is compared in one request.
const (
	maxArguments = 1_000
	maxArgument  = 2_000   // characters of one string
	maxCompact   = 200_000 // bytes of all strings without their separators
)

// argument is a string or a number of an action.
type argument struct {
	reading.Value
	action  int
	parent  string    // pointer of the object or array that it is in
	words   []string  // of its name, in lower case; an item has its list's name
	numbers []decimal // what it can mean, if all of it is one number
	found   []mention // the numbers in a string
	beside  string    // the unit or currency in the string beside the number
	compact string    // its letters and digits
}

// arguments returns the strings and numbers of an action.
func arguments(index int, args reading.Value) []argument {
	var all []argument
	for leaf := range args.Leaves() {
		if len(all) == maxArguments {
			break
		}
		if leaf.Type != reading.String && leaf.Type != reading.Number {
			continue
		}
		a := argument{Value: leaf, action: index, words: nameWords(leaf.Pointer)}
		if i := strings.LastIndexByte(leaf.Pointer, '/'); i >= 0 {
			a.parent = leaf.Pointer[:i]
		}
		text := firstRunes(leaf.Text, maxArgument)
		a.compact = compactOf(text)
		if leaf.Type == reading.Number {
			a.numbers = decimals(strings.TrimLeft(leaf.Text, "-"))
		} else {
			a.found = numbersIn(text)
			a.readWhole(text)
		}
		all = append(all, a)
	}
	return all
}

// readWhole reads a string that is one number, perhaps with a unit or a currency.
func (a *argument) readWhole(text []rune) {
	if len(a.found) != 1 || len(text) > 40 || a.found[0].end-a.found[0].start > 20 {
		return
	}
	m := a.found[0]
	around := strings.TrimSpace(string(text[:m.start]) + " " + string(text[m.end:]))
	around = strings.TrimLeft(around, "-+")
	if around == "" || isCurrency(around) || unitOf(around) != nil || m.currency != "" && len(around) < 12 {
		a.numbers, a.beside = m.readings, around
	}
}

// isEqual reports whether all of the argument is this number.
func (a argument) isEqual(d decimal) bool { return slices.Contains(a.numbers, d) }

// beneath names the object or list that the argument is in, among all of the request.
func (a argument) beneath() string { return strconv.Itoa(a.action) + a.parent }

// hasWord reports whether a word of the argument's name is in a list.
func (a argument) hasWord(words map[string]bool) bool {
	return slices.ContainsFunc(a.words, func(word string) bool { return words[word] })
}

// nameOf returns the last name in a pointer that is no index, as it was sent.
func nameOf(pointer string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(memberName(pointer))
}

// nameWords returns the words of the last name in a pointer: "unitPrice_eur" has three.
func nameWords(pointer string) []string { return wordsOf(nameOf(pointer)) }

// wordsOf splits a name at what is no letter, and where capitals begin.
func wordsOf(name string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = nil
		}
	}
	for _, r := range firstRunes(name, 100) {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			flush()
			continue
		}
		if unicode.IsUpper(r) && len(word) > 0 && unicode.IsLower(word[len(word)-1]) {
			flush()
		}
		word = append(word, r)
	}
	flush()
	return words
}

// valueNames are names that say nothing without the one above them.
var valueNames = setOf("value val amount number id name text wert valor valeur")

// quotedName names an argument at the start of a sentence.
func quotedName(pointer string) string {
	name := nameOf(pointer)
	if at := strings.LastIndexByte(pointer, '/'); at > 0 && valueNames[strings.ToLower(name)] && memberName(pointer[:at]) != "" {
		name = nameOf(pointer[:at]) + " " + name // "value" alone says too little
	}
	if strings.ContainsFunc(name, unicode.IsLetter) {
		return quoted(name)
	}
	return "An argument"
}

// compactOf returns the letters and digits of a text, in upper case and with ASCII
// digits.
func compactOf(text []rune) string {
	var b strings.Builder
	for _, r := range text {
		if digit := digitOf(r); digit != 0 {
			b.WriteByte(digit)
		} else if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToUpper(r))
		}
	}
	return b.String()
}
