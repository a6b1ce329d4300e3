package main

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/web/route"
)

// rule is what one address needs.
type rule struct {
	path   string // ID is the object's
	body   string // JSON, or a form as a query
	object string // what must be seen, or the answer is 404: confirm, plan, context or trace
	caps   string // any of them is needed; empty: none
	// requester says that whose group asked for the object needs none of them.
	requester bool
	// decision says that nobody may do it to what their own group requested,
	// and a key only if it may decide.
	decision bool
}

const wrongHash = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

const (
	aCall    = `{"target_type":"other","actions":[{"name":"pay","args":{}}]}`
	aPlan    = `{"plan_id":"ID","context_id":"c","title":"t","objective":"o","steps":[{"step_id":"s1","description":"d"}]}`
	asksCall = "confirm.request plan.execute plan.propose"
	// A key that may nothing can call a tool, which says that the key may not.
	aToolCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_outcome","arguments":{"confirm_id":"ID","wait_seconds":0}}}`
)

// pageRules and apiRules have a row for every address that is not public.
var pageRules = map[string]rule{
	"POST /logout":                   {path: "/logout"},
	"GET /live":                      {path: "/live"},
	"GET /waiting":                   {path: "/waiting"},
	"GET /":                          {path: "/"},
	"GET /confirms":                  {path: "/confirms"},
	"GET /confirms/:id":              {path: "/confirms/ID", object: "confirm"},
	"GET /confirms/:id/content":      {path: "/confirms/ID/content", object: "confirm"},
	"POST /confirms/:id/decision":    {path: "/confirms/ID/decision", body: "decision=approve&content_hash=" + wrongHash, object: "confirm", caps: "confirm.approve", decision: true},
	"POST /confirms/:id/cancel":      {path: "/confirms/ID/cancel", body: "reason=x", object: "confirm", caps: "confirm.reject", requester: true},
	"GET /plans":                     {path: "/plans"},
	"GET /plans/:id":                 {path: "/plans/ID", object: "plan"},
	"POST /plans/:id/propose":        {path: "/plans/ID/propose", object: "plan", caps: "plan.propose"},
	"POST /plans/:id/cancel":         {path: "/plans/ID/cancel", body: "reason=x", object: "plan", caps: "plan.create", requester: true},
	"GET /contexts":                  {path: "/contexts"},
	"GET /contexts/:id":              {path: "/contexts/ID", object: "context", caps: "context.read context.modify"},
	"GET /roles":                     {path: "/roles", caps: "role.read role.modify"},
	"GET /roles/new":                 {path: "/roles/new", caps: "role.modify"},
	"GET /roles/:id":                 {path: "/roles/spare", caps: "role.read role.modify"},
	"POST /roles":                    {path: "/roles", body: "name=fresh&capabilities=a.b", caps: "role.modify"},
	"POST /roles/:id":                {path: "/roles/spare", body: "name=spare&capabilities=a.b", caps: "role.modify"},
	"POST /roles/:id/delete":         {path: "/roles/guest/delete", caps: "role.modify"}, // it is in use
	"GET /users":                     {path: "/users", caps: "user.read user.modify"},
	"GET /users/:id":                 {path: "/users/BYSTANDER", caps: "user.read user.modify"},
	"POST /users":                    {path: "/users", body: "username=fresh&role=guest", caps: "user.modify"},
	"POST /users/:id/roles":          {path: "/users/BYSTANDER/roles", body: "role=guest", caps: "user.modify"},
	"POST /users/:id/reset":          {path: "/users/BYSTANDER/reset", caps: "user.modify"},
	"POST /users/:id/disable":        {path: "/users/BYSTANDER/disable", caps: "user.modify"},
	"POST /users/:id/enable":         {path: "/users/BYSTANDER/enable", caps: "user.modify"},
	"POST /users/:id/sessions":       {path: "/users/BYSTANDER/sessions", caps: "user.modify"},
	"GET /keys":                      {path: "/keys", caps: "key.read key.modify"},
	"GET /connect":                   {path: "/connect?key=AGENT", caps: "key.modify"},
	"POST /keys":                     {path: "/keys", body: "name=fresh&role=guest", caps: "key.modify"},
	"POST /keys/:id/revoke":          {path: "/keys/AGENT/revoke", caps: "key.modify"},
	"GET /destinations":              {path: "/destinations", caps: "destination.read destination.modify"},
	"GET /destinations/new":          {path: "/destinations/new", caps: "destination.modify"},
	"GET /destinations/:id":          {path: "/destinations/ID", caps: "destination.read destination.modify"},
	"POST /destinations":             {path: "/destinations", body: "name=", caps: "destination.modify"},
	"POST /destinations/:id":         {path: "/destinations/ID", body: "name=", caps: "destination.modify"},
	"POST /destinations/:id/test":    {path: "/destinations/ID/test", caps: "destination.modify"},
	"POST /destinations/:id/key":     {path: "/destinations/ID/key", caps: "destination.modify"},
	"POST /destinations/:id/enable":  {path: "/destinations/ID/enable", caps: "destination.modify"}, // it is enabled
	"POST /destinations/:id/disable": {path: "/destinations/ID/disable", caps: "destination.modify"},
	"POST /destinations/:id/delete":  {path: "/destinations/ID/delete", caps: "destination.modify"},
	"GET /deliveries":                {path: "/deliveries", caps: "destination.read destination.modify"},
	"POST /deliveries/:id/retry":     {path: "/deliveries/ID/retry", caps: "destination.modify"},
	"GET /policies":                  {path: "/policies", caps: "policy.read policy.modify"},
	"GET /policies/new":              {path: "/policies/new", caps: "policy.modify"},
	"GET /policies/:id":              {path: "/policies/ID", caps: "policy.read policy.modify"},
	"POST /policies":                 {path: "/policies", body: "name=", caps: "policy.modify"},
	"POST /policies/:id":             {path: "/policies/ID", body: "name=", caps: "policy.modify"},
	"POST /policies/try":             {path: "/policies/try", body: "name=", caps: "policy.modify"},
	"POST /policies/:id/enable":      {path: "/policies/ID/enable", caps: "policy.modify"}, // it is enabled
	"POST /policies/:id/disable":     {path: "/policies/ID/disable", caps: "policy.modify"},
	"GET /log":                       {path: "/log", caps: "trace.read"},
	"GET /evidence":                  {path: "/evidence", caps: "trace.read"},
	"GET /evidence/checkpoint.txt":   {path: "/evidence/checkpoint.txt", caps: "trace.read"},
	"POST /evidence/verify":          {path: "/evidence/verify", caps: "trace.read"},
	"GET /evidence/confirms":         {path: "/evidence/confirms?confirm_id=ID", object: "confirm", caps: "trace.read", requester: true},
	"GET /evidence/confirms/:id":     {path: "/evidence/confirms/ID", object: "confirm", caps: "trace.read", requester: true},
	"GET /traces/:id":                {path: "/traces/ID", object: "trace", caps: "trace.read"},
	"GET /account":                   {path: "/account"},
	"POST /account/password":         {path: "/account/password", body: "current=wrong&password=x&password_again=x"},
	"POST /account/shortcuts":        {path: "/account/shortcuts", body: "shortcuts=1"},
	"POST /account/sessions/:id/end": {path: "/account/sessions/00/end", object: "nothing"},
}

