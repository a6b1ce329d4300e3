package api_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// never marks what a row says nothing about.
const never = 0

// publicAddress is the only one without a key; see openapi_test.go.
const publicAddress = "GET /openapi.yaml"

// access says what a key that may nothing gets at every address: one of the
// requester's own group, which sees the objects, and a stranger, which does not.
// HASH stands for the confirm's content hash.
var access = map[string]struct {
	path, body    string
	own, stranger int
}{
	"POST /confirms":                  {"/confirms", toolCall, 403, 403},
	"GET /confirms":                   {"/confirms", "", 200, 200},
	"GET /confirms/:id":               {"/confirms/c-1", "", 200, 404},
	"PATCH /confirms/:id":             {"/confirms/c-1", `{"decisions":[{"status":"approved"}]}`, 403, 404},
	"POST /confirms/:id/cancel":       {"/confirms/c-1/cancel", "", never, 404}, // a requester may
	"GET /confirms/:id/outcome":       {"/confirms/c-1/outcome", "", 200, 404},
	"POST /confirms/:id/decisions":    {"/confirms/c-1/decisions", `{"status":"approved","content_hash":"HASH"}`, 403, 404},
	"POST /approvals":                 {"/approvals", `{"session_id":"s",` + toolCall[1:], 403, 403},
	"POST /native/:format":            {"/native/claude?wait=0", bash("t1", "make"), 403, 403},
	"GET /approvals/:key":             {"/approvals/s_1", "", 200, 404},
	"POST /approvals/:key":            {"/approvals/s_1", `{"decisions":[{"type":"approve"}]}`, 403, 404},
	"POST /plans":                     {"/plans", draft, 403, 403},
	"GET /plans":                      {"/plans", "", 200, 200},
	"GET /plans/:id":                  {"/plans/plan-1", "", 200, 404},
	"PUT /plans/:id":                  {"/plans/plan-1", draft, 403, 404},
	"POST /plans/:id/propose":         {"/plans/plan-1/propose", "", 403, 404},
	"POST /plans/:id/cancel":          {"/plans/plan-1/cancel", "", never, 404}, // a poster may
	"POST /plans/:id/start":           {"/plans/plan-1/start", "", 403, 404},
	"POST /plans/:id/complete":        {"/plans/plan-1/complete", "", 403, 404},
	"POST /plans/:id/fail":            {"/plans/plan-1/fail", "", 403, 404},
	"PATCH /plans/:id/steps/:step_id": {"/plans/plan-1/steps/s1", `{"status":"in_progress"}`, 403, 404},
	"GET /gate":                       {"/gate?plan_id=plan-1&step_id=s1", "", 403, 403},
	"POST /gate/consume":              {"/gate/consume", `{"confirm_id":"c-1","execution_id":"e","action":0,"args_hash":"HASH"}`, 403, 404},
	"POST /contexts":                  {"/contexts", `{}`, 403, 403},
	"GET /contexts":                   {"/contexts", "", 200, 200},
	"GET /contexts/:id":               {"/contexts/ctx-9", "", 403, 404},
	"PUT /contexts/:id":               {"/contexts/ctx-9", `{}`, 403, 404},
	"POST /traces":                    {"/traces", `{"context_id":"ctx-9"}`, 403, 403},
	"GET /traces":                     {"/traces", "", 200, 200},
	"GET /traces/:id":                 {"/traces/t-1", "", 200, 404},
	"POST /roles":                     {"/roles", `{"name":"x"}`, 403, 403},
	"GET /roles":                      {"/roles", "", 403, 403},
	"GET /roles/:id":                  {"/roles/planner", "", 403, 403},
	"PUT /roles/:id":                  {"/roles/planner", `{"name":"planner"}`, 403, 403},
	"DELETE /roles/:id":               {"/roles/planner", "", 403, 403},
	"GET /roles/:id/can":              {"/roles/planner/can?capability=plan.create", "", 200, 200},
	"POST /validate/:type":            {"/validate/role", `{"name":"x"}`, 200, 200},
	"GET /events":                     {"/events", "", 403, 403},
	"GET /learning-samples":           {"/learning-samples", "", 403, 403},
	publicAddress:                     {"/openapi.yaml", "", 200, 200},
	"GET /evidence/checkpoint":        {"/evidence/checkpoint", "", 403, 403},
	"GET /evidence/consistency":       {"/evidence/consistency?from=1", "", 403, 403},
	"GET /evidence/keys":              {"/evidence/keys", "", 403, 403},
	"GET /evidence/confirms/:id":      {"/evidence/confirms/c-1", "", 200, 404}, // a requester's own
	// A stream has no end, so that one is asked for here that never begins.
	"GET /sessions/:session_id/events": {"/sessions/s/events?last_event_id=x", "", 422, 422},
	"GET /sessions/:session_id/ws":     {"/sessions/s/ws", "", 426, 426},
}

