package finding

import (
	"testing"
	_ "time/tzdata" // zones on a machine without their files

	"countersign/domain/reading"
)

// contradiction is a reason, arguments and the pointer of the one that contradicts it.
type contradiction struct{ reason, args, pointer string }

// checkKind checks that a kind finds each contradiction, and nothing in near misses. Of
// these the other kinds find nothing either.
func checkKind(t *testing.T, kind Kind, level Level, positives []contradiction, nearMisses [][2]string) {
	t.Helper()
	for _, p := range positives {
		found := compareReason(t, p.reason, p.args)
		if len(found) != 1 || found[0].Kind != kind || found[0].Level != level || found[0].Pointer != p.pointer || found[0].Where != "reason" {
			t.Errorf("%s %s: found %+v, want one %s at %s", p.reason, p.args, found, kind, p.pointer)
			continue
		}
		if f := found[0]; f.Here == "" || f.There == "" || len([]rune(f.Says)) > 120 {
			t.Errorf("%s: lacks a value or says too much: %+v", p.reason, f)
		}
	}
	for _, miss := range nearMisses {
		if found := compareReason(t, miss[0], miss[1]); len(found) > 0 {
			t.Errorf("%s %s: found %+v, want nothing", miss[0], miss[1], found)
		}
	}
}

// compareReason returns what a reason and arguments contradict each other in.
func compareReason(t *testing.T, reason, args string) []Finding {
	t.Helper()
	v, err := reading.Parse([]byte(args))
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return contradictions(reason, v)
}