var apiRules = map[string]rule{
	"POST /confirms":                   {path: "/confirms", body: aCall, caps: asksCall},
	"GET /confirms":                    {path: "/confirms"},
	"GET /confirms/:id":                {path: "/confirms/ID", object: "confirm"},
	"PATCH /confirms/:id":              {path: "/confirms/ID", body: `{"decisions":[{"status":"approved"}]}`, object: "confirm", caps: "confirm.approve", decision: true},
	"POST /confirms/:id/cancel":        {path: "/confirms/ID/cancel", object: "confirm", caps: "confirm.reject", requester: true},
	"GET /confirms/:id/outcome":        {path: "/confirms/ID/outcome", object: "confirm"},
	"POST /confirms/:id/decisions":     {path: "/confirms/ID/decisions", body: `{"status":"approved","content_hash":"` + wrongHash + `"}`, object: "confirm", caps: "confirm.approve", decision: true},
	"POST /approvals":                  {path: "/approvals", body: `{"session_id":"s",` + aCall[1:], caps: asksCall},
	"POST /native/:format":             {path: "/native/claude?wait=0", body: `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{},"tool_use_id":"ID"}`, caps: "plan.execute"},
	"GET /approvals/:key":              {path: "/approvals/ID_1", object: "confirm"},
	"POST /approvals/:key":             {path: "/approvals/ID_1", body: `{"decisions":[{"type":"approve"}],"content_hash":"` + wrongHash + `"}`, object: "confirm", caps: "confirm.approve", decision: true},
	"GET /sessions/:session_id/events": {path: "/sessions/s/events?last_event_id=x"}, // one that never begins
	"GET /sessions/:session_id/ws":     {path: "/sessions/s/ws"},
	"POST /plans":                      {path: "/plans", body: strings.Replace(aPlan, `"plan_id":"ID",`, "", 1), caps: "plan.create"},
	"GET /plans":                       {path: "/plans"},
	"GET /plans/:id":                   {path: "/plans/ID", object: "plan"},
	"PUT /plans/:id":                   {path: "/plans/ID", body: aPlan, object: "plan", caps: "plan.create"},
	"POST /plans/:id/propose":          {path: "/plans/ID/propose", object: "plan", caps: "plan.propose"},
	"POST /plans/:id/cancel":           {path: "/plans/ID/cancel", object: "plan", caps: "plan.create", requester: true},
	"POST /plans/:id/start":            {path: "/plans/ID/start", object: "plan", caps: "plan.execute"},
	"POST /plans/:id/complete":         {path: "/plans/ID/complete", object: "plan", caps: "plan.execute"},
	"POST /plans/:id/fail":             {path: "/plans/ID/fail", object: "plan", caps: "plan.execute"},
	"PATCH /plans/:id/steps/:step_id":  {path: "/plans/ID/steps/s1", body: `{"status":"in_progress"}`, object: "plan", caps: "plan.execute"},
	"GET /gate":                        {path: "/gate?plan_id=ID&step_id=s1", caps: "plan.execute"},
	"POST /gate/consume":               {path: "/gate/consume", body: `{"confirm_id":"ID","execution_id":"e","action":0,"args_hash":"` + wrongHash + `"}`, object: "confirm", caps: "plan.execute"},
	"POST /contexts":                   {path: "/contexts", body: `{}`, caps: "context.modify"},
	"GET /contexts":                    {path: "/contexts"},
	"GET /contexts/:id":                {path: "/contexts/ID", object: "context", caps: "context.read context.modify"},
	"PUT /contexts/:id":                {path: "/contexts/ID", body: `{"context_id":"ID"}`, object: "context", caps: "context.modify"},
	"POST /traces":                     {path: "/traces", body: `{"context_id":"c"}`, caps: "plan.execute"},
	"GET /traces":                      {path: "/traces"},
	"GET /traces/:id":                  {path: "/traces/ID", object: "trace"},
	"POST /roles":                      {path: "/roles", body: `{"name":"fresh"}`, caps: "role.modify"},
	"GET /roles":                       {path: "/roles", caps: "role.read role.modify"},
	"GET /roles/:id":                   {path: "/roles/spare", caps: "role.read role.modify"},
	"PUT /roles/:id":                   {path: "/roles/spare", body: `{"name":"spare"}`, caps: "role.modify"},
	"DELETE /roles/:id":                {path: "/roles/guest", caps: "role.modify"},
	"GET /roles/:id/can":               {path: "/roles/planner/can?capability=plan.create"},
	"GET /events":                      {path: "/events", caps: "trace.read"},
	"GET /learning-samples":            {path: "/learning-samples", caps: "trace.read"},
	"POST /validate/:type":             {path: "/validate/role", body: `{"name":"x"}`},
	"GET /evidence/checkpoint":         {path: "/evidence/checkpoint", caps: "trace.read"},
	"GET /evidence/consistency":        {path: "/evidence/consistency?from=1&to=2", caps: "trace.read"},
	"GET /evidence/keys":               {path: "/evidence/keys", caps: "trace.read"},
	"GET /evidence/confirms/:id":       {path: "/evidence/confirms/ID", object: "confirm", caps: "trace.read", requester: true},
}

