package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// console notes what Chromium complains about in one window: violations of the
// content security policy, exceptions, errors and dialogs.
type console struct {
	mu         sync.Mutex
	complaints []string
	expected   []string // parts of complaints that the test provokes
	requests   []string // addresses that were asked for
}

// listen notes everything from now on.
func listen(ctx context.Context) *console {
	c := &console{}
	chromedp.ListenTarget(ctx, func(event any) {
		switch event := event.(type) {
		case *log.EventEntryAdded:
			if e := event.Entry; e.Level == log.LevelError || e.Source == log.SourceSecurity || e.Source == log.SourceViolation {
				c.note("%s %s: %s %s", e.Source, e.Level, e.Text, e.URL)
			}
		case *runtime.EventExceptionThrown:
			c.note("exception: %s", event.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if event.Type == runtime.APITypeError || event.Type == runtime.APITypeAssert {
				c.note("console: %s", said(event.Args))
			}
		case *cdp.EventJavascriptDialogOpening:
			c.note("dialog: %s", event.Message)
		case *network.EventRequestWillBeSent:
			c.mu.Lock()
			defer c.mu.Unlock()
			c.requests = append(c.requests, event.Request.URL)
		}
	})
	return c
}

func said(args []*runtime.RemoteObject) string {
	var words []string
	for _, arg := range args {
		words = append(words, strings.Trim(string(arg.Value)+" "+arg.Description, " "))
	}
	return strings.Join(words, " ")
}

func (c *console) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.complaints = append(c.complaints, fmt.Sprintf(format, args...))
}

// provokes says that the test makes the server answer with these statuses.
func (c *console) provokes(statuses ...int) {
	for _, status := range statuses {
		c.expected = append(c.expected, fmt.Sprintf("responded with a status of %d (%s)", status, http.StatusText(status)),
			fmt.Sprintf("SSE reconnect failed with status %d", status)) // as the stream's script says it
	}
}

// loses says that the test takes the server away: Chromium and htmx both tell.
func (c *console) loses() { c.expected = append(c.expected, "net::ERR_", "Failed to fetch") }

// requested lists the addresses that the window has asked for.
func (c *console) requested() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}

// complained is how often Chromium did.
func (c *console) complained() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.complaints)
}

// check fails the test over every complaint but those that it provoked.
func (c *console) check(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, complaint := range c.complaints {
		provoked := func(part string) bool { return strings.Contains(complaint, part) }
		if !slices.ContainsFunc(c.expected, provoked) {
			t.Errorf("the browser complains: %s", complaint)
		}
	}
}
