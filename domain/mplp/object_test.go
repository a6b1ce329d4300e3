package mplp

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseObject_Strict(t *testing.T) {
	t.Parallel()
	small := Limits{Depth: 3, NumberLen: 5}
	tests := []struct {
		name, data string
		limits     Limits
		wantPath   string
	}{
		{"empty", ``, DefaultLimits, ""},
		{"white space only", " \n", DefaultLimits, ""},
		{"array", `[1]`, DefaultLimits, ""},
		{"string", `"a"`, DefaultLimits, ""},
		{"null", `null`, DefaultLimits, ""},
		{"cut off", `{"a":{"b":1`, DefaultLimits, "a"},
		{"trailing value", `{} {}`, DefaultLimits, ""},
		{"trailing garbage", `{}x`, DefaultLimits, ""},
		{"trailing comma", `{"a":1,}`, DefaultLimits, ""},
		{"number as key", `{1:2}`, DefaultLimits, ""},
		{"leading zero", `{"a":01}`, DefaultLimits, ""},
		{"NaN", `{"a":NaN}`, DefaultLimits, "a"},
		{"comment", `{"a":1/**/}`, DefaultLimits, ""},
		{"raw control character", "{\"a\":\"\n\"}", DefaultLimits, "a"},
		{"duplicate key", `{"a":1,"a":2}`, DefaultLimits, "a"},
		{"duplicate key by escape", `{"a":1,"\u0061":2}`, DefaultLimits, "a"},
		{"duplicate key deep down", `{"x":[0,{"a":{"b":1,"b":2}}]}`, DefaultLimits, "x[1].a.b"},
		{"duplicate comment", `{"$comment":1,"$comment":2}`, DefaultLimits, "$comment"},
		{"bad UTF-8", "{\"a\":\"\xff\"}", DefaultLimits, ""},
		{"lone high surrogate", `{"a":"\ud800"}`, DefaultLimits, "a"},
		{"lone low surrogate", `{"a":["\udc00"]}`, DefaultLimits, "a[0]"},
		{"byte order mark twice", "\uFEFF\uFEFF{}", DefaultLimits, ""},
		{"too deep", `{"a":[[1]],"b":[{"0":[]}]}`, small, "b[0].0"},
		{"long number", `{"a":{"0":[1,123456]}}`, small, "a.0[1]"},
		{"very deep", strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000), DefaultLimits,
			strings.TrimSuffix(strings.Repeat("a.", 32), ".")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseObject([]byte(tt.data), tt.limits)
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("got %v and error %v, want a SyntaxError", got, err)
			}
			if syntax.Path != tt.wantPath || syntax.Message == "" {
				t.Errorf("got path %q, message %q, want path %q", syntax.Path, syntax.Message, tt.wantPath)
			}
			if strings.Contains(syntax.Error(), "jsontext") {
				t.Errorf("%q shows internals", syntax.Error())
			}
		})
	}
}

