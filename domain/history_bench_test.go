package domain_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
)

// BenchmarkHistory is what each entry of a long log costs to follow, and the memory
// that it leaves: every tenth confirm is decided and used.
func BenchmarkHistory(b *testing.B) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	hash := "sha256:00000000000000000000000000000000000000000000000000000000000000aa"
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	h := domain.NewHistory()
	entry := func(e evidence.Entry) {
		if wrong := h.Check(&e); wrong != nil {
			b.Fatal(wrong)
		}
	}
	entry(evidence.Entry{Type: "role.created", Principal: "system", ObjectID: "reviewer", Data: []byte(`{"name":"reviewer","granted":["confirm.approve"]}`)})
	entry(evidence.Entry{Type: "user.created", Principal: "system", ObjectID: "u", Data: []byte(`{"roles":["reviewer"]}`)})
	entry(evidence.Entry{Type: "key.created", Principal: "system", ObjectID: "k", Data: []byte(`{"roles":[]}`)})
	seq, confirms := int64(2), 0
	next := func(e evidence.Entry) {
		seq++
		e.Seq, e.At = seq, at
		entry(e)
	}
	for b.Loop() {
		id := fmt.Sprintf("0192f3a4-0000-7000-8000-%012x", confirms)
		confirms++
		next(evidence.Entry{Type: "confirm.requested", Principal: "key:k", Kind: "agent", ConfirmID: id, ContentHash: hash, Data: []byte(`{"target_type":"other","timeout":300}`)})
		if confirms%10 == 0 {
			next(evidence.Entry{Type: "confirm.approved", Principal: "user:u", Kind: "user", Cause: "human", Role: "reviewer", ConfirmID: id,
				ContentHash: hash, EffectiveHash: hash, Decisions: []evidence.EntryDecision{{Type: "approve"}}, Data: []byte(`{"target_type":"other"}`)})
			next(evidence.Entry{Type: "confirm.consumed", Principal: "key:k", Kind: "agent", ConfirmID: id, ContentHash: hash, EffectiveHash: hash,
				Data: []byte(`{"execution_id":"e","subject":"action:0"}`)})
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(confirms), "B/confirm")
	runtime.KeepAlive(h)
}