// populated is a server with an object of every kind, posted by one agent.
func populated(t *testing.T) (s *server, hash string) {
	t.Helper()
	s = newServer(t)
	agent := s.agent("executor", "planner", "architect")
	confirm := agent.post("/confirms", `{"confirm_id":"c-1",`+toolCall[1:]).want(http.StatusCreated)
	agent.post("/approvals", `{"approval_key":"s_1",`+toolCall[1:]).want(http.StatusCreated)
	agent.post("/plans", draft).want(http.StatusCreated)
	agent.post("/contexts", `{"context_id":"ctx-9"}`).want(http.StatusCreated)
	agent.post("/traces", `{"trace_id":"t-1","context_id":"ctx-9"}`).want(http.StatusCreated)
	s.role("guest", "collab.join")
	s.owner("stranger")
	return s, strings.Trim(confirm.header.Get("ETag"), `"`)
}

// each calls fn for every address that is mounted.
func each(t *testing.T, s *server, fn func(t *testing.T, method, path, body string, own, stranger int)) {
	t.Helper()
	for _, r := range s.table.Routes() {
		name := r.Method + " " + strings.TrimPrefix(r.Path, "/api/v1")
		row, ok := access[name]
		if !ok {
			t.Errorf("%s has no row here", name)
			continue
		}
		if name == publicAddress {
			continue
		}
		if r.Needs == "" || r.Needs == "public" {
			t.Errorf("%s needs %q", name, r.Needs)
		}
		t.Run(name, func(t *testing.T) { fn(t, r.Method, row.path, row.body, row.own, row.stranger) })
	}
	if len(access) != len(s.table.Routes()) {
		t.Errorf("%d rows for %d addresses", len(access), len(s.table.Routes()))
	}
}

func TestRoutes_WithoutKey(t *testing.T) {
	t.Parallel()
	s, _ := populated(t)
	admin := s.agent("admin")
	revoked := s.keyFor(domain.KeyInput{Name: "revoked", Roles: []string{"admin"}})
	if err := s.RevokeKey(t.Context(), domain.System, "revoked"); err != nil {
		t.Fatal(err)
	}
	nobody := &client{s, t, ""}
	before := s.entries()
	each(t, s, func(t *testing.T, method, path, body string, _, _ int) {
		nobody, admin, revoked := nobody.on(t), admin.on(t), revoked.on(t)
		query := "?"
		if strings.Contains(path, "?") {
			query = "&"
		}
		refused := map[string]reply{
			"no key":         nobody.do(method, path, body),
			"no body either": nobody.do(method, path, ""),
			"a cookie":       nobody.do(method, path, body, "Cookie", "countersign=x; __Host-countersign=x"),
			"another scheme": nobody.do(method, path, body, "Authorization", "Basic "+admin.key),
			"no such key":    nobody.do(method, path, body, "Authorization", "Bearer cs_nothing"),
			"revoked":        revoked.do(method, path, body),
			"in the address": nobody.do(method, path+query+"key="+admin.key, body),
			"there as well":  admin.do(method, path+query+"access_token="+admin.key, body),
		}
		for name, got := range refused {
			got.problem(http.StatusUnauthorized, "unauthenticated")
			if got.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s: there is no WWW-Authenticate", name)
			}
			if strings.Contains(got.body, admin.key) {
				t.Errorf("%s: the answer repeats the key: %s", name, got.body)
			}
		}
	})
	if after := s.entries(); after != before {
		t.Errorf("the refusals left %d entries", after-before)
	}
}

