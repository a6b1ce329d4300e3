package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
)

// afterAll is greater than every character, so that a word followed by it is
// greater than every word that begins so.
const afterAll = "\U0010FFFF"

const uuidLength = 36

// beginsUUID reports whether a UUID in lower case could begin so, as far as its
// characters tell.
func beginsUUID(word string) bool {
	return len(word) <= uuidLength && strings.Trim(word, "0123456789abcdef-") == ""
}

// idColumns are where UUIDs are searched.
var idColumns = []string{"canonical_id", "target_id", "session_id"}

// searchWords are the words of a search, the longest first.
func searchWords(text string) ([]string, error) {
	words := terms(domain.MaxSearchWords+1, text)
	if len(words) > domain.MaxSearchWords {
		return nil, domain.ErrTooManyWords
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
	if hits, err = r.withPrefix("volatile_search", "term", word); err != nil {
		return nil, false, err
	}
	if beginsUUID(word) {
		for _, column := range idColumns {
			found, err := r.withPrefix("confirms", column, word)
			if err != nil {
				return nil, false, err
			}
			hits = append(hits, found...)
		}
	}
	if len(hits) > maxMerged {
		return nil, false, nil
	}
	if len(hits) == 0 { // one that finds nothing: without any, the list would be read to its end
		hits = append(hits, hit("volatile_search", "term", word))
	}
	last, err := r.scanEnd(&listQuery{keyset: byReceipt, candidates: hits}, nil)
	return hits, last == nil, err
}

// withPrefix are the confirms of each value of a column that the word begins, or of
// so many values that they are too many.
func (r *reader) withPrefix(table, column, word string) (hits []condition, err error) {
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

// whereMatches narrows to the confirms of which every word begins a term or an id.
func (w *listQuery) whereMatches(words []string) {
	for _, word := range words {
		text, args := "EXISTS (SELECT 1 FROM volatile_words s WHERE s.requested_seq = c.requested_seq AND s.words LIKE ? ESCAPE '!')", []any{likePattern(" " + word)}
		if beginsUUID(word) {
			for _, column := range idColumns {
				text += " OR c." + column + " >= ? AND c." + column + " < ?"
				args = append(args, word, word+afterAll)
			}
			text = "(" + text + ")"
		}
		w.where(text, args...)
	}
}

// likeEscaper keeps what stands for other characters in a pattern from doing so.
var likeEscaper = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// likePattern is the pattern of what contains the text.
func likePattern(text string) string { return "%" + likeEscaper.Replace(text) + "%" }
