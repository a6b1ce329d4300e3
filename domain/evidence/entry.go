package evidence

import (
	"encoding/json"
	"fmt"
	"time"
)

// TimeFormat is how every time in the log and in content is written: UTC with
// milliseconds.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// Entry is one leaf of the log: one change, who made it, on which content, and
// the rows it wrote. Its marshalled bytes are stored verbatim and hashed, so
// the member order of Marshal never changes; new facts go to Data.
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

	// Outcome is what the change has made, for those of this process who wait for
	// it. It is no part of the entry's bytes: one that was read has none.
	Outcome any
}

// EntryDecision is what was decided on one action.
type EntryDecision struct {
	Type     string // approve, reject or edit
	ArgsHash string // of the arguments that may run
	Filled   bool   // copied from the first (requirements A-17)
}

// Row names a row of the database, with the digest of its columns after the
// change and before it, as it was read in the transaction that changed it. A nil
// Digest says that the row was removed, a nil Before that it was inserted.
type Row struct {
	Table, Key     string
	Digest, Before []byte
}

// wire is the fixed member order of an entry's bytes.
type wire struct {
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
	Decisions     []wireDecision  `json:"decisions,omitempty"`
	TraceID       string          `json:"trace_id,omitempty"`
	SpanID        string          `json:"span_id,omitempty"`
	Data          json.RawMessage `json:"data,omitempty"`
	Rows          [][]string      `json:"rows"`
}

type wireDecision struct {
	Type     string `json:"type"`
	ArgsHash string `json:"args_hash"`
	Filled   bool   `json:"filled,omitempty"`
}

// Searched are the members by which a store finds the entry, beside its plan and
// its object. Those of a request are empty: its confirm has its number, and is
// found by them itself.
func (e *Entry) Searched() (kind, confirmID, traceID string) {
	if e.Type == EntryRequested {
		return "", "", ""
	}
	return e.Type, e.ConfirmID, e.TraceID
}

// Marshal gives the bytes of the entry that are stored and hashed. Data is
// compact JSON.
func (e *Entry) Marshal() []byte {
	o := make(object, 0, 768+len(e.Data)+160*(len(e.Rows)+len(e.Decisions)))
	o.integer(`{"v":1,"seq":`, e.Seq)
	o.text(`,"type":`, e.Type)
	o.moment(`,"at":`, e.At)
	o.text(`,"principal":`, e.Principal)
	o.text(`,"kind":`, e.Kind)
	o.member(`,"name":`, e.Name)
	o.member(`,"role":`, e.Role)
	o.member(`,"cause":`, e.Cause)
	o.member(`,"confirm_id":`, e.ConfirmID)
	o.member(`,"plan_id":`, e.PlanID)
	o.member(`,"object_id":`, e.ObjectID)
	o.member(`,"content_hash":`, shortHash(e.ContentHash))
	o.member(`,"effective_hash":`, shortHash(e.EffectiveHash))
	o.list(`,"decisions":[`, len(e.Decisions), func(i int) {
		d := e.Decisions[i]
		o.text(`{"type":`, d.Type)
		o.text(`,"args_hash":`, shortHash(d.ArgsHash))
		if d.Filled {
			o = append(o, `,"filled":true`...)
		}
		o = append(o, '}')
	})
	o.member(`,"trace_id":`, e.TraceID)
	o.member(`,"span_id":`, e.SpanID)
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

// decodeEntry reads an entry however its JSON is written.
func decodeEntry(data []byte) (*Entry, error) {
	var w wire
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