// caller is somebody who asks, and what they hold.
type caller struct {
	*visitor
	name      string
	role      *domain.Role
	user      bool
	mayDecide bool
	alone     bool // a key without an owner
}

func (c *caller) can(caps string) bool {
	return caps == "" || slices.ContainsFunc(strings.Fields(caps), func(cap string) bool { return c.role.Grants(domain.Capability(cap)) })
}

// sees reports whether the caller may see an object: a key what its own group posted
// and what it may decide, a user by capability.
func (c *caller) sees(object string, own bool) bool {
	deciding := "confirm.approve confirm.reject"
	switch {
	case object == "nothing":
		return false
	case object == "" || own:
		return true
	case !c.user && (object == "trace" || !c.mayDecide || !c.can(deciding)):
		return false
	case object == "context":
		return c.can("context.read context.modify")
	case !c.user:
		return true
	case object == "confirm":
		return c.can(deciding + " trace.read")
	case object == "trace":
		return c.can("trace.read")
	case object == "plan":
		return c.can(deciding + " trace.read plan.create plan.propose plan.execute plan.*")
	}
	return true
}

// expected is the status of a refusal, or 0 for whatever is none.
func (c *caller) expected(r rule, own bool) int {
	switch {
	case !c.sees(r.object, own):
		return http.StatusNotFound
	case r.decision && (own || !c.user && !c.mayDecide):
		return http.StatusForbidden
	case !c.can(r.caps) && !(r.requester && own):
		return http.StatusForbidden
	}
	return 0
}

