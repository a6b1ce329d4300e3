package notify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/web/api"
)

// standardBody is a message as Standard Webhooks has it.
type standardBody struct {
	Type       string       `json:"type"`
	Timestamp  string       `json:"timestamp"`
	Data       standardData `json:"data"`
	Missed     bool         `json:"missed,omitempty"`
	Checkpoint string       `json:"checkpoint,omitempty"`
}

type standardData struct {
	ConfirmID     string            `json:"confirm_id,omitempty"`
	Status        domain.Status     `json:"status,omitempty"`
	Cause         domain.Cause      `json:"cause,omitempty"`
	TargetType    domain.TargetType `json:"target_type,omitempty"`
	ContentHash   string            `json:"content_hash,omitempty"`
	EffectiveHash string            `json:"effective_hash,omitempty"`
	ExpiresAt     string            `json:"expires_at,omitempty"`
	LogIndex      *int64            `json:"log_index,omitempty"` // the first entry is 0
	ObjectID      string            `json:"object_id,omitempty"`
	URL           string            `json:"url"`

	Tool        string `json:"tool,omitempty"`
	Actions     int    `json:"actions,omitempty"`
	RequestedBy string `json:"requested_by,omitempty"`

	Reason  string          `json:"reason,omitempty"`
	Calls   []standardCall  `json:"calls,omitempty"`
	Outcome json.RawMessage `json:"outcome,omitempty"`
}

// standardCall is an action with the arguments as they were sent.
type standardCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// renderStandard returns the body that is signed.
func renderStandard(m *domain.Message, link string) ([]byte, error) {
	data := standardData{ObjectID: m.ObjectID, URL: link}
	if m.Type != domain.MessageTest {
		data.LogIndex = &m.LogIndex
	}
	if m.Confirm != nil {
		if err := data.fill(m.Confirm, m.Details); err != nil {
			return nil, err
		}
	}
	return encode(standardBody{Type: m.Type, Timestamp: mplp.RenderTime(m.At), Data: data, Missed: m.IsMissed, Checkpoint: m.Checkpoint})
}

// fill copies as much of a request as the details allow.
func (d *standardData) fill(c *domain.MessageConfirm, details domain.Details) (err error) {
	d.ConfirmID, d.Status, d.Cause, d.TargetType = c.ID, c.Status, c.Cause, c.TargetType
	d.ContentHash, d.EffectiveHash = c.ContentHash, c.EffectiveHash
	if !c.ExpiresAt.IsZero() {
		d.ExpiresAt = mplp.RenderTime(c.ExpiresAt)
	}
	if details == domain.DetailsNames || details == domain.DetailsFull {
		d.Tool, d.Actions, d.RequestedBy = c.Tool, c.Actions, cleanName(c.Requester)
	}
	if details != domain.DetailsFull {
		return nil
	}
	if c.Content != nil {
		d.Reason = c.Content.Reason
		for _, action := range c.Content.Actions {
			d.Calls = append(d.Calls, standardCall{action.Name, action.Args})
		}
	}
	if c.Outcome != nil {
		d.Outcome, err = api.MarshalOutcome(c.Outcome)
	}
	return err
}

// encode writes a body without escaping for HTML, so that arguments keep their bytes.
func encode(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// sign adds the headers that prove where a message comes from: one signature for each
// key. Without a key nothing may be sent.
func sign(header http.Header, id string, secret *domain.DestinationSecret, now time.Time, body []byte) error {
	var signatures []string
	for _, key := range secret.Keys(now) {
		webhook, err := standardwebhooks.NewWebhook(key)
		if err != nil {
			return fmt.Errorf("%w: %w", errNoSecret, err)
		}
		signature, err := webhook.Sign(id, now, body)
		if err != nil {
			return fmt.Errorf("%w: %w", errNoSecret, err)
		}
		signatures = append(signatures, signature)
	}
	if len(signatures) == 0 {
		return errNoSecret
	}
	header.Set(standardwebhooks.HeaderWebhookID, id)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return nil
}
