package api_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// story puts the examples of the contract in the order in which they happen.
type story struct {
	Start time.Time
	Keys  map[string]struct {
		Roles     []string
		MayDecide bool `json:"may_decide"`
	}
	People   map[string]string // users, each with the role that they vote in
	Policies []json.RawMessage
	Steps    []step
}

// step is one request of the story and the answer it gets.
type step struct {
	As, Send    string
	Approves    string // in place of a request: somebody approves this confirm on its page
	Body, Gives string // names of examples; Gives may be a status alone
	Text        string // the body of a request that is no example, because it is wrong
	ETag        string // the content hash that the answer names
	Headers     map[string]string
	After       int // seconds that pass before
}

// unstaged are the problems that no request of a story brings about: they need
// a body of a size, a crowd, a fault or another server.
var unstaged = []string{"too-large", "rate-limited", "internal", "evidence-unavailable", misdirected}

// TestOpenAPI_ExamplesTellOneStory runs it: each answer is that of the contract
// but for what is generated, and no example is left out.
func TestOpenAPI_ExamplesTellOneStory(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := newContract(t)
	if !c.Story.Start.Equal(s.now()) {
		t.Fatalf("the story begins at %v, the server's clock at %v", c.Story.Start, s.now())
	}
	told := &teller{openAPI: c, server: s, check: c.schemas(), clients: map[string]*client{}, left: map[string]bool{}, actual: map[string]string{}, written: map[string]string{}}
	told.gather()
	for name, key := range c.Story.Keys {
		switch {
		case len(key.Roles) == 0:
			told.clients[name] = &client{s, t, ""}
		case key.MayDecide:
			told.clients[name] = s.decider(name, key.Roles...)
		default:
			told.clients[name] = s.keyFor(domain.KeyInput{Name: name, Roles: key.Roles})
		}
	}
	told.expect()
	for _, step := range c.Story.Steps {
		told.tell(step)
		if t.Failed() {
			t.Fatalf("in the step %+v", step)
		}
	}
	for name := range told.left {
		t.Errorf("the story has no %s", name)
	}
}

// teller runs the story.
type teller struct {
	*openAPI
	server  *server
	check   *schemas
	clients map[string]*client
	people  map[string]domain.Ref
	left    map[string]bool // examples that were not used yet
	// What a server generates is not what the contract has; it must be the same
	// wherever the contract has the same.
	actual, written map[string]string
}

// expect notes every example that the story has to use.
func (s *teller) expect() {
	for _, o := range s.operations {
		for _, body := range o.RequestBody.Content {
			for name := range body.Examples {
				s.left[o.OperationID+" request "+name] = true
			}
		}
		for _, a := range o.Responses {
			for _, body := range a.Content {
				for name := range body.Examples {
					if _, shared := s.Components.Examples[name]; !shared {
						s.left[o.OperationID+" answer "+name] = true
					}
				}
			}
		}
	}
	for name := range s.Components.Examples {
		if !slices.Contains(unstaged, name) {
			s.left["problem "+name] = true
		}
	}
}