// TestBarR11_AccessMatrix asks at every address as every role, of what is one's
// own and of what is another's, as a user, a key, a key that may decide and a key
// without an owner. A refusal changes nothing in any table, and says the same of
// another's object as of one that does not exist. Forms of another site are always
// refused.
func TestBarR11_AccessMatrix(t *testing.T) {
	t.Parallel()
	b, _ := newBar(t, "R11", 0, 0)
	accessMatrix(b, newHouse(t, tempDB(t)), 1, func() {})
}

// accessMatrix asks as one in so many roles. The middle comes between two of
// them.
func accessMatrix(b *bar, h *house, oneIn int, middle func()) {
	t := b.t
	// Of the seeded roles only the admin's concerns policies.
	for role, capability := range map[string]string{"guest": "collab.join", "spare": "collab.join", "policy_reader": "policy.read", "policy_editor": "policy.modify"} {
		if _, err := h.CreateRole(t.Context(), domain.System, domain.RoleInput{ID: role, Name: role, Capabilities: []string{capability}}); err != nil {
			t.Fatal(err)
		}
	}
	h.user("elsewhere", "admin")
	bystander := h.user("bystander", "guest")
	_, agent := h.key(domain.KeyInput{Name: "bystander", Roles: []string{"guest"}})
	h.user("foreign", "guest")
	h.destination("kept")
	foreign, alone := posts(h, "foreign", "foreign"), posts(h, "alone", "")

	rows, err := h.Roles(t.Context(), domain.System)
	if err != nil {
		t.Fatal(err)
	}
	anonymous := &visitor{house: h}
	var callers []*caller
	for i, row := range rows {
		if i%oneIn != 0 {
			continue
		}
		role := &domain.Role{Name: row.Name, Capabilities: row.Capabilities}
		name := "user-" + role.Name
		h.user(name, role.Name)
		key, _ := h.key(domain.KeyInput{Name: "key-" + role.Name, Roles: []string{role.Name}, Owner: name})
		decider, _ := h.key(domain.KeyInput{Name: "decider-" + role.Name, Roles: []string{role.Name}, Owner: name, MayDecide: true})
		callers = append(callers,
			&caller{visitor: h.signedIn(name), name: name, role: role, user: true},
			&caller{visitor: &visitor{house: h, key: key}, name: "key-" + role.Name, role: role},
			&caller{visitor: &visitor{house: h, key: decider}, name: "decider-" + role.Name, role: role, mayDecide: true})
		posts(h, name, name)
		lone, _ := h.key(domain.KeyInput{Name: "lone-" + role.Name, Roles: []string{role.Name}})
		callers = append(callers, &caller{visitor: &visitor{house: h, key: lone}, name: "lone-" + role.Name, role: role, alone: true})
	}
	tried, nobody := map[int]int{}, domain.Ref{ID: "unknown"}
	// Refusals come first: they must leave everything as it is.
	for _, allowed := range []bool{false, true} {
		for i, c := range callers {
			if !allowed && i == len(callers)/2 {
				middle()
			}
			before := digest(h)
			owner := "user-" + c.role.Name
			for _, r := range h.web.Routes() {
				rule, ok := ruleOf(c.user, r)
				if !ok {
					continue
				}
				ids := []string{owner, foreign}
				if c.alone { // and so is whose that is
					ids = []string{alone}
				}
				for _, id := range ids {
					want := c.expected(rule, id == owner)
					if (want == 0) != allowed || r.Path == "/logout" || r.Path == "/live" {
						continue
					}
					got := c.asks(r.Method, rule, id, bystander, agent)
					refusal := got.status == http.StatusUnauthorized || got.status == http.StatusForbidden || got.status == http.StatusNotFound ||
						strings.HasPrefix(got.header.Get("Location"), "/login")
					switch {
					case want != 0 && got.status != want, want == 0 && refusal, got.status >= http.StatusInternalServerError:
						b.violated("%s: %s %s of %s: status %d, want %d: %.300s", c.name, r.Method, r.Path, id, got.status, want, got.body)
					case id != owner && (want == http.StatusNotFound || want != 0 && rule.object == ""):
						if unknown := c.asks(r.Method, rule, "unknown", nobody, nobody); unknown.anonymous("unknown") != got.anonymous(id) {
							b.violated("%s: %s %s tells the unknown from another's: status %d and %d", c.name, r.Method, r.Path, unknown.status, got.status)
						}
					}
					tried[want]++
					b.n.Add(1)
				}
			}
			if !allowed && digest(h) != before {
				b.violated("%s was refused and something changed", c.name)
			}
		}
	}
	before := digest(h)
	for _, r := range h.web.Routes() {
		for _, user := range []bool{true, false} {
			rule, ok := ruleOf(user, r)
			if !ok {
				if r.Needs != route.Public && (strings.HasPrefix(r.Path, "/api/") || r.Path == "/mcp") != user {
					b.violated("%s %s has no row here", r.Method, r.Path)
				}
				continue
			}
			got := (&caller{visitor: anonymous, user: user}).asks(r.Method, rule, foreign, bystander, agent)
			if signIn := strings.HasPrefix(got.header.Get("Location"), "/login"); got.status != http.StatusUnauthorized && !signIn {
				b.violated("anonymous: %s %s: status %d", r.Method, r.Path, got.status)
			}
			b.n.Add(1)
		}
	}
	if digest(h) != before {
		b.violated("nobody was signed in and something changed")
	}
	elsewhere := &caller{visitor: h.signedIn("elsewhere"), user: true}
	elsewhere.origin = "https://evil.example"
	for _, r := range h.web.Routes() {
		if rule, ok := ruleOf(true, r); ok && r.Method == http.MethodPost {
			if got := elsewhere.asks(r.Method, rule, foreign, bystander, agent); got.status != http.StatusForbidden {
				b.violated("a form of another site: %s %s: status %d", r.Method, r.Path, got.status)
			}
			b.n.Add(1)
		}
	}
	if digest(h) != before {
		b.violated("forms of another site changed something")
	}
	b.figure("refused_403", tried[http.StatusForbidden])
	b.figure("refused_404", tried[http.StatusNotFound])
	b.figure("allowed", tried[0])
}

