package reading

import (
	"slices"
	"strconv"
	"strings"
)

// sent shows a string that was sent as a block.
func (r *reader) sent(v Value) Block {
	block := r.block(v.Text, LanguageOf(v))
	block.IsSent = true
	r.blocks++
	r.lines += countLines(v.Text)
	return block
}

// block shows a text in a language.
func (r *reader) block(text string, language Language) Block {
	block := Block{Language: language, Text: text, Title: counted(countLines(text), "line", "lines")}
	if language != Prose {
		block.Title = string(language) + ", " + block.Title
	}
	switch {
	case r.lexed+len(text) > maxLexed:
		if language != Prose {
			block.Title += ", too long to colour"
		}
	case language == Unified:
		r.lexed += len(text)
		block.Lines, block.IsUnified = unifiedLines(text), true
		block.Title = "diff, " + CountChanges(block.Lines).Title()
	case language != Prose:
		r.lexed += len(text)
		block.Lexemes = lex(language, text)
	}
	return block
}

// countLines counts lines; an end of line at the end begins no other.
func countLines(text string) int {
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// pairNames are the words that tell a text before a change from the one after it.
var pairNames = []struct{ before, after string }{
	{"old", "new"}, {"before", "after"}, {"original", "modified"}, {"original", "updated"}, {"original", "new"}, {"previous", "current"},
}

// pair is where a text before a change and the one after it are among the members.
type pair struct{ before, after int }

// pairsIn finds texts before and after a change among the members of an object.
func pairsIn(v Value) (pairs []pair) {
	if v.Type != Object || !slices.ContainsFunc(v.Items, func(item Value) bool { return item.Type == String && isLong(item.Text) }) {
		return nil
	}
	index := map[string]int{} // of the first string with these words
	for i, item := range v.Items {
		key := strings.Join(wordsOf(item.Name), " ")
		if _, known := index[key]; !known && item.Type == String {
			index[key] = i
		}
	}
	for i, item := range v.Items {
		words := wordsOf(item.Name)
		for _, names := range pairNames {
			at := slices.Index(words, names.after)
			if at < 0 || item.Type != String {
				continue
			}
			words := slices.Clone(words)
			words[at] = names.before
			before, found := index[strings.Join(words, " ")]
			if found && before != i && (isLong(item.Text) || isLong(v.Items[before].Text)) {
				pairs = append(pairs, pair{before, i})
				break
			}
		}
	}
	return pairs
}

// compare adds the difference of two texts below the row that comes later. The texts as
// sent are folded: the difference has all of both.
func (r *reader) compare(before, after int) {
	old, changed := &r.rows[before], &r.rows[after]
	from, to := old.Text, changed.Text
	if strings.HasSuffix(from, "\n") && strings.HasSuffix(to, "\n") { // no line follows
		from, to = from[:len(from)-1], to[:len(to)-1]
	}
	lines, cells := compare(strings.Split(from, "\n"), strings.Split(to, "\n"), r.cells)
	r.cells -= cells
	block := Block{Title: "difference: " + CountChanges(lines).Title(), Lines: lines}
	later := &r.rows[max(before, after)]
	later.Reading = append([]Block{block}, later.Reading...)
	for _, row := range []*Row{old, changed} {
		if row.Block != nil {
			row.Block.IsFolded = true
		}
	}
}

// isLong reports whether a text is worth comparing by lines.
func isLong(text string) bool { return len(text) > maxShort || strings.Contains(text, "\n") }
