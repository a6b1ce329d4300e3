package web

import "testing"

func TestEntryDetail_NamesFindings(t *testing.T) {
	t.Parallel()
	const data = `{"findings":[{"kind":"sum","level":"look","action":0,"place":"x"},{"kind":"identifier","level":"stop","action":1}],"findings_version":1}`
	if got, want := entryDetail([]byte(data)), "findings: sum (look), identifier (stop) · findings version: 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
