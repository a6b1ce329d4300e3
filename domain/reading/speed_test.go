package reading

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// shapes are documents of about so many bytes: usual ones, and those that agents might
// send to keep the server busy.
func shapes(size int) map[string]string {
	fill := func(text string) string { return strings.Repeat(text, size/len(text)) }
	items := func(text string) string { return strings.TrimSuffix(fill(text), ",") }
	quote := func(text string) string { return `{"script":` + strconv.Quote(text[:min(len(text), size)]) + `}` }
	pair := func(before, after string) string {
		return `{"old_string":` + strconv.Quote(before) + `,"new_string":` + strconv.Quote(after) + `}`
	}
	nested := 900
	return map[string]string{
		"shell":      quote(fill("for f in \"$dir\"/*.log; do rm -rf -- \"$f\"; done # clean\n")),
		"SQL":        quote("UPDATE parcels SET a = 'x' WHERE id IN (" + fill("  '4021 8876', 12, -- one\n") + ");"),
		"JSON":       `{"body":` + strconv.Quote(`[`+fill(`{"a":[1,"b",null]},`)+`1]`) + `}`,
		"digits":     `{"body":` + strconv.Quote(`[`+items(`1,`)+`]`) + `}`,
		"base64":     `{"data":"` + base64.StdEncoding.EncodeToString([]byte(fill("echo some text\n"))[:size*3/4]) + `"}`,
		"pieces":     quote(fill(base64.StdEncoding.EncodeToString([]byte("echo some text and more of it ")) + " ")),
		"almost":     quote(fill(strings.Repeat("A", 40) + "\x01")),
		"pair":       pair(fill("a line\n\tb\n")[:size/2], fill("a line\nb c\n")[:size/2]),
		"aligned":    pair(fill("a line of text\n")[:size/2]+"x", "y\n"+fill("another line\n")[:size/2]),
		"short":      pair(fill("a\n")[:size/2]+"x", "y\n"+fill("b\n")[:size/2]),
		"rows":       `{"rows":[` + items(`{"id":"cus_8812345","amount":12345.67,"currency":"EUR","to":"mia@example.org"},`) + `]}`,
		"list":       `{"to":[` + items(`"someone.else@example.org",`) + `]}`,
		"hosts":      `{"to":[` + items(`"ab.xn--80ak6aa92e.com",`) + `]}`,
		"alphabets":  `{"host":[` + items(`"оса.сом",`) + `]}`,
		"times":      `{"at":[` + items(`"2026-03-06T02:00:0",`) + `]}`,
		"numbers":    `[` + items(`1,`) + `]`,
		"strings":    `[` + items(`"",`) + `]`,
		"members":    `{` + items(`"":1,`) + `}`,
		"currencies": `{` + items(`"amount_minor":1,`) + `}`,
		"olds":       `{` + items(`"old":"","new":"",`) + `}`,
		"objects":    `[` + items(`{},`) + `]`,
		"long name":  `{"` + strings.Repeat("n", 1000) + `":[` + items(`1,`) + `]}`,
		"long names": `{"` + strings.Repeat("n", 1022) + `":[` + items(`1,`) + `]}`,
		"deep":       strings.Repeat(`{"a":`, nested) + `[` + items(`1,`) + `]` + strings.Repeat(`}`, nested),
		"deeper":     `[` + items(strings.Repeat(`[`, nested)+strings.Repeat(`]`, nested)+`,`) + `]`,
		"escapes":    `{"a":"` + fill(`\u0041`) + `"}`,
		"quotes":     quote(fill(`\"`)),
		"unended":    quote(fill("<<X\n")),
		"comments":   `{"query":` + strconv.Quote("select a from b;"+fill("/*")) + `}`,
		"YAML":       quote("a: 1\nb: 2\nc: 3\n" + fill("- - - - 'x\n")),
		"dashes":     `{"yaml":` + strconv.Quote("a: 1\nb: 2\nc: 3\n"+fill("- ")) + `}`,
		"diff":       quote("--- a\n+++ b\n@@ -1,9999 +1,9999 @@\n" + fill("-a b\n+a  b\n-long one\n+long two\n")),
		"lines":      quote(fill("\n")),
	}
}

// BenchmarkSchema is a schema with many members, for an object that has none of them.
func BenchmarkSchema(b *testing.B) {
	var properties, members strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&properties, `"p%04d":{"enum":["a"],"x":1},`, i)
		fmt.Fprintf(&members, `"m%04d":"a",`, i)
	}
	schema := []byte(`{"properties":{` + strings.TrimSuffix(properties.String(), ",") + `}}`)
	v, err := Parse([]byte(`{` + strings.TrimSuffix(members.String(), ",") + `}`))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		Of(v, Options{Schema: schema})
	}
}

// BenchmarkRead is Parse and Of together.
func BenchmarkRead(b *testing.B) {
	for _, size := range []int{64 << 10, 256 << 10} {
		for name, json := range shapes(size) {
			b.Run(fmt.Sprintf("%s/%d", name, size>>10), func(b *testing.B) {
				for b.Loop() {
					v, err := Parse([]byte(json))
					if err != nil {
						b.Fatal(err)
					}
					Of(v, at)
				}
			})
		}
	}
}
