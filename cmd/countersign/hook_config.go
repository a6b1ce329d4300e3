package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// harness is a coding agent that runs a hook before a tool.
type harness struct {
	wait     int    // seconds that its own time-out allows by default
	file     string // where its settings are
	remark   string
	settings string // with WAIT, and LIMIT, its time-out
	unit     int    // of its time-out, in a second
}

// harnesses are the hook formats. Each gets ten seconds more than the hook waits, for
// most run the tool when they stop it.
var harnesses = map[string]harness{
	"claude": {wait: 590, file: ".claude/settings.json", unit: 1, remark: "Needs Claude Code 2.1.295 or later to block when the hook fails.",
		settings: `{"hooks":{"PreToolUse":[{"matcher":"Bash|Write|Edit|NotebookEdit|mcp__.*","hooks":[{"type":"command","command":"countersign","args":["hook","claude","--wait","WAIT"],"timeout":LIMIT,"onFailure":"block"}]}]}}`},
	"codex": {wait: 590, file: ".codex/hooks.json", unit: 1, remark: "Trust it once in Codex with /hooks. After an approval the policy of Codex may still ask.",
		settings: `{"hooks":{"PreToolUse":[{"matcher":".*","hooks":[{"type":"command","command":"countersign hook codex --wait WAIT","timeout":LIMIT}]}]}}`},
	"gemini": {wait: 55, file: ".gemini/settings.json", unit: 1000, remark: "Its time-out is in milliseconds.",
		settings: `{"hooks":{"BeforeTool":[{"matcher":".*","hooks":[{"name":"countersign","type":"command","command":"countersign hook gemini --wait WAIT","timeout":LIMIT}]}]}}`},
	"copilot": {wait: 25, file: ".github/hooks/countersign.json", unit: 1, remark: "Copilot runs the tool when the hook takes longer than timeoutSec.",
		settings: `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"countersign hook copilot --wait WAIT","timeoutSec":LIMIT}]}}`},
	"cursor": {wait: 50, file: ".cursor/hooks.json", unit: 1, remark: "Not tested with Cursor itself.",
		settings: `{"version":1,"hooks":{"preToolUse":[{"command":"countersign hook cursor --wait WAIT","timeout":LIMIT,"failClosed":true}]}}`},
}

// config returns the settings for a hook that waits so many seconds.
func (h harness) config(wait int) string {
	const spare = 10
	return strings.NewReplacer("WAIT", fmt.Sprint(wait), "LIMIT", fmt.Sprint((wait+spare)*h.unit)).Replace(h.settings)
}

var hookConfig = command{
	name: "hook config", names: []string{"FORMAT"}, callsServer: true,
	flags: "[--wait S]",
	about: "Prints the settings that make a coding agent ask before it runs a tool. " +
		"FORMAT is claude, codex, gemini, copilot or cursor. They need countersign on the PATH, and $COUNTERSIGN_URL and $COUNTERSIGN_KEY. " +
		"Who can edit these settings can remove the hook.",
	setup: func(f *flag.FlagSet) action {
		wait := f.Int("wait", 0, "how many `SECONDS` the hook waits for a decision; 0: as long as the FORMAT's own time-out allows")
		return func(_ context.Context, c *call) error {
			h, ok := harnesses[c.names[0]]
			switch {
			case !ok:
				return usageErrorf("FORMAT must be one of %s", strings.Join(slices.Sorted(maps.Keys(harnesses)), ", "))
			case *wait < 0:
				return usageErrorf("--wait must be at least 0")
			case *wait == 0:
				*wait = h.wait
			}
			fmt.Fprintf(c.stderr, "Put this into %s. %s\n", h.file, h.remark)
			_, err := fmt.Fprintln(c.stdout, h.config(*wait))
			return err
		}
	},
}
