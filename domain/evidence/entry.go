package evidence

import (
	"encoding/json"
	"fmt"
	"time"
)

// TimeFormat is the format of times in entries and contents: UTC with milliseconds.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// Entry is one leaf of the log: a change, who made it, on which content, and the rows
// it wrote. Its bytes are stored and hashed, so the order in Marshal never changes. New
// facts go into Data.
type Entry struct {
	Seq           int64           // position in the log, from 0, without gaps
	Type          string          // what happened, such as "confirm.approved"
	At            time.Time       // the server's clock, as it was
	Principal     string          // who: "user:<id>", "key:<id>" or "system"
	Kind          string          // user, agent or system
	Name          string          // the principal's name at that time
	Role          string          // the role acted in, if the change needed one
	Cause         string          // human, agent, timeout, cancelled, policy, import
	ConfirmID     string          // the confirm concerned, if any
	PlanID        string          // the plan concerned, if any
	ObjectID      string          // the role, user, key, context or trace concerned
	ContentHash   string          // "sha256:<hex>" of what was asked
	EffectiveHash string          // the same with edited arguments in place
	Decisions     []EntryDecision // one for each action, in the actions' order
	TraceID       string
	SpanID        string
	Data          json.RawMessage // further facts of this type, a compact object
	Rows          []Row           // the rows its transaction wrote since the entry before

	// Attachment is for listeners of the process that appends the entry. It is not
	// stored: an entry that was read has none.
	Attachment any
}

// EntryDecision is the decision on one action.
type EntryDecision struct {
	Type     string // approve, reject or edit
	ArgsHash string // of the arguments that may run
	Filled   bool   // copied from the first
}

// Row names a row of the database, with the digests of its columns after the change and
// before it. A nil Digest means that the row was deleted, a nil Before that it was
// inserted.
type Row struct {
	Table, Key     string
	Digest, Before []byte
}

// entryJSON has the members of an entry in their order.
type entryJSON struct {
	V             int             `json:"v"`
	Seq           int64           `json:"seq"`
	Type          string          `json:"type"`
	At            string          `json:"at"`
	Principal     string          `json:"principal"`
	Kind          string          `json:"kind"`
	Name          string          `json:"name,omitempty"`
	Role          string          `json:"role,omitempty"`
	Cause         string          `json:"cause,omitempty"`
	ConfirmID     string          `json:"confirm_id,omitempty"`
	PlanID        string          `json:"plan_id,omitempty"`
	ObjectID      string          `json:"object_id,omitempty"`
	ContentHash   string          `json:"content_hash,omitempty"`
	EffectiveHash string          `json:"effective_hash,omitempty"`
	Decisions     []decisionJSON  `json:"decisions,omitempty"`
	TraceID       string          `json:"trace_id,omitempty"`
	SpanID        string          `json:"span_id,omitempty"`
	Data          json.RawMessage `json:"data,omitempty"`
	Rows          [][]string      `json:"rows"`
}

type decisionJSON struct {
	Type     string `json:"type"`
	ArgsHash string `json:"args_hash"`
	Filled   bool   `json:"filled,omitempty"`
}

// IndexColumns returns the members by which a store finds the entry, beside its plan
// and its object. Those of a request are empty: the row of its confirm has the entry's
// number.
func (e *Entry) IndexColumns() (kind, confirmID, traceID string) {
	if e.Type == EntryRequested {
		return "", "", ""
	}
	return e.Type, e.ConfirmID, e.TraceID
}

// Marshal returns the bytes of the entry that are stored and hashed. Data must be
// compact JSON.
func (e *Entry) Marshal() []byte {
	o := make(jsonWriter, 0, 768+len(e.Data)+160*(len(e.Rows)+len(e.Decisions)))
	o.integer(`{"v":1,"seq":`, e.Seq)
	o.text(`,"type":`, e.Type)
	o.time(`,"at":`, e.At)
	o.text(`,"principal":`, e.Principal)
	o.text(`,"kind":`, e.Kind)
	o.optionalText(`,"name":`, e.Name)
	o.optionalText(`,"role":`, e.Role)
	o.optionalText(`,"cause":`, e.Cause)
	o.optionalText(`,"confirm_id":`, e.ConfirmID)
	o.optionalText(`,"plan_id":`, e.PlanID)
	o.optionalText(`,"object_id":`, e.ObjectID)
	o.optionalText(`,"content_hash":`, shortHash(e.ContentHash))
	o.optionalText(`,"effective_hash":`, shortHash(e.EffectiveHash))
	o.list(`,"decisions":[`, len(e.Decisions), func(i int) {
		d := e.Decisions[i]
		o.text(`{"type":`, d.Type)
		o.text(`,"args_hash":`, shortHash(d.ArgsHash))
		if d.Filled {
			o = append(o, `,"filled":true`...)
		}
		o = append(o, '}')
	})
	o.optionalText(`,"trace_id":`, e.TraceID)
	o.optionalText(`,"span_id":`, e.SpanID)
	o.raw(`,"data":`, e.Data)
	o.rows(e)
	return append(o, '}')
}

// ParseEntry reads the bytes that Marshal wrote.
func ParseEntry(data []byte) (*Entry, error) {
	if e := scanEntry(data); e != nil {
		return e, nil
	}
	return decodeEntry(data)
}

// decodeEntry reads an entry in any spelling.
func decodeEntry(data []byte) (*Entry, error) {
	var w entryJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("log entry: %w", err)
	}
	if w.V != 1 {
		return nil, fmt.Errorf("log entry: unknown version %d", w.V)
	}
	at, err := time.Parse(TimeFormat, w.At)
	if err != nil {
		return nil, fmt.Errorf("log entry %d: time: %w", w.Seq, err)
	}
	e := &Entry{
		Seq: w.Seq, Type: w.Type, At: at,
		Principal: w.Principal, Kind: w.Kind, Name: w.Name, Role: w.Role, Cause: w.Cause,
		ConfirmID: w.ConfirmID, PlanID: w.PlanID, ObjectID: w.ObjectID,
		ContentHash: longHash(w.ContentHash), EffectiveHash: longHash(w.EffectiveHash),
		TraceID: w.TraceID, SpanID: w.SpanID, Data: w.Data,
	}
	for _, d := range w.Decisions {
		e.Decisions = append(e.Decisions, EntryDecision{d.Type, longHash(d.ArgsHash), d.Filled})
	}
	if e.Rows, err = e.parseRows(w.Rows); err != nil {
		return nil, fmt.Errorf("log entry %d: rows: %w", w.Seq, err)
	}
	return e, nil
}
