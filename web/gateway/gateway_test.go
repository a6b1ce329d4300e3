package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/web/client"
	"countersign/web/gateway"
)

// desk is a Countersign whose decisions tests make.
type desk struct {
	*httptest.Server
	fails http.HandlerFunc // answers everything, if it is set

	mu       sync.Mutex
	posted   chan client.Confirm
	outcomes map[string]chan string // what is decided, by id
	consumed []string
	// cancelled has the ids of requests that the gateway cancelled.
	cancelled chan string
}

func newDesk(t *testing.T) *desk {
	d := &desk{posted: make(chan client.Confirm, 16), outcomes: map[string]chan string{}, cancelled: make(chan string, 16)}
	d.Server = httptest.NewServer(d)
	t.Cleanup(d.CloseClientConnections)
	return d
}

func (d *desk) outcome(id string) chan string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.outcomes[id] == nil {
		d.outcomes[id] = make(chan string, 1)
	}
	return d.outcomes[id]
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.fails != nil {
		d.fails(w, r)
		return
	}
	parts := strings.Split(r.URL.Path, "/")
	body, _ := io.ReadAll(r.Body)
	switch {
	case r.URL.Path == "/api/v1/confirms":
		var c client.Confirm
		_ = json.Unmarshal(body, &c)
		d.outcome(c.ID)
		d.posted <- c
		fmt.Fprintf(w, `{"confirm_id":%q,"status":"pending"}`, c.ID)
	case strings.HasSuffix(r.URL.Path, "/outcome"):
		select {
		case decided := <-d.outcome(parts[4]):
			fmt.Fprintf(w, `{"confirm_id":%q,"content_hash":"h",%s}`, parts[4], decided)
		case <-r.Context().Done():
		}
	case strings.HasSuffix(r.URL.Path, "/cancel"):
		d.cancelled <- parts[4]
		select {
		case d.outcome(parts[4]) <- `"status":"cancelled","cause":"cancelled","reason":"Cancelled."`:
		default: // decided
			w.WriteHeader(http.StatusConflict)
		}
	case strings.HasSuffix(r.URL.Path, "/consume"):
		d.mu.Lock()
		d.consumed = append(d.consumed, string(body))
		d.mu.Unlock()
		_, _ = io.WriteString(w, `{}`)
	}
}

// decides waits for the next request and decides it.
func (d *desk) decides(decided string) client.Confirm {
	c := <-d.posted
	d.outcome(c.ID) <- decided
	return c
}

const (
	yes  = `"status":"approved","cause":"human","decided_by_role":"lead","decisions":[{"type":"approve","args_hash":"a"}]`
	no   = `"status":"rejected","cause":"human","decided_by_role":"lead","reason":"No","decisions":[{"type":"reject"}]`
	edit = `"status":"approved","cause":"human","decisions":[{"type":"edit","args_hash":"e","edited_action":{"name":"pay","args":{"n":9007199254740995, "t":"<"}}}]`
)

// bench is a gateway with both of its ends in the hands of a test.
type bench struct {
	t             *testing.T
	agent, server *end
	stop          context.CancelCauseFunc
	ended         chan error
}

// end is one end: lines go in and come out.
type end struct {
	io.Writer
	closes io.Closer
	lines  chan string
}

func newEnd(t *testing.T) (*end, mcp.Connection) {
	t.Helper()
	in, write := io.Pipe()
	read, out := io.Pipe()
	e := &end{write, write, make(chan string, 64)}
	go func() {
		defer close(e.lines)
		for lines := bufio.NewScanner(read); lines.Scan(); {
			e.lines <- lines.Text()
		}
	}()
	connection, err := (&mcp.IOTransport{Reader: in, Writer: out}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return e, connection
}

func newBench(t *testing.T, d *desk, rules string, wait time.Duration) *bench {
	t.Helper()
	parsed, err := gateway.ParseRules([]byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, ended: make(chan error, 1)}
	var agent, server mcp.Connection
	b.agent, agent = newEnd(t)
	b.server, server = newEnd(t)
	ctx, stop := context.WithCancelCause(t.Context())
	b.stop = stop
	go func() {
		_, err := gateway.Run(ctx, agent, server, gateway.Options{Asker: client.New(d.URL, "k"), Rules: parsed, Fallback: "srv", Wait: wait})
		b.ended <- err
	}()
	t.Cleanup(func() { stop(nil) })
	return b
}

func (b *bench) send(e *end, line string) {
	b.t.Helper()
	if _, err := io.WriteString(e, line+"\n"); err != nil {
		b.t.Fatal(err)
	}
}

// gets wants the next line of an end.
func (b *bench) gets(e *end, want string) {
	b.t.Helper()
	if got := <-e.lines; got != want {
		b.t.Errorf("got  %s\nwant %s", got, want)
	}
}

// contains wants some texts in the next line.
func (b *bench) contains(e *end, want ...string) {
	b.t.Helper()
	got := <-e.lines
	for _, text := range want {
		if !strings.Contains(got, text) {
			b.t.Errorf("got %s\nwithout %s", got, text)
		}
	}
}

// nothingMore sends a marker and wants it next: nothing else was passed on.
func (b *bench) nothingMore() {
	b.t.Helper()
	const marker = `{"jsonrpc":"2.0","method":"marker"}`
	b.send(b.agent, marker)
	b.gets(b.server, marker)
	b.send(b.server, marker)
	b.gets(b.agent, marker)
}

const payArgs = `{"n":9007199254740993,"t":"<"}`

func pay(id, rest string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"pay","arguments":` + payArgs + rest + `}}`
}

func refused(id, words string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"` + words + `"}],"isError":true}}`
}

