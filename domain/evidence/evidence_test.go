package evidence

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.UTC)

// What is stored and hashed must never change: these are the bytes of the
// first version, written out.
func TestEntry_BytesAreFixed(t *testing.T) {
	t.Parallel()
	full := &Entry{
		Seq: 7, Type: "confirm.approved", At: at, Principal: "user:u1", Kind: "user", Name: "<reviewer>", Role: "reviewer", Cause: "human",
		ConfirmID: "c1", PlanID: "p1", ObjectID: "o1", ContentHash: ContentHash(nil, nil), EffectiveHash: "sha256:bb",
		Decisions: []EntryDecision{{Type: "approve", ArgsHash: ArgsHash([]byte("{}"))}, {Type: "approve", ArgsHash: "sha256:dd", Filled: true}},
		TraceID:   "t1", SpanID: "s1", Data: json.RawMessage(`{"n":1e400}`),
		Rows: []Row{{Table: "confirms", Key: "c1", Digest: make([]byte, 32)}, {Table: "decisions", Key: "c1/0", Digest: []byte{1, 2}}, {Table: "confirm_contents", Key: "7", Digest: []byte{3}}, {Table: "consumptions", Key: "c10"}, {Table: "roles", Key: "r1"}},
	}
	const want = `{"v":1,"seq":7,"type":"confirm.approved","at":"2026-01-02T03:04:05.678Z","principal":"user:u1","kind":"user","name":"<reviewer>",` +
		`"role":"reviewer","cause":"human","confirm_id":"c1","plan_id":"p1","object_id":"o1","content_hash":"O9Wd45N0U7Yh6583IQWd0Rfn9e_pThFVqmW2U96R2QQ","effective_hash":"sha256:bb",` +
		`"decisions":[{"type":"approve","args_hash":"RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o"},{"type":"approve","args_hash":"sha256:dd","filled":true}],` +
		`"trace_id":"t1","span_id":"s1","data":{"n":1e400},"rows":[["confirms","","AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],["decisions","/0","AQI"],["confirm_contents","#","Aw"],["consumptions","c10",""],["roles","r1",""]]}`
	got := full.Marshal()
	if string(got) != want {
		t.Errorf("bytes\n%s\nwant\n%s", got, want)
	}
	back, err := ParseEntry(got)
	if err != nil {
		t.Fatal(err)
	}
	full.At = at.Truncate(time.Millisecond)
	if diff := cmp.Diff(full, back); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	least := (&Entry{Type: "role.created", At: at, Principal: "system", Kind: "system"}).Marshal()
	if want := `{"v":1,"seq":0,"type":"role.created","at":"2026-01-02T03:04:05.678Z","principal":"system","kind":"system","rows":[]}`; string(least) != want {
		t.Errorf("%s", least)
	}
	// Computed apart, as SHA-256(0x00, entry).
	const want256 = "18b0cf01a28239470348818480c5d1f3e7b7d8ab101bc543aeae67454f6ab3d4"
	if leaf := LeafHash(least); hex.EncodeToString(leaf[:]) != want256 {
		t.Errorf("leaf %x, want %s", leaf, want256)
	}
}

func TestParseEntry_RefusesOtherVersionsAndRows(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no JSON":     `{`,
		"version 2":   `{"v":2,"at":"2026-01-02T03:04:05.678Z"}`,
		"time":        `{"v":1,"at":"yesterday"}`,
		"a short row": `{"v":1,"at":"2026-01-02T03:04:05.678Z","rows":[["a","b"]]}`,
		"no digest":   `{"v":1,"at":"2026-01-02T03:04:05.678Z","rows":[["a","b","!y"]]}`,
	} {
		if e, err := ParseEntry([]byte(text)); err == nil {
			t.Errorf("%s: read as %+v", name, e)
		}
	}
}

