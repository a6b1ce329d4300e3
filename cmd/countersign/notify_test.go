package main

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/web/notify"
)

// sentWebhook is a webhook as a receiver may get it.
type sentWebhook struct {
	Name    string            `json:"name"`
	IsGood  bool              `json:"isGood"`
	Key     string            `json:"key"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// sentCard is an Adaptive Card as Teams may get it.
type sentCard struct {
	Name    string          `json:"name"`
	IsGood  bool            `json:"isGood"`
	Content json.RawMessage `json:"content"`
}

// TestNotify_OfficialPackages lets the packages that receivers use judge what is sent.
func TestNotify_OfficialPackages(t *testing.T) {
	t.Parallel()
	send := newNotifyReceiver(t)
	messages, err := json.Marshal(map[string]any{"webhooks": webhooksOf(t, send), "cards": cardsOf(t, send)})
	if err != nil {
		t.Fatal(err)
	}
	modules, err := filepath.Abs(filepath.Join(root, ".build", "test-tools", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, "node", "testdata/notify/check.mjs", modules)
	cmd.Stdin = strings.NewReader(string(messages))
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v (make test-tools installs what is missing):\n%s", err, text)
	}
	if want := fmt.Sprintf("checked 17 webhooks and %d cards\n", 2*len(domain.EntryTypes())+4); string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

const (
	webhookKey    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	oldWebhookKey = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
)

// webhooksOf returns what was sent, signed by one key and by two, and 14 forgeries.
func webhooksOf(t *testing.T, send sendNotice) []sentWebhook {
	t.Helper()
	d := &domain.Dispatch{
		Destination: &domain.Destination{Format: domain.FormatStandard}, Message: requestNotice(),
		Secret: &domain.DestinationSecret{Key: webhookKey},
	}
	headers, body := send(t, d)
	good := sentWebhook{Name: "as sent", IsGood: true, Key: webhookKey, Headers: headers, Body: body}
	list := []sentWebhook{good}
	forge := func(name, header string, change func(value string) string) {
		forged := good
		forged.Name, forged.IsGood, forged.Headers = name, false, maps.Clone(headers)
		switch header {
		case "":
			forged.Body = change(body)
		case "key":
			forged.Key = change(webhookKey)
		default:
			if forged.Headers[header] = change(headers[header]); forged.Headers[header] == "" {
				delete(forged.Headers, header)
			}
		}
		list = append(list, forged)
	}
	later := func(seconds int64) func(string) string {
		return func(value string) string {
			n, _ := strconv.ParseInt(value, 10, 64) // it is one, or the first fails
			return strconv.FormatInt(n+seconds, 10)
		}
	}
	become := func(text string) func(string) string { return func(string) string { return text } }
	const id, timestamp, signature = "webhook-id", "webhook-timestamp", "webhook-signature"
	forge("another body", "", func(body string) string { return strings.Replace(body, "pending", "approved", 1) })
	forge("a longer body", "", func(body string) string { return body + " " })
	forge("no body", "", become(""))
	forge("another key", "key", become(oldWebhookKey))
	forge("another id", id, become("m2"))
	forge("no id", id, become(""))
	forge("another time", timestamp, later(1))
	forge("an old time", timestamp, later(-301))
	forge("a time to come", timestamp, later(900))
	forge("no time", timestamp, become(""))
	forge("a signature cut", signature, func(value string) string { return value[:len(value)-4] })
	forge("another version", signature, func(value string) string { return "v2" + value[2:] })
	forge("an empty signature", signature, become("v1,"))
	forge("no signature", signature, become(""))

	d.Secret.OldKey, d.Secret.OldUntil = oldWebhookKey, time.Now().Add(time.Hour)
	headers, body = send(t, d)
	return append(list, sentWebhook{"two keys, the new", true, webhookKey, headers, body}, sentWebhook{"two keys, the old", true, oldWebhookKey, headers, body})
}

// cardsOf returns a card of each type of entry, with a request and without, and broken
// ones.
func cardsOf(t *testing.T, send sendNotice) (list []sentCard) {
	t.Helper()
	card := func(m *domain.Message) json.RawMessage {
		d := &domain.Dispatch{Destination: &domain.Destination{Format: domain.FormatTeams}, Secret: &domain.DestinationSecret{}, Message: m}
		_, body := send(t, d)
		var message struct {
			Type        string
			Attachments []struct {
				ContentType string
				Content     json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(body), &message); err != nil || message.Type != "message" || len(message.Attachments) != 1 ||
			message.Attachments[0].ContentType != "application/vnd.microsoft.card.adaptive" {
			t.Fatalf("%v: %s", err, body)
		}
		return message.Attachments[0].Content
	}
	for _, entry := range append(domain.EntryTypes(), domain.MessageTest) {
		m := requestNotice()
		m.Type = entry
		list = append(list, sentCard{entry + " of a request", true, card(m)})
		m.Confirm = nil
		list = append(list, sentCard{entry, true, card(m)})
	}
	good := string(list[0].Content)
	return append(list,
		sentCard{"without its link", false, json.RawMessage(strings.Replace(good, `"url"`, `"uri"`, 1))},
		sentCard{"with an unknown element", false, json.RawMessage(strings.Replace(good, "RichTextBlock", "PoorTextBlock", 1))},
	)
}

func requestNotice() *domain.Message {
	return &domain.Message{
		ID: "m1", Type: "confirm.requested", At: time.Now(), Path: "/confirms/c1", Details: domain.DetailsNames,
		Confirm: &domain.MessageConfirm{
			ID: "c1", Status: domain.Pending, TargetType: domain.TargetOther, ExpiresAt: time.Now().Add(time.Hour),
			Tool: "wire_transfer", Actions: 2, Requester: "payments-agent ünï <b>",
		},
	}
}

// sendNotice sends a message and returns what arrived.
type sendNotice func(t *testing.T, d *domain.Dispatch) (headers map[string]string, body string)

// newNotifyReceiver returns what sends messages to a server with TLS on loopback.
func newNotifyReceiver(t *testing.T) sendNotice {
	t.Helper()
	got := make(chan *http.Request, 1)
	bodies := make(chan string, 1)
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r
		bodies <- string(body)
	}))
	t.Cleanup(server.Close)
	o := notify.Options{
		BaseURL: &url.URL{Scheme: "https", Host: "countersign.example.org"}, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Ports: []uint16{server.Listener.Addr().(*net.TCPAddr).AddrPort().Port()}, RootCAs: x509.NewCertPool(),
	}
	o.RootCAs.AddCert(server.Certificate())
	sender := notify.New(o)
	return func(t *testing.T, d *domain.Dispatch) (map[string]string, string) {
		t.Helper()
		d.Secret.URL = server.URL
		if result := sender.Send(t.Context(), d); result.Failure != "" {
			t.Fatalf("%+v", result)
		}
		headers := map[string]string{}
		for name, values := range (<-got).Header {
			headers[strings.ToLower(name)] = values[0]
		}
		return headers, <-bodies
	}
}
