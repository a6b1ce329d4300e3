package credential_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"countersign/domain/credential"
)

// cheap keeps tests fast; what is tested does not depend on the cost.
var cheap = credential.Params{Memory: 8, Time: 1, Parallelism: 1}

const passphrase = "violet anchors drift north"

func TestHasherVerifiesWhatItHashed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	h := credential.NewHasher(cheap, 2)
	dearer := credential.NewHasher(credential.Params{Memory: 16, Time: 1, Parallelism: 1}, 1)
	stored, err := h.Hash(ctx, passphrase)
	if err != nil {
		t.Fatal(err)
	}

	tests := []struct {
		name       string
		hasher     *credential.Hasher
		stored     string
		password   string
		ok, rehash bool
		err        error
	}{
		{name: "right", hasher: h, stored: stored, password: passphrase, ok: true},
		{name: "right, cost has changed", hasher: dearer, stored: stored, password: passphrase, ok: true, rehash: true},
		{name: "wrong", hasher: h, stored: stored, password: passphrase + "."},
		{name: "wrong, cost has changed", hasher: dearer, stored: stored, password: "violet"},
		{name: "other case", hasher: h, stored: stored, password: strings.ToUpper(passphrase)},
		{name: "trailing space", hasher: h, stored: stored, password: passphrase + " "},
		{name: "empty", hasher: h, stored: stored},
		{name: "nothing stored", hasher: h, password: passphrase, err: credential.ErrPHC},
		{name: "stored in clear", hasher: h, stored: passphrase, password: passphrase, err: credential.ErrPHC},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ok, rehash, err := tt.hasher.Verify(ctx, tt.stored, tt.password)
			if ok != tt.ok || rehash != tt.rehash || !errors.Is(err, tt.err) {
				t.Errorf("Verify = %t, %t, %v; want %t, %t, %v", ok, rehash, err, tt.ok, tt.rehash, tt.err)
			}
		})
	}
}

func TestHashIsArgon2idAtDefaultCost(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(credential.DefaultParams, 1)
	h.Rand = bytes.NewReader([]byte("0123456789abcdef"))
	got, err := h.Hash(t.Context(), passphrase)
	if err != nil {
		t.Fatal(err)
	}
	// As the reference implementation of argon2 prints it.
	const want = "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$6C1bEqjQkp+mW5y6DVaVTS5M4LnF9BWI8tPwuXCZIN0"
	if got != want {
		t.Errorf("Hash = %q, want %q", got, want)
	}
}

func TestHashSaltsEachTime(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(cheap, 1)
	first, err1 := h.Hash(t.Context(), passphrase)
	second, err2 := h.Hash(t.Context(), passphrase)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if first == second {
		t.Errorf("two hashes of one password are both %q", first)
	}
}

func TestHashRefusesShortSalt(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(cheap, 1)
	h.Rand = strings.NewReader("fifteen bytes!!")
	if got, err := h.Hash(t.Context(), passphrase); got != "" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Hash = %q, %v; want an unexpected end of randomness", got, err)
	}
}

func TestEndedContextCostsNothing(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(cheap, 1)
	stored, err := h.Hash(t.Context(), passphrase)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Hash(ctx, passphrase); !errors.Is(err, context.Canceled) {
		t.Errorf("Hash error = %v", err)
	}
	if ok, _, err := h.Verify(ctx, stored, passphrase); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("Verify = %t, %v", ok, err)
	}
	if err := h.VerifyUnknown(ctx, passphrase); !errors.Is(err, context.Canceled) {
		t.Errorf("VerifyUnknown error = %v", err)
	}
}

// gate is a source of randomness that tells when it is asked and answers only
// when allowed: it holds a computation in its slot.
type gate struct{ asked, allowed chan struct{} }

func (g gate) Read(p []byte) (int, error) {
	g.asked <- struct{}{}
	<-g.allowed
	return len(p), nil
}

func TestHasherBoundsConcurrency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const slots, callers = 2, 5
		g := gate{asked: make(chan struct{}, callers), allowed: make(chan struct{})}
		h := credential.NewHasher(cheap, slots)
		h.Rand = g
		done := make(chan error, callers)
		for range callers {
			go func() {
				_, err := h.Hash(t.Context(), passphrase)
				done <- err
			}()
		}
		synctest.Wait()
		if n := len(g.asked); n != slots {
			t.Errorf("%d computations at once, want %d", n, slots)
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.VerifyUnknown(ctx, passphrase); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("VerifyUnknown while full: error = %v, want to have waited until the deadline", err)
		}

		close(g.allowed)
		for range callers {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if err := h.VerifyUnknown(t.Context(), passphrase); err != nil {
			t.Errorf("VerifyUnknown after all are done: %v", err)
		}
	})
}

func TestNewHasherRefusesItsProgrammersMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		params      credential.Params
		concurrency int
	}{
		{"zero parameters", credential.Params{}, 1},
		{"parameters it could not read back", credential.Params{Memory: 1 << 20, Time: 2, Parallelism: 1}, 1},
		{"no slot", cheap, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("NewHasher did not panic")
				}
			}()
			credential.NewHasher(tt.params, tt.concurrency)
		})
	}
}

func BenchmarkVerifyUnknown(b *testing.B) {
	h := credential.NewHasher(credential.DefaultParams, 1)
	for b.Loop() {
		if err := h.VerifyUnknown(b.Context(), passphrase); err != nil {
			b.Fatal(err)
		}
	}
}
