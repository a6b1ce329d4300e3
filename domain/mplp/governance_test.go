package mplp

import "testing"

func TestSetLocked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, object string
		locked       bool
		want         string
	}{
		{"first word on it", `{"name":"a"}`, true, `{"name":"a","governance":{"locked":true}}`},
		{"nothing to say", `{"name":"a"}`, false, `{"name":"a"}`},
		{"the rest stays", `{"governance":{"locked":true,"truthDomain":"ops"},"name":"a"}`, false, `{"governance":{"locked":false,"truthDomain":"ops"},"name":"a"}`},
		{"null", `{"governance":null}`, true, `{"governance":{"locked":true}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, err := ParseObject([]byte(tt.object), DefaultLimits)
			if err != nil {
				t.Fatal(err)
			}
			SetLocked(o, tt.locked)
			if got := string(o.Bytes()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
