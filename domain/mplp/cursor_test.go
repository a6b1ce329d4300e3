package mplp

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// FuzzCursor holds the short ways to the library's long ones: what is accepted,
// what is left of it without white space, and where its values begin and end.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, ` [ ] `, `1`, `"\\"`, `["\\\"","]","\u005d{"]`, "{ \"a\\\\\" :\t[ 1 , -2.50e+3 ,\r\n{\"b\":[[]]} ] , \"\\\"\":null}",
		`[true,false,null,"",{}]`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `["\ud800"]`, "[\"\xff\"]", `[1 2]`, `[tr ue]`, `1 2`, `{"a"}`, `[,]`, `"`, `["a`, `]`, `{"a":`,
	} {
		f.Add([]byte(seed))
	}
	addExamples(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		refused := checkTokens(data, DefaultLimits)
		if ok := passesQuickCheck(data, DefaultLimits); ok != (refused == nil) {
			t.Fatalf("%q fits: %t, and scan says %v", data, ok, refused)
		}
		if refused != nil {
			_, _ = split(data), elements(data) // of what is not JSON, they only have to end
			return
		}
		want, err := jsontext.AppendFormat(nil, data, jsontext.PreserveRawStrings(true))
		if err != nil {
			t.Fatal(err)
		}
		text := removeSpace(data)
		if !bytes.Equal(text, want) {
			t.Fatalf("%q became %q, want %q", data, text, want)
		}
		if !opens(text[0]) {
			return
		}
		var list []Raw
		dec := jsontext.NewDecoder(bytes.NewBuffer(text))
		if _, err := dec.ReadToken(); err != nil {
			t.Fatal(err)
		}
		for !closes(byte(dec.PeekKind())) {
			v, err := dec.ReadValue()
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, Raw(v.Clone()))
		}
		if diff := cmp.Diff(list, elements(text)); diff != "" {
			t.Errorf("values of %q (-want +got):\n%s", text, diff)
		}
		if text[0] == '{' && !bytes.Equal(split(text).Bytes(), text) {
			t.Errorf("%q taken apart and put together is %q", text, split(text).Bytes())
		}
	})
}