// What is no call of a tool passes as it is, both ways, and teaches what to show.
func TestRun_ShowsAndSplices(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	b := newBench(t, d, `{"timeout":60,"required_role":"lead"}`, time.Minute)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"clientInfo":{"name":"bot","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"x/unknown","params":{"n":1.0,"big":9007199254740993}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	} {
		b.send(b.agent, line)
		b.gets(b.server, line)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":"i","result":{"serverInfo":{"name":"bank"},"protocolVersion":"2025-06-18"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"pay","description":"Pays","inputSchema":{"type":"object","x":1.0}}]}}`,
		`{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"n":1e0}}`,
	} {
		b.send(b.server, line)
		b.gets(b.agent, line)
	}
	b.send(b.agent, `{"jsonrpc":"2.0","id":5,"result":{"action":"accept"}}`)
	b.gets(b.server, `{"jsonrpc":"2.0","id":5,"result":{"action":"accept"}}`)

	b.send(b.agent, pay("7", `,"_meta":{"x":1.0},"task":{"ttl":5}`))
	asked := d.decides(edit)
	got, err := json.Marshal(asked.ReviewConfigs)
	if asked.Reason != "MCP server bank, asked by bot" || asked.RequiredRole != "lead" || asked.Timeout != 60 || !strings.HasPrefix(asked.SessionID, "mcp.") ||
		string(asked.Actions[0].Args) != payArgs || asked.Actions[0].Description != "Pays" || asked.Actions[0].ToolUseID != "7" ||
		string(got) != `[{"allowed_decisions":["approve","edit","reject"],"args_schema":{"type":"object","x":1.0}}]` {
		t.Errorf("asked %+v, %s, %v", asked, got, err)
	}
	b.gets(b.server, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"pay","arguments":{"n":9007199254740995,"t":"<"},"_meta":{"x":1.0},"task":{"ttl":5}}}`)
	b.send(b.server, `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
	b.gets(b.agent, `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
	if want := `{"action":0,"args_hash":"e","confirm_id":"` + asked.ID + `","execution_id":"7"}` + "\n"; !slices.Equal(d.consumed, []string{want}) {
		t.Errorf("consumed %v, want %s", d.consumed, want)
	}

	// The server changes its mind about the tool, and the reviewer is told.
	b.send(b.agent, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	<-b.server.lines
	b.send(b.server, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"pay","description":"Pays now"}]}}`)
	<-b.agent.lines
	b.send(b.agent, pay("8", ""))
	if asked := d.decides(no); !strings.Contains(asked.Reason, "has changed the definition") {
		t.Errorf("reason %q", asked.Reason)
	}
	b.gets(b.agent, refused("8", "Rejected by lead: No"))
}

// Whatever is not an approval runs nothing.
func TestRun_Refuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ decided, want string }{
		"rejected":     {no, "Rejected by lead: No"},
		"timed out":    {`"status":"rejected","cause":"timeout","reason":"Timed out. This is not a refusal."`, "Timed out. This is not a refusal."},
		"cancelled":    {`"status":"cancelled","cause":"cancelled","reason":"Cancelled. This is not a refusal."`, "This is not a refusal."},
		"no decision":  {`"status":"approved","decisions":[]`, "could not be asked"},
		"not this one": {`"status":"approved","decisions":[{"type":"reject"}]`, "could not be asked"},
		"another tool": {strings.Replace(edit, `"pay"`, `"drop"`, 1), "another tool"},
		"an import":    {`"status":"unsubstantiated"`, "unsubstantiated"},
		"cut off":      {`"status":"approved`, "could not be asked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			b := newBench(t, d, `{}`, time.Minute)
			b.send(b.agent, pay("1", ""))
			d.decides(test.decided)
			b.contains(b.agent, `"id":1,"result":{"content":[{"type":"text","text":"`, test.want, `"isError":true`)
			b.nothingMore()
		})
	}
}

