package evidence_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"countersign/domain/evidence"
)

// FuzzContent: arguments and words go through a content to the byte, and what is
// read and written again has the same hash.
func FuzzContent(f *testing.F) {
	for _, args := range []string{`{}`, `{"n":9007199254740993}`, `{"n":1e400,"m":-0}`, `{"s":"<\u202e>"}`, `{"a":1,"a":2}`, `[1, 2]`, `{`, ``} {
		f.Add([]byte(args), "because", "pay")
	}
	f.Fuzz(func(t *testing.T, args []byte, reason, name string) {
		var compact bytes.Buffer
		if json.Compact(&compact, args) != nil || !utf8.ValidString(reason) || !utf8.ValidString(name) {
			return // strict reading lets none of it in
		}
		c := evidence.Content{ConfirmID: "c", Reason: reason, ReceivedAt: time.UnixMilli(0).UTC(),
			Actions: []evidence.Action{{Name: name, Args: compact.Bytes()}}}
		written := c.Marshal()
		read, err := evidence.ParseContent(written)
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		if got := read.Actions[0].Args; !bytes.Equal(got, compact.Bytes()) {
			t.Errorf("arguments %q came back as %q", &compact, got)
		}
		if again := read.Marshal(); !bytes.Equal(again, written) {
			t.Errorf("%s was written again as %s", written, again)
		}
	})
}

// FuzzParse: what an auditor is handed may be anything. Reading it never breaks,
// and nothing that nobody signed is verified.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{}`, `{"v":1}`, `{"v":1,"entries":[{"seq":0,"entry":"{}","proof":[]}],"contents":[],"checkpoint":"","vkey":""}`,
		"origin\n1\nAAAA\n\n— origin AAAA\n", `{"seq":0,"rows":[["t","k",""]]}`} {
		f.Add([]byte(seed))
	}
	key, err := evidence.NewSigningKey(bytes.NewReader(make([]byte, 1024)), "countersign/test")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if report, err := evidence.VerifyBundle(data, key.VKey(), "", nil); err == nil && !report.IsTampered() {
			t.Errorf("verified: %s", data)
		}
		if _, err := evidence.OpenCheckpoint(string(data), key.VKey()); err == nil {
			t.Errorf("a checkpoint that nobody signed: %s", data)
		}
		_, _ = evidence.PeekCheckpoint(string(data))
		_, _ = evidence.ParseSigningKey(string(data))
		if e, err := evidence.ParseEntry(data); err == nil {
			if _, err := evidence.ParseEntry(e.Marshal()); err != nil {
				t.Errorf("%s is read and cannot be written: %v", data, err)
			}
		}
	})
}
