package reading

import "strings"

// Class says what a piece of code is.
type Class byte

// The classes.
const (
	PlainCode Class = iota
	Keyword
	Literal // a string
	Comment
	Numeral
)

// Lexeme is a piece of code of one class, so many bytes long.
type Lexeme struct {
	Class  Class
	Length int
}

// grammar is what the lexer needs to know of a language.
type grammar struct {
	comments  []string // that end with the line
	hasBlocks bool     // comments between /* and */
	quotes    string   // of strings that end in their line
	spanning  string   // of strings that may go on over lines
	escape    byte     // in strings; 0: none
	keywords  map[string]bool
	folds     bool // keywords in capitals are the same
}

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

var grammars = map[Language]*grammar{
	Shell:      {comments: []string{"#"}, spanning: `"'`, escape: '\\', keywords: setOf("if then else elif fi for in do done while until case esac function return exit export local set unset eval exec source trap sudo cd rm mv cp ln dd chmod chown kill curl wget bash sh zsh python python3 perl ssh scp git docker kubectl")},
	PowerShell: {comments: []string{"#"}, spanning: `"'`, escape: '`', folds: true, keywords: setOf("if else elseif foreach for while do switch function param return try catch finally throw iex invoke-expression invoke-webrequest remove-item start-process")},
	SQL:        {comments: []string{"--"}, hasBlocks: true, spanning: `"'` + "`", folds: true, keywords: setOf("select from where and or not in is null like between exists insert into values update set delete truncate drop create alter table view index database schema column add constraint primary key foreign references join left right inner outer full cross on using group by order having limit offset union all distinct as with recursive case when then else end begin commit rollback grant revoke to cascade returning merge matched do nothing conflict default unique if")},
	JSON:       {quotes: `"`, escape: '\\', keywords: setOf("true false null")},
	Python:     {comments: []string{"#"}, quotes: `"'`, escape: '\\', keywords: setOf("def class return if elif else for while in not and or is import from as with try except finally raise lambda yield pass break continue global None True False async await del assert end do require puts")},
	CurlyCode:  {comments: []string{"//"}, hasBlocks: true, quotes: `"'`, spanning: "`", escape: '\\', keywords: setOf("func function return if else for while do switch case break continue var let const type struct interface class new delete import package export default public private static void int string bool true false null nil undefined async await try catch finally throw throws go defer range this super extends implements enum match fn pub use mod impl")},
}

// lex splits a text into lexemes; nil if the language is not known. What the lexer is not
// sure of is plain: live code must never look like a comment.
func lex(language Language, text string) []Lexeme {
	if language == YAML {
		return lexYAML(text)
	}
	g := grammars[language]
	if g == nil {
		return nil
	}
	l := &lexer{grammar: g, text: text, isShell: language == Shell, out: make([]Lexeme, 0, len(text)/4+8)}
	for l.at < len(text) {
		l.next()
	}
	return l.out
}

// lexer is at a place in a text.
type lexer struct {
	*grammar
	text    string
	at      int
	out     []Lexeme
	isShell bool
	open    [128]int // by quote: up to where no string ends
	heredoc string   // the word that ends the document that begins after this line
	unended int      // here documents whose end is missing
}

// take adds the text up to end as one lexeme.
func (l *lexer) take(class Class, end int) {
	if n := len(l.out); n > 0 && l.out[n-1].Class == class {
		l.out[n-1].Length += end - l.at
	} else if end > l.at {
		l.out = append(l.out, Lexeme{class, end - l.at})
	}
	l.at = end
}

