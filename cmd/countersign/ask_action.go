package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/web/client"
)

// maxArgs bounds the arguments that are read, in bytes. The server takes fewer.
const maxArgs = 1 << 20

// action returns what is asked for, and the path of the command to run, if any.
func (o *askOptions) action(c *call) (a client.Action, path string, err error) {
	name := ""
	if len(c.names) > 0 {
		name = c.names[0]
	}
	switch {
	case o.timeout < 0:
		return a, "", usageErrorf("--timeout must be at least 1")
	case len(c.argv) > 0:
		path, err = o.checkCommand(c.argv)
		if err == nil {
			a.Name = cmp.Or(name, filepath.Base(c.argv[0]))
			a.Args, err = commandArgs(c.argv)
		}
		return a, path, err
	case name == "":
		return a, "", usageErrorf("NAME is missing, or -- and a COMMAND")
	}
	args, err := o.readArgs(c)
	return client.Action{Name: name, Args: args}, "", err
}

// readArgs returns the arguments that --args gives.
func (o *askOptions) readArgs(c *call) (json.RawMessage, error) {
	var text []byte
	var err error
	file, isFile := strings.CutPrefix(o.args, "@")
	switch {
	case o.args == "":
		text = []byte("{}")
	case o.args == "-":
		text, err = readAll(c.stdin, maxArgs)
	case isFile:
		text, err = readFile(file, maxArgs)
	default:
		text = []byte(o.args)
	}
	if err != nil {
		return nil, usageErrorf("--args cannot be read: %v", err)
	}
	text = bytes.TrimSpace(text)
	if !isJSONObject(text) {
		return nil, usageErrorf("--args must be a JSON object, such as '{\"amount\": 100}'")
	}
	return text, nil
}

// checkCommand refuses a command that could not run as it is shown, and returns the
// path of its file.
func (o *askOptions) checkCommand(argv []string) (path string, err error) {
	switch {
	case o.args != "":
		return "", usageErrorf("--args and a COMMAND exclude each other: its arguments are what is asked for")
	case o.allowEdit:
		return "", usageErrorf("--allow-edit and a COMMAND exclude each other: it runs only as it was asked for")
	case slices.ContainsFunc(argv, func(arg string) bool { return !utf8.ValidString(arg) }):
		return "", usageErrorf("the COMMAND is not valid UTF-8, so a reviewer would not see what runs")
	}
	path, err = exec.LookPath(argv[0])
	if err != nil {
		return "", usageErrorf("the COMMAND cannot run: %v", err)
	}
	return path, nil
}

// commandArgs describes exactly what will run.
func commandArgs(argv []string) (json.RawMessage, error) {
	dir, err := os.Getwd()
	if err == nil && !utf8.ValidString(dir) {
		err = usageErrorf("the working directory is not valid UTF-8, so a reviewer would not see it")
	}
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // a reviewer reads "a > b"
	err = enc.Encode(struct {
		Argv []string `json:"argv"`
		Cwd  string   `json:"cwd"`
	}{argv, dir})
	return bytes.TrimSpace(text.Bytes()), err
}

// compactJSON returns JSON in one line, with its numbers and strings as they are.
func compactJSON(text json.RawMessage) ([]byte, error) {
	var line bytes.Buffer
	err := json.Compact(&line, text)
	return line.Bytes(), err
}
