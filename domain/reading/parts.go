package reading

import (
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"countersign/domain/glyph"
)

// groups splits the long runs of letters and digits of an identifier into groups of four.
// Runs without enough digits are words, and stay.
func groups(text string) []Part {
	if countDigits(text) < 4 {
		return nil
	}
	var parts []Part
	start, run := 0, 0 // the part and the run of letters and digits that are being read
	flush := func(end int) {
		if end-run < 8 || countDigits(text[run:end]) < 3 {
			return
		}
		for i := run; i < end; i += 4 {
			next, role := min(i+4, end), Group
			if i == run {
				role = ""
			}
			parts = append(parts, Part{text[start:next], role})
			start = next
		}
	}
	for i := range len(text) {
		c := text[i]
		if c >= 0x80 {
			return nil // in doubt not at all
		}
		if !isLetter(c) && (c < '0' || c > '9') {
			flush(i)
			run = i + 1
		}
	}
	flush(len(text))
	if start == 0 {
		return nil
	}
	if start < len(text) {
		parts = append(parts, Part{Text: text[start:]})
	}
	return parts
}

// address sets the host off and says where the address leads.
func (r *reader) address(row *Row) {
	a, ok := ParseAddress(row.Text)
	if !ok || a.Host == "" {
		return
	}
	end := a.HostStart + len(a.Host)
	for _, part := range []Part{{Text: row.Text[:a.HostStart]}, {a.Host, Lead}, {Text: row.Text[end:]}} {
		if part.Text != "" {
			row.Parts = append(row.Parts, part)
		}
	}
	if row.Kind == URL || row.Kind == Email && strings.HasSuffix(row.Text, ">") { // otherwise the domain is plain to see
		row.Notes = append(row.Notes, Note{"goes to", a.Host})
	}
	if row.Kind == URL && a.User != "" && !strings.EqualFold(a.Scheme, "mailto") {
		row.Notes = append(row.Notes, Note{"user name before @:", a.User})
	}
	if a.Disputed {
		row.Notes = append(row.Notes, Note{Says: "a backslash: programs disagree where the host ends"})
	}
	if name := a.Unicode(); name != a.Host {
		row.Notes = append(row.Notes, Note{"punycode of", name})
	}
	if ip, found := a.IP(); found && ip.String() != strings.ToLower(a.Host) {
		row.Notes = append(row.Notes, Note{Says: "the IP address " + ip.String()})
	}
}

// alphabets says that letters of another alphabet pass for Latin ones. Every label counts
// for itself, because each may be a whole word of that alphabet.
func alphabets(text string) (notes []Note) {
	if strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return nil
	}
	for label := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		var like strings.Builder
		foreign := false
		for _, r := range label {
			seen := ""
			if r > unicode.MaxASCII {
				seen, foreign = glyph.ASCIILookAlike(r), true
			} else {
				seen = string(r)
			}
			if seen == "" {
				foreign = false
				break
			}
			like.WriteString(seen)
		}
		if foreign && len(notes) < 3 {
			notes = append(notes, Note{"letters of another alphabet, not", like.String()})
		}
	}
	return notes
}

// unlessPlain drops the note of an address that only repeats its host.
func unlessPlain(notes []Note) []Note {
	if len(notes) == 1 {
		return nil
	}
	return notes
}

// path says where a path with dots leads.
func (r *reader) path(row *Row) {
	if strings.Contains(row.Text, "/../") || strings.HasSuffix(row.Text, "/..") {
		row.Notes = append(row.Notes, Note{"leads to", path.Clean(row.Text)})
	}
}

// instant says a time in the reader's zone, in UTC, and how far it is away.
func (r *reader) instant(row *Row) {
	m, err := parseInstant(row.Text)
	if err != nil {
		m = moment{at: parseEpoch(row.Text), hasZone: true}
	}
	if m.at.IsZero() {
		row.Kind = Other
		return
	}
	if m.isDate {
		row.Notes = append(row.Notes, Note{Says: m.at.Weekday().String()})
		return
	}
	if !m.hasZone {
		row.Notes = append(row.Notes, Note{Says: "no zone given"})
		return
	}
	zone := r.Zone
	if zone == nil {
		zone = time.UTC
	}
	local, utc := m.at.In(zone), m.at.UTC()
	says := local.Format("Mon 2 Jan 2006 15:04 MST")
	if _, offset := local.Zone(); offset != 0 {
		layout := "15:04 UTC"
		if local.YearDay() != utc.YearDay() {
			layout = "2 Jan 15:04 UTC"
		}
		says += ", " + utc.Format(layout)
	}
	if !r.Now.IsZero() {
		says += ", " + distance(m.at.Sub(r.Now))
	}
	row.Notes = append(row.Notes, Note{Says: says})
}

// distance says how far a time is away, by its largest unit.
func distance(d time.Duration) string {
	size := d.Abs()
	var text string
	switch {
	case size < time.Minute:
		return "now"
	case size < 2*time.Hour:
		text = whole(size, time.Minute, "min")
	case size < 48*time.Hour:
		text = whole(size, time.Hour, "h")
	case size < 2*365*24*time.Hour:
		text = whole(size, 24*time.Hour, "d")
	default:
		text = whole(size, 365*24*time.Hour, "years")
	}
	if d < 0 {
		return text + " ago"
	}
	return "in " + text
}

// markOdd marks items of a list that differ from all others in what they are: another
// domain, another root, another kind.
func markOdd(items []Row) {
	const fewest, most = 8, 2
	if len(items) < fewest {
		return
	}
	counts := map[string]int{}
	kinds := make([]string, len(items))
	for i, item := range items {
		kinds[i] = likenessOf(item)
		counts[kinds[i]]++
	}
	for likeness, n := range counts {
		if n > most || len(items)-n < fewest-most || len(counts) > 1+most {
			continue
		}
		for i := range items {
			items[i].IsOdd = items[i].IsOdd || kinds[i] == likeness
		}
	}
}

// likenessOf is the same for values that are alike.
func likenessOf(item Row) string {
	likeness := string(item.Type) + " " + string(item.Kind)
	switch item.Kind {
	case Email, URL, Host:
		if a, ok := ParseAddress(item.Text); ok && !a.IsIP() {
			labels := strings.Split(a.ASCII(), ".")
			return likeness + strings.Join(labels[max(0, len(labels)-2):], ".")
		}
	case Path:
		root, _, _ := strings.Cut(strings.TrimLeft(item.Text, "/"), "/")
		return likeness + root
	case Other:
		if strings.ContainsFunc(item.Text, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" -_.:", r)
		}) {
			return likeness + " with signs"
		}
	}
	return likeness
}

func whole(d, unit time.Duration, name string) string {
	return strconv.Itoa(int(d/unit)) + " " + name
}
