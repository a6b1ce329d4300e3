package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/domain/mplp"
)

const (
	maxTerm  = 128 // bytes of a word; longer ones are found by their beginning
	maxTerms = 64  // words of one confirm: more are hardly names
	maxWords = 16  // words of one search
)

// afterAll is greater than every character, so that a word followed by it is
// greater than every word that begins so.
const afterAll = "\U0010FFFF"

// terms are the first words of the texts as they are searched: folded, cut,
// each once.
func terms(limit int, texts ...string) []string {
	var words []string
	for _, t := range texts {
		for word := range strings.FieldsSeq(fold(t)) {
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

// index makes a confirm searchable.
func (x *tx) index(c *domain.Confirm, content *domain.ConfirmContent) error {
	words := terms(maxTerms, append(identity(c), content.Tools...)...)
	args := []any{c.RequestedSeq}
	rows := make([]string, len(words))
	for i, word := range words {
		args = append(args, word)
		rows[i] = fmt.Sprintf("($%d, $1)", i+2)
	}
	return x.c.later("INSERT INTO volatile_search (term, requested_seq) VALUES "+strings.Join(rows, ", "), args...)
}

// identity are the texts that a confirm is found by whatever its content. The
// role comes before the name, whose words could be too many: lists are narrowed
// to a role by it. UUIDs are left out: confirms are found by the indexes of their
// columns, and as terms each would cost a page.
func identity(c *domain.Confirm) []string {
	ids := slices.DeleteFunc([]string{c.ID, c.TargetID, c.SessionID}, func(id string) bool { return len(id) == uuidLength && beginsUUID(id) })
	return append(ids, c.RequestedByRole, c.RequestedByName)
}

const uuidLength = 36

// beginsUUID says whether a UUID in lower case could begin so, as far as its
// characters tell.
func beginsUUID(word string) bool {
	return len(word) <= uuidLength && strings.Trim(word, "0123456789abcdef-") == ""
}

// idColumns are where UUIDs are searched.
var idColumns = []string{"confirm_id", "target_id", "session_id"}

// unindex forgets the words that a confirm is found by because of its content.
func (x *tx) unindex(confirmID string) error {
	c, err := x.Confirm(confirmID)
	if err != nil {
		return err
	}
	content, err := x.ConfirmContent(confirmID)
	if err != nil {
		return err
	}
	kept := terms(maxTerms, identity(c)...)
	for _, word := range terms(maxTerms, content.Tools...) {
		if slices.Contains(kept, word) {
			continue
		}
		if _, err := x.c.exec("DELETE FROM volatile_search WHERE requested_seq = $1 AND term = $2", c.RequestedSeq, word); err != nil {
			return err
		}
	}
	return nil
}

// searchWords are the words of a search, the longest first.
func searchWords(text string) ([]string, error) {
	words := terms(maxWords+1, text)
	if len(words) > maxWords {
		message := fmt.Sprintf("A search has at most %d words.", maxWords)
		return nil, &domain.Error{Code: domain.CodeInvalid, Message: message,
			Problems: []mplp.Problem{{Path: "q", Code: "limit", Message: message}}}
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return words, nil
}

// maxMerged is how many terms' confirms are merged into one order.
const maxMerged = 16

// lookup finds a word's confirms by the terms that it begins, unless they are
// too many to be merged: hits are empty then. few says that a single page sees
// all of them.
func (r *reader) lookup(word string) (hits []condition, few bool, err error) {
	if hits, err = r.begun("volatile_search", "term", word); err != nil {
		return nil, false, err
	}
	if beginsUUID(word) {
		for _, column := range idColumns {
			found, err := r.begun("confirms", column, word)
			if err != nil {
				return nil, false, err
			}
			hits = append(hits, found...)
		}
	}
	if len(hits) > maxMerged {
		return nil, false, nil
	}
	if len(hits) == 0 {
		hits = termHits(word)
	}
	last, err := r.ahead(&walk{keyset: byReceipt, hits: hits}, nil)
	return hits, last == nil, err
}

// begun are the confirms of each value of a column that the word begins, or of
// so many values that they are too many.
func (r *reader) begun(table, column, word string) (hits []condition, err error) {
	values, err := r.strings(fmt.Sprintf(`WITH RECURSIVE t (v) AS (
		SELECT MIN(%[2]s) FROM %[1]s WHERE %[2]s >= $1 AND %[2]s < $2
		UNION ALL SELECT (SELECT MIN(%[2]s) FROM %[1]s WHERE %[2]s > t.v AND %[2]s < $2) FROM t WHERE t.v IS NOT NULL)
		SELECT v FROM t WHERE v IS NOT NULL LIMIT %[3]d`, table, column, maxMerged+1), word, word+afterAll)
	for _, v := range values {
		hits = append(hits, hit(table, column, v))
	}
	return hits, err
}

// hit are the places of the confirms with the value.
func hit(table, column, value string) condition {
	return condition{"SELECT requested_seq FROM " + table + " WHERE " + column + " = ?", []any{value}}
}

// termHits are the confirms that have the term.
func termHits(term string) []condition { return []condition{hit("volatile_search", "term", term)} }

// contain narrows to the confirms of which every word begins a term or an id.
func (w *walk) contain(words []string) {
	for _, word := range words {
		text, args := "EXISTS (SELECT 1 FROM volatile_search s WHERE s.requested_seq = c.requested_seq AND s.term >= ? AND s.term < ?)", []any{word, word + afterAll}
		if beginsUUID(word) {
			for _, column := range idColumns {
				text += " OR c." + column + " >= ? AND c." + column + " < ?"
				args = append(args, word, word+afterAll)
			}
			text = "(" + text + ")"
		}
		w.and(text, args...)
	}
}