// ruleOf finds the row of a route: pages are for users, the rest for keys.
func ruleOf(user bool, r route.Route) (rule, bool) {
	if r.Path == "/mcp" {
		return rule{path: r.Path, body: aToolCall}, !user
	}
	if path, api := strings.CutPrefix(r.Path, "/api/v1"); api != user {
		rules := pageRules
		if api {
			rules = apiRules
		}
		row, ok := rules[r.Method+" "+path]
		if api {
			row.path = "/api/v1" + row.path
		}
		return row, ok
	}
	return rule{}, false
}

// asks sends what a row says about an object, or about a user or a key.
func (c *caller) asks(method string, r rule, id string, user, agent domain.Ref) told {
	fill := strings.NewReplacer("BYSTANDER", user.ID, "AGENT", agent.ID, "ID", id).Replace
	if !c.user {
		return c.do(method, fill(r.path), fill(r.body), nil)
	}
	var form url.Values
	if method == http.MethodPost {
		form, _ = url.ParseQuery(r.body) // constants
	}
	return c.do(method, fill(r.path), "", form)
}

// anonymous is an answer without the id that it was asked with, and without what
// no answer has in common with another.
func (a told) anonymous(id string) string {
	return fmt.Sprint(a.status, ownMarks.ReplaceAllString(strings.ReplaceAll(a.body, id, "ID"), "OWN"))
}

// ownMarks are the ids that the server makes, the times, and form tokens, which
// are masked anew on every page.
var ownMarks = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|20[0-9T:.-]+Z|[A-Za-z0-9_-]{86}`)
