package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

const (
	maxTerm  = 128 // bytes of a word; longer ones are found by their beginning
	maxTerms = 64  // words of one confirm: more are hardly names
)

// turnEvery is how many log entries there are between two turns. A turn changes
// about as many pages for many confirms as it would for one.
const turnEvery = 256

// countTurned is the log number below which all confirms' words are turned
// around: volatile_search has the confirms of each word. What comes after it is
// searched in volatile_words, from one confirm to the next.
const countTurned = "turned"

// terms are the first words of the texts as they are searched: folded, cut,
// each once.
func terms(limit int, texts ...string) []string {
	var words []string
	for _, t := range texts {
		for word := range strings.FieldsFuncSeq(fold(t), separates) {
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

// separates says whether a character stands between words. Patterns end at
// control characters.
func separates(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// index makes a confirm searchable.
func (x *tx) index(c *domain.Confirm, content *domain.ConfirmContent) error {
	words := terms(maxTerms, append(identity(c), content.Tools...)...)
	return x.c.later("INSERT INTO volatile_words (requested_seq, words) VALUES ($1, $2)", c.RequestedSeq, apart(words))
}

// apart are words as they are stored, each between spaces.
func apart(words []string) string { return " " + strings.Join(words, " ") + " " }

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
	kept := terms(maxTerms, identity(left)...)
	for _, word := range terms(maxTerms, append(identity(c), content.Tools...)...) {
		if slices.Contains(kept, word) {
			continue
		}
		if _, err := x.c.exec("DELETE FROM volatile_search WHERE term = $1 AND requested_seq = $2", word, c.RequestedSeq); err != nil {
			return err
		}
	}
	_, err = x.c.exec("UPDATE volatile_words SET words = $1 WHERE requested_seq = $2", apart(kept), c.RequestedSeq)
	return err
}

// turn turns around the words of the confirms that were requested since the
// last turn, if it is time to. The log grows from first to next with the group.
func (c *conn) turn(first, next int64) error {
	if first/turnEvery == next/turnEvery {
		return nil
	}
	turned, err := (&reader{c: c}).counted(countTurned)
	if err != nil {
		return err
	}
	type posting struct {
		term string
		seq  int64
	}
	var postings []posting
	err = c.each("SELECT requested_seq, words FROM volatile_words WHERE requested_seq >= $1 AND requested_seq < $2", []any{int64(turned), next}, func(rows row) error {
		var seq int64
		var words string
		err := rows.Scan(&seq, &words)
		for term := range strings.FieldsSeq(words) {
			postings = append(postings, posting{term, seq})
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read words: %w", err)
	}
	slices.SortFunc(postings, func(a, b posting) int { return cmp.Or(cmp.Compare(a.term, b.term), cmp.Compare(a.seq, b.seq)) })
	values := make([]any, 0, 2*len(postings))
	for _, p := range postings {
		values = append(values, p.term, p.seq)
	}
	c.counts.add(countTurned, int(next)-turned)
	return c.insertRows("volatile_search (term, requested_seq)", 2, values, "")
}
