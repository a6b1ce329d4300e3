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
}

// EntryDecision is what was decided on one action.
type EntryDecision struct {
	Type     string // approve, reject or edit
	ArgsHash string // of the arguments that may run
	Filled   bool   // copied from the first (requirements A-17)
}

// Row names a row of the database and the digest of its columns after the
// change. A nil Digest says that the row was removed.
type Row struct {
	Table, Key string
	Digest     []byte
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

// Marshal gives the bytes of the entry that are stored and hashed.
func (e *Entry) Marshal() ([]byte, error) {
	var decisions []wireDecision
	for _, d := range e.Decisions {
		decisions = append(decisions, wireDecision{d.Type, shortHash(d.ArgsHash), d.Filled})
	}
	return encode(wire{
		V: 1, Seq: e.Seq, Type: e.Type, At: e.At.UTC().Format(TimeFormat),
		Principal: e.Principal, Kind: e.Kind, Name: e.Name, Role: e.Role, Cause: e.Cause,
		ConfirmID: e.ConfirmID, PlanID: e.PlanID, ObjectID: e.ObjectID,
		ContentHash: shortHash(e.ContentHash), EffectiveHash: shortHash(e.EffectiveHash), Decisions: decisions,
		TraceID: e.TraceID, SpanID: e.SpanID, Data: e.Data, Rows: e.rowsWire(),
	})
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
