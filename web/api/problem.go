package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
)

// Problems of HTTP itself, which the domain does not know.
const (
	codeMethodNotAllowed     domain.Code = "method-not-allowed"
	codeUnsupportedMediaType domain.Code = "unsupported-media-type"
	codeUpgradeRequired      domain.Code = "upgrade-required"
)

// problemKind is what all problems of one type have in common.
type problemKind struct {
	status int
	title  string
}

var problemKinds = map[domain.Code]problemKind{
	domain.CodeInvalidJSON:         {http.StatusBadRequest, "Not acceptable as JSON"},
	domain.CodeUnauthenticated:     {http.StatusUnauthorized, "No valid key"},
	domain.CodeMissingCapability:   {http.StatusForbidden, "Capability missing"},
	domain.CodeSelfApproval:        {http.StatusForbidden, "Your own request"},
	domain.CodeHumanRequired:       {http.StatusForbidden, "People must decide"},
	domain.CodeRoleNotHeld:         {http.StatusForbidden, "Role not held"},
	domain.CodeNotFound:            {http.StatusNotFound, "Not found"},
	codeMethodNotAllowed:           {http.StatusMethodNotAllowed, "Method not allowed"},
	domain.CodeAlreadyDecided:      {http.StatusConflict, "Already decided"},
	domain.CodeExpired:             {http.StatusConflict, "Expired"},
	domain.CodeContentChanged:      {http.StatusConflict, "Content changed"},
	domain.CodeConsumed:            {http.StatusConflict, "Already consumed"},
	domain.CodeInvalidTransition:   {http.StatusConflict, "Not possible in this status"},
	domain.CodeIDTaken:             {http.StatusConflict, "Id taken"},
	domain.CodeRoleInUse:           {http.StatusConflict, "Role in use"},
	domain.CodeTooLarge:            {http.StatusRequestEntityTooLarge, "Too large"},
	codeUnsupportedMediaType:       {http.StatusUnsupportedMediaType, "Unsupported media type"},
	domain.CodeInvalid:             {http.StatusUnprocessableEntity, "Invalid"},
	codeUpgradeRequired:            {http.StatusUpgradeRequired, "Upgrade required"},
	domain.CodeLocked:              {http.StatusLocked, "Locked"},
	domain.CodeRateLimited:         {http.StatusTooManyRequests, "Limit reached"},
	domain.CodeInternal:            {http.StatusInternalServerError, "Internal error"},
	domain.CodeEvidenceUnavailable: {http.StatusServiceUnavailable, "Evidence unavailable"},
}

// problem is a problem document.
type problem struct {
	Type       string            `json:"type"`
	Title      string            `json:"title"`
	Status     int               `json:"status"`
	Detail     string            `json:"detail"`
	Instance   string            `json:"instance"`
	RequestID  string            `json:"request_id"`
	Errors     []finding         `json:"errors,omitempty"`
	Capability domain.Capability `json:"capability,omitempty"`
	Decision   *outcome          `json:"decision,omitempty"`

	retryAfter time.Duration
}

// finding is one fault, or one warning, and where it stands.
type finding struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// defaultRetryAfter is when to try again where nobody knows when there will be room:
// somebody must decide, or stop waiting, first.
const defaultRetryAfter = 10 * time.Second

// newProblem describes why a request was refused.
func newProblem(c echo.Context, err error) problem {
	e, kind := classify(c, err)
	p := problem{
		Type: "/problems/" + string(e.Code), Title: kind.title, Status: kind.status, Detail: e.Message,
		Instance: c.Request().URL.EscapedPath(), RequestID: requestID(c), Errors: newFindings(e.Problems), Capability: e.Capability,
		retryAfter: cmp.Or(e.RetryAfter, defaultRetryAfter),
	}
	if e.Decision != nil {
		decision := newOutcome(e.Decision)
		p.Decision = &decision
	}
	return p
}

