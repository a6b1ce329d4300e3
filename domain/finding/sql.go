package finding

import (
	"strings"

	"countersign/domain/reading"
)

var (
	sqlNames    = setOf("sql query queries statement statements stmt q ddl dml")
	sqlStarts   = setOf("update delete with drop truncate alter begin explain do start set use")
	sqlPrograms = setOf("psql mysql mariadb sqlite3 sqlcmd clickhouse-client duckdb bq cockroach")
	dropped     = setOf("table database schema column keyspace tablespace catalog")
)

// findSQL reports statements that change or delete more than they seem to.
func findSQL(r *Request, report func(Finding)) {
	check := func(action int, v reading.Value, text string) {
		for _, s := range statementsOf(text, 0) {
			if says, level := s.fault(); says != "" {
				report(Finding{Kind: "sql", Level: level, Action: action, Pointer: v.Pointer, Says: says, Here: shortened(s.String())})
				if level == Stop {
					return
				}
			}
		}
	}
	eachString(r, func(action int, v reading.Value) {
		text := strings.TrimLeft(v.Text, " \t\r\n;(")
		isComment := strings.HasPrefix(text, "--") || strings.HasPrefix(text, "/*")
		verb := firstWord(text)
		isSQL := sqlStarts[strings.ToLower(verb)] && (verb == strings.ToLower(verb) || verb == strings.ToUpper(verb)) // prose begins otherwise
		if isComment || isSQL || sqlNames[strings.ToLower(memberName(v.Pointer))] {
			check(action, v, v.Text)
		}
	})
	eachScript(r, func(action int, v reading.Value, commands []command) {
		for _, c := range commands {
			if name, args, _ := c.program(); sqlPrograms[name] {
				for _, arg := range args {
					if sqlStarts[strings.ToLower(firstWord(arg))] {
						check(action, v, arg)
					}
				}
			}
		}
	})
}

// fault says what to notice in a statement, or "".
func (s statement) fault() (says string, level Level) {
	switch s.verb {
	case "update", "delete":
		table, isWritten := s.target()
		if !isWritten {
			return "", ""
		}
		what := " changes"
		if s.verb == "delete" {
			what = " is deleted"
		}
		terms, ands, ors := s.condition()
		switch {
		case s.where == 0 && !s.isNarrow:
			return "No WHERE: every row of " + quoted(table) + what, Stop
		case s.where == 0:
			return "", ""
		case isAlwaysTrue(terms):
			return "WHERE is always true: every row of " + quoted(table) + what, Stop
		case ands > 0 && ors > 0:
			return "AND beside OR without brackets: AND binds first", Look
		}
	case "truncate":
		if name, ok := s.named(1); ok {
			return "TRUNCATE: every row of " + quoted(name) + " is deleted", Look
		}
	case "drop", "alter":
		for i, w := range s.words[:min(len(s.words), 40)] {
			if w.word == "drop" && i+1 < len(s.words) && dropped[s.words[i+1].word] {
				if name, ok := s.named(i + 2); ok {
					return "DROP " + strings.ToUpper(s.words[i+1].word) + ": " + quoted(name) + " is deleted with its data", Look
				}
			}
		}
	}
	return "", ""
}

// named returns the name at a place of a statement. In prose other words follow it.
func (s statement) named(at int) (string, bool) {
	words := s.words[min(at, len(s.words)):]
	for len(words) > 1 && (words[0].word == "if" || words[0].word == "exists" || words[0].word == "only" || words[0].word == "table") {
		words = words[1:]
	}
	if len(words) == 0 {
		return "", false
	}
	name, rest := words[0].text, words[1:]
	for len(rest) > 1 && rest[0].text == "." {
		name, rest = name+"."+rest[1].text, rest[2:]
	}
	if len(rest) > 0 && rest[0].text != "," && !afterName[rest[0].word] {
		return "", false
	}
	return strings.Trim(name, "\"`"), true
}

var afterName = setOf("cascade restrict restart continue purge force with")

// isAlwaysTrue reports whether one of the terms between OR holds for every row.
func isAlwaysTrue(terms [][]sqlWord) bool {
	for _, term := range terms {
		if len(term) == 1 && (term[0].word == "true" || term[0].word == "1") {
			return true
		}
		if len(term) == 3 && term[1].text == "=" && term[0].text == term[2].text && term[0].text != "?" {
			return true
		}
	}
	return false
}

// String returns the words of a statement at its own level.
func (s statement) String() string {
	var b strings.Builder
	for i, w := range s.words {
		if b.Len() > 4*maxHere {
			break
		}
		if i > 0 && w.text != "." && w.text != "," && s.words[i-1].text != "." {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
		if w.text == "(" {
			b.WriteString("…)")
		}
	}
	return b.String()
}
