package evidence

import (
	"encoding/hex"
	"encoding/json"
	"errors"
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
	Type     string `json:"type"`             // approve, reject or edit
	ArgsHash string `json:"args_hash"`        // of the arguments that may run
	Filled   bool   `json:"filled,omitempty"` // copied from the first (requirements A-17)
}

// Row names a row of the database and the digest of its columns after the
// change. A nil Digest says that the row was removed.
type Row struct {
	Table, Key string
	Digest     []byte
}

// rowsWire writes rows as [table, key, hex digest]; removed ones have an empty
// digest.
func rowsWire(rows []Row) [][]string {
	list := make([][]string, len(rows))
	for i, r := range rows {
		list[i] = []string{r.Table, r.Key, hex.EncodeToString(r.Digest)}
	}
	return list
}

// parseRows reads what rowsWire writes.
func parseRows(list [][]string) ([]Row, error) {
	rows := make([]Row, len(list))
	for i, parts := range list {
		if len(parts) != 3 {
			return nil, errors.New("a row has a table, a key and a digest")
		}
		digest, err := parseDigest(parts[2])
		if err != nil {
			return nil, err
		}
		rows[i] = Row{Table: parts[0], Key: parts[1], Digest: digest}
	}
	return rows, nil
}

// parseDigest reads a row's digest; nil when the row was removed.
func parseDigest(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	return hex.DecodeString(text)
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
	Decisions     []EntryDecision `json:"decisions,omitempty"`
	TraceID       string          `json:"trace_id,omitempty"`
	SpanID        string          `json:"span_id,omitempty"`
	Data          json.RawMessage `json:"data,omitempty"`
	Rows          [][]string      `json:"rows"`
}

// Marshal gives the bytes of the entry that are stored and hashed.
func (e *Entry) Marshal() ([]byte, error) {
	return encode(wire{
		V: 1, Seq: e.Seq, Type: e.Type, At: e.At.UTC().Format(TimeFormat),
		Principal: e.Principal, Kind: e.Kind, Name: e.Name, Role: e.Role, Cause: e.Cause,
		ConfirmID: e.ConfirmID, PlanID: e.PlanID, ObjectID: e.ObjectID,
		ContentHash: e.ContentHash, EffectiveHash: e.EffectiveHash, Decisions: e.Decisions,
		TraceID: e.TraceID, SpanID: e.SpanID, Data: e.Data, Rows: rowsWire(e.Rows),
	})
}

// ParseEntry reads the bytes that Marshal wrote.
func ParseEntry(data []byte) (*Entry, error) {
	if e := scanEntry(data); e != nil {
		return e, nil
	}
	return decodeEntry(data)
}

// scanEntry reads an entry as Marshal writes it; nil when encoding/json has to
// look at it.
func scanEntry(data []byte) *Entry {
	s, e := scan{rest: data}, new(Entry)
	s.must(`{"v":1,"seq":`)
	e.Seq = s.integer()
	s.must(`,"type":`)
	e.Type = s.text()
	s.must(`,"at":`)
	e.At = s.moment()
	s.must(`,"principal":`)
	e.Principal = s.text()
	s.must(`,"kind":`)
	e.Kind = s.text()
	e.Name = s.member(`,"name":`)
	e.Role = s.member(`,"role":`)
	e.Cause = s.member(`,"cause":`)
	e.ConfirmID = s.member(`,"confirm_id":`)
	e.PlanID = s.member(`,"plan_id":`)
	e.ObjectID = s.member(`,"object_id":`)
	e.ContentHash = s.member(`,"content_hash":`)
	e.EffectiveHash = s.member(`,"effective_hash":`)
	if s.has(`,"decisions":[`) {
		e.Decisions = s.decisions()
	}
	e.TraceID = s.member(`,"trace_id":`)
	e.SpanID = s.member(`,"span_id":`)
	if s.has(`,"data":`) {
		e.Data = s.raw()
	}
	s.must(`,"rows":[`)
	e.Rows = s.rows()
	s.must(`}`)
	if !s.ended() {
		return nil
	}
	return e
}

// decisions takes the rest of an array of decisions.
func (s *scan) decisions() (list []EntryDecision) {
	for !s.failed {
		s.must(`{"type":`)
		d := EntryDecision{Type: s.text()}
		s.must(`,"args_hash":`)
		d.ArgsHash = s.text()
		d.Filled = s.has(`,"filled":true`)
		s.must(`}`)
		list = append(list, d)
		if s.has(`]`) {
			break
		}
		s.must(`,`)
	}
	return list
}

// rows takes the rest of an array of rows.
func (s *scan) rows() []Row {
	list := []Row{}
	for !s.failed && !s.has(`]`) {
		if len(list) > 0 {
			s.must(`,`)
		}
		s.must(`[`)
		r := Row{Table: s.text()}
		s.must(`,`)
		r.Key = s.text()
		s.must(`,`)
		var err error
		if r.Digest, err = parseDigest(s.text()); err != nil {
			s.fail()
		}
		s.must(`]`)
		list = append(list, r)
	}
	return list
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
	rows, err := parseRows(w.Rows)
	if err != nil {
		return nil, fmt.Errorf("log entry %d: rows: %w", w.Seq, err)
	}
	return &Entry{
		Seq: w.Seq, Type: w.Type, At: at,
		Principal: w.Principal, Kind: w.Kind, Name: w.Name, Role: w.Role, Cause: w.Cause,
		ConfirmID: w.ConfirmID, PlanID: w.PlanID, ObjectID: w.ObjectID,
		ContentHash: w.ContentHash, EffectiveHash: w.EffectiveHash, Decisions: w.Decisions,
		TraceID: w.TraceID, SpanID: w.SpanID, Data: w.Data, Rows: rows,
	}, nil
}