// A Countersign that answers nothing useful lets tools be listed and none run.
func TestRun_CannotAsk(t *testing.T) {
	t.Parallel()
	away := newDesk(t)
	away.Close()
	says := func(status int, body string) *desk {
		d := newDesk(t)
		d.fails = func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
		return d
	}
	hangs := newDesk(t)
	hangs.fails = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	unused := newDesk(t)
	unused.fails = func(w http.ResponseWriter, r *http.Request) {
		unused.fails = nil
		unused.ServeHTTP(w, r)
		unused.fails = func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/consume") {
				w.WriteHeader(http.StatusConflict)
				return
			}
			fmt.Fprintf(w, `{"confirm_id":%q,"content_hash":"h",%s}`, strings.Split(r.URL.Path, "/")[4], yes)
		}
	}
	for name, d := range map[string]*desk{
		"away": away, "401": says(401, `{}`), "422": says(422, `{"detail":"no"}`), "500": says(500, yes), "503": says(503, ``),
		"rubbish": says(200, `<html>`), "nothing": says(200, ``), "another's": says(200, `{"confirm_id":"x",`+yes+`}`), "hangs": hangs, "used already": unused,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, d, `{}`, time.Second)
			b.send(b.agent, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			b.gets(b.server, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			b.send(b.agent, pay("2", `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`))
			b.contains(b.agent, `"id":2,"result":{"resultType":"complete","content":`, "Countersign could not be asked (", "), so this does not run.", `"isError":true`)
			b.nothingMore()
		})
	}
}

