package reading

import (
	"slices"
	"strings"
	"testing"
)

func TestParse_KeepsWhatWasSent(t *testing.T) {
	t.Parallel()
	v, err := Parse([]byte(` {"b":1.50,"a/c~":["x",null,{"k":true}],"b":1e400,"s":"\u00e4"} `))
	if err != nil {
		t.Fatal(err)
	}
	var leaves []string
	for leaf := range v.Leaves() {
		leaves = append(leaves, leaf.Pointer+"="+leaf.Text)
	}
	want := []string{"/b=1.50", "/a~1c~0/0=x", "/a~1c~0/1=null", "/a~1c~0/2/k=true", "/b=1e400", "/s=ä"}
	if !slices.Equal(leaves, want) {
		t.Errorf("leaves are %q, want %q", leaves, want)
	}
	if b, found := v.Member("b"); !found || b.Text != "1.50" {
		t.Errorf("the first b is %+v", b)
	}
}

func TestParse_RefusesWhatIsNoValue(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", "[1,]", `{"a":1}x`, `{"a":1} {}`, strings.Repeat("[", 5000) + strings.Repeat("]", 5000)} {
		if v, err := Parse([]byte(text)); err == nil {
			t.Errorf("%.20q is read as %+v", text, v)
		}
	}
}

// A long name, or many names one in another, are not repeated by each value within.
func TestParse_RepeatsNoLongPointers(t *testing.T) {
	t.Parallel()
	ones := "[" + strings.Repeat("1,", 2000) + "1]"
	for name, text := range map[string]string{
		"long name":  `{"` + strings.Repeat("n", 1000) + `":` + ones + `}`,
		"many names": strings.Repeat(`{"a":`, 900) + ones + strings.Repeat("}", 900),
	} {
		v, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(name, err)
		}
		pointers := map[string]bool{}
		for leaf := range v.Leaves() {
			if len(leaf.Pointer) > 2*maxParent {
				t.Fatalf("%s: a pointer has %d bytes", name, len(leaf.Pointer))
			}
			pointers[leaf.Pointer] = true
		}
		if len(pointers) != 2001 {
			t.Errorf("%s: 2001 values have %d pointers", name, len(pointers))
		}
	}
}