func (l *lexer) next() {
	rest, c := l.text[l.at:], l.text[l.at]
	isStart := l.at == 0 || !isWord(l.text[l.at-1])
	switch {
	case c == ' ':
		end := l.at + 1
		for end < len(l.text) && l.text[end] == ' ' {
			end++
		}
		l.take(PlainCode, end)
		return
	case c == '\n' && l.heredoc != "":
		l.take(PlainCode, l.at+1)
		l.document()
		return
	case l.isComment(rest):
		l.take(Comment, lineEnd(l.text, l.at))
		return
	case l.hasBlocks && strings.HasPrefix(rest, "/*"):
		if end := strings.Index(rest[2:], "*/"); end >= 0 {
			l.take(Comment, l.at+end+4)
			return
		}
		l.hasBlocksNoMore()
	case l.isShell && l.unended < maxUnended && strings.HasPrefix(rest, "<<") && !strings.HasPrefix(rest, "<<<"):
		l.heredoc = heredocWord(rest[2:min(len(rest), 80)])
		l.take(PlainCode, l.at+2)
		return
	case c == l.escape && c != 0 && len(rest) > 1 && l.isShell:
		l.take(PlainCode, l.at+2)
		return
	case c < 0x80 && (strings.IndexByte(l.quotes, c) >= 0 || strings.IndexByte(l.spanning, c) >= 0):
		if end := l.stringEnd(c); end > 0 {
			l.take(Literal, end)
			return
		}
	case isStart && c >= '0' && c <= '9':
		l.take(Numeral, l.wordEnd())
		return
	case isWord(c):
		end := l.wordEnd()
		word := l.text[l.at:end]
		if l.folds && len(word) < 20 {
			word = strings.ToLower(word)
		}
		if isStart && l.keywords[word] {
			l.take(Keyword, end)
		} else {
			l.take(PlainCode, end)
		}
		return
	}
	l.take(PlainCode, l.at+1)
}

// hasBlocksNoMore stops looking for the end of a comment: there is none in the rest.
func (l *lexer) hasBlocksNoMore() {
	g := *l.grammar
	g.hasBlocks = false
	l.grammar = &g
}

// isComment reports whether a comment begins here. In a shell it must begin a word.
func (l *lexer) isComment(rest string) bool {
	for _, sign := range l.comments {
		if strings.HasPrefix(rest, sign) {
			return sign != "#" || !l.isShell || l.at == 0 || strings.IndexByte(" \t\n;", l.text[l.at-1]) >= 0
		}
	}
	return false
}

// stringEnd returns where the string that begins here ends, or 0 if it does not.
func (l *lexer) stringEnd(quote byte) int {
	if l.at < l.open[quote] {
		return 0
	}
	endsWithLine := strings.IndexByte(l.quotes, quote) >= 0
	escape := l.escape
	if l.isShell && quote == '\'' {
		escape = 0
	}
	for i := l.at + 1; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == quote:
			return i + 1
		case c == '\n' && endsWithLine:
			l.open[quote] = i
			return 0
		case c == escape && escape != 0:
			i++
		}
	}
	l.open[quote] = len(l.text)
	return 0
}

func (l *lexer) wordEnd() int {
	end := l.at
	for end < len(l.text) && (isWord(l.text[end]) || l.text[end] == '.' && l.text[l.at] >= '0' && l.text[l.at] <= '9') {
		end++
	}
	return end
}

func isWord(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '_' || c >= 0x80 }

// maxUnended is how often the end of a here document is looked for in vain.
const maxUnended = 8

// document takes the lines of a here document, which are text.
func (l *lexer) document() {
	word := l.heredoc
	l.heredoc = ""
	for at := l.at; at < len(l.text); {
		end := lineEnd(l.text, at)
		if strings.TrimLeft(l.text[at:end], "\t") == word {
			l.take(Literal, at)
			l.take(Keyword, end)
			return
		}
		at = min(end+1, len(l.text))
	}
	l.unended++
}

// heredocWord reads the word after <<, with or without quotes.
func heredocWord(text string) string {
	text = strings.TrimLeft(strings.TrimPrefix(text, "-"), ` '"\`)
	end := 0
	for end < len(text) && isWord(text[end]) {
		end++
	}
	if end > 0 && text[0] >= '0' && text[0] <= '9' {
		return "" // a shift
	}
	return text[:end]
}

// lineEnd returns where the line ends that a place is in.
func lineEnd(text string, at int) int {
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		return at + end
	}
	return len(text)
}
