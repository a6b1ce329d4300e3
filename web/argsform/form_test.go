package argsform_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain/mplp"
	"countersign/views"
	"countersign/web/argsform"
)

const (
	orderSchema = `{"type":"object","required":["symbol","quantity"],"properties":{
		"symbol":{"type":"string","title":"Ticker","maxLength":5,"pattern":"^[A-Z]+$"},
		"quantity":{"type":"integer","minimum":1,"maximum":9007199254740993},
		"limit":{"type":"number"},
		"side":{"enum":["buy","sell"]},
		"urgent":{"type":"boolean"},
		"note":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},
		"tags":{"type":"array","items":{"type":"string"},"maxItems":2},
		"route":{"type":"object","required":["venue"],"properties":{"venue":{"type":"string"},"hops":{"type":"integer"}}},
		"legs":{"type":"array","items":{"type":"object"}}}}`
	orderArgs = `{"quantity":9007199254740993,"symbol":"VN\u004d","limit":1.10,"extra":1e400,"side":"buy","urgent":false,"note":null,"tags":["a\u0062","c"],"route":{"venue":"X","via":[1.0]},"legs":[{"n":1}]}`
)

// form compacts both, as they are stored.
func form(t *testing.T, schema, args string) *argsform.Form {
	t.Helper()
	compact := func(text string) string {
		raw, err := mplp.Compact([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	return argsform.New([]byte(`{"args_schema":`+compact(schema)+`}`), []byte(compact(args)))
}

// fields are the inputs of a form by the names of their members.
func fields(f *argsform.Form) map[string]views.ArgsField {
	all := map[string]views.ArgsField{}
	var walk func(string, []views.ArgsField)
	walk = func(prefix string, list []views.ArgsField) {
		for _, field := range list {
			all[prefix+field.Member] = field
			walk(prefix+field.Member+".", field.Members)
		}
	}
	walk("", f.View(func(n int) string { return fmt.Sprint(n) }, func(int) (string, bool) { return "", false }, nil))
	return all
}

// typed posts every field as it is shown, with some changed.
func typed(t *testing.T, f *argsform.Form, changed map[string]string) argsform.Sent {
	t.Helper()
	sent := map[string]string{}
	all := fields(f)
	for _, field := range all {
		sent[field.Name] = strings.ReplaceAll(field.Text, "\n", "\r\n")
	}
	for name, text := range changed {
		field, ok := all[name]
		if !ok {
			t.Fatalf("there is no field %s", name)
		}
		for _, option := range field.Choices {
			if option.Label == text {
				text = option.Value
			}
		}
		sent[field.Name] = text
	}
	return func(n int) (string, bool) { text, ok := sent[fmt.Sprint(n)]; return text, ok }
}

func TestFieldsOfArguments(t *testing.T) {
	t.Parallel()
	type field struct {
		Kind views.ArgsKind
		Text string
	}
	got := map[string]field{}
	for name, f := range fields(form(t, orderSchema, orderArgs)) {
		got[name] = field{f.Kind, f.Text}
	}
	want := map[string]field{
		"symbol": {views.ArgsText, "VNM"}, "quantity": {views.ArgsNumber, "9007199254740993"}, "limit": {views.ArgsNumber, "1.10"},
		"side": {views.ArgsChoice, "0"}, "urgent": {views.ArgsChoice, "1"}, "note": {views.ArgsText, ""}, "tags": {views.ArgsList, "ab\nc"},
		"route": {views.ArgsGroup, ""}, "route.venue": {views.ArgsText, "X"}, "route.hops": {views.ArgsNumber, ""},
		"route.via": {views.ArgsJSON, "[\n  1.0\n]"}, "legs": {views.ArgsJSON, "[\n  {\n    \"n\": 1\n  }\n]"}, "extra": {views.ArgsNumber, "1e400"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

// What is not changed keeps its bytes, and numbers are as they were typed.
func TestReadKeepsBytes(t *testing.T) {
	t.Parallel()
	args := orderArgs
	for _, tc := range []struct {
		name    string
		changed map[string]string
		old     string
		new     string
	}{
		{"nothing", nil, "", ""},
		{"a number", map[string]string{"quantity": " 1e400 "}, `9007199254740993`, `1e400`},
		{"a fraction", map[string]string{"limit": "2.50"}, `1.10`, `2.50`},
		{"a text", map[string]string{"symbol": `A"é<`}, `"VN\u004d"`, `"A\"é<"`},
		{"an empty text", map[string]string{"symbol": ""}, `"VN\u004d"`, `""`},
		{"a choice", map[string]string{"side": "sell"}, `"buy"`, `"sell"`},
		{"a boolean", map[string]string{"urgent": "true"}, `false`, `true`},
		{"an optional number left out", map[string]string{"limit": " "}, `"limit":1.10,`, ``},
		{"an optional choice left out", map[string]string{"side": "Not given"}, `"side":"buy",`, ``},
		{"null becomes text", map[string]string{"note": "x"}, `null`, `"x"`},
		{"a list", map[string]string{"tags": "new\r\nab\r\n"}, `["a\u0062","c"]`, `["new","a\u0062"]`},
		{"an empty list", map[string]string{"tags": ""}, `["a\u0062","c"]`, `[]`},
		{"a member of a group", map[string]string{"route.venue": "Y"}, `"venue":"X"`, `"venue":"Y"`},
		{"a new member of a group", map[string]string{"route.hops": "3"}, `[1.0]}`, `[1.0],"hops":3}`},
		{"a part in JSON", map[string]string{"legs": "[ {\"n\": 2.0} ]"}, `[{"n":1}]`, `[{"n":2.0}]`},
		{"the same JSON", map[string]string{"legs": "[{\"n\":1}]"}, "", ""},
		{"a part in JSON left out", map[string]string{"legs": ""}, `,"legs":[{"n":1}]`, ``},
		{"what the schema does not name", map[string]string{"extra": "7"}, `1e400`, `7`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := form(t, orderSchema, args)
			got, wrong := f.Read(typed(t, f, tc.changed))
			if len(wrong) > 0 {
				t.Fatalf("refused: %v", wrong)
			}
			if diff := cmp.Diff(strings.Replace(args, tc.old, tc.new, 1), string(got)); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadRefusesWhatIsNoValue(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ member, text string }{
		{"quantity", "ten"}, {"quantity", "1,5"}, {"quantity", "0x10"}, {"quantity", "01"}, {"quantity", `"1"`}, {"quantity", ""},
		{"quantity", "1" + strings.Repeat("0", mplp.DefaultLimits.NumberLen)},
		{"side", "7"}, {"side", "-1"}, {"legs", "[1,]"}, {"legs", `{"a":1,"a":2}`}, {"symbol", "\xff"}, {"extra", ""}, {"urgent", "yes"},
	} {
		t.Run(tc.member+"="+tc.text[:min(len(tc.text), 12)], func(t *testing.T) {
			t.Parallel()
			f := form(t, orderSchema, orderArgs)
			args, wrong := f.Read(typed(t, f, map[string]string{tc.member: tc.text}))
			number := fields(f)[tc.member].Name
			if args != nil || len(wrong) != 1 {
				t.Fatalf("read as %s, %v", args, wrong)
			}
			for n, why := range wrong {
				if fmt.Sprint(n) != number || why == "" {
					t.Errorf("field %d: %q, want it at %s", n, why, number)
				}
			}
		})
	}
}

func TestMisfits(t *testing.T) {
	t.Parallel()
	f := form(t, orderSchema, orderArgs)
	for _, tc := range []struct{ name, old, new, want string }{
		{"the arguments as they are", "", "", ""},
		{"required", `"quantity":9007199254740993,`, ``, "/quantity: This is required."},
		{"required within", `"venue":"X",`, ``, "/route/venue: This is required."},
		{"a type", `9007199254740993`, `"1"`, "/quantity: This must be a whole number."},
		{"a fraction", `9007199254740993`, `1.5`, "/quantity: This must be a whole number."},
		{"whole with a fraction of 0", `9007199254740993`, `10e-1`, ""},
		{"null", `"VN\u004d"`, `null`, "/symbol: This must be text."},
		{"too small", `9007199254740993`, `0.0`, "/quantity: This must be at least 1."},
		{"too large by one that no float tells", `9007199254740993`, `9007199254740994`, "/quantity: This must be at most 9007199254740993."},
		{"far too large", `9007199254740993`, `1e999999999999`, "/quantity: This must be at most 9007199254740993."},
		{"an enumeration", `"buy"`, `"hold"`, "/side: This is not one of the values that the schema lists."},
		{"another spelling of a choice", `"buy"`, `"b\u0075y"`, ""},
		{"a length", `"VN\u004d"`, `"ABCDEF"`, "/symbol: This must have at most 5 characters."},
		{"a pattern", `"VN\u004d"`, `"vnm"`, "/symbol: This does not match the pattern of the schema."},
		{"items", `"c"]`, `"c","d"]`, "/tags: This must have at most 2 items."},
		{"an item", `"c"]`, `3]`, "/tags: Item 2: This must be text."},
		{"no group", `{"venue":"X","via":[1.0]}`, `[]`, "/route: This must be an object."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, misfit := range f.Misfits([]byte(strings.Replace(orderArgs, tc.old, tc.new, 1))) {
				got = append(got, misfit.Path+": "+misfit.Rule)
			}
			if strings.Join(got, "; ") != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	closed := form(t, `{"properties":{"a":{"type":"integer"}},"additionalProperties":false}`, `{"a":1}`)
	if got := closed.Misfits([]byte(`{"a":1,"b":2}`)); len(got) != 1 || got[0].Path != "/b" || got[0].Number != -1 {
		t.Errorf("a member that a closed schema does not name: %v", got)
	}
}

// Parts that cannot be drawn are JSON, and a schema that cannot be drawn gives no form.
func TestWhatCannotBeDrawn(t *testing.T) {
	t.Parallel()
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"m%d":{"type":"string"},`, i)
		}
		return b.String()
	}
	for _, tc := range []struct{ name, schema string }{
		{"no properties", `{"type":"object"}`},
		{"not of an object", `{"type":"array","properties":{"a":{}}}`},
		{"a reference", `{"$ref":"#/$defs/x","properties":{"a":{}}}`},
		{"alternatives", `{"oneOf":[{}],"properties":{"a":{}}}`},
		{"patterns of names", `{"patternProperties":{".*":{}},"properties":{"a":{}}}`},
		{"properties of another kind", `{"properties":[]}`},
		{"very many members", `{"properties":{` + many(2000) + `"a":{}}}`},
		{"one member too many", `{"properties":{` + many(argsform.MaxFields) + `"a":{}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if f := form(t, tc.schema, `{"a":1}`); f != nil {
				t.Errorf("there is a form of %d fields", f.Fields())
			}
		})
	}
	for _, tc := range []struct {
		name, schema, value string
		want                views.ArgsKind
	}{
		{"as many members as there may be", `{"type":"string"}`, `"x"`, views.ArgsText},
		{"a reference", `{"$ref":"https://evil.example/x"}`, `1`, views.ArgsJSON},
		{"alternatives", `{"anyOf":[{"type":"string"},{"type":"number"}]}`, `1`, views.ArgsJSON},
		{"several types", `{"type":["string","number"]}`, `1`, views.ArgsJSON},
		{"a value of another type", `{"type":"string"}`, `1`, views.ArgsJSON},
		{"an invisible character", `{"type":"string"}`, `"a\u202eb"`, views.ArgsJSON},
		{"a carriage return", `{"type":"string"}`, `"a\rb"`, views.ArgsJSON},
		{"an invisible choice", `{"enum":["a","a\u200b"]}`, `"a"`, views.ArgsJSON},
		{"a choice of objects", `{"enum":[{},[]]}`, `{}`, views.ArgsJSON},
		{"too many choices", `{"enum":[` + strings.Repeat(`1,`, 200) + `2]}`, `1`, views.ArgsJSON},
		{"a list with an empty text", `{"type":"array","items":{"type":"string"}}`, `[""]`, views.ArgsJSON},
		{"a list of lists", `{"type":"array","items":{"type":"array","items":{"type":"string"}}}`, `[["a"]]`, views.ArgsJSON},
		{"no schema at all", `true`, `1`, views.ArgsJSON},
		{"too deep", strings.Repeat(`{"properties":{"x":`, 5) + `{}` + strings.Repeat(`}}`, 5), `{"x":{"x":{"x":{"x":{}}}}}`, views.ArgsGroup},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := form(t, `{"properties":{"a":`+tc.schema+`}}`, `{"a":`+tc.value+`}`)
			if got := fields(f)["a"].Kind; got != tc.want {
				t.Errorf("kind %d, want %d", got, tc.want)
			}
			if deep := fields(f)["a.x.x.x"]; tc.name == "too deep" && deep.Kind != views.ArgsJSON {
				t.Errorf("the fourth level is of kind %d", deep.Kind)
			}
		})
	}
}

// A schema of the greatest size takes little time, whatever it says.
func TestHostileSchemasAreCheap(t *testing.T) {
	t.Parallel()
	fill := func(open, part, end string) string {
		return open + strings.Repeat(part, (mplp.MaxArgsSchema-len(open)-len(end))/len(part)) + end
	}
	for _, tc := range []struct{ name, schema, args string }{
		{"members", fill(`{"required":["a"`, `,"a"`, `],"properties":{"a":{"type":"string"}}}`), `{"a":"x"}`},
		{"choices for very many items", fill(`{"properties":{"a":{"type":"array","items":{"enum":[1`, `,1e9`, `]}}}}`), `{"a":[` + strings.Repeat("2,", 60_000) + `2]}`},
		{"items within items", fill(`{"properties":{"a":{"type":"array","items":`, strings.Repeat(`{"items":`, 50)+`{}`+strings.Repeat(`}`, 50)+`,"b":`, `1}}}`), `{"a":[]}`},
		{"a pattern", `{"properties":{"a":{"type":"string","pattern":"((((a{1,30}){1,30})*)*)*(x|x|x)*$"}}}`, `{"a":"` + strings.Repeat("a", 4000) + `!"}`},
		{"a long pattern", fill(`{"properties":{"a":{"type":"string","pattern":"`, `(a*)*`, `$"}}}`), `{"a":"` + strings.Repeat("a", 200_000) + `"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			began := time.Now()
			config := []byte(`{"args_schema":` + tc.schema + `}`)
			if f := argsform.New(config, []byte(tc.args)); f != nil {
				f.Misfits([]byte(tc.args))
				f.Read(func(int) (string, bool) { return "", false })
			}
			if took := time.Since(began); took > time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// FuzzForm: whatever the schema says, posting the form as it is shown changes nothing,
// and what is read is an object of JSON.
func FuzzForm(f *testing.F) {
	f.Add(orderSchema, orderArgs, "7")
	f.Add(`{"properties":{"a":{"enum":[1,"1",null]},"b/c":{"type":["integer","null"]}}}`, `{"a":1.0,"b/c":null}`, "0")
	f.Add(`{"properties":{"a":{"type":"array","items":{"type":"number"}}}}`, `{"a":[1,2.0]}`, "1\n2")
	f.Fuzz(func(t *testing.T, schema, args, text string) {
		s, errSchema := mplp.Compact([]byte(schema))
		a, errArgs := mplp.Compact([]byte(args))
		if errSchema != nil || errArgs != nil {
			return
		}
		form := argsform.New([]byte(`{"args_schema":`+string(s)+`}`), a)
		if form == nil {
			return
		}
		same := typed(t, form, nil)
		if got, wrong := form.Read(same); form.IsChanged(same) || string(got) != string(a) {
			t.Fatalf("unchanged %s is read as %s, %v", a, got, wrong)
		}
		all := func(int) (string, bool) { return text, true }
		if got, wrong := form.Read(all); (got == nil) == (len(wrong) == 0) {
			t.Fatalf("%q is read as %s, %v", text, got, wrong)
		} else if got != nil {
			if compact, err := mplp.Compact(got); err != nil || string(compact) != string(got) || got[0] != '{' {
				t.Fatalf("%q is read as %s: %v", text, got, err)
			}
			form.Misfits(got)
		}
	})
}
