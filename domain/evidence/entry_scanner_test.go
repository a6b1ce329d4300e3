package evidence

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzScanEntry holds the short way to read an entry to encoding/json: what it
// takes, that takes, and reads the same.
func FuzzScanEntry(f *testing.F) {
	for _, text := range scannedEntries {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		scanned := scanEntry(data)
		if scanned == nil {
			return
		}
		decoded, err := decodeEntry(data)
		if err != nil {
			t.Fatalf("%s: scanned, and encoding/json says %v", data, err)
		}
		if diff := cmp.Diff(decoded, scanned); diff != "" {
			t.Errorf("%s (-decoded +scanned):\n%s", data, diff)
		}
	})
}

// scannedEntries are taken by the scan.
var scannedEntries = []string{
	`{"v":1,"seq":0,"type":"role.created","at":"2026-01-02T03:04:05.678Z","principal":"system","kind":"system","rows":[]}`,
	`{"v":1,"seq":7,"type":"confirm.approved","at":"2026-01-02T03:04:05.678Z","principal":"user:u1","kind":"user","name":"<ré\"\\\u2028>",` +
		`"role":"reviewer","cause":"human","confirm_id":"c1","plan_id":"p1","object_id":"o1","content_hash":"O9Wd45N0U7Yh6583IQWd0Rfn9e_pThFVqmW2U96R2QQ","effective_hash":"sha256:bb",` +
		`"decisions":[{"type":"approve","args_hash":"RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o"},{"type":"approve","args_hash":"sha256:dd","filled":true}],` +
		`"trace_id":"t1","span_id":"s1","data":{"n":1e400,"s":"}\"{","l":[{}]},"rows":[["confirms","","AQI"],["decisions","/0","AQI"],["confirm_contents","#","AQI"],["roles","r1",""]]}`,
}

func TestScanEntry_TakesWhatIsWritten(t *testing.T) {
	t.Parallel()
	for _, text := range scannedEntries {
		scanned := scanEntry([]byte(text))
		if scanned == nil {
			t.Errorf("%s: not scanned", text)
			continue
		}
		if written := scanned.Marshal(); string(written) != text {
			t.Errorf("read and written again: %s", written)
		}
	}
}

// What is not as it is written is left to encoding/json, whatever that says.
func TestScanEntry_LeavesTheRest(t *testing.T) {
	t.Parallel()
	const head = `{"v":1,"seq":0,"type":"a","at":"2026-01-02T03:04:05.678Z","principal":"system","kind":"system"`
	for name, text := range map[string]string{
		"nothing":               ``,
		"another order":         `{"seq":0,"v":1}`,
		"a space":               head + `, "rows":[]}`,
		"an unknown member":     head + `,"more":1,"rows":[]}`,
		"an empty member":       head + `,"name":"","rows":[]}`,
		"a member twice":        head + `,"name":"a","name":"b","rows":[]}`,
		"more behind":           head + `,"rows":[]}{}`,
		"an end missing":        head + `,"rows":[]`,
		"a row of two":          head + `,"rows":[["a","b"]]}`,
		"a row of four":         head + `,"rows":[["a","b","","c"]]}`,
		"a comma too many":      head + `,"rows":[["a","b",""],]}`,
		"no digest":             head + `,"rows":[["a","b","!"]]}`,
		"data that is no JSON":  head + `,"data":{"a"},"rows":[]}`,
		"a number as data":      head + `,"data":1,"rows":[]}`,
		"a leading zero":        `{"v":1,"seq":00,"type":"a","at":"2026-01-02T03:04:05.678Z","principal":"s","kind":"s","rows":[]}`,
		"no time":               `{"v":1,"seq":0,"type":"a","at":"","principal":"s","kind":"s","rows":[]}`,
		"a broken character":    head + ",\"name\":\"\xff\",\"rows\":[]}",
		"a control character":   head + ",\"name\":\"\x01\",\"rows\":[]}",
		"an escape that is not": head + `,"name":"\x","rows":[]}`,
	} {
		if e := scanEntry([]byte(text)); e != nil {
			t.Errorf("%s: scanned as %+v", name, e)
		}
	}
}
