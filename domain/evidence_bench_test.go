package domain_test

import (
	"path/filepath"
	"sync"
	"testing"

	"countersign/domain"
	"countersign/domain/credential"
	"countersign/domain/mplp"
	"countersign/store"
)

// bench is a service over a real database, with the limits of one key lifted.
func bench(b *testing.B) (svc *domain.Service, file string, agent domain.Ref) {
	b.Helper()
	file = filepath.Join(b.TempDir(), "countersign.db")
	db, err := store.Open(b.Context(), file, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	limits := domain.DefaultLimits()
	limits.Pending = 1 << 30
	svc = domain.NewService(db, domain.Config{Limits: limits, Hasher: credential.NewHasher(credential.Params{Memory: 8, Time: 1, Parallelism: 1}, 2)})
	if err := svc.Prepare(b.Context()); err != nil {
		b.Fatal(err)
	}
	k, _, err := svc.CreateKey(b.Context(), domain.System, domain.KeyInput{Name: "bot", Roles: []string{"executor", "planner"}})
	if err != nil {
		b.Fatal(err)
	}
	return svc, file, domain.Ref{Kind: domain.KindAgent, ID: k.ID}
}

func postOne(b *testing.B, svc *domain.Service, agent domain.Ref) {
	in, err := mplp.ParseConfirm([]byte(toolCall), svc.Limits().MPLP())
	if err == nil {
		_, err = svc.PostConfirm(b.Context(), agent, in)
	}
	if err != nil {
		b.Error(err)
	}
}

func BenchmarkPostConfirm(b *testing.B) {
	svc, _, agent := bench(b)
	b.SetParallelism(32)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			postOne(b, svc, agent)
		}
	})
}

// fill posts confirms until the log has so many entries.
func fill(b *testing.B, svc *domain.Service, agent domain.Ref, entries int) {
	b.Helper()
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for range entries / 64 {
				postOne(b, svc, agent)
			}
		})
	}
	wg.Wait()
}

// BenchmarkProve is what the gate does before it answers RESUME, in a log of
// 100,000 entries.
func BenchmarkProve(b *testing.B) {
	svc, _, agent := bench(b)
	in, err := mplp.ParseConfirm([]byte(`{"confirm_id":"c",`+toolCall[1:]), svc.Limits().MPLP())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := svc.PostConfirm(b.Context(), agent, in); err != nil {
		b.Fatal(err)
	}
	fill(b, svc, agent, 100_000)
	for b.Loop() {
		if proof, err := svc.Prove(b.Context(), agent, "c"); err != nil || !proof.Proven {
			b.Fatal(proof, err)
		}
	}
}

// BenchmarkVerify verifies a whole database of 100,000 entries.
func BenchmarkVerify(b *testing.B) {
	svc, file, agent := bench(b)
	fill(b, svc, agent, 100_000)
	for b.Loop() {
		wantVerified(b, "filled", verify(b, file, ""))
	}
}
