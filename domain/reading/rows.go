package reading

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// reader makes rows, within limits for the whole document.
type reader struct {
	Options
	rows      []Row
	left      int // rows that may still be made
	lexed     int // bytes that were lexed
	cells     int // of tables of differences that may still be filled
	decodings int
	blocks    int
	lines     int
}

// place is what stands around a value.
type place struct {
	depth    int
	isItem   bool
	currency string // of the nearest object that names one
	schema   Value  // of the value; may be empty
}

// Of returns the rows of a value.
func Of(v Value, o Options) Reading {
	schema, err := Parse(o.Schema)
	if err != nil {
		schema = Value{}
	}
	r := &reader{Options: o, left: maxRows, cells: maxCells}
	at := place{schema: schema}
	isWhole := v.Type != Object || len(v.Items) > r.left
	if isWhole {
		r.left--
		r.add(v, at)
	} else {
		r.members(v, at)
	}
	return Reading{IsWhole: isWhole, Rows: r.rows, Blocks: r.blocks, Lines: r.lines}
}

// members adds a row for each member of an object or item of an array.
func (r *reader) members(v Value, at place) {
	r.left -= len(v.Items)
	at.isItem = v.Type == Array
	outer, schema := at.currency, at.schema
	if currency := currencyIn(v); currency != "" {
		outer = currency
	}
	owns := currenciesOf(v)
	starts := make([]int, len(v.Items)) // where the rows of each begin
	for i, item := range v.Items {
		at.currency = cmp.Or(owns[item.Name], outer)
		at.schema = schemaOf(schema, item.Name, at.isItem)
		starts[i] = len(r.rows)
		r.add(item, at)
	}
	for _, pair := range pairsIn(v) {
		r.compare(starts[pair.before], starts[pair.after])
	}
}

// add adds the row of a value, and those of what is in it.
func (r *reader) add(v Value, at place) {
	row := Row{Pointer: v.Pointer, Name: v.Name, IsItem: at.isItem, Depth: at.depth, Type: v.Type, Text: v.Text, Count: len(v.Items)}
	switch {
	case v.IsLeaf():
		r.value(&row, v, at)
	case len(v.Items) == 0:
	case isList(v) && len(v.Items) <= r.left:
		r.list(&row, v, at)
	case at.depth >= maxIndent || len(v.Items) > r.left:
		r.json(&row, v, at)
	default:
		r.rows = append(r.rows, row)
		at.depth++
		r.members(v, at)
		return
	}
	r.rows = append(r.rows, row)
}

// json shows an object or array as a block.
func (r *reader) json(row *Row, v Value, at place) {
	text := indentedJSON(v)
	if strings.Count(text, "\n") < maxShort { // otherwise it is longer in one line as well
		if compact := compactJSON(v); len(compact) <= maxShort {
			text = compact
		}
	}
	block := r.block(text, JSON)
	if at.depth < maxIndent {
		block.Title += ", not as rows: more than " + strconv.Itoa(maxRows)
	}
	row.Block = &block
	r.blocks++
	r.lines += countLines(text)
}

// isList reports whether an array has only short values, which go into columns.
func isList(v Value) bool {
	if v.Type != Array {
		return false
	}
	for _, item := range v.Items {
		if !item.IsLeaf() || len(item.Text) > maxListed || strings.ContainsAny(item.Text, "\n\r") {
			return false
		}
	}
	return true
}

// list puts the items of an array into one row.
func (r *reader) list(row *Row, v Value, at place) {
	r.left -= len(v.Items)
	at.isItem, at.depth = true, at.depth+1
	at.schema = schemaOf(at.schema, "", true)
	row.Items = make([]Row, len(v.Items))
	for i, item := range v.Items {
		item.Name = v.Name // a list is named like what is in it
		one := Row{Pointer: item.Pointer, Name: strconv.Itoa(i), IsItem: true, Depth: at.depth, Type: item.Type, Text: item.Text}
		r.value(&one, item, at)
		if len(v.Items) > 1 && one.Kind == URL {
			one.Notes = unlessPlain(one.Notes)
		}
		row.Items[i] = one
	}
	markOdd(row.Items)
}

// value says what a string, number, boolean or null means.
func (r *reader) value(row *Row, v Value, at place) {
	if v.Type == String {
		row.IsText = isLiteral(v.Text)
	}
	row.Kind = kindIn(v, at.schema)
	switch row.Kind {
	case Sum:
		r.sum(row, v, at)
	case Quantity:
		r.quantity(row, v, at)
	case Identifier:
		row.Parts = groups(v.Text)
		if v.Type == String && HasWrongCheckDigits(v.Name, v.Text) {
			row.Notes = append(row.Notes, Note{Says: "check digits are wrong"})
		}
	case Email, URL, Host:
		r.address(row)
	case Path:
		r.path(row)
	case Instant:
		r.instant(row)
	}
	if isUnlisted(v, at.schema) {
		row.Notes = append(row.Notes, Note{Says: "not one of the values that the agent's schema lists"})
	}
	if v.Type != String {
		return
	}
	if row.Kind != Other && row.Kind != Instant {
		row.Notes = append(row.Notes, alphabets(v.Text)...)
	}
	if strings.ContainsAny(v.Text, "\n\r") || row.Kind == Other && utf8.RuneCountInString(v.Text) > maxShort {
		block := r.sent(v)
		row.Block = &block
	}
	row.Reading = append(row.Reading, r.decode(v.Text, 1)...)
}

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// isLiteral reports whether a text is a number, true, false or null in JSON.
func isLiteral(text string) bool {
	switch text {
	case "true", "false", "null":
		return true
	case "":
		return false
	}
	c := text[len(text)-1]
	return c >= '0' && c <= '9' && len(text) <= 400 && number.MatchString(strings.TrimLeft(text, " \t\r\n"))
}
