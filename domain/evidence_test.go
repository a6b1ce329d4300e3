package domain_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/store"
)

// No false alarm: at every stage, while the server runs and after it, from the
// first key as from the last, in a backup, and after a restore.
func TestVerify_CleanDatabases(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, err := store.VKey(w.file + ".key")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	w.history(func() {
		n++
		wantVerified(t, "while it runs", verify(t, w.file, ""))
		wantVerified(t, "from the first key", verify(t, w.file, first))
	})
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := w.db.Backup(w.ctx, backup); err != nil {
		t.Fatal(err)
	}
	if _, err := w.RotateKey(w.ctx); err != nil {
		t.Fatal(err)
	}
	w.close()
	wantVerified(t, "closed", verify(t, w.file, first))
	a := evidence.NewAudit()
	signed, err := store.Audit(w.ctx, backup, a)
	if err != nil {
		t.Fatal(err)
	}
	wantVerified(t, "backup", a.Finish(signed, first))
	if n != 5 {
		t.Errorf("%d stages", n)
	}
}

// A restored database is refused, then begins a new epoch: what was pending is
// cancelled, and the log says what is lost.
func TestRestore_BeginsAnEpoch(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(w *world){
		"the same key": func(*world) {},
		"a key that was rotated since": func(w *world) {
			if _, err := w.RotateKey(w.ctx); err != nil {
				w.t.Fatal(err)
			}
		},
		"no key": func(w *world) {
			if err := os.Remove(w.file + ".key"); err != nil {
				w.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
			c, used, unused := w.post(agent, toolCall), w.post(agent, toolCall), w.post(agent, toolCall)
			w.mustDecide(reviewer, used, domain.Approved)
			w.mustDecide(reviewer, unused, domain.Approved)
			use := func(svc *domain.Service, c *domain.Confirm) error {
				_, err := svc.Consume(w.ctx, agent, domain.ConsumeInput{ConfirmID: c.ID, ExecutionID: "e", Action: new(int64),
					ArgsHash: evidence.ArgsHash([]byte(`{"symbol":"VNM","quantity":100}`))})
				return err
			}
			if err := use(w.Service, used); err != nil {
				t.Fatal(err)
			}
			old := filepath.Join(t.TempDir(), "old.db")
			if err := w.db.Backup(w.ctx, old); err != nil {
				t.Fatal(err)
			}
			w.mustDecide(reviewer, c, domain.Approved)
			if err := use(w.Service, unused); err != nil {
				t.Fatal(err)
			}
			prepare(w)
			w.close()
			for _, suffix := range []string{"", "-wal", "-shm"} {
				if err := os.Remove(w.file + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
			}
			copyFiles(t, w.file, old, "")

			if name != "no key" {
				if _, err := store.Open(w.ctx, w.file, store.Options{}); !errors.Is(err, store.ErrRollback) {
					t.Fatalf("opened: %v", err)
				}
				if r := verify(t, w.file, ""); !r.IsTampered() {
					t.Error("the rollback does not show")
				}
			}
			db, err := store.Open(w.ctx, w.file, store.Options{AcceptRestore: true})
			if err != nil {
				t.Fatal(err)
			}
			svc := domain.NewService(db, domain.Config{Now: w.now})
			if _, err := svc.CancelConfirm(w.ctx, domain.System, c.ID, ""); domain.ErrorCode(err) != domain.CodeEvidenceUnavailable {
				t.Errorf("written before the restore is logged: %v", err)
			}
			lost, err := svc.AcceptRestore(w.ctx)
			if err != nil || lost == nil || lost.LastKnown == "" {
				t.Fatalf("accepted: %+v, %v", lost, err)
			}
			if again, err := svc.AcceptRestore(w.ctx); again != nil || err != nil {
				t.Errorf("accepted twice: %+v, %v", again, err)
			}
			o, err := svc.Outcome(w.ctx, domain.System, c.ID, 0)
			if err != nil || o.Confirm.Status != domain.Cancelled || o.Decision.DecidedBy != domain.System {
				t.Errorf("what was pending is %+v (%v)", o.Confirm.Status, err)
			}
			// Threat T06: that one of them was used is lost, and nobody knows of which.
			w.wantCode(use(svc, used), "")
			w.wantCode(use(svc, unused), domain.CodeInvalidTransition)
			if _, err := svc.RotateKey(w.ctx); err != nil {
				t.Error(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			wantVerified(t, "restored", verify(t, w.file, ""))
			again, err := store.Open(w.ctx, w.file, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// The key that somebody stole signs what it likes; a checkpoint kept from
// before tells. One kept from beyond a restore says what is lost.
func TestVerify_KeptCheckpoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.worker()
	w.post(agent, toolCall)
	kept, err := w.Checkpoint(w.ctx, domain.System)
	if err != nil {
		t.Fatal(err)
	}
	w.post(agent, toolCall)
	w.close()
	vkey, err := store.VKey(w.file + ".key")
	if err != nil {
		t.Fatal(err)
	}
	against := func(file string) *evidence.Report {
		a := evidence.NewAudit()
		signed, err := store.Audit(w.ctx, file, a)
		if err != nil {
			t.Fatal(err)
		}
		report := a.Finish(signed, vkey)
		a.CheckKeptCheckpoint("kept", kept, vkey, false)
		return report
	}
	wantVerified(t, "the log that it is of", against(w.file))

	forged := filepath.Join(t.TempDir(), "forged.db")
	copyFiles(t, forged, w.file, ".key")
	other := openWorld(t, forged)
	other.post(other.worker(), toolCall)
	other.close()
	if r := against(forged); !r.IsTampered() {
		t.Error("another log under the same key is taken for this one")
	}
}

// A bundle verifies with nothing but the key, and no byte of it can be changed.
func TestBundle_EveryByteCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.history(func() {})
	keys, err := w.EvidenceKeys(w.ctx, domain.System)
	if err != nil || len(keys) != 2 || keys[0].To == nil || keys[1].To != nil {
		t.Fatalf("keys %+v, %v", keys, err)
	}
	vkey := keys[1].VKey
	for name, export := range map[string]func() ([]byte, error){
		"confirm": func() ([]byte, error) { return w.ConfirmBundle(w.ctx, domain.System, "c-1") },
		"trace":   func() ([]byte, error) { return w.TraceBundle(w.ctx, domain.System, "t-1") },
	} {
		bundle, err := export()
		if err != nil {
			t.Fatal(err)
		}
		r, err := evidence.VerifyBundle(bundle, vkey, "", domain.NewPartialHistory().Check)
		if err != nil || r.Entries != 3 || r.Contents != 1 {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		wantVerified(t, name, r)
		if claimed, err := evidence.BundleKey(bundle); err != nil || claimed != vkey {
			t.Errorf("%s claims %s (%v)", name, claimed, err)
		}
		if r, err := evidence.VerifyBundle(bundle, keys[0].VKey, "", domain.NewPartialHistory().Check); err != nil || !r.IsTampered() {
			t.Errorf("%s verifies with another key", name)
		}
		random := rand.New(rand.NewPCG(1, 2))
		for i := range bundle {
			changed := append([]byte(nil), bundle...)
			changed[i] ^= byte(1 + random.IntN(255))
			if r, err := evidence.VerifyBundle(changed, vkey, "", domain.NewPartialHistory().Check); err == nil && !r.IsTampered() {
				t.Fatalf("%s: byte %d changed from %q to %q is not noticed", name, i, bundle[i], changed[i])
			}
		}
	}
}

// Nothing can be added to a bundle either, however true it is.
func TestBundle_NothingIsAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	approved, edited := w.post(agent, twoCalls), w.post(agent, twoCalls)
	w.mustDecide(reviewer, approved, domain.Approved)
	_, err := w.Decide(w.ctx, reviewer, edited.ID, domain.DecisionInput{ContentHash: edited.ContentHash, Actions: []mplp.ActionDecision{
		{Type: domain.ActionApprove}, {Type: domain.ActionEdit, Name: "send_mail", Args: []byte(`{"to":"me"}`)}}})
	if err != nil {
		t.Fatal(err)
	}
	const first, second, other = `{"table":"users"}`, `{"to":"all"}`, `{"to":"me"}`
	for _, tt := range []struct {
		name    string
		confirm *domain.Confirm
		change  func(*evidence.Bundle)
	}{
		{"edits of what was approved", approved, func(b *evidence.Bundle) { b.Contents[0].Edits = []string{first, second} }},
		{"edits of nothing", approved, func(b *evidence.Bundle) { b.Contents[0].Edits = []string{"", ""} }},
		{"an edit of what was approved beside one", edited, func(b *evidence.Bundle) { b.Contents[0].Edits = []string{first, other} }},
		{"an edit of a third action", edited, func(b *evidence.Bundle) { b.Contents[0].Edits = []string{"", other, ""} }},
		{"no edits", edited, func(b *evidence.Bundle) { b.Contents[0].Edits = nil }},
		{"the content twice", edited, func(b *evidence.Bundle) { b.Contents = append(b.Contents, b.Contents[0]) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data, err := w.ConfirmBundle(w.ctx, domain.System, tt.confirm.ID)
			if err != nil {
				t.Fatal(err)
			}
			b := new(evidence.Bundle)
			if err := json.Unmarshal(data, b); err != nil {
				t.Fatal(err)
			}
			r, err := evidence.VerifyBundle(data, b.VKey, "", domain.NewPartialHistory().Check)
			if err != nil {
				t.Fatal(err)
			}
			wantVerified(t, "as it was exported", r)
			tt.change(b)
			if data, err = b.Marshal(); err != nil {
				t.Fatal(err)
			}
			if r, err := evidence.VerifyBundle(data, b.VKey, "", domain.NewPartialHistory().Check); err != nil || !r.IsTampered() {
				t.Errorf("it verifies: %+v, %v", r, err)
			}
		})
	}
}

// What was forgotten is gone from the files; the record is still proven.
func TestPrune_ForgetsAndProves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	c := w.post(agent, strings.Replace(toolCall, "VNM", "SECRETSYMBOL", 1))
	_, err := w.Decide(w.ctx, reviewer, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash, UserEditContent: "SECRETWORD"})
	if err != nil {
		t.Fatal(err)
	}
	pending := w.post(agent, `{"target_type":"plan","target_id":"later"}`)
	w.pass(100 * 24 * time.Hour)
	if n, err := w.Prune(w.ctx, 90*24*time.Hour); n != 1 || err != nil {
		t.Fatalf("forgot %d, %v", n, err)
	}
	if n, err := w.Prune(w.ctx, 90*24*time.Hour); n != 0 || err != nil {
		t.Errorf("forgot %d again, %v", n, err)
	}
	detail, err := w.Confirm(w.ctx, reviewer, c.ID)
	if err != nil || detail.Stored != nil || detail.Confirm.Status != domain.Approved {
		t.Errorf("detail %+v, %v", detail, err)
	}
	proof, err := w.Prove(w.ctx, reviewer, c.ID)
	if err != nil || !proof.Proven {
		t.Errorf("proof %+v, %v", proof, err)
	}
	if kept, err := w.Confirm(w.ctx, reviewer, pending.ID); err != nil || kept.Stored == nil {
		t.Errorf("what is pending was forgotten (%v)", err)
	}
	w.close()
	wantVerified(t, "pruned", verify(t, w.file, ""))
	data, err := os.ReadFile(w.file)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"SECRETSYMBOL", "SECRETWORD"} {
		if strings.Contains(string(data), secret) {
			t.Errorf("%s is still in the file", secret)
		}
	}
}

// Two processes that write in turns, and one that rotates the key, make one
// log (each signs with the same key file).
func TestTree_TwoProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	second, err := store.Open(w.ctx, w.file, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	other := domain.NewService(second, domain.Config{Now: w.now})
	done := make(chan error, 2)
	for i, svc := range []*domain.Service{w.Service, other} {
		go func() {
			var failed error
			for n := range 40 {
				_, err := svc.CreateRole(context.Background(), domain.System, domain.RoleInput{Name: "role-" + string(rune('a'+i)) + "-" + string(rune('0'+n))})
				failed = errors.Join(failed, err)
				if n%15 == 7 {
					_, err := svc.RotateKey(context.Background())
					failed = errors.Join(failed, err)
				}
			}
			done <- failed
		}()
	}
	if err := errors.Join(<-done, <-done); err != nil {
		t.Fatal(err)
	}
	wantVerified(t, "both open", verify(t, w.file, ""))
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	w.close()
	wantVerified(t, "both closed", verify(t, w.file, ""))
}