// classify finds what kind of problem an error is. Those of the router have no
// code of their own.
func classify(c echo.Context, err error) (*domain.Error, problemKind) {
	var routing *echo.HTTPError
	if !errors.As(err, &routing) {
		e := domain.AsError(err)
		if k, ok := problemKinds[e.Code]; ok {
			return e, k
		}
		return e, problemKinds[domain.CodeInternal]
	}
	e := routingError(c.Request(), routing.Code)
	if k, ok := problemKinds[e.Code]; ok {
		return e, k
	}
	return e, problemKind{routing.Code, http.StatusText(routing.Code)}
}

// routingError explains a request that reached no handler.
func routingError(r *http.Request, status int) *domain.Error {
	text := http.StatusText(status)
	switch {
	case status == http.StatusNotFound:
		return &domain.Error{Code: domain.CodeNotFound, Message: "There is nothing at this address."}
	case status == http.StatusMethodNotAllowed:
		return &domain.Error{Code: codeMethodNotAllowed, Message: "This address does not accept " + r.Method + ". The header Allow lists what it accepts."}
	case status >= http.StatusInternalServerError || text == "":
		return domain.AsError(errors.New("unrouted"))
	}
	return &domain.Error{Code: domain.Code(strings.ReplaceAll(strings.ToLower(text), " ", "-")), Message: text + "."}
}

func newFindings(problems []mplp.Problem) (list []finding) {
	for _, p := range problems {
		list = append(list, finding(p))
	}
	return list
}

// WriteProblem answers a request under /api that was refused. The server's own
// error handler calls it for what reaches no handler here: unknown addresses
// and methods. Who has no key in force is told that first, here too.
func WriteProblem(c echo.Context, service *domain.Service, err error) {
	if c.Response().Committed {
		return
	}
	var routing *echo.HTTPError
	if errors.As(err, &routing) && (routing.Code == http.StatusNotFound || routing.Code == http.StatusMethodNotAllowed) {
		by, refused := authenticate(service, c.Request(), c.Request().URL.Query())
		if refused == nil {
			_, refused = service.Principal(c.Request().Context(), by)
		}
		if domain.ErrorCode(refused) == domain.CodeUnauthenticated {
			err = refused
		}
	}
	newProblem(c, err).write(c)
}

func (p problem) write(c echo.Context) {
	header := c.Response().Header()
	switch p.Status {
	case http.StatusUnauthorized:
		header.Set(echo.HeaderWWWAuthenticate, `Bearer realm="countersign"`)
	case http.StatusTooManyRequests:
		header.Set(echo.HeaderRetryAfter, strconv.Itoa(int(p.retryAfter.Seconds())))
	case http.StatusServiceUnavailable:
		header.Set(echo.HeaderRetryAfter, "1")
	}
	// A caller who is gone cannot be told that writing failed.
	_ = write(c, p.Status, "application/problem+json", p)
}

// requestID is the name under which the server's log knows the request. It is
// given here if nobody gave one before.
func requestID(c echo.Context) string {
	header := c.Response().Header()
	if header.Get(echo.HeaderXRequestID) == "" {
		header.Set(echo.HeaderXRequestID, uuid.NewString())
	}
	return header.Get(echo.HeaderXRequestID)
}

// writeJSON answers with a value of the interface's own.
func writeJSON(c echo.Context, status int, v any) error {
	return write(c, status, echo.MIMEApplicationJSON, v)
}

func write(c echo.Context, status int, mediaType string, v any) error {
	text, err := encode(v)
	if err != nil {
		return err
	}
	return writeBytes(c, status, mediaType, text)
}

// writeBytes answers with a whole body, and says how long it is: else the server
// would cut a long one into chunks.
func writeBytes(c echo.Context, status int, mediaType string, body []byte) error {
	c.Response().Header().Set(echo.HeaderContentLength, strconv.Itoa(len(body)))
	return c.Blob(status, mediaType, body)
}

// encode writes a value without escaping for HTML, so that arguments inside it
// keep their bytes.
func encode(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return text.Bytes(), err
}
