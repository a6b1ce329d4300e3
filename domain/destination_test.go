package domain_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

func checkAddress(address string) error {
	if !strings.HasPrefix(address, "https://") {
		return domain.Invalid("address", "pattern", "Begin the address with https://.")
	}
	return nil
}

// destination creates one that is told of requests and decisions.
func (w *world) destination(name string, change ...func(*domain.DestinationInput)) *domain.Destination {
	w.t.Helper()
	in := domain.DestinationInput{Name: name, Format: domain.FormatStandard, Address: "https://hooks.example/secret-" + name,
		Types: []string{"confirm.requested", "confirm.approved", "confirm.rejected", "confirm.cancelled"}, Details: domain.DetailsNames}
	for _, c := range change {
		c(&in)
	}
	d, _, err := w.CreateDestination(w.ctx, domain.System, in)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func (w *world) destinationRow(id string) *domain.DestinationRow {
	w.t.Helper()
	row, err := w.DestinationDetail(w.ctx, domain.System, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return row
}

// queue queues all deliveries.
func (w *world) queue() {
	w.t.Helper()
	for {
		more, err := w.QueueDeliveries(w.ctx)
		if err != nil {
			w.t.Fatal(err)
		}
		if !more {
			return
		}
	}
}

func (w *world) claim(d *domain.Destination) []*domain.Dispatch {
	w.t.Helper()
	list, err := w.ClaimDeliveries(w.ctx, d.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

// record records the same result for all.
func (w *world) record(d *domain.Destination, list []*domain.Dispatch, result domain.DeliveryResult) {
	w.t.Helper()
	var results []domain.DeliveryResult
	for _, dispatch := range list {
		result.ID = dispatch.Message.ID
		results = append(results, result)
	}
	if err := w.RecordDeliveries(w.ctx, d.ID, results); err != nil {
		w.t.Fatal(err)
	}
}

// deliver queues, claims and sends all that is due, and says what was sent.
func (w *world) deliver(d *domain.Destination) (told []string) {
	w.t.Helper()
	w.queue()
	for {
		list := w.claim(d)
		if len(list) == 0 {
			return told
		}
		for _, dispatch := range list {
			m := dispatch.Message
			text := m.Type
			if m.Confirm != nil {
				text += " " + m.Confirm.ID
			}
			if m.IsMissed {
				text += " missed"
			}
			told = append(told, text)
		}
		w.record(d, list, domain.DeliveryResult{HTTPStatus: 204})
	}
}

func wantTold(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("told\n%q, want\n%q", got, want)
	}
}

func TestDestination_IsCheckedAndChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin, reviewer := w.user("admin", "admin"), w.user("reviewer", "reviewer")
	keeper := w.user("keeper", w.role("keeper", "destination.modify"))
	good := domain.DestinationInput{Name: "Pager", Format: domain.FormatStandard, Address: "https://a.example/x?token=1", Types: []string{"role.*"}, Details: domain.DetailsNames}
	for name, tt := range map[string]struct {
		by     domain.Ref
		change func(*domain.DestinationInput)
		code   domain.Code
	}{
		"no right":           {reviewer, func(*domain.DestinationInput) {}, domain.CodeMissingCapability},
		"arguments without":  {keeper, func(in *domain.DestinationInput) { in.Details = domain.DetailsFull }, domain.CodeMissingCapability},
		"arguments in Slack": {admin, func(in *domain.DestinationInput) { in.Format, in.Details = domain.FormatSlack, domain.DetailsFull }, domain.CodeInvalid},
		"no name":            {admin, func(in *domain.DestinationInput) { in.Name = "" }, domain.CodeInvalid},
		"no address":         {admin, func(in *domain.DestinationInput) { in.Address = "" }, domain.CodeInvalid},
		"a refused address":  {admin, func(in *domain.DestinationInput) { in.Address = "http://a.example" }, domain.CodeInvalid},
		"no format":          {admin, func(in *domain.DestinationInput) { in.Format = "" }, domain.CodeInvalid},
		"no event":           {admin, func(in *domain.DestinationInput) { in.Types = nil }, domain.CodeInvalid},
		"an unknown event":   {admin, func(in *domain.DestinationInput) { in.Types = []string{"confirm.*"} }, domain.CodeInvalid},
		"an unknown role":    {admin, func(in *domain.DestinationInput) { in.Roles = []string{"nobody"} }, domain.CodeInvalid},
		"an unknown target":  {admin, func(in *domain.DestinationInput) { in.TargetTypes = []domain.TargetType{"moon"} }, domain.CodeInvalid},
		"an unknown key":     {admin, func(in *domain.DestinationInput) { in.Key = "nobody" }, domain.CodeInvalid},
		"unknown details":    {admin, func(in *domain.DestinationInput) { in.Details = "" }, domain.CodeInvalid},
		"an administrator's": {admin, func(*domain.DestinationInput) {}, ""},
		"without trace.read": {keeper, func(in *domain.DestinationInput) { in.Name = "Second" }, ""},
		"arguments, who may": {admin, func(in *domain.DestinationInput) { in.Name, in.Details = "Third", domain.DetailsFull }, ""},
		"a card of Teams":    {admin, func(in *domain.DestinationInput) { in.Name, in.Format = "Fourth", domain.FormatTeams }, ""},
		"roles and targets too": {admin, func(in *domain.DestinationInput) {
			in.Name, in.Roles, in.TargetTypes = "Fifth", []string{"reviewer"}, domain.TargetTypes
		}, ""},
	} {
		in := good
		tt.change(&in)
		d, key, err := w.CreateDestination(w.ctx, tt.by, in)
		if got := domain.ErrorCode(err); got != tt.code {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && strings.HasPrefix(key, "whsec_") != (d.Format == domain.FormatStandard) {
			t.Errorf("%s: the key is %q", name, key)
		}
	}
	_, _, err := w.CreateDestination(w.ctx, admin, domain.DestinationInput{Name: "pAGER", Format: domain.FormatSlack, Address: "https://b.example", Types: []string{"user.*"}, Details: domain.DetailsNone})
	w.wantCode(err, domain.CodeIDTaken)

	pager := w.destinationRow("pager")
	if pager.Host != "a.example" {
		t.Errorf("its host is %q", pager.Host)
	}
	changed := good
	changed.Address, changed.Types = "", []string{"key.*"}
	if _, err := w.UpdateDestination(w.ctx, admin, pager.ID, changed); err != nil {
		t.Fatal(err)
	}
	if got := w.destinationRow(pager.ID); got.Host != "a.example" || !slices.Equal(got.Types, changed.Types) {
		t.Errorf("changed to %+v", got)
	}
	w.wantCode(w.EnableDestination(w.ctx, admin, pager.ID), domain.CodeInvalidTransition)
	for _, change := range []func(context.Context, domain.Ref, string) error{w.DisableDestination, w.EnableDestination, w.DeleteDestination} {
		w.wantCode(change(w.ctx, reviewer, pager.ID), domain.CodeMissingCapability)
		if err := change(w.ctx, admin, pager.ID); err != nil {
			t.Error(err)
		}
	}
	_, err = w.DestinationDetail(w.ctx, admin, pager.ID)
	w.wantCode(err, domain.CodeNotFound)
	_, err = w.Destinations(w.ctx, reviewer)
	w.wantCode(err, domain.CodeMissingCapability)
	for i := 4; i < domain.MaxDestinations; i++ {
		w.destination(fmt.Sprint("more ", i))
	}
	_, _, err = w.CreateDestination(w.ctx, admin, good)
	w.wantCode(err, domain.CodeTooLarge)
	wantVerified(t, "the log", verify(t, w.file, ""))
}

// T09, T54: the database, its journal and a backup reveal no address and no key.
func TestT54_SecretsOfDestinationsAreSealed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const canary = "canary-7Q4mXw"
	d := w.destination("one", func(in *domain.DestinationInput) { in.Address = "https://hooks.example/" + canary })
	_, first, err := w.CreateDestination(w.ctx, domain.System, domain.DestinationInput{Name: "two", Format: domain.FormatStandard, Address: "https://hooks.example/" + canary, Types: []string{"log.*"}, Details: domain.DetailsNames})
	if err != nil {
		t.Fatal(err)
	}
	second, err := w.RotateDestinationKey(w.ctx, domain.System, "two")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.RotateKey(w.ctx); err != nil {
		t.Fatal(err)
	}
	w.post(w.worker(), toolCall)
	w.queue()
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := w.db.Backup(w.ctx, backup); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{w.file, w.file + "-wal", backup} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{canary, first[6:], second[6:]} {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s has %s", filepath.Base(file), secret)
			}
		}
	}
	list := w.claim(d)
	if len(list) != 1 || list[0].Secret.URL != "https://hooks.example/"+canary {
		t.Errorf("after a new signing key: %+v", list)
	}
	wantVerified(t, "the log", verify(t, w.file, ""))
}