// Digests are written short and read as they were; what is none stays.
// Ids are what clients choose them to be: no key may be read as another.
func FuzzEntryKeys(f *testing.F) {
	for _, own := range []string{"", "p", "/", "#", "~", "7"} {
		for _, key := range []string{"p", "p/0", "p/", "px", "/p", "/0", "#", "#1", "~", "~/0", "~#", "~~p", "7", "/", "//", "x"} {
			f.Add(own, key)
		}
	}
	f.Fuzz(func(t *testing.T, own, key string) {
		for _, e := range []*Entry{{Seq: 7, ConfirmID: own}, {Seq: 7, PlanID: own}, {Seq: 7, ObjectID: own}} {
			if short := e.shortKey(key); key != "" && e.longKey(short) != key {
				t.Errorf("%q of an entry about %q is written %q and read %q", key, own, short, e.longKey(short))
			}
		}
	})
}

func TestEntry_HashesAreWrittenShort(t *testing.T) {
	t.Parallel()
	full := ArgsHash([]byte("{}"))
	for name, row := range map[string]struct{ text, short string }{
		"a hash":           {full, "RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o"},
		"none":             {"", ""},
		"too short":        {"sha256:aa", "sha256:aa"},
		"in upper case":    {"sha256:" + strings.ToUpper(full[7:]), "sha256:" + strings.ToUpper(full[7:])},
		"without its name": {full[7:], full[7:]},
		"no base64":        {strings.Repeat("!", 43), strings.Repeat("!", 43)},
		"a line break":     {strings.Repeat("A", 42) + "\n", strings.Repeat("A", 42) + "\n"},
	} {
		if short := shortHash(row.text); short != row.short || longHash(short) != row.text {
			t.Errorf("%s: %q is written %q and read %q", name, row.text, short, longHash(short))
		}
	}
}

func TestContent_BytesAndHashAreFixed(t *testing.T) {
	t.Parallel()
	c := &Content{
		ConfirmID: "c1", TargetType: "other", TargetID: "t1", TargetHash: "sha256:aa", PlanID: "p1", StepID: "s1", RequiredRole: "finance",
		RequestedByRole: "executor", RequestedBy: "key:k1", ReceivedAt: at, RequestedAt: "2026-01-01T00:00:00.000Z", ExpiresAt: at.Add(time.Minute),
		OnReject: "recover", Supersedes: "c0", Reason: "a < b",
		Actions: []Action{{Name: "pay", Args: json.RawMessage(`{"n":9007199254740993,"x":"<\u003c>"}`), ToolUseID: "tu", Description: "d", ReviewConfig: json.RawMessage(`{"timeout":5}`)}},
		Trace:   json.RawMessage(`{"trace_id":"t"}`), SessionID: "s", MessageID: "m",
	}
	const want = `{"v":1,"confirm_id":"c1","target_type":"other","target_id":"t1","target_hash":"sha256:aa","plan_id":"p1","step_id":"s1","required_role":"finance",` +
		`"requested_by_role":"executor","requested_by":"key:k1","received_at":"2026-01-02T03:04:05.678Z","requested_at":"2026-01-01T00:00:00.000Z",` +
		`"expires_at":"2026-01-02T03:05:05.678Z","on_reject":"recover","supersedes":"c0","reason":"a < b",` +
		`"actions":[{"name":"pay","args":{"n":9007199254740993,"x":"<\u003c>"},"tool_use_id":"tu","description":"d","review_config":{"timeout":5}}],` +
		`"trace":{"trace_id":"t"},"session_id":"s","message_id":"m"}`
	got := c.Marshal()
	if string(got) != want {
		t.Errorf("bytes\n%s\nwant\n%s", got, want)
	}
	back, err := ParseContent(got)
	if err != nil {
		t.Fatal(err)
	}
	if again := back.Marshal(); string(again) != want {
		t.Errorf("read and written again: %s", again)
	}
	// Computed apart, as SHA-256("countersign/content/v1\n", 32 zero bytes, content).
	const hash = "sha256:59e7a7f9e0eaaac74cef4c8d892ce9f7ea0ee8b239e725dc580d495732a1d15a"
	if h := ContentHash(make([]byte, SaltSize), got); h != hash {
		t.Errorf("hash %s, want %s", h, hash)
	}
	if ContentHash([]byte{1}, got) == ContentHash([]byte{2}, got) {
		t.Error("the salt does not matter")
	}
}

