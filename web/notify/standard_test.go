package notify_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/web/notify"
)

// verify asks the official library whether this key signed what was sent.
func verify(t *testing.T, key string, got request) error {
	t.Helper()
	webhook, err := standardwebhooks.NewWebhook(key)
	if err != nil {
		t.Fatal(err)
	}
	return webhook.Verify([]byte(got.body), got.header)
}

// The official library accepts what is sent, and nothing that was changed.
func TestStandard_Signature(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, true, nil)
	s := notify.New(r.options())
	set := func(name, value string) func(*request) {
		return func(got *request) { got.header.Set(name, value) }
	}
	sent := r.send(t, s, dispatch(domain.FormatStandard, r.URL))
	if err := verify(t, key, sent); err != nil {
		t.Fatalf("what was sent: %v", err)
	}
	signature := sent.header.Get("webhook-signature")
	seconds, err := strconv.ParseInt(sent.header.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)) > time.Minute || sent.header.Get("webhook-id") != "m1" {
		t.Errorf("headers %v", sent.header)
	}
	for name, change := range map[string]func(*request){
		"the body":            func(got *request) { got.body = strings.Replace(got.body, "pending", "approved", 1) },
		"a space at its end":  func(got *request) { got.body += " " },
		"no body":             func(got *request) { got.body = "" },
		"another id":          set("webhook-id", "m2"),
		"another time":        set("webhook-timestamp", strconv.FormatInt(seconds+1, 10)),
		"an old time":         set("webhook-timestamp", strconv.FormatInt(seconds-301, 10)),
		"a time to come":      set("webhook-timestamp", strconv.FormatInt(seconds+900, 10)),
		"a signature cut":     set("webhook-signature", signature[:len(signature)-4]),
		"another version":     set("webhook-signature", "v2"+signature[2:]),
		"an empty signature":  set("webhook-signature", "v1,"),
		"no signature":        func(got *request) { got.header.Del("webhook-signature") },
		"no id":               func(got *request) { got.header.Del("webhook-id") },
		"no time":             func(got *request) { got.header.Del("webhook-timestamp") },
		"another's signature": set("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
	} {
		t.Run(name, func(t *testing.T) {
			changed := request{header: sent.header.Clone(), body: sent.body}
			change(&changed)
			if verify(t, key, changed) == nil {
				t.Error("it was accepted")
			}
		})
	}
	if verify(t, oldKey, sent) == nil {
		t.Error("another key accepts it")
	}
}

// A message that was captured is refused after five minutes, although its signature is
// right.
func TestStandard_OldMessages(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, true, nil)
	o := r.options()
	o.Now = func() time.Time { return time.Now().Add(-6 * time.Minute) }
	if verify(t, key, r.send(t, notify.New(o), dispatch(domain.FormatStandard, r.URL))) == nil {
		t.Error("it was accepted")
	}
}

// While a key is replaced, a receiver may know either.
func TestStandard_TwoKeys(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, true, nil)
	s := notify.New(r.options())
	for name, test := range map[string]struct {
		until time.Time
		want  int
	}{
		"both sign":            {time.Now().Add(time.Hour), 2},
		"the old one is over":  {time.Now().Add(-time.Hour), 1},
		"there was no old one": {time.Time{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := dispatch(domain.FormatStandard, r.URL)
			d.Secret.OldKey, d.Secret.OldUntil = oldKey, test.until
			got := r.send(t, s, d)
			if signatures := strings.Fields(got.header.Get("webhook-signature")); len(signatures) != test.want {
				t.Errorf("%d signatures, want %d", len(signatures), test.want)
			}
			if err := verify(t, key, got); err != nil {
				t.Errorf("the new key: %v", err)
			}
			if err := verify(t, oldKey, got); (err == nil) != (test.want == 2) {
				t.Errorf("the old key: %v", err)
			}
		})
	}
}

const hash = `"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`

