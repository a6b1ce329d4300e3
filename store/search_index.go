package store

import (
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
	"countersign/domain/glyph"
)

const (
	maxTerm  = 128 // bytes of a word; longer ones are found by their beginning
	maxTerms = 64  // words of one confirm: more are hardly names
)

// terms are the first words of the texts as they are searched: folded, cut,
// each once.
func terms(limit int, texts ...string) []string {
	var words []string
	for _, t := range texts {
		for word := range strings.FieldsFuncSeq(glyph.Fold(t), separates) {
			if len(words) == limit {
				return words
			}
			if len(word) > maxTerm {
				word = strings.ToValidUTF8(word[:maxTerm], "")
			}
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// separates reports whether a character stands between words. Patterns end at
// control characters.
func separates(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// index makes a confirm searchable, and its calls found.
func (x *tx) index(c *domain.Confirm, content *domain.ConfirmContent) error {
	words := terms(maxTerms, append(identity(c), content.Tools...)...)
	if err := x.Conn.Queue("INSERT INTO volatile_words (requested_seq, words) VALUES ($1, $2)", c.RequestedSeq, joinWords(words)); err != nil {
		return err
	}
	var values []any
	for _, word := range words {
		values = append(values, word, c.RequestedSeq)
	}
	if !c.Imported { // nobody is asked about an import
		for _, digest := range content.Calls {
			values = append(values, callTerm(digest), c.RequestedSeq)
		}
	}
	return x.Conn.InsertRows("volatile_search (term, requested_seq)", 2, values, "")
}

// joinWords are words as they are stored, each between spaces.
func joinWords(words []string) string { return " " + strings.Join(words, " ") + " " }

// identity are the texts that a confirm is found by whatever its content. The
// role comes before the name, whose words could be too many: lists are narrowed
// to a role by it. UUIDs are left out: confirms are found by the indexes of their
// columns, and as terms each would cost a page.
func identity(c *domain.Confirm) []string {
	ids := slices.DeleteFunc([]string{c.ID, c.TargetID, c.SessionID}, func(id string) bool { return len(id) == uuidLength && beginsUUID(id) })
	return append(ids, c.RequestedByRole, c.RequestedByName)
}

// unindex forgets the words that a confirm is found by because of its content, and
// of what is left of it no more.
func (x *tx) unindex(c, left *domain.Confirm) error {
	content, err := x.ConfirmContent(c.RequestedSeq)
	if err != nil {
		return err
	}
	calls, err := callTerms(content)
	if err != nil {
		return err
	}
	kept := terms(maxTerms, identity(left)...)
	for _, word := range append(calls, terms(maxTerms, append(identity(c), content.Tools...)...)...) {
		if slices.Contains(kept, word) {
			continue
		}
		if _, err := x.Conn.Exec("DELETE FROM volatile_search WHERE term = $1 AND requested_seq = $2", word, c.RequestedSeq); err != nil {
			return err
		}
	}
	_, err = x.Conn.Exec("UPDATE volatile_words SET words = $1 WHERE requested_seq = $2", joinWords(kept), c.RequestedSeq)
	return err
}
