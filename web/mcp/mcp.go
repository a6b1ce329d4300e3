// Package mcp is Countersign's own MCP server: an agent asks for approval by tools. It
// is a client of the JSON interface in the same process, so that every limit and rule
// there counts here. Nothing in it decides.
package mcp

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/domain"
	"countersign/web/api"
	"countersign/web/budget"
	"countersign/web/route"
)

// Path is where the server is.
const Path = "/mcp"

// Options are what the server needs.
type Options struct {
	Service *domain.Service
	API     http.Handler // answers the JSON interface
}

// Bounds of the memory that messages take, in bytes, as the JSON interface has them.
// What the SDK keeps of a message it keeps until the answer.
const (
	envelope     = 8 << 10 // what a message has beside arguments
	smallMessage = 4 << 10 // takes no more than its connection
	messagesEach = 2
	messagesAll  = 16
)

type server struct {
	Options
	sdk      http.Handler
	limit    int64 // of a message
	messages *budget.Budget
}

// Handler answers POST, for callers with a key.
func Handler(o Options) echo.HandlerFunc {
	limits := o.Service.Limits()
	limit := int64(limits.Body + envelope)
	s := &server{Options: o, limit: limit, messages: budget.New(messagesEach*limit, messagesAll*limit)}
	tools := mcp.NewServer(&mcp.Implementation{Name: "countersign", Title: "Countersign", Version: "1"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{},
		Instructions: "Before an action that people must approve, call request_approval and run only what the outcome approves.",
	})
	tools.AddReceivingMiddleware(refuseStreams)
	s.addTools(tools)
	s.sdk = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools }, &mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: limit,
		DisableLocalhostProtection: true, // the names that the server answers to are checked before
	})
	return func(c echo.Context) error {
		if err := s.serve(c); err != nil {
			api.WriteProblem(c, o.Service, err)
		}
		return nil
	}
}

// refuseStreams refuses subscriptions. Their streams have no end, and nothing here ever
// changes.
func refuseStreams(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if strings.HasPrefix(method, "subscriptions/") {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "There are no subscriptions."}
		}
		return next(ctx, method, r)
	}
}

// outerKey is the context key of the request that a tool was called by.
type outerKey struct{}

func (s *server) serve(c echo.Context) error {
	r := c.Request()
	by, err := s.authenticate(r)
	if err != nil {
		return err
	}
	route.SetPrincipal(c, by)
	if r.ContentLength > s.limit {
		return &domain.Error{Code: domain.CodeTooLarge, Message: "The message is too large."}
	}
	if size := r.ContentLength; size < 0 || size > smallMessage {
		if size < 0 {
			size = s.limit
		}
		release, err := s.messages.Take(r.Context(), by, size)
		if err != nil {
			return err
		}
		defer release()
	}
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.WriteTimeout > 0 {
		// A connection without deadlines refuses, and has none to extend.
		_ = http.NewResponseController(c.Response()).SetWriteDeadline(time.Now().Add(permissionWait + server.WriteTimeout))
	}
	s.sdk.ServeHTTP(c.Response(), r.WithContext(context.WithValue(r.Context(), outerKey{}, r)))
	return nil
}

// authenticate finds whose key a request has, and whether it is in force.
func (s *server) authenticate(r *http.Request) (domain.Ref, error) {
	token := ""
	if headers := r.Header.Values(echo.HeaderAuthorization); len(headers) == 1 {
		scheme, text, _ := strings.Cut(headers[0], " ")
		if strings.EqualFold(scheme, "Bearer") {
			token = strings.TrimSpace(text)
		}
	}
	by, err := s.Service.AuthenticateCached(r.Context(), token)
	if err == nil {
		_, err = s.Service.Principal(r.Context(), by)
	}
	return by, err
}
