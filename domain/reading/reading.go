package reading

import (
	"strings"
	"time"
)

// Options are what a reading needs to know beside the value.
type Options struct {
	Now    time.Time
	Zone   *time.Location // the reader's; nil is UTC
	Schema []byte         // JSON Schema of the tool, the agent's word; may be nil
}

// Reading is a value as rows, in the order sent.
type Reading struct {
	// IsWhole says that the first row is the document itself. Otherwise the document is
	// an object, and the rows of depth 0 are its members.
	IsWhole bool
	Rows    []Row
	Blocks  int // of what was sent
	Lines   int // in these blocks
}

// Row is one member, with its value unless other rows follow that are deeper.
type Row struct {
	Pointer string
	Name    string
	IsItem  bool // of an array: Name is its index
	Depth   int
	Type    Type
	Kind    Kind
	Text    string  // as sent
	Parts   []Part  // Text in pieces; nil: in one
	Items   []Row   // of a list of short values, which has no rows
	Block   *Block  // Text, or the JSON of an object or array that has no rows
	Count   int     // of members or items
	IsOdd   bool    // of a list: the others are alike
	IsText  bool    // a string that looks like a number, true, false or null
	Unit    string  // inferred
	Notes   []Note  // inferred
	Reading []Block // what Countersign reads in the value
}

// Part is a piece of a row's text that is drawn differently.
type Part struct {
	Text string
	Role PartRole
}

// PartRole says why a piece of text is set off.
type PartRole string

// The roles of parts. Text that is not set off has none.
const (
	Digits PartRole = "digits" // a group of a sum's digits, with a space before it
	Group  PartRole = "group"  // a group of an identifier, with a margin before it
	Lead   PartRole = "lead"   // the host or domain to which an address leads
)

// Note is a sentence by the server. Value is the agent's, and is quoted.
type Note struct{ Says, Value string }

// Block is a text of several lines, or a long one.
type Block struct {
	Title     string // inferred: what it is
	Language  Language
	Text      string
	Lexemes   []Lexeme // of Text, in order; nil: plain
	Lines     []Line   // of a difference
	IsUnified bool     // the lines are those of Text, with their signs
	IsSent    bool     // Text is what was sent
	IsFolded  bool     // its reading shows all of it
}

// Limits. What is beyond them is plain, and the title says so.
const (
	maxRows      = 2000
	maxIndent    = 3
	maxLexed     = 256 << 10
	maxShort     = 90 // characters of a string that is no block
	maxListed    = 60 // characters of a string in a list
	maxDecodings = 20
)

// Nearest returns a function that finds the row of a value by its pointer, or else the
// row around it. It returns "" if there is none.
func (r Reading) Nearest() func(pointer string) string {
	rows := map[string]bool{}
	for _, row := range r.Rows {
		rows[row.Pointer] = true
		for _, item := range row.Items {
			rows[item.Pointer] = true
		}
	}
	return func(pointer string) string {
		for pointer != "" && !rows[pointer] {
			pointer = pointer[:max(0, strings.LastIndexByte(pointer, '/'))]
		}
		return pointer
	}
}
