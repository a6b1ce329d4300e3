package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/web/client"
	"countersign/web/gateway"
)

var mcpCommand = command{
	name: "mcp", callsServer: true, takesCommand: true,
	flags: "[--config FILE] [--name N] [--wait 50] [--upstream URL] [--header 'K: $VAR']… [--server URL] [--key-file F] [--insecure] [-- COMMAND ARG…]",
	about: "Stands before an MCP server and holds calls of tools until they are approved. " +
		"COMMAND starts the server, or --upstream says where it is. All else passes as it is. " +
		"Without both it connects standard input and output to Countersign's own MCP server.\n\n" +
		"Whoever can edit the agent's MCP configuration, or start the MCP server in another way, goes around this gateway. " +
		"It holds an agent that cannot. A gateway on a machine of its own, which alone has the credentials, holds every agent.\n\n" +
		"The rules in FILE say what is asked about; without them everything is:\n" +
		`  {"default": "ask", "timeout": 300, "required_role": "reviewer", "trust_hints": false,` + "\n" +
		`   "rules": [{"tool": "get_*", "do": "allow"}, {"tool": "drop_*", "do": "deny", "message": "Never"}]}` + "\n" +
		"The first rule that matches counts. A rule with hint instead of tool (read_only, destructive, idempotent, open_world) believes the MCP server.\n\n" +
		"The longest useful --wait is a little less than the client's time-out for a tool: 240 for Claude Code, Codex and VS Code, 540 for Gemini CLI.",
	setup: func(f *flag.FlagSet) action {
		o := &mcpOptions{server: addServerFlags(f)}
		f.StringVar(&o.config, "config", "", "a `FILE` of rules")
		f.StringVar(&o.name, "name", "", "what requests call the MCP server; a `NAME` instead of its own")
		f.IntVar(&o.wait, "wait", 50, "how many `SECONDS` a call is held; undecided, the agent is told to call again")
		f.Var(&o.upstream, "upstream", "the `URL` of an MCP server over HTTP")
		f.Var(&o.headers, "header", "a `HEADER` for the upstream, such as 'Authorization: Bearer $TOKEN', whose $VARIABLES are filled in; may be repeated")
		return o.run
	},
}

type mcpOptions struct {
	server       *serverFlags
	config, name string
	wait         int
	upstream     nonEmpty
	headers      list
}

// Bounds of what the command reads and waits for.
const (
	maxRules   = 1 << 20
	maxMCPWait = 3600
)

func (o *mcpOptions) run(ctx context.Context, c *call) error {
	asker, err := o.server.client(c)
	if err != nil {
		return err
	}
	options, err := o.options(c, asker)
	if err != nil {
		return err
	}
	agent := &mcp.IOTransport{Reader: io.NopCloser(c.stdin), Writer: keepOpen{c.stdout}}
	input, err := agent.Connect(ctx)
	if err != nil {
		return err
	}
	if len(c.argv) > 0 {
		return runBeforeCommand(ctx, c, input, options)
	}
	transport, err := o.transport(c, options)
	if err != nil {
		return err
	}
	upstream, err := transport.Connect(ctx)
	if err != nil {
		return err
	}
	answered, err := gateway.Run(ctx, input, upstream, *options)
	if err == nil {
		select {
		case <-answered:
		case <-time.After(endTime):
		case <-ctx.Done():
		}
	}
	_ = upstream.Close() // it is the end anyway
	return err
}

// options reads what the flags and files say, before anything is started.
func (o *mcpOptions) options(c *call, asker *client.Client) (*gateway.Options, error) {
	switch {
	case o.wait < 1 || o.wait > maxMCPWait:
		return nil, usageErrorf("--wait must be between 1 and %d", maxMCPWait)
	case len(c.argv) > 0 && o.upstream != "":
		return nil, usageErrorf("--upstream and a COMMAND exclude each other")
	case len(o.headers) > 0 && o.upstream == "":
		return nil, usageErrorf("--header needs --upstream")
	}
	options := &gateway.Options{Asker: asker, Rules: &gateway.Rules{}, Name: o.name, Wait: time.Duration(o.wait) * time.Second, OverHTTP: len(c.argv) == 0}
	switch {
	case len(c.argv) > 0:
		options.Fallback = filepath.Base(c.argv[0])
	case o.upstream != "":
		if u, err := url.Parse(string(o.upstream)); err == nil {
			options.Fallback = u.Host
		}
	}
	if o.config == "" {
		return options, nil
	}
	text, err := readFile(o.config, maxRules)
	if err == nil {
		options.Rules, err = gateway.ParseRules(text)
	}
	if err != nil {
		return nil, fmt.Errorf("the rules in %s cannot be used: %w", o.config, err)
	}
	return options, nil
}

// transport leads to the upstream, or to Countersign's own MCP server, where nothing
// has to be asked about.
func (o *mcpOptions) transport(c *call, options *gateway.Options) (mcp.Transport, error) {
	header := http.Header{}
	if o.upstream == "" {
		key, err := o.server.key(c)
		if err != nil {
			return nil, err
		}
		if o.config != "" {
			return nil, usageErrorf("--config needs --upstream or a COMMAND")
		}
		options.Rules.Default = "allow"
		header.Set("Authorization", "Bearer "+key)
		return gateway.Upstream(strings.TrimRight(o.server.url.String(), "/")+"/mcp", header), nil
	}
	u, err := url.Parse(string(o.upstream))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usageErrorf("--upstream must be an http or https URL")
	}
	if len(o.headers) > 0 && u.Scheme == "http" && !isLoopback(u.Hostname()) && !o.server.insecure {
		return nil, usageErrorf("--upstream %s would send the headers over plain HTTP: use https, or add --insecure", u.Redacted())
	}
	for _, line := range o.headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, usageErrorf("--header must be written 'Name: value'")
		}
		missing := ""
		value = os.Expand(value, func(variable string) string {
			text := c.getenv(variable)
			if text == "" {
				missing = cmp.Or(missing, variable)
			}
			return text
		})
		if missing != "" {
			return nil, usageErrorf("--header %s: $%s is not set", name, missing)
		}
		header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return gateway.Upstream(u.String(), header), nil
}

// runBeforeCommand starts an MCP server and stands before it. The exit code is the
// server's.
func runBeforeCommand(ctx context.Context, c *call, input mcp.Connection, options *gateway.Options) error {
	server, err := startMCPServer(c)
	if err != nil {
		return err
	}
	connection, err := server.transport().Connect(ctx)
	if err != nil {
		return errors.Join(err, server.stop(nil))
	}
	answered, err := gateway.Run(ctx, input, connection, *options)
	stopped := server.stop(answered)
	if err == nil || errors.Is(err, gateway.ErrServerEnded) {
		return stopped
	}
	return err
}

// keepOpen is a writer that the end of a connection does not close.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }
