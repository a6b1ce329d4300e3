package credential

import (
	"context"
	"crypto/subtle"
	"io"
)

// Hasher hashes and verifies passwords with argon2id. Each computation holds
// tens of megabytes, so only a fixed number run at once and the others wait: a
// flood of sign-ins costs time, never memory. It is safe for concurrent use.
type Hasher struct {
	// Rand is where salts come from; nil means crypto/rand. Set it before use.
	Rand io.Reader

	params  Params
	unknown phc // what nobody's password hashes to
	slots   chan struct{}
}

// NewHasher returns a Hasher that hashes at the cost of params and runs at most
// concurrency computations at once. Both are the program's own choice, so it
// panics if params are out of bounds or concurrency is less than one.
func NewHasher(params Params, concurrency int) *Hasher {
	if !params.valid() || concurrency < 1 {
		panic("credential: NewHasher: parameters out of bounds")
	}
	return &Hasher{
		params:  params,
		unknown: phc{params: params, salt: make([]byte, saltSize), key: make([]byte, keySize)},
		slots:   make(chan struct{}, concurrency),
	}
}

// Hash returns the PHC string to store for a password. It does not judge the
// password; [CheckPassword] does. The error is that of ctx if it ended while
// waiting for a turn, or that of Rand.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	release, err := h.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer release()

	salt, err := randomBytes(h.Rand, saltSize)
	if err != nil {
		return "", err
	}
	return phc{params: h.params, salt: salt, key: h.params.derive(password, salt)}.String(), nil
}

// Verify reports whether password is the one that stored was made from, and if
// so whether it should be hashed again because it was stored at another cost
// than today's. The error is [ErrPHC] if stored is not a hash, or that of ctx
// if it ended while waiting for a turn; ok is then false.
func (h *Hasher) Verify(ctx context.Context, stored, password string) (ok, rehash bool, err error) {
	want, err := parsePHC(stored)
	if err != nil {
		return false, false, err
	}
	ok, err = h.matches(ctx, want, password)
	return ok, ok && want.params != h.params, err
}

// VerifyUnknown does the work of Verify for a user who does not exist or has no
// password, so that how long a refused sign-in takes does not tell who has an
// account. The error is that of ctx.
func (h *Hasher) VerifyUnknown(ctx context.Context, password string) error {
	_, err := h.matches(ctx, h.unknown, password)
	return err
}

func (h *Hasher) matches(ctx context.Context, want phc, password string) (bool, error) {
	release, err := h.acquire(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	return subtle.ConstantTimeCompare(want.params.derive(password, want.salt), want.key) == 1, nil
}

// acquire waits for a turn to compute; release ends it.
func (h *Hasher) acquire(ctx context.Context) (release func(), err error) {
	// A select picks at random when both are ready; nobody waits for the
	// result of an ended context, so it must not cost a computation.
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