func TestContent_WithArgsLeavesTheOriginal(t *testing.T) {
	t.Parallel()
	c := &Content{ReceivedAt: at, Actions: []Action{{Name: "a", Args: json.RawMessage(`1`)}, {Name: "b", Args: json.RawMessage(`2`)}}}
	edited := c.WithArgs([]json.RawMessage{nil, json.RawMessage(`3`)})
	if string(edited.Actions[0].Args) != "1" || string(edited.Actions[1].Args) != "3" || string(c.Actions[1].Args) != "2" {
		t.Errorf("%s %s, original %s", edited.Actions[0].Args, edited.Actions[1].Args, c.Actions[1].Args)
	}
}

func TestRowDigest(t *testing.T) {
	t.Parallel()
	digest := func(columns []string, values ...any) Hash {
		d, err := RowDigest(columns, values)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	names := []string{"a", "b"}
	base := digest(names, "x", int64(1))
	for name, other := range map[string]Hash{
		"another value":           digest(names, "y", int64(1)),
		"another name":            digest([]string{"a2", "b"}, "x", int64(1)),
		"another type":            digest(names, []byte("x"), int64(1)),
		"text instead of number":  digest(names, "x", "1"),
		"another order":           digest([]string{"b", "a"}, int64(1), "x"),
		"NULL is not the empty":   digest(names, "", int64(1)),
		"a border moved":          digest([]string{"a", ""}, "xb", int64(1)),
		"a column less":           digest(names, "x"),
		"a NULL instead of value": digest(names, "x", nil),
	} {
		if other == base {
			t.Errorf("%s: the same digest", name)
		}
	}
	if read := NewDigester([]string{"a", "b", "new"}).Digest([]Value{{Kind: Text, Bytes: []byte("x")}, {Kind: Integer, Int: 1}, {}}); read != base {
		t.Error("what is read has another digest than what was written")
	}
	if digest([]string{"a", "b", "new"}, "x", int64(1), nil) != base {
		t.Error("a new column that is NULL changes the digest")
	}
	if _, err := RowDigest([]string{"a"}, []any{1.5}); err == nil {
		t.Error("a float is digested")
	}
}

func TestPlanContent_HashIsOfWhatIsApproved(t *testing.T) {
	t.Parallel()
	one := int64(1)
	plan := PlanContent{Title: "T", Objective: "O", ContextID: "c", Steps: []StepContent{{StepID: "s1", Description: "D", Dependencies: []string{}, AgentRole: "coder", OrderIndex: &one}}}
	hash := func(p PlanContent) string {
		h, err := p.Hash()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	base := hash(plan)
	for name, change := range map[string]func(*PlanContent){
		"title":        func(p *PlanContent) { p.Title = "U" },
		"objective":    func(p *PlanContent) { p.Objective = "P" },
		"context":      func(p *PlanContent) { p.ContextID = "d" },
		"step id":      func(p *PlanContent) { p.Steps[0].StepID = "s2" },
		"description":  func(p *PlanContent) { p.Steps[0].Description = "E" },
		"dependencies": func(p *PlanContent) { p.Steps[0].Dependencies = []string{"x"} },
		"role":         func(p *PlanContent) { p.Steps[0].AgentRole = "" },
		"order":        func(p *PlanContent) { p.Steps[0].OrderIndex = nil },
		"a step more":  func(p *PlanContent) { p.Steps = append(p.Steps, StepContent{StepID: "s2"}) },
	} {
		changed := plan
		changed.Steps = append([]StepContent(nil), plan.Steps...)
		change(&changed)
		if hash(changed) == base {
			t.Errorf("%s does not count", name)
		}
	}
}
