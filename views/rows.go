package views

import (
	"context"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"countersign/domain/reading"
)

// Rows shows a value as labelled rows and blocks. All of it can be read back from them.
// Under a row stands the slot of its pointer. Slots of what has no row stand under the
// nearest row around it, or on top.
func Rows(id string, r reading.Reading, slots map[string]templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		rows := &rowsBuffer{id: id, slots: slotsByRow(r, slots), ids: map[string]bool{}}
		rows.draw(ctx, r)
		if rows.err == nil {
			_, rows.err = w.Write(rows.buf)
		}
		return rows.err
	})
}

// RowID is the id of the row with a pointer, among the rows with an id.
func RowID(id, pointer string) string {
	var b strings.Builder
	b.WriteString(id)
	for i := range len(pointer) {
		if c := pointer[i]; isAlphanumeric(c) {
			b.WriteByte(c)
		} else {
			b.WriteByte('_')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	return b.String()
}

const hexDigits = "0123456789abcdef"

func isAlphanumeric(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

func slotsByRow(r reading.Reading, slots map[string]templ.Component) map[string][]templ.Component {
	rows := map[string][]templ.Component{}
	if len(slots) == 0 {
		return rows
	}
	nearest := r.Nearest()
	for _, pointer := range slices.Sorted(maps.Keys(slots)) {
		row := nearest(pointer)
		rows[row] = append(rows[row], slots[pointer])
	}
	return rows
}

// rowsBuffer is the HTML of rows in the making.
type rowsBuffer struct {
	htmlBuffer
	id    string
	slots map[string][]templ.Component
	ids   map[string]bool // that are taken: an object may repeat a name
	marks counts
	err   error
}

func (m *rowsBuffer) draw(ctx context.Context, r reading.Reading) {
	m.html(`<div class="rows"`)
	if !r.IsWhole {
		m.html(` data-type="object"`)
		m.place("")
	}
	m.html(`>`)
	if !r.IsWhole {
		m.slot(ctx, "")
		if len(r.Rows) == 0 {
			m.inferred("", "no arguments")
		}
	}
	for _, row := range r.Rows {
		m.row(ctx, row)
	}
	m.html(`</div>`)
	m.legend(m.marks)
}

// place writes the attributes by which a row is found.
func (m *rowsBuffer) place(pointer string) {
	if id := RowID(m.id, pointer); !m.ids[id] {
		m.ids[id] = true
		m.html(` id="`, id, `"`)
	}
	m.html(` data-pointer="`)
	for i := range len(pointer) { // as in the fragment of an address
		switch c := pointer[i]; {
		case c > ' ' && c < 0x7f && strings.IndexByte(`"%&'<>`, c) < 0:
			m.buf = append(m.buf, c)
		default:
			m.buf = append(m.buf, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	m.html(`"`)
}

func (m *rowsBuffer) slot(ctx context.Context, pointer string) {
	for _, slot := range m.slots[pointer] {
		m.html(`<div class="row-slot">`)
		if err := slot.Render(ctx, m); err != nil {
			m.err = err
		}
		m.html(`</div>`)
	}
}

func (m *rowsBuffer) row(ctx context.Context, row reading.Row) {
	m.html(`<div class="member depth-`, strconv.Itoa(row.Depth), `" data-depth="`, strconv.Itoa(row.Depth), `" data-type="`, string(row.Type), `"`)
	m.place(row.Pointer)
	m.html(`>`)
	m.label(row)
	m.html(`<div class="row-value">`)
	m.value(row)
	m.html(`</div>`)
	if row.Items != nil {
		m.list(row.Items)
	}
	if row.Block != nil {
		m.sent(*row.Block)
	}
	for _, block := range row.Reading {
		m.read(block)
	}
	for _, item := range row.Items {
		for _, block := range item.Reading {
			m.read(block)
		}
	}
	m.slot(ctx, row.Pointer)
	for _, item := range row.Items {
		m.slot(ctx, item.Pointer)
	}
	m.html(`</div>`)
}

// label is the member's name. Whoever reads the rows back takes it from here.
func (m *rowsBuffer) label(row reading.Row) {
	switch {
	case row.Pointer == "" && row.Depth == 0 && row.Name == "":
		m.html(`<div class="row-name inferred">value</div>`)
	case row.IsItem:
		n, _ := strconv.Atoi(row.Name)
		m.html(`<div class="row-name inferred">`, strconv.Itoa(n+1), `</div>`)
	default:
		m.html(`<div class="row-name" hx-ignore dir="ltr"><span class="exact">`)
		m.exact(row.Name, atEdge)
		m.html(`</span>`)
		if row.Name == "" {
			m.inferred("", "empty name")
		}
		m.html(`</div>`)
		m.marks.text(row.Name)
	}
}

// value is a row's text, with what the server infers beside it.
func (m *rowsBuffer) value(row reading.Row) {
	switch {
	case row.Type == reading.Object && row.Count == 0:
		m.inferred("", "empty object")
	case row.Type == reading.Array && row.Count == 0:
		m.inferred("", "no items")
	case row.Type == reading.Object:
		m.inferred("", counted(row.Count, "member"))
	case row.Type == reading.Array:
		m.inferred("", counted(row.Count, "item"))
	case row.Block != nil:
		m.inferred("", row.Block.Title)
	default:
		m.leaf(row)
	}
	for _, note := range row.Notes {
		m.note(note)
	}
}

// leaf is a string, number, boolean or null in its row.
func (m *rowsBuffer) leaf(row reading.Row) {
	m.html(`<span class="exact`)
	if row.Type != reading.String {
		m.html(` literal`)
	}
	if row.Kind != reading.Other {
		m.html(` kind-`, string(row.Kind))
	}
	m.html(`" hx-ignore dir="ltr">`)
	parts := row.Parts
	if parts == nil {
		parts = []reading.Part{{Text: row.Text}}
	}
	for _, part := range parts {
		if part.Role != "" {
			m.html(`<span class="part-`, string(part.Role), `">`)
		}
		m.exact(part.Text, atEdge)
		if part.Role != "" {
			m.html(`</span>`)
		}
	}
	m.html(`</span>`)
	m.marks.text(row.Text)
	if row.Type == reading.String && row.Text == "" {
		m.inferred("", "empty text")
	}
	if row.Unit != "" {
		m.inferred("row-unit", row.Unit)
	}
	if row.IsText {
		m.inferred("row-tag", "text")
	}
}

// inferred writes what the server says, which is not copied.
func (m *rowsBuffer) inferred(class, says string) {
	m.html(`<span class="inferred`)
	if class != "" {
		m.html(` `, class)
	}
	m.html(`">`)
	m.text(says)
	m.html(`</span>`)
}

func (m *rowsBuffer) note(note reading.Note) {
	m.html(`<span class="inferred row-note">`)
	m.text(note.Says)
	if note.Value != "" {
		m.html(` <q class="said" hx-ignore dir="ltr">`)
		m.exact(note.Value, atEdge)
		m.html(`</q>`)
	}
	m.html(`</span>`)
}

// list puts short items into columns that are as wide as the longest needs.
func (m *rowsBuffer) list(items []reading.Row) {
	longest := 0
	for _, item := range items {
		longest = max(longest, len(item.Text)+8*len(item.Notes))
	}
	width := "wide"
	if longest <= 12 {
		width = "narrow"
	} else if longest <= 30 {
		width = "middle"
	}
	m.html(`<ul class="row-list `, width, `">`)
	for _, item := range items {
		m.html(`<li data-type="`, string(item.Type), `"`)
		if item.IsOdd {
			m.html(` class="odd"`)
		}
		m.place(item.Pointer)
		m.html(`>`)
		m.leaf(item)
		if item.IsOdd {
			m.inferred("row-tag", "unlike the others")
		}
		for _, note := range item.Notes {
			m.note(note)
		}
		m.html(`</li>`)
	}
	m.html(`</ul>`)
}