// tell makes one request.
func (s *teller) tell(step step) {
	s.t.Helper()
	s.server.pass(time.Duration(step.After) * time.Second)
	if step.Approves != "" {
		s.approve(step.As, step.Approves)
		return
	}
	method, target, _ := strings.Cut(step.Send, " ")
	path, query, _ := strings.Cut(target, "?")
	o := s.operation(method, path)
	if query != "" {
		target = path + "?" + s.query(o, query)
	}
	target = strings.Join(s.each(strings.Split(target, "/")), "/")

	var headers []string
	for name, text := range step.Headers {
		headers = append(headers, name, s.inQuotes(text))
	}
	want, media, example, schema := s.answer(o, step.Gives)
	as := s.clients[step.As]
	if media == "text/event-stream" {
		s.heard(as.listen(target, headers...), messages(s.t, media, example))
		return
	}
	if media != "" && media != "application/problem+json" {
		headers = append(headers, "Accept", media)
	}
	body := s.body(o, step, want != "400")
	got := as.do(method, target, body, headers...)
	if strconv.Itoa(got.status) != want {
		s.t.Fatalf("status %d, want %s: %s", got.status, want, got.body)
	}
	if o != nil {
		for name, header := range o.Responses[want].Headers {
			if header.Required && got.header.Get(name) == "" {
				s.t.Errorf("the answer has no %s", name)
			}
		}
	}
	if step.ETag != "" {
		s.same("ETag", step.ETag, strings.Trim(got.header.Get("ETag"), `"`))
	}
	switch text, isText := example.(string); {
	case example == nil:
	case got.header.Get("Content-Type") != media:
		s.t.Errorf("Content-Type %s, want %s", got.header.Get("Content-Type"), media)
	case media == "application/x-ndjson":
		s.lines(got.body, text)
	case isText:
		if !strings.HasPrefix(got.body, text) {
			s.t.Errorf("the body begins with %.40q, want %q", got.body, text)
		}
	default:
		s.same("", example, value(s.t, got.body))
		s.check.check("what the server answers", schema, value(s.t, got.body))
	}
}

// operation finds what a request is called; nil for a method that the address
// does not take.
func (s *teller) operation(method, path string) *operation {
	for i, o := range s.operations {
		shape := "^" + regexp.MustCompile(`\{\w+\}`).ReplaceAllString(o.Path, "[^/]+") + "$"
		if o.Method == method && regexp.MustCompile(shape).MatchString(path) {
			return &s.operations[i]
		}
	}
	return nil
}

// query gives the query of an address, whose parameters must be described.
func (s *teller) query(o *operation, text string) string {
	s.t.Helper()
	values, err := url.ParseQuery(text)
	if err != nil {
		s.t.Fatal(err)
	}
	for name := range values {
		if !slices.ContainsFunc(o.Parameters, func(p struct{ Name, In string }) bool { return p.Name == name && p.In == "query" }) {
			s.t.Errorf("%s has no parameter %s", o.OperationID, name)
		}
		values[name] = s.each(values[name])
	}
	return values.Encode()
}

// body is the example of a request.
func (s *teller) body(o *operation, step step, fits bool) string {
	s.t.Helper()
	if step.Body == "" {
		return step.Text
	}
	of := o.RequestBody.Content["application/json"]
	example, ok := of.Examples[step.Body]
	if !ok {
		s.t.Fatalf("%s has no request %s", o.OperationID, step.Body)
	}
	delete(s.left, o.OperationID+" request "+step.Body)
	if fits {
		s.check.check("request "+step.Body, of.Schema, example.Value)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s.sent(example.Value)); err != nil {
		s.t.Fatal(err)
	}
	return text.String()
}

// answer finds the example of an answer. A problem that no operation has is one
// of the router.
func (s *teller) answer(o *operation, name string) (status, media string, example any, schema string) {
	s.t.Helper()
	if o == nil {
		delete(s.left, "problem "+name)
		example = s.Components.Examples[name].Value
		return example.(map[string]any)["status"].(json.Number).String(), "application/problem+json", example, "#/components/schemas/Problem"
	}
	if _, ok := o.Responses[name]; ok {
		return name, "", nil, ""
	}
	for status, a := range o.Responses {
		for media, body := range a.Content {
			if found, ok := body.Examples[name]; ok {
				delete(s.left, o.OperationID+" answer "+name)
				delete(s.left, "problem "+name)
				return status, media, found.Value, body.Schema
			}
		}
	}
	s.t.Fatalf("%s has no answer %s", o.OperationID, name)
	return "", "", nil, ""
}

// heard compares messages of a stream.
func (s *teller) heard(l *listener, want []message) {
	s.t.Helper()
	for i, m := range l.take(len(want)) {
		s.same("id", want[i].id, m.id)
		s.same("data", value(s.t, want[i].data), value(s.t, m.data))
	}
}