// TestRoutes_KeyThatEndedSinceItWasUsed: that a key was right a moment ago lets
// no address forget to look whether it still is, whoever ended it and whatever
// else is wrong with the request.
func TestRoutes_KeyThatEndedSinceItWasUsed(t *testing.T) {
	t.Parallel()
	s, hash := populated(t)
	elsewhere := domain.NewService(s.db, domain.Config{Now: s.now}) // as a command does it
	ends := map[string]func(key *domain.Key) error{
		"revoked":           func(k *domain.Key) error { return s.RevokeKey(t.Context(), domain.System, k.ID) },
		"revoked elsewhere": func(k *domain.Key) error { return elsewhere.RevokeKey(t.Context(), domain.System, k.ID) },
		"owner disabled":    func(k *domain.Key) error { return elsewhere.DisableUser(t.Context(), domain.System, k.OwnerID) },
	}
	for name, end := range ends {
		for _, tt := range []struct{ name, query, body string }{{"a good request", "", "BODY"}, {"a bad body", "", "{"}, {"a bad query", "%zz", "BODY"}} {
			owner := strings.ReplaceAll(name+" "+tt.name, " ", "-")
			s.owner(owner)
			key, text, err := s.CreateKey(t.Context(), domain.System, domain.KeyInput{Name: owner, Roles: []string{"admin"}, Owner: owner, MayDecide: true})
			if err != nil {
				t.Fatal(err)
			}
			agent := &client{s, t, text}
			agent.get("/roles/planner/can?capability=plan.create").want(http.StatusOK)
			if err := end(key); err != nil {
				t.Fatal(err)
			}
			each(t, s, func(t *testing.T, method, path, body string, _, _ int) {
				path = strings.ReplaceAll(path, "last_event_id=x", "last_event_id=1.1")
				if tt.query != "" {
					path += "?" + tt.query
				}
				if body != "" {
					body = strings.ReplaceAll(tt.body, "BODY", strings.ReplaceAll(body, "HASH", hash))
				}
				agent.on(t).do(method, path, body, "If-Match", `"`+hash+`"`).problem(http.StatusUnauthorized, "unauthenticated")
			})
		}
	}
}

func TestRoutes_WithoutCapability(t *testing.T) {
	t.Parallel()
	s, hash := populated(t)
	own := s.agent("guest")
	stranger := s.keyFor(domain.KeyInput{Name: "stranger", Roles: []string{"guest"}, Owner: "stranger"})
	before := s.entries()
	each(t, s, func(t *testing.T, method, path, body string, ownStatus, strangerStatus int) {
		body = strings.ReplaceAll(body, "HASH", hash)
		for name, tt := range map[string]struct {
			client *client
			want   int
		}{"own": {own, ownStatus}, "stranger": {stranger, strangerStatus}} {
			if tt.want == never {
				continue
			}
			got := tt.client.on(t).do(method, path, body, "If-Match", `"`+hash+`"`)
			switch tt.want {
			case http.StatusForbidden:
				if got.problem(tt.want, "missing-capability").text("capability") == "" {
					t.Errorf("%s: no capability is named: %s", name, got.body)
				}
			case http.StatusNotFound:
				got.problem(tt.want, "not-found")
			default:
				got.want(tt.want)
			}
		}
	})
	if got := stranger.get("/confirms").ids("confirm_id"); len(got) > 0 {
		t.Errorf("a stranger sees %v", got)
	}
	if after := s.entries(); after != before {
		t.Errorf("the refusals left %d entries", after-before)
	}
}