// Params that can be read in two ways are refused, and calls without an id dropped.
func TestRun_RefusesParams(t *testing.T) {
	t.Parallel()
	b := newBench(t, newDesk(t), `{"default":"allow","rules":[{"tool":"drop","do":"deny","message":"Never"}]}`, time.Minute)
	for _, params := range []string{`{"name":"get","name":"drop"}`, `{"name":"get","Name":"drop"}`, `[]`, `{"name":"get","arguments":{"a":1,"a":2}}`} {
		b.send(b.agent, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`)
		b.contains(b.agent, `"id":1,"error":{"code":-32602,`)
	}
	b.send(b.agent, `{"jsonrpc":"2.0","id":2,"method":"ping","method":"tools/call","params":{"name":"drop"}}`)
	b.gets(b.agent, refused("2", "Never"))
	b.send(b.agent, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"get"}}`)
	b.send(b.agent, `{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"get"}}`)
	b.nothingMore()
	// A batch is answered as one, whatever becomes of its calls.
	b.send(b.agent, `[{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get","arguments":{"n":1.0}}},{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"drop"}}]`)
	b.gets(b.server, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get","arguments":{"n":1.0}}}`)
	b.send(b.server, `{"jsonrpc":"2.0","id":3,"result":{}}`)
	b.gets(b.agent, `[{"jsonrpc":"2.0","id":3,"result":{}},`+refused("4", "Never")+`]`)
}

// A call that is made again goes on waiting. After an approval it runs once, and a
// rejection is reported once.
func TestRun_AsksAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	b := newBench(t, d, `{}`, 100*time.Millisecond)
	b.send(b.agent, pay("1", ""))
	asked := <-d.posted
	b.contains(b.agent, `"id":1,`, "Not decided yet (confirm "+asked.ID+", expires ", "): call again with the same arguments to go on waiting. Do not try another way.", `"isError":true`)
	b.send(b.agent, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"arguments":{"t":"<", "n":9007199254740993},"name":"pay"}}`)
	b.contains(b.agent, `"id":2,`, asked.ID)
	d.outcome(asked.ID) <- yes
	for id := 3; ; id++ { // until the gateway has heard of it
		b.send(b.agent, pay(fmt.Sprint(id), ""))
		select {
		case line := <-b.server.lines:
			if line != pay(fmt.Sprint(id), "") {
				t.Errorf("ran %s", line)
			}
		case line := <-b.agent.lines:
			if !strings.Contains(line, "Not decided yet (confirm "+asked.ID) {
				t.Fatal(line)
			}
			continue
		}
		break
	}
	b.send(b.agent, pay(`"next"`, ""))
	next := <-d.posted
	if next.ID == asked.ID || next.Supersedes != "" {
		t.Errorf("asked %+v", next)
	}
	b.contains(b.agent, `"id":"next"`, "Not decided yet")
	d.outcome(next.ID) <- no
	for told := ""; !strings.Contains(told, "Rejected by lead"); told = <-b.agent.lines {
		b.send(b.agent, pay(`"again"`, ""))
	}
	b.send(b.agent, pay(`"anew"`, ""))
	if c := <-d.posted; c.Supersedes != next.ID {
		t.Errorf("supersedes %q, want %s", c.Supersedes, next.ID)
	}
}

// Two of the same call are two runs, so two approvals.
func TestRun_OneApprovalIsOneRun(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	b := newBench(t, d, `{}`, time.Minute)
	b.send(b.agent, pay("1", ""))
	first := <-d.posted
	b.send(b.agent, pay("2", ""))
	b.send(b.agent, pay("2", "")) // an id that is in use
	b.contains(b.agent, `"id":2,"error":{"code":-32600`)
	d.outcome(first.ID) <- yes
	ran := <-b.server.lines
	second := <-d.posted
	d.outcome(second.ID) <- no
	b.contains(b.agent, "Rejected by lead")
	if ran != pay("1", "") && ran != pay("2", "") || len(d.consumed) != 1 {
		t.Errorf("ran %s, consumed %v", ran, d.consumed)
	}
	b.nothingMore()
}

// A call that the agent cancels runs nothing and is answered nothing.
func TestRun_Cancels(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	b := newBench(t, d, `{"rules":[{"tool":"get","do":"allow"}]}`, time.Minute)
	cancel := func(id string) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
	}
	b.send(b.agent, pay("1", ""))
	asked := <-d.posted
	b.send(b.agent, cancel("1"))
	b.nothingMore()
	b.send(b.agent, pay("2", ""))
	if again := d.decides(yes); again.ID == asked.ID {
		t.Error("a cancelled request was asked again")
	}
	b.gets(b.server, pay("2", ""))
	b.send(b.agent, cancel("2")) // it was passed on
	b.gets(b.server, cancel("2"))
	b.send(b.agent, cancel(`"none"`))
	b.gets(b.server, cancel(`"none"`))
}

// A call that needs input goes on with what was approved, once.
func TestRun_GoesOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	b := newBench(t, d, `{}`, time.Minute)
	b.send(b.agent, pay("1", ""))
	d.decides(edit)
	<-b.server.lines
	input := `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"S","inputRequests":{}}}`
	b.send(b.server, input)
	b.gets(b.agent, input)
	b.send(b.agent, pay("2", `,"requestState":"S","inputResponses":{"a":1.0}`))
	b.gets(b.server, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pay","arguments":{"n":9007199254740995,"t":"<"},"requestState":"S","inputResponses":{"a":1.0}}}`)
	for i, rest := range []string{`,"requestState":"S"`, `,"requestState":"T"`} {
		b.send(b.agent, pay(fmt.Sprint(3+i), rest))
		d.decides(no)
		b.contains(b.agent, "Rejected by lead")
	}
	b.nothingMore()
}

// At the end everything that is held is answered, or withdrawn.
func TestRun_Ends(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	for name, test := range map[string]struct {
		end  func(b *bench)
		want error
		tell string
	}{
		"the input ends":     {func(b *bench) { _ = b.agent.closes.Close() }, nil, ""},
		"a signal":           {func(b *bench) { b.stop(stopped) }, stopped, ""},
		"the server ends":    {func(b *bench) { _ = b.server.closes.Close() }, gateway.ErrServerEnded, "The MCP server has ended, so this does not run."},
		"rubbish comes in":   {func(b *bench) { b.send(b.agent, `{"jsonrpc":"2.0","id":1,"method":`+"\x00") }, nil, ""},
		"rubbish comes back": {func(b *bench) { b.send(b.server, `Server started`) }, gateway.ErrServerEnded, "The MCP server has ended, so this does not run."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			b := newBench(t, d, `{}`, time.Minute)
			b.send(b.agent, pay("1", ""))
			asked := <-d.posted
			test.end(b)
			if err := <-b.ended; !errors.Is(err, test.want) {
				t.Errorf("ended with %v, want %v", err, test.want)
			}
			if got := <-d.cancelled; got != asked.ID {
				t.Errorf("cancelled %s, want %s", got, asked.ID)
			}
			if test.tell != "" {
				b.gets(b.agent, refused("1", test.tell))
			}
			select {
			case line := <-b.server.lines:
				t.Errorf("passed on %s", line)
			default:
			}
		})
	}
}