func (s *teller) lines(got, want string) {
	s.t.Helper()
	gotLines, wantLines := strings.Split(strings.TrimSpace(got), "\n"), strings.Split(strings.TrimSpace(want), "\n")
	if len(gotLines) != len(wantLines) {
		s.t.Fatalf("%d lines, want %d", len(gotLines), len(wantLines))
	}
	for i := range wantLines {
		s.same("", value(s.t, wantLines[i]), value(s.t, gotLines[i]))
	}
}

// messages takes the example of a stream or of lines apart.
func messages(t *testing.T, media string, example any) (list []message) {
	t.Helper()
	text, _ := example.(string)
	switch media {
	case "text/event-stream":
		for part := range strings.SplitSeq(text, "\n\n") {
			var m message
			for line := range strings.SplitSeq(part, "\n") {
				switch name, rest, _ := strings.Cut(line, ": "); name {
				case "id":
					m.id = rest
				case "data":
					m.data = rest
				}
			}
			if m.data != "" {
				list = append(list, m)
			}
		}
	case "application/x-ndjson":
		for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
			list = append(list, message{data: line})
		}
	}
	return list
}

// generated are the shapes of what a server generates: salted hashes, UUIDs, keys'
// ids, places in the log, and what evidence is made of (policies have ids of roles).
var generated = regexp.MustCompile(`(?s)^([A-Za-z0-9+/]{43}=|countersign/[0-9a-f]{16}.*|\{"v":1,"(seq|confirm_id|name)":.*|sha256:[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|langchain-[0-9a-f]{32}|key:[0-9A-Za-z]{12}|[0-9]+\.[0-9]+)$`)

// same compares an example with what the server gave. The hash of arguments is
// not generated: whoever has them can compute it.
func (s *teller) same(path string, want, got any) {
	s.t.Helper()
	name := path[strings.LastIndex(path, ".")+1:]
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		for member := range object {
			if _, ok := want[member]; !ok {
				s.t.Errorf("%s.%s is not in the example: %v", path, member, object[member])
			}
		}
		for member, inside := range want {
			if _, sent := object[member]; !ok || !sent {
				s.t.Errorf("%s.%s is missing", path, member)
				continue
			}
			s.same(path+"."+member, inside, object[member])
		}
		return
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			s.t.Errorf("%s is %v, want %v", path, got, want)
			return
		}
		for i := range want {
			s.same(path, want[i], list[i])
		}
		return
	case string:
		if text, ok := got.(string); ok && name != "args_hash" && generated.MatchString(want) && generated.MatchString(text) {
			s.learn(path, want, text)
			return
		}
	case json.Number:
		if number, ok := got.(json.Number); ok && slices.Contains([]string{"log_index", "sequence", "seq", "votes"}, name) {
			s.learn(path, "entry "+want.String(), "entry "+number.String())
			return
		}
	}
	if want != got {
		s.t.Errorf("%s is %v, want %v", path, got, want)
	}
}

// learn notes what stands for a generated value of the contract, one for one.
func (s *teller) learn(path, want, got string) {
	s.t.Helper()
	if known, ok := s.actual[want]; ok && known != got {
		s.t.Errorf("%s is %s, where %s was %s before", path, got, want, known)
	}
	if known, ok := s.written[got]; ok && known != want {
		s.t.Errorf("%s is %s, which was %s before, and not %s", path, got, known, want)
	}
	s.actual[want], s.written[got] = got, want
}

// sent puts what the server generated into an example.
func (s *teller) sent(v any) any {
	switch v := v.(type) {
	case map[string]any:
		object := map[string]any{}
		for name, member := range v {
			object[name] = s.sent(member)
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = s.sent(v[i])
		}
		return list
	case string:
		return s.each([]string{v})[0]
	}
	return v
}

func (s *teller) each(texts []string) []string {
	list := slices.Clone(texts)
	for i, text := range list {
		if known, ok := s.actual[text]; ok {
			list[i] = known
		}
	}
	return list
}

// inQuotes is each for a header, whose value may stand in quotes.
func (s *teller) inQuotes(text string) string {
	inside := strings.Trim(text, `"`)
	return strings.Replace(text, inside, s.each([]string{inside})[0], 1)
}
