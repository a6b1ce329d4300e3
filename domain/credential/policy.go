package credential

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Bounds of a password's length in characters.
const (
	MinPasswordLength = 12
	MaxPasswordLength = 256
)

// Weakness is why [CheckPassword] refuses a password. Weaknesses are comparable:
// errors.Is(err, credential.TooShort).
type Weakness string

// The weaknesses, worded to follow the name of the field.
const (
	TooShort     Weakness = "must have at least 12 characters"
	TooLong      Weakness = "must have at most 256 characters"
	Repetitive   Weakness = "must not be a short pattern repeated"
	Sequential   Weakness = "must not be a sequence of neighbouring characters"
	Common       Weakness = "must not be a well-known password"
	ContainsName Weakness = "must not contain the user's name"
)

func (w Weakness) Error() string { return "password " + string(w) }

// minNameLength is the shortest user name, in characters, that a password is
// searched for. Shorter ones occur in ordinary words.
const minNameLength = 3

// maxRuns is how many sequences in a row still count as no choice at all:
// "qwertyuiop" and "1234" make two.
const maxRuns = 3

// CheckPassword returns nil if the user called name may choose password, else
// the first [Weakness] found. There are no rules of composition: length and
// not being guessable are what counts. Case never makes a password stronger.
func CheckPassword(password, name string) error {
	switch n := utf8.RuneCountInString(password); {
	case n < MinPasswordLength:
		return TooShort
	case n > MaxPasswordLength:
		return TooLong
	}

	folded, name := fold(password), fold(strings.TrimSpace(name))
	characters := []rune(folded)
	_, common := commonPasswords()[folded]
	switch {
	case repetitive(characters):
		return Repetitive
	case runs(characters) <= maxRuns:
		return Sequential
	case common:
		return Common
	case utf8.RuneCountInString(name) >= minNameLength && strings.Contains(folded, name):
		return ContainsName
	}
	return nil
}

//go:embed common.txt
var commonText string

// commonPasswords is the set of well-known passwords, folded, that are long
// enough to be chosen and not so regular that the rules below notice them.
var commonPasswords = sync.OnceValue(func() map[string]struct{} {
	set := make(map[string]struct{})
	for line := range strings.Lines(commonText) {
		set[fold(strings.TrimSuffix(line, "\n"))] = struct{}{}
	}
	return set
})

// fold makes texts that differ only in case equal. Going through upper case
// first also unites letters with two lower-case forms, such as s and ſ.
func fold(s string) string {
	return strings.ToLower(strings.ToUpper(s))
}

// repetitive reports whether text is at least two turns of a pattern that would
// be too short as a password; the last turn may be cut off. Repeating a pattern
// adds next to nothing to what must be guessed.
func repetitive(text []rune) bool {
	for period := 1; period < MinPasswordLength && 2*period <= len(text); period++ {
		if slices.Equal(text[period:], text[:len(text)-period]) {
			return true
		}
	}
	return false
}

// keyboardRows are neighbours that the order of characters does not show.
var keyboardRows = []string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}

// runs counts the fewest pieces that text falls into so that each goes straight
// up, straight down or stands still: "abcdef654321" is two runs.
func runs(text []rune) int {
	count, ways := 1, anyWay
	for i := 1; i < len(text); i++ {
		if ways &= step(text[i-1], text[i]); ways == 0 {
			count, ways = count+1, anyWay
		}
	}
	return count
}

// anyWay stands for a run of one character, which can go on in any way.
const anyWay = ^uint(0)

// step returns the ways to go from a to b as a set of bits: one for the same
// character, one for each direction in the order of characters, and one for
// each direction in each row of the keyboard.
func step(a, b rune) (ways uint) {
	add := func(first uint, difference int) {
		switch difference {
		case 1:
			ways |= 1 << first
		case -1:
			ways |= 2 << first
		}
	}
	if a == b {
		ways |= 1
	}
	add(1, int(b)-int(a))
	for i, row := range keyboardRows {
		if from, to := strings.IndexRune(row, a), strings.IndexRune(row, b); from >= 0 && to >= 0 {
			add(uint(3+2*i), to-from)
		}
	}
	return ways
}