// A body has what the details allow, and no more.
func TestStandard_Body(t *testing.T) {
	t.Parallel()
	const (
		start = `{"type":"confirm.requested","timestamp":"2026-05-04T12:30:00.123Z","data":{"confirm_id":"c1","status":"pending","target_type":"other","content_hash":` +
			hash + `,"expires_at":"2026-05-04T14:05:00.123Z","log_index":7,"url":"https://countersign.example.org/confirms/c1"`
		end  = `},"checkpoint":"countersign\n8\nabc=\n\n— countersign xyz=\n"}`
		args = `{"n":9007199254740993.10,"t":"<&>  "}`
	)
	r := newReceiver(t, true, nil)
	s := notify.New(r.options())
	for name, test := range map[string]struct {
		change func(m *domain.Message)
		want   string
	}{
		"names": {func(*domain.Message) {}, start + `,"tool":"wire_transfer","actions":1,"requested_by":"payments-agent"` + end},
		"none":  {func(m *domain.Message) { m.Details = domain.DetailsNone }, start + end},
		"full":  {func(m *domain.Message) { m.Details = domain.DetailsFull }, start + `,"tool":"wire_transfer","actions":1,"requested_by":"payments-agent","reason":"because <b>","calls":[{"name":"wire transfer","args":` + args + `}]` + end},
		"full, pruned": {func(m *domain.Message) { m.Details, m.Confirm.Content = domain.DetailsFull, nil },
			start + `,"tool":"wire_transfer","actions":1,"requested_by":"payments-agent"` + end},
		"missed": {func(m *domain.Message) { m.Details, m.IsMissed = domain.DetailsNone, true }, start + `},"missed":true` + end[1:]},
		"no request": {func(m *domain.Message) {
			m.Type, m.Confirm, m.ObjectID, m.Path, m.LogIndex, m.Checkpoint = "role.modified", nil, "r1", "/log?type=role.modified&x=<", 0, ""
		}, `{"type":"role.modified","timestamp":"2026-05-04T12:30:00.123Z","data":{"log_index":0,"object_id":"r1","url":"https://countersign.example.org/log?type=role.modified&x=<"}}`},
		"a test": {func(m *domain.Message) { *m = domain.Message{ID: "m1", Type: domain.MessageTest, At: at, Path: "/"} },
			`{"type":"test","timestamp":"2026-05-04T12:30:00.123Z","data":{"url":"https://countersign.example.org/"}}`},
		"an outcome": {func(m *domain.Message) {
			m.Type, m.Details, m.Checkpoint = "confirm.approved", domain.DetailsFull, ""
			c := &domain.Confirm{ID: "c1", Status: domain.Approved, ContentHash: "sha256:a", EffectiveHash: "sha256:b"}
			m.Confirm = &domain.MessageConfirm{ID: "c1", Status: domain.Approved, Cause: domain.CauseHuman, EffectiveHash: "sha256:b",
				Outcome: &domain.Outcome{Confirm: c, Text: "Approved.", Decision: &domain.Decision{Cause: domain.CauseHuman, DecidedAt: at, Seq: 9,
					Actions: []domain.ActionDecision{{Type: domain.ActionEdit, Name: "pay", Args: json.RawMessage(args), ArgsHash: "sha256:c"}}}}}
		}, `{"type":"confirm.approved","timestamp":"2026-05-04T12:30:00.123Z","data":{"confirm_id":"c1","status":"approved","cause":"human","effective_hash":"sha256:b","log_index":7,"url":"https://countersign.example.org/confirms/c1",` +
			`"outcome":{"confirm_id":"c1","status":"approved","cause":"human","content_hash":"sha256:a","effective_hash":"sha256:b","decisions":[{"type":"edit","edited_action":{"name":"pay","args":` + args +
			`},"args_hash":"sha256:c"}],"reason":"Approved.","decided_at":"2026-05-04T12:30:00.123Z","log_index":9}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			d := dispatch(domain.FormatStandard, r.URL)
			d.Message.Confirm.Content = &evidence.Content{Reason: "because <b>", Actions: []evidence.Action{{Name: "wire transfer", Args: json.RawMessage(args)}}}
			test.change(d.Message)
			if diff := cmp.Diff(test.want, r.send(t, s, d).body); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A message with arguments has up to 1 MiB; a larger one is not sent.
func TestStandard_Size(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, true, nil)
	s := notify.New(r.options())
	d := dispatch(domain.FormatStandard, r.URL)
	d.Message.Details = domain.DetailsFull
	fill := func(size int) {
		args := json.RawMessage(fmt.Sprintf("%q", strings.Repeat("x", size)))
		d.Message.Confirm.Content = &evidence.Content{Actions: []evidence.Action{{Name: "a", Args: args}}}
	}
	fill(1)
	fill(1<<20 - len(r.send(t, s, d).body) + 1)
	if got := r.send(t, s, d); len(got.body) != 1<<20 {
		t.Errorf("%d bytes were sent", len(got.body))
	}
	fill(1 << 20)
	if got := s.Send(t.Context(), d); got.Failure != domain.FailureSize || len(r.requests()) != 2 {
		t.Errorf("got %+v and %d requests", got, len(r.requests()))
	}
	if got := r.requests()[1].header.Get("Content-Length"); got != strconv.Itoa(1<<20) {
		t.Errorf("Content-Length %s", got)
	}
}
