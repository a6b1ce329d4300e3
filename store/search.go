package store

import (
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
	args := []any{c.ID}
	rows := make([]string, len(words))
	for i, word := range words {
		args = append(args, word)
		rows[i] = fmt.Sprintf("($%d, $1)", i+2)
	}
	_, err := x.c.exec("INSERT INTO volatile_search (term, confirm_id) VALUES "+strings.Join(rows, ", "), args...)
	return err
}

// identity are the texts that a confirm is found by whatever its content.
func identity(c *domain.Confirm) []string {
	return []string{c.ID, c.TargetID, c.SessionID, c.RequestedByName, c.RequestedByRole}
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
		if _, err := x.c.exec("DELETE FROM volatile_search WHERE term = $1 AND confirm_id = $2", word, confirmID); err != nil {
			return err
		}
	}
	return nil
}

// search narrows to the confirms of which every word of the text begins a
// term.
func (q *query) search(text string) error {
	words := terms(maxWords+1, text)
	if len(words) > maxWords {
		message := fmt.Sprintf("A search has at most %d words.", maxWords)
		return &domain.Error{Code: domain.CodeInvalid, Message: message,
			Problems: []mplp.Problem{{Path: "q", Code: "limit", Message: message}}}
	}
	for _, word := range words {
		q.and("c.confirm_id IN (SELECT confirm_id FROM volatile_search WHERE term >= ? AND term < ?)", word, word+afterAll)
	}
	return nil
}