// TestRoutes_ForeignIsLikeUnknown: an answer tells nothing about what the
// caller may not see.
func TestRoutes_ForeignIsLikeUnknown(t *testing.T) {
	t.Parallel()
	s, hash := populated(t)
	stranger := s.keyFor(domain.KeyInput{Name: "stranger", Roles: []string{"executor", "planner", "architect"}, Owner: "stranger"})
	differ := regexp.MustCompile(`"(request_id|instance)":"[^"]*"`)
	each(t, s, func(t *testing.T, method, path, body string, _, status int) {
		if status != http.StatusNotFound {
			return
		}
		stranger := stranger.on(t)
		unknown := regexp.MustCompile(`c-1|s_1|plan-1|ctx-9|t-1`)
		body = strings.ReplaceAll(body, "HASH", hash)
		foreign := stranger.do(method, path, body, "If-Match", `"`+hash+`"`).problem(http.StatusNotFound, "not-found")
		other := strings.Replace(unknown.ReplaceAllString(body, "x_2"), hash, "sha256:"+strings.Repeat("0", 64), 1)
		missing := stranger.do(method, unknown.ReplaceAllString(path, "x_2"), other, "If-Match", `"`+hash+`"`).problem(http.StatusNotFound, "not-found")
		if a, b := differ.ReplaceAllString(foreign.body, ""), differ.ReplaceAllString(missing.body, ""); a != b {
			t.Errorf("foreign %s\nunknown %s", a, b)
		}
		for _, header := range []http.Header{foreign.header, missing.header} {
			header.Del("X-Request-Id")
			header.Del("Date")
			header.Del("Content-Length")
		}
		if !slices.Equal(names(foreign.header), names(missing.header)) {
			t.Errorf("headers %v and %v", names(foreign.header), names(missing.header))
		}
	})
}

func names(h http.Header) (list []string) {
	for name := range h {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// TestRoutes_Garbage sends nonsense everywhere: what comes back is a problem or
// an answer, never the server's insides.
func TestRoutes_Garbage(t *testing.T) {
	t.Parallel()
	s, _ := populated(t)
	admin := s.decider("root", "admin")
	bodies := []string{`{`, `[]`, `{"a":1}`, `null`, `"x"`, "\x00", `{"actions":{},"steps":3,"decisions":"x","capabilities":{}}`, strings.Repeat("[", 10_000)}
	each(t, s, func(t *testing.T, method, path, _ string, _, _ int) {
		for _, body := range bodies {
			got := admin.on(t).do(method, path, body, "If-Match", "'; DROP TABLE confirms; --")
			if !strings.HasPrefix(path, "/evidence/") { // random base64 may read like anything
				clean(t, body, got.body)
			}
			if got.status >= 500 {
				t.Errorf("%s: status %d: %s", body, got.status, got.body)
			}
		}
	})
	for _, query := range []string{"cursor=%00", "cursor=' OR 1=1", "q=%22%25%5f*", "q=%ff", "status=%F0%9F%98%80", "limit=1e3", "wait=%00"} {
		for _, path := range []string{"/confirms", "/plans", "/contexts", "/roles", "/confirms/c-1/outcome", "/confirms/%2e%2e%2f", "/confirms/%00", "/roles/%ff/can"} {
			got := admin.get(path + "?" + strings.ReplaceAll(query, " ", "+"))
			clean(t, path+"?"+query, got.body)
			if got.status >= 500 {
				t.Errorf("%s?%s: status %d: %s", path, query, got.status, got.body)
			}
		}
	}
}

// TestRoutes_EveryAnswerIsNamed: a request id, and nothing to keep.
func TestRoutes_EveryAnswerIsNamed(t *testing.T) {
	t.Parallel()
	s, _ := populated(t)
	admin := s.agent("admin")
	seen := map[string]bool{}
	each(t, s, func(t *testing.T, method, path, body string, _, _ int) {
		got := admin.on(t).do(method, path, body)
		id := got.header.Get("X-Request-Id")
		if id == "" || seen[id] {
			t.Errorf("X-Request-Id %q", id)
		}
		seen[id] = true
		if got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("Cache-Control %q", got.header.Get("Cache-Control"))
		}
	})
}
