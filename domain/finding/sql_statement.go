package finding

import (
	"slices"
	"strings"
)

// A statement is what one level of brackets of an SQL text has of a statement.
type statement struct {
	words    []sqlWord // what stands within inner brackets is left out
	verb     string
	isNarrow bool // LIMIT or a join narrows it
	where    int  // index in words of the condition, 0 without one
}

const maxBrackets = 200 // inside each other

// statementsOf returns the statements of an SQL text, also those in brackets.
func statementsOf(text string, depth int) []statement {
	var done []statement
	open := []statement{{}}
	end := func() {
		if now := open[len(open)-1]; now.verb != "" {
			done = append(done, now)
		}
		open[len(open)-1] = statement{}
	}
	var before sqlWord
	for w := range sqlWords(text) {
		now := &open[len(open)-1]
		switch {
		case w.text == "(" && len(open) < maxBrackets:
			now.words = append(now.words, w)
			open = append(open, statement{})
		case w.text == ")" && len(open) > 1:
			end()
			open = open[:len(open)-1]
		case w.text == ";":
			end()
		default:
			if strings.HasPrefix(w.text, "$") && len(w.text) > 4 && before.word == "do" && depth < maxNested {
				tag := dollarTag(w.text)
				done = append(done, statementsOf(strings.TrimSuffix(w.text[len(tag):], tag), depth+1)...)
			}
			now.add(w)
		}
		before = w
	}
	for len(open) > 0 {
		end()
		open = open[:len(open)-1]
	}
	return done
}

// starters stand before a statement without a semicolon between.
var starters = setOf("begin then else loop analyze")

func (s *statement) add(w sqlWord) {
	isVerb := w.word == "update" || w.word == "delete"
	switch {
	case s.verb == "" && starters[w.word], s.verb == "explain" && w.word == "analyze":
		*s = statement{}
		return
	case s.verb == "":
		if s.verb = w.word; s.verb == "" {
			s.verb = w.text
		}
	case s.verb == "with" && (isVerb || w.word == "select" || w.word == "insert" || w.word == "merge"):
		*s = statement{verb: w.word}
	case s.verb == "if" && starters[w.word]:
		*s = statement{}
		return
	case w.word == "where" && s.where == 0:
		s.where = len(s.words) + 1
	case w.word == "limit" || w.word == "join" || w.word == "top" || w.word == "fetch":
		s.isNarrow = true
	}
	s.words = append(s.words, w)
}

// target returns the table that the statement changes, if it is written as one may
// write an UPDATE or DELETE. Prose is not.
func (s statement) target() (table string, ok bool) {
	words := s.words[1:]
	if s.verb == "delete" && (len(words) == 0 || words[0].word != "from") {
		return "", false
	}
	words = words[min(len(words), map[string]int{"delete": 1}[s.verb]):]
	for len(words) > 0 && (words[0].word == "only" || words[0].word == "ignore" || words[0].word == "low_priority") {
		words = words[1:]
	}
	if len(words) == 0 {
		return "", false
	}
	table, words = words[0].text, words[1:]
	for len(words) > 1 && words[0].text == "." {
		table, words = table+"."+words[1].text, words[2:]
	}
	if len(words) > 0 && words[0].word == "as" {
		words = words[1:]
	}
	clause := func() string {
		if len(words) == 0 {
			return ""
		}
		return words[0].word
	}
	if c := clause(); c != "" && c != "set" && !endsTable[c] {
		words = words[1:]
	}
	table = strings.ReplaceAll(strings.Trim(table, "\"`'"), "\".\"", ".")
	if s.verb == "delete" {
		return table, len(words) == 0 || endsTable[clause()]
	}
	sets := slices.IndexFunc(words[:min(len(words), 12)], func(w sqlWord) bool { return w.text == "=" })
	return table, clause() == "set" && (sets > 0 || len(words) > 1 && words[1].text == "(")
}

var endsTable = setOf("where returning using order limit from join inner left option output")

// condition returns what stands between OR after WHERE, and counts AND and OR. An AND
// of BETWEEN, or in CASE, does not count.
func (s statement) condition() (terms [][]sqlWord, ands, ors int) {
	if s.where == 0 {
		return nil, 0, 0
	}
	term, between, cases := []sqlWord{}, false, 0
	for _, w := range s.words[s.where:] {
		switch {
		case w.word == "returning", w.word == "order", w.word == "limit", w.word == "option":
			return append(terms, term), ands, ors
		case w.word == "case":
			cases++
		case w.word == "end" && cases > 0:
			cases--
		case cases > 0:
		case w.word == "between":
			between = true
		case w.word == "and" && between:
			between = false
		case w.word == "and":
			ands++
		case w.word == "or":
			ors++
			terms, term = append(terms, term), nil
			continue
		}
		term = append(term, w)
	}
	return append(terms, term), ands, ors
}
