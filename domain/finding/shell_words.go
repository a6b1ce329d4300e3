package finding

import "strings"

// command is one simple command of a shell script.
type command struct {
	words   []string
	piped   bool      // it reads the output of the command before
	after   bool      // it runs only if the command before it succeeded
	nested  []command // those of its substitutions: $(…), `…` and <(…)
	quoted  []bool    // whether a word was in quotation marks
	written string    // the file that its output goes to
}

// commandsOf splits a shell script. It knows quotation marks, comments and substitutions,
// and takes what it does not know for words.
func commandsOf(script string, depth int) []command {
	s := scanner{text: script, depth: depth}
	for s.at < len(s.text) {
		s.next()
	}
	s.endCommand()
	return s.commands
}

type scanner struct {
	text     string
	at       int
	depth    int
	commands []command
	now      command
	word     strings.Builder
	inWord   bool
	isQuoted bool
	target   bool     // the next word is where output goes
	heredocs []string // the words that end the texts which begin in the next line
}

func (s *scanner) endWord() {
	if s.inWord {
		if s.target {
			s.now.written = s.word.String()
		} else {
			s.now.words = append(s.now.words, s.word.String())
			s.now.quoted = append(s.now.quoted, s.isQuoted)
		}
		s.target = false
	}
	s.word.Reset()
	s.inWord, s.isQuoted = false, false
}

func (s *scanner) endCommand() {
	s.endWord()
	if len(s.now.words) > 0 || len(s.now.nested) > 0 {
		s.commands = append(s.commands, s.now)
	}
	s.now, s.target = command{}, false
}

func (s *scanner) add(text string) {
	s.word.WriteString(text)
	s.inWord = true
}

// next reads one character, quotation or substitution.
func (s *scanner) next() {
	rest := s.text[s.at:]
	switch c := rest[0]; {
	case c == '\\' && len(rest) > 1:
		if rest[1] != '\n' {
			s.add(rest[1:2])
		}
		s.at += 2
	case c == ' ' || c == '\t' || c == '\r':
		s.endWord()
		s.at++
	case c == '#' && !s.inWord:
		s.at += lineOf(rest)
	case strings.HasPrefix(rest, "&&"):
		s.endCommand()
		s.now.after = true
		s.at += 2
	case strings.HasPrefix(rest, "||"):
		s.endCommand()
		s.at += 2
	case c == '|':
		s.endCommand()
		s.now.piped = true
		s.at++
		if strings.HasPrefix(s.text[s.at:], "&") {
			s.at++
		}
	case c == '>':
		if isDigits(s.word.String()) {
			s.word.Reset()
			s.inWord = false
		}
		s.endWord()
		s.target = !strings.HasPrefix(rest, ">&")
		if rest = strings.TrimLeft(rest, ">&"); !s.target {
			rest = strings.TrimLeft(rest, "0123456789-")
		}
		s.at = len(s.text) - len(rest)
	case strings.HasPrefix(rest, "$("), strings.HasPrefix(rest, "<("), c == '`':
		s.substitute(rest)
	case c == '\n' && len(s.heredocs) > 0:
		s.endWord()
		isText := hasSuffix(s.now.written, ".md", ".txt", ".html", ".json", ".yml", ".yaml")
		s.endCommand()
		s.at++
		s.readHeredocs(isText)
	case strings.HasPrefix(rest, "<<") && !strings.HasPrefix(rest, "<<<"):
		s.endWord()
		after := strings.TrimLeft(strings.TrimPrefix(rest[2:], "-"), " \t")
		end := strings.IndexAny(after, " \t\r\n;|&<>()")
		if end < 0 {
			end = len(after)
		}
		if len(s.heredocs) < 4 {
			s.heredocs = append(s.heredocs, strings.Trim(after[:end], "'\"\\"))
		}
		s.at = len(s.text) - len(after) + end
	case strings.HasPrefix(rest, "<<<"):
		s.endWord()
		s.add("<<<")
		s.at += 3
	case c == '\n' && !s.inWord && len(s.now.words) == 0: // a pipe goes on in the next line
		s.at++
	case c == ';' || c == '\n' || c == '&' || c == '(' || c == ')':
		s.endCommand()
		s.at++
	case c == '\'':
		end := strings.IndexByte(rest[1:], '\'')
		if end < 0 {
			end = len(rest) - 1
		}
		s.add(rest[1 : 1+end])
		s.isQuoted = true
		s.at += min(end+2, len(rest))
	case c == '"':
		s.doubleQuoted()
	default:
		s.add(rest[:1])
		s.at++
	}
}

func (s *scanner) doubleQuoted() {
	s.inWord, s.isQuoted = true, true
	for s.at++; s.at < len(s.text); {
		rest := s.text[s.at:]
		switch {
		case rest[0] == '"':
			s.at++
			return
		case rest[0] == '\\' && len(rest) > 1:
			if !strings.ContainsRune("\"\\`$\n", rune(rest[1])) {
				s.add(rest[:1])
			}
			s.add(rest[1:2])
			s.at += 2
		case strings.HasPrefix(rest, "$("), rest[0] == '`':
			s.substitute(rest)
		default:
			s.add(rest[:1])
			s.at++
		}
	}
}

// readHeredocs reads the texts that follow a line. They are commands of their own, so
// that a quotation mark in them hides nothing after them.
func (s *scanner) readHeredocs(isText bool) {
	for _, last := range s.heredocs {
		start := s.at
		for s.at < len(s.text) {
			line := s.text[s.at:]
			line = line[:lineOf(line)]
			end := s.at
			s.at = min(s.at+len(line)+1, len(s.text))
			isLast := strings.Trim(line, " \t\r") == last
			if !isLast {
				end = s.at
			}
			if isLast || s.at == len(s.text) {
				if s.depth < maxNested && !isText {
					s.commands = append(s.commands, commandsOf(s.text[start:end], s.depth+1)...)
				}
				break
			}
		}
	}
	s.heredocs = nil
}

// substitute reads a substitution. Its text stays in the word, so that nobody takes the
// word for empty.
func (s *scanner) substitute(rest string) {
	end, from := 0, 2
	if rest[0] == '`' {
		from = 1
		end = strings.IndexByte(rest[1:], '`') + 1
	} else {
		end = closing(rest)
	}
	if end <= 0 {
		end = len(rest)
	}
	if s.depth < maxNested && from <= end {
		s.now.nested = append(s.now.nested, commandsOf(rest[from:end], s.depth+1)...)
	}
	end = min(end+1, len(rest))
	s.add(rest[:end])
	s.at += end
}

// closing returns where the bracket that opens at the second character closes, or -1.
func closing(text string) int {
	open := 0
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\'':
			if end := strings.IndexByte(text[i+1:], '\''); end >= 0 {
				i += end + 1
			}
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}

func lineOf(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}
