package api_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/web/api"
)

// openAPI is openapi.yaml with its references followed, but for those inside
// of schemas.
type openAPI struct {
	t          *testing.T
	root       any // as it is written
	operations []operation
	Components struct {
		Examples map[string]sample
		Schemas  map[string]any
	}
	Story story `json:"x-story"`
}

type operation struct {
	Method, Path string `json:"-"`

	OperationID, Summary, Description string
	Tags                              []string
	Parameters                        []struct{ Name, In string }
	RequestBody                       content
	Responses                         map[string]answer
}

// answer is one response of an operation.
type answer struct {
	content
	Headers map[string]struct{ Required bool }
}

// content is what a body may be, by media type.
type content struct {
	Content map[string]struct {
		Schema   string // where it stands
		Examples map[string]sample
	}
}

type sample struct{ Value any }

var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// document is the contract as JSON. Nobody changes it.
var document = sync.OnceValues(func() (root any, err error) {
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		return nil, err
	}
	if text, err = yaml.YAMLToJSON(text); err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
})

func newContract(t *testing.T) *openAPI {
	t.Helper()
	root, err := document()
	if err != nil {
		t.Fatal(err)
	}
	c := &openAPI{t: t, root: root}
	whole := c.follow("#", c.root)
	c.decode(whole, c)
	for path, item := range whole.(map[string]any)["paths"].(map[string]any) {
		var shared operation
		c.decode(item, &shared)
		for _, method := range methods {
			if raw, ok := item.(map[string]any)[strings.ToLower(method)]; ok {
				o := operation{Method: method, Path: path}
				c.decode(raw, &o)
				o.Parameters = append(o.Parameters, shared.Parameters...)
				c.operations = append(c.operations, o)
			}
		}
	}
	slices.SortFunc(c.operations, func(a, b operation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	return c
}

func (c *openAPI) decode(from, to any) {
	c.t.Helper()
	text, err := json.Marshal(from)
	if err != nil {
		c.t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	if err := dec.Decode(to); err != nil {
		c.t.Fatal(err)
	}
}

// follow puts what references refer to in their place, and in that of a schema
// where it stands.
func (c *openAPI) follow(at string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			found, ok := c.lookUp(ref)
			if !ok {
				c.t.Fatalf("%s: there is no %s", at, ref)
			}
			return c.follow(ref, found)
		}
		followed := map[string]any{}
		for name, member := range v {
			place := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
			switch {
			case name == "schema":
				followed[name] = place
			case name == "value", name == "schemas":
				followed[name] = member
			default:
				followed[name] = c.follow(place, member)
			}
		}
		return followed
	case []any:
		followed := make([]any, len(v))
		for i := range v {
			followed[i] = c.follow(at+"/"+strconv.Itoa(i), v[i])
		}
		return followed
	}
	return v
}

// lookUp finds what a reference inside of the document refers to.
func (c *openAPI) lookUp(ref string) (v any, ok bool) {
	path, inside := strings.CutPrefix(ref, "#/")
	if !inside {
		return nil, false
	}
	v = c.root
	for name := range strings.SplitSeq(path, "/") {
		object, isObject := v.(map[string]any)
		if v, ok = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]; !isObject || !ok {
			return nil, false
		}
	}
	return v, true
}

// schemas checks examples against the schemas of the contract.
type schemas struct {
	t        *testing.T
	compiler *jsonschema.Compiler
}

func (c *openAPI) schemas() *schemas {
	c.t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", c.root); err != nil {
		c.t.Fatal(err)
	}
	return &schemas{c.t, compiler}
}

func (s *schemas) check(what, at string, example any) {
	s.t.Helper()
	schema, err := s.compiler.Compile("openapi.json" + at)
	if err != nil {
		s.t.Fatalf("%s: %v", what, err)
	}
	if err := schema.Validate(example); err != nil {
		s.t.Errorf("%s: %v", what, err)
	}
}

func TestOpenAPI_IsGivenToEverybody(t *testing.T) {
	t.Parallel()
	nobody := &client{newServer(t), t, ""}
	got := nobody.get("/openapi.yaml").want(http.StatusOK)
	if got := got.header.Get("Content-Type"); got != "application/yaml" {
		t.Errorf("Content-Type %q", got)
	}
	if written, err := os.ReadFile("openapi.yaml"); err != nil || got.body != string(written) {
		t.Errorf("what is given is not what is written (%v)", err)
	}
	if got.header.Get("X-Request-Id") == "" {
		t.Error("there is no X-Request-Id")
	}
	tag := got.header.Get("ETag")
	if again := nobody.do(http.MethodGet, "/openapi.yaml", "", "If-None-Match", tag).want(http.StatusNotModified); again.body != "" {
		t.Errorf("what is known already is sent again: %.40q", again.body)
	}
	nobody.do(http.MethodGet, "/openapi.yaml", "", "If-None-Match", `"another"`).want(http.StatusOK)
}