func TestDestination_KeysOverlap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, d := w.worker(), w.destination("one")
	second, err := w.RotateDestinationKey(w.ctx, domain.System, d.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.post(agent, toolCall)
	w.queue()
	secret := w.claim(d)[0].Secret
	if keys := secret.Keys(w.now()); len(keys) != 2 || keys[0] != second || keys[1] == second {
		t.Errorf("keys %q", keys)
	}
	if keys := secret.Keys(w.now().Add(24 * time.Hour)); len(keys) != 1 || keys[0] != second {
		t.Errorf("a day later: keys %q", keys)
	}
}

// After a restore under another key nobody knows the addresses. Under the same key they
// are kept, and what waited is not sent.
func TestDestination_AfterARestore(t *testing.T) {
	t.Parallel()
	for name, isKeyThere := range map[string]bool{"with the key": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, d := w.worker(), w.destination("one")
			w.post(agent, toolCall)
			w.queue()
			backup := filepath.Join(t.TempDir(), "backup.db")
			if err := w.db.Backup(w.ctx, backup); err != nil {
				t.Fatal(err)
			}
			w.post(agent, toolCall)
			w.close()
			if isKeyThere {
				for _, suffix := range []string{".key", ".head"} {
					data, err := os.ReadFile(w.file + suffix)
					if err == nil {
						err = os.WriteFile(backup+suffix, data, 0o600)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			db, err := store.Open(w.ctx, backup, store.Options{AcceptRestore: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			svc := domain.NewService(db, domain.Config{Now: w.now, CheckAddress: checkAddress})
			if lost, err := svc.AcceptRestore(w.ctx); err != nil || lost == nil {
				t.Fatalf("restored: %v %v", lost, err)
			}
			restored := &world{Service: svc, t: t, ctx: t.Context(), db: db, file: backup, clock: w.now()}
			if isKeyThere {
				wantTold(t, restored.deliver(d), "confirm.cancelled "+restored.pendingOf(t))
				return
			}
			restored.post(agent, toolCall)
			wantTold(t, restored.deliver(d))
			row := restored.destinationRow(d.ID)
			if row.Status != domain.DestinationLost || row.Host != "" {
				t.Errorf("%s, host %q", row.Status, row.Host)
			}
			test, err := svc.QueueTest(w.ctx, domain.System, d.ID)
			if err != nil {
				t.Fatal(err)
			}
			wantTold(t, restored.deliver(d))
			if test, err = svc.Delivery(w.ctx, domain.System, test.ID); err != nil || test.State != domain.DeliveryDead || test.Failure != domain.FailureSecret {
				t.Errorf("a test to a lost address: %+v, %v", test, err)
			}
			w.wantCode(svc.EnableDestination(w.ctx, domain.System, d.ID), domain.CodeInvalidTransition)
			in := domain.DestinationInput{Name: "one", Types: row.Types, Details: row.Details, Address: "https://new.example"}
			if _, err := svc.UpdateDestination(w.ctx, domain.System, d.ID, in); err != nil {
				t.Fatal(err)
			}
			if _, err := svc.RotateDestinationKey(w.ctx, domain.System, d.ID); err != nil {
				t.Fatal(err)
			}
			if err := svc.EnableDestination(w.ctx, domain.System, d.ID); err != nil {
				t.Fatal(err)
			}
			c := restored.post(agent, toolCall)
			wantTold(t, restored.deliver(d), "confirm.requested "+c.ID)
		})
	}
}

// pendingOf returns the id of the only request.
func (w *world) pendingOf(t *testing.T) string {
	t.Helper()
	list, _, err := w.Confirms(w.ctx, domain.System, domain.ConfirmFilter{}, domain.Page{})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d requests, %v", len(list), err)
	}
	return list[0].ID
}