func TestParseObject_KeepsBytes(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, data, want string }{
		{"white space goes", " { \"a\" : [ 1 , 2 ] }\r\n", `{"a":[1,2]}`},
		{"order stays", `{"b":1,"a":2}`, `{"b":1,"a":2}`},
		{"numbers stay", `{"a":[9007199254740993,1e400,-0,1.0,1E+2]}`, `{"a":[9007199254740993,1e400,-0,1.0,1E+2]}`},
		{"escapes stay", `{"\u0061":"\u003c\/<é\ud83d\ude00"}`, `{"\u0061":"\u003c\/<é\ud83d\ude00"}`},
		{"byte order mark goes", "\uFEFF{\"a\":1}", `{"a":1}`},
		{"comment goes", `{"$comment":"x","a":{"$comment":"stays"}}`, `{"a":{"$comment":"stays"}}`},
		{"keys that differ in case stay", `{"x":1,"X":2}`, `{"x":1,"X":2}`},
		{"empty", `{}`, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, err := ParseObject([]byte(tt.data), DefaultLimits)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(o.Bytes()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestParseObject_LongKeyInPath(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 100_000)
	_, err := ParseObject([]byte(`{"`+long+`":01}`), DefaultLimits)
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("error is %d bytes long, want a short one", len(err.Error()))
	}
}

func TestObject_Members(t *testing.T) {
	t.Parallel()
	o, err := ParseObject([]byte(`{"a":1,"\u0062":[2],"c":3}`), DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := o.Get("b"); !ok || string(got) != "[2]" {
		t.Errorf("Get(b) = %s, %t", got, ok)
	}
	if got, ok := o.Get("d"); ok {
		t.Errorf("Get(d) = %s, want nothing", got)
	}
	o.Set("b", String("<&>\u2028\""))
	o.Set("d", Strings([]string{"x", "y"}))
	o.Set("e", Array(Int(-7), Bool(true), DefaultMeta()))
	o.Delete("a")
	o.Delete("missing")
	if diff := cmp.Diff([]string{"b", "c", "d", "e"}, o.Names()); diff != "" || o.Len() != 4 {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	want := `{"\u0062":"<&>` + "\u2028" + `\"","c":3,"d":["x","y"],"e":[-7,true,{"protocolVersion":"1.0.0"}]}`
	if got := string(o.Bytes()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(Strings(nil)); got != "[]" {
		t.Errorf("Strings(nil) = %s", got)
	}
}

// TestObject_BytesAreOfNow: what was written once is not given back when a member
// has changed since.
func TestObject_BytesAreOfNow(t *testing.T) {
	t.Parallel()
	o, err := ParseObject([]byte(`{"a":1, "b":2}`), DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		change func()
		want   string
	}{
		{func() {}, `{"a":1,"b":2}`},
		{func() { o.Set("a", Int(1)) }, `{"a":1,"b":2}`},
		{func() { o.Set("a", Int(3)) }, `{"a":3,"b":2}`},
		{func() { o.Set("c", Int(4)) }, `{"a":3,"b":2,"c":4}`},
		{func() { o.Delete("b") }, `{"a":3,"c":4}`},
		{func() { o.Delete("b") }, `{"a":3,"c":4}`},
	}
	for _, step := range steps {
		step.change()
		if got := string(o.Bytes()); got != step.want {
			t.Errorf("got %s, want %s", got, step.want)
		}
	}
	if _ = append(o.Bytes(), "XXXX"...); string(o.Bytes()) != `{"a":3,"c":4}` {
		t.Errorf("what was written can be written over: %s", o.Bytes())
	}
}

// TestObject_ValuesDoNotOverlap makes sure that a caller who appends to one
// value cannot write over the next.
func TestObject_ValuesDoNotOverlap(t *testing.T) {
	t.Parallel()
	o, err := ParseObject([]byte(`{"a":1,"b":2}`), DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := o.Get("a")
	_ = append(a, "XXXX"...)
	if got := string(o.Bytes()); got != `{"a":1,"b":2}` {
		t.Errorf("got %s", got)
	}
}

func FuzzParseObject(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` {"a" : [1, 2e400, -0.0, null, true, "x\u0000"]}`, `{"a":{"b":{}},"a":1}`, `{"\ud800":1}`, "\uFEFF{\"$comment\":1}",
		`{"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}`, "{\"a\":\"\xc3\x28\"}", `{"é":"<>&"} `,
	} {
		f.Add([]byte(seed))
	}
	addExamples(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := ParseObject(data, DefaultLimits)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("error of an unexpected kind: %v", err)
			}
			return
		}
		if !json.Valid([]byte(strings.TrimPrefix(string(data), "\uFEFF"))) {
			t.Fatalf("accepted %q, which is not JSON", data)
		}
		compact := o.Bytes()
		again, err := ParseObject(compact, DefaultLimits)
		if err != nil {
			t.Fatalf("%q became %q, which is refused: %v", data, compact, err)
		}
		if string(again.Bytes()) != string(compact) {
			t.Errorf("%q became %q", compact, again.Bytes())
		}
	})
}
