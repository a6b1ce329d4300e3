package api_test

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/credential"
	"countersign/web/api"
	"countersign/web/route"
)

func TestProblem_Document(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	got := agent.get("/confirms/none?wait=1").problem(http.StatusNotFound, "not-found")
	body := regexp.MustCompile(`"request_id":"[^"]+"`).ReplaceAllString(got.body, `"request_id":"…"`)
	want := `{"type":"/problems/not-found","title":"Not found","status":404,"detail":"There is no such request, or you may not see it.",` +
		`"instance":"/api/v1/confirms/none","request_id":"…"}` + "\n"
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("problem (-want +got):\n%s", diff)
	}
}

func TestProblem_Requests(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	admin := s.agent("admin")
	big := `{"title":"` + strings.Repeat("x", 256<<10) + `"}`
	tests := []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		slug                     string
	}{
		{"unknown address", "GET", "/nothing", "", nil, 404, "not-found"},
		{"unknown method", "DELETE", "/confirms", "", nil, 405, "method-not-allowed"},
		{"no media type", "POST", "/confirms", `{}`, []string{"Content-Type", ""}, 415, "unsupported-media-type"},
		{"a form", "POST", "/confirms", `a=b`, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "unsupported-media-type"},
		{"another charset", "POST", "/confirms", `{}`, []string{"Content-Type", "application/json; charset=latin1"}, 415, "unsupported-media-type"},
		{"compressed", "POST", "/confirms", `{}`, []string{"Content-Encoding", "gzip"}, 415, "unsupported-media-type"},
		{"with charset", "POST", "/confirms", `{}`, []string{"Content-Type", "application/json; charset=UTF-8"}, 422, "invalid"},
		{"too large", "POST", "/contexts", big, nil, 413, "too-large"},
		{"plans may be larger", "POST", "/plans", big, nil, 422, "invalid"},
		{"plan too large", "POST", "/plans", `{"title":"` + strings.Repeat("x", 4<<20) + `"}`, nil, 413, "too-large"},
		{"empty", "POST", "/confirms", " ", nil, 400, "invalid-json"},
		{"not JSON", "POST", "/confirms", `{`, nil, 400, "invalid-json"},
		{"not an object", "POST", "/confirms", `[]`, nil, 400, "invalid-json"},
		{"trailing data", "POST", "/confirms", `{} {}`, nil, 400, "invalid-json"},
		{"bad UTF-8", "POST", "/confirms", "{\"reason\":\"\xff\"}", nil, 400, "invalid-json"},
		{"too deep", "POST", "/contexts", `{"root":` + strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40) + `}`, nil, 400, "invalid-json"},
	}
	before := s.entries()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := admin.on(t).do(tt.method, tt.path, tt.body, tt.headers...).problem(tt.status, tt.slug)
			faults, _ := got.member("errors").([]any)
			if atFault := tt.status != http.StatusNotFound && tt.status != http.StatusMethodNotAllowed; atFault != (len(faults) > 0) {
				t.Errorf("says what is at fault: %v, want %t", faults, atFault)
			}
			for _, fault := range faults[:min(len(faults), 1)] {
				if message := fault.(map[string]any)["message"].(string); !strings.Contains(got.text("detail"), message) {
					t.Errorf("the detail %q does not say %q", got.text("detail"), message)
				}
			}
			if accept := got.header.Get("Accept"); (accept != "") != (tt.status == http.StatusUnsupportedMediaType && tt.name != "compressed") {
				t.Errorf("Accept %q", accept)
			}
		})
	}
	if got := admin.do(http.MethodDelete, "/confirms", "").header.Get("Allow"); !strings.Contains(got, "GET") || !strings.Contains(got, "POST") {
		t.Errorf("Allow %q", got)
	}
	if after := s.entries(); after != before {
		t.Errorf("the refusals left %d entries", after-before)
	}
}

func TestProblem_RoleNotHeld(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.agent("executor").post("/confirms", `{"requested_by_role":"reviewer",`+toolCall[1:]).problem(http.StatusForbidden, "role-not-held")
}

func TestProblem_RateLimited(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(c *domain.Config, _ *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Pending = 1
	})
	agent := s.agent("executor")
	agent.post("/confirms", toolCall).want(http.StatusCreated)
	if got := agent.post("/confirms", toolCall).problem(http.StatusTooManyRequests, "rate-limited").header.Get("Retry-After"); got == "" {
		t.Error("there is no Retry-After")
	}
	agent.post("/confirms", `{"status":"rejected",`+toolCall[1:]).want(http.StatusCreated) // an import waits for nobody
}

