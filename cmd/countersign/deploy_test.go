package main

import (
	"bytes"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// deployed is how a file under deploy calls the program.
type deployed struct {
	args        []string
	environment map[string]string
}

// readDeployed reads a file. The pattern finds the words of the call; settings
// are where they begin.
func readDeployed(t *testing.T, file, call string) deployed {
	t.Helper()
	text, err := os.ReadFile("deploy/" + file)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(call).FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s does not call the program", file)
	}
	d := deployed{args: strings.Fields(string(found[1])), environment: map[string]string{}}
	setting := regexp.MustCompile(`(?m)^(?:Environment=|ENV +| +)(COUNTERSIGN_\w+)=(\S+)`)
	for _, found := range setting.FindAllSubmatch(text, -1) {
		d.environment[string(found[1])] = strings.ReplaceAll(string(found[2]), "%S", "/var/lib")
	}
	return d
}

// TestDeploy_CallsAreTheProgramsOwn: the flags and variables that the files for
// systemd and for containers use are there, and take the values.
func TestDeploy_CallsAreTheProgramsOwn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ file, call string }{
		{"countersign.service", `(?m)^ExecStart=\S*/countersign (.+)$`},
		{"Containerfile", `(?m)^CMD \["(.+)"\]$`},
	} {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			d := readDeployed(t, test.file, test.call)
			flags, words := split(d.args)
			cmd := find(words)
			if cmd == nil || cmd.name != "serve" {
				t.Fatalf("%v is not serve", d.args)
			}
			f, _ := cmd.flagSet(new(string))
			if err := parse(f, flags, func(name string) string { return d.environment[name] }); err != nil {
				t.Error(err)
			}
			for _, name := range slices.Sorted(maps.Keys(d.environment)) {
				if !slices.ContainsFunc(settings, func(setting string) bool { return variable(setting) == name }) {
					t.Errorf("nothing reads %s", name)
				}
			}
			if got := f.Lookup("db").Value.String(); got != "/var/lib/countersign/countersign.db" {
				t.Errorf("the database is %s", got)
			}
		})
	}
}

// TestDeploy_ContainerWantsABaseURL: a container speaks plain HTTP to other
// machines, so whoever runs it must say how they reach it.
func TestDeploy_ContainerWantsABaseURL(t *testing.T) {
	t.Parallel()
	d := readDeployed(t, "Containerfile", `(?m)^CMD \["(.+)"\]$`)
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), d.args, func(name string) string { return d.environment[name] }, strings.NewReader(""), &stdout, &stderr)
	if code != exitUsage || !strings.Contains(stderr.String(), "--base-url") {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
}
