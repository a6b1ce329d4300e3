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
// to a role by it.
func identity(c *domain.Confirm) []string {
	return []string{c.ID, c.TargetID, c.SessionID, c.RequestedByRole, c.RequestedByName}
}

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
	found, err := r.strings(fmt.Sprintf(`WITH RECURSIVE t (term) AS (
		SELECT MIN(term) FROM volatile_search WHERE term >= $1 AND term < $2
		UNION ALL SELECT (SELECT MIN(term) FROM volatile_search WHERE term > t.term AND term < $2) FROM t WHERE t.term IS NOT NULL)
		SELECT term FROM t WHERE term IS NOT NULL LIMIT %d`, maxMerged+1), word, word+afterAll)
	if err != nil || len(found) > maxMerged {
		return nil, false, err
	}
	if len(found) == 0 {
		found = []string{word}
	}
	hits = termHits(found...)
	last, err := r.ahead(&walk{keyset: byReceipt, hits: hits}, nil)
	return hits, last == nil, err
}

// termHits are the confirms that have one of the terms.
func termHits(found ...string) (hits []condition) {
	for _, term := range found {
		hits = append(hits, condition{"SELECT requested_seq FROM volatile_search WHERE term = ?", []any{term}})
	}
	return hits
}

// contain narrows to the confirms of which every word begins a term.
func (w *walk) contain(words []string) {
	for _, word := range words {
		w.and("EXISTS (SELECT 1 FROM volatile_search s WHERE s.requested_seq = c.requested_seq AND s.term >= ? AND s.term < ?)", word, word+afterAll)
	}
}