func TestProblem_EvidenceUnavailable(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	got := agent.post("/confirms", toolCall).problem(http.StatusServiceUnavailable, "evidence-unavailable")
	if got.header.Get("Retry-After") == "" {
		t.Error("there is no Retry-After")
	}
	clean(t, "closed database", got.body)
	s.http.Close()
	if !strings.Contains(s.log.String(), got.text("request_id")) {
		t.Errorf("the operator is not told of request %s: %s", got.text("request_id"), s.log)
	}
}

// TestProblem_Panic: without a store whoever looks at a key panics.
func TestProblem_Panic(t *testing.T) {
	t.Parallel()
	key, err := credential.NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	e := echo.New()
	api.Mount(route.NewTable(e), api.Options{Service: domain.NewService(nil, domain.Config{})})
	recorder := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/confirms", nil)
	request.Header.Set("Authorization", "Bearer "+key.Text)
	e.ServeHTTP(recorder, request)
	body, err := io.ReadAll(recorder.Body)
	if err != nil {
		t.Fatal(err)
	}
	got := reply{t, recorder.Code, recorder.Header(), string(body)}.problem(http.StatusInternalServerError, "internal")
	clean(t, "panic", got.body)
}

// TestProblem_OfTheRouter: errors that come from in front of the interface.
func TestProblem_OfTheRouter(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	valid := s.agent("executor").key
	tests := []struct {
		name   string
		err    error
		key    string
		status int
		slug   string
	}{
		{"no key first", echo.ErrNotFound, "", 401, "unauthenticated"},
		{"no key that could be one", echo.ErrNotFound, "x", 401, "unauthenticated"},
		{"unknown address", echo.ErrNotFound, valid, 404, "not-found"},
		{"another host", echo.NewHTTPError(http.StatusMisdirectedRequest, "secret"), "", 421, "misdirected-request"},
		{"a fault", echo.NewHTTPError(http.StatusBadGateway, "secret"), valid, 500, "internal"},
		{"no error of HTTP", io.ErrUnexpectedEOF, valid, 500, "internal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			recorder := httptest.NewRecorder()
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/x", nil)
			if tt.key != "" {
				request.Header.Set("Authorization", "Bearer "+tt.key)
			}
			api.WriteProblem(echo.New().NewContext(request, recorder), s.Service, tt.err)
			got := reply{t, recorder.Code, recorder.Header(), recorder.Body.String()}.problem(tt.status, tt.slug)
			if strings.Contains(got.body, "secret") || strings.Contains(got.body, "EOF") {
				t.Errorf("the problem tells %s", got.body)
			}
		})
	}
}

// TestB9_NoKeyInForceIsToldFirst, at addresses and methods that there are not, too.
func TestB9_NoKeyInForceIsToldFirst(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	key, text, err := s.CreateKey(t.Context(), domain.System, domain.KeyInput{Name: "bot", Roles: []string{"executor"}})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := domain.NewService(s.db, domain.Config{Now: s.now})
	other := newServer(t).agent("executor").key
	ask := func(key string, status, statusOfMethod int) {
		t.Helper()
		agent := &client{s, t, key}
		agent.get("/nothing").want(status)
		agent.post("/nothing", "{}").want(status)
		agent.do(http.MethodDelete, "/confirms", "").want(statusOfMethod)
	}
	ask(text, http.StatusNotFound, http.StatusMethodNotAllowed)
	for _, foreign := range []string{"", "cs_x", other} {
		ask(foreign, http.StatusUnauthorized, http.StatusUnauthorized)
	}
	if err := elsewhere.RevokeKey(t.Context(), domain.System, key.ID); err != nil { // by another process
		t.Fatal(err)
	}
	ask(text, http.StatusUnauthorized, http.StatusUnauthorized)
}

// clean asserts that an answer shows nothing of how the server is made.
func clean(t *testing.T, name, body string) {
	t.Helper()
	for _, trace := range []string{".go:", "sql", "SQL", "goroutine", "panic", "runtime error", "database is", "nil pointer", "countersign/"} {
		if strings.Contains(body, trace) {
			t.Errorf("%s: the answer shows %q: %s", name, trace, body)
		}
	}
}