// TestOpenAPI_HasEveryRoute: no address without a description, and none
// described that is not there.
func TestOpenAPI_HasEveryRoute(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := newContract(t)
	anyName := regexp.MustCompile(`:\w+|\{\w+\}`)
	mounted, described := map[string]bool{}, map[string]bool{}
	for _, r := range s.table.Routes() {
		mounted[r.Method+" "+anyName.ReplaceAllString(strings.TrimPrefix(r.Path, "/api/v1"), "*")] = true
	}
	for _, o := range c.operations {
		described[o.Method+" "+anyName.ReplaceAllString(o.Path, "*")] = true
	}
	if diff := gocmp.Diff(mounted, described); diff != "" {
		t.Errorf("addresses (-mounted +described):\n%s", diff)
	}
}

// TestOpenAPI_SaysWhatItMust of every operation: what it is called and does,
// with which parameters, and examples.
func TestOpenAPI_SaysWhatItMust(t *testing.T) {
	t.Parallel()
	c := newContract(t)
	ids := map[string]bool{}
	for _, o := range c.operations {
		name := o.Method + " " + o.Path
		if o.OperationID == "" || ids[o.OperationID] || o.Summary == "" || o.Description == "" || len(o.Tags) != 1 {
			t.Errorf("%s: operationId %q (unique: %v), summary %q, %d tags, description %q", name, o.OperationID, !ids[o.OperationID], o.Summary, len(o.Tags), o.Description)
		}
		ids[o.OperationID] = true
		var inPath []string
		for _, p := range o.Parameters {
			if p.In == "path" {
				inPath = append(inPath, "{"+p.Name+"}")
			}
		}
		if diff := gocmp.Diff(regexp.MustCompile(`\{\w+\}`).FindAllString(o.Path, -1), inPath); diff != "" {
			t.Errorf("%s: parameters in the path (-path +described):\n%s", name, diff)
		}
		for media, body := range o.RequestBody.Content {
			if len(body.Examples) == 0 {
				t.Errorf("%s: no example of a request in %s", name, media)
			}
		}
		examples := 0
		for status, a := range o.Responses {
			for _, body := range a.Content {
				examples += len(body.Examples)
			}
			if _, ok := a.Headers["X-Request-Id"]; !ok && status != "101" && status != "304" {
				t.Errorf("%s: %s says nothing of X-Request-Id", name, status)
			}
		}
		if examples == 0 {
			t.Errorf("%s: no example of an answer", name)
		}
	}
}

// TestOpenAPI_ReferencesResolve, also those inside of schemas, and no component
// is there for nothing.
func TestOpenAPI_ReferencesResolve(t *testing.T) {
	t.Parallel()
	c := newContract(t)
	used := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				used[ref] = true
				if _, found := c.lookUp(ref); !found {
					t.Errorf("there is no %s", ref)
				}
			}
			for _, member := range v {
				walk(member)
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		}
	}
	walk(c.root)
	kinds, _ := c.lookUp("#/components")
	for kind, all := range kinds.(map[string]any) {
		for name := range all.(map[string]any) {
			if ref := "#/components/" + kind + "/" + name; !used[ref] && kind != "securitySchemes" {
				t.Errorf("nothing refers to %s", ref)
			}
		}
	}
}

// misdirected is the one problem that stands before the interface: a request
// for another host.
const misdirected = "misdirected-request"

// TestOpenAPI_KnowsEveryProblem and gives an example of each.
func TestOpenAPI_KnowsEveryProblem(t *testing.T) {
	t.Parallel()
	c := newContract(t)
	want := slices.Sorted(maps.Keys(api.ProblemKinds()))
	listed, _ := c.lookUp("#/components/schemas/Problem/properties/type/enum")
	var slugs []string
	for _, slug := range listed.([]any) {
		if name := strings.TrimPrefix(slug.(string), "/problems/"); name != misdirected {
			slugs = append(slugs, name)
		}
	}
	slices.Sort(slugs)
	if diff := gocmp.Diff(want, slugs); diff != "" {
		t.Errorf("problems (-server +contract):\n%s", diff)
	}
	check := c.schemas()
	for slug, kind := range api.ProblemKinds() {
		example, _ := c.Components.Examples[slug].Value.(map[string]any)
		says := []any{example["type"], example["title"], example["status"]}
		if diff := gocmp.Diff([]any{"/problems/" + slug, kind.Title, json.Number(strconv.Itoa(kind.Status))}, says); diff != "" {
			t.Errorf("example of %s (-server +contract):\n%s", slug, diff)
		}
	}
	for slug, example := range c.Components.Examples {
		check.check(slug, "#/components/schemas/Problem", example.Value)
	}
}

// TestOpenAPI_AnswersFitTheirSchemas: examples of answers, and by the story
// what a server answers, are what the contract says of them.
func TestOpenAPI_AnswersFitTheirSchemas(t *testing.T) {
	t.Parallel()
	c := newContract(t)
	check := c.schemas()
	for _, o := range c.operations {
		for status, a := range o.Responses {
			for media, body := range a.Content {
				for name, example := range body.Examples {
					what := strings.Join([]string{o.OperationID, status, media, name}, " ")
					check.check(what, body.Schema, example.Value)
					for _, m := range messages(t, media, example.Value) {
						check.check(what, map[string]string{"followSession": "#/components/schemas/Frame", "getEvents": "#/components/schemas/Event",
							"getLearningSamples": "#/components/schemas/LearningSample"}[o.OperationID], value(t, m.data))
					}
				}
			}
		}
	}
}
