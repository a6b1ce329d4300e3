package main

import (
	"bytes"
	"fmt"
	"maps"
	"net"
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
			flags, words, _ := splitArgs(d.args)
			cmd := findCommand(words)
			if cmd == nil || cmd.name != "serve" {
				t.Fatalf("%v is not serve", d.args)
			}
			f, _ := cmd.flagSet(new(string))
			if err := parseFlags(f, flags, func(name string) string { return d.environment[name] }); err != nil {
				t.Error(err)
			}
			for _, name := range slices.Sorted(maps.Keys(d.environment)) {
				if !slices.ContainsFunc(environmentFlags, func(setting string) bool { return variable(setting) == name }) {
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

// TestDeploy_ServiceComesBack: what ends because its database is away, and what
// ends with a failed disk, is started again for as long as that takes; a wrong
// command line is not. With PostgreSQL, the files that lie in the working
// directory can be written.
func TestDeploy_ServiceComesBack(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("deploy/countersign.service")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"Restart=on-failure", "StartLimitIntervalSec=0", fmt.Sprintf("RestartPreventExitStatus=%d", exitUsage),
		"StateDirectory=countersign", "WorkingDirectory=%S/countersign", "OOMPolicy=continue",
	} {
		if !slices.Contains(strings.Split(string(text), "\n"), line) {
			t.Errorf("there is no line %s", line)
		}
	}
	var stdout, stderr bytes.Buffer
	db := "postgres://nobody@" + closedAddress(t) + "/countersign"
	if code := run(t.Context(), []string{"serve", "--db", db}, noEnvironment, strings.NewReader(""), &stdout, &stderr); code != exitFailed {
		t.Errorf("without its database serve ends with %d, want %d: %s", code, exitFailed, &stderr)
	}
}

// TestDeploy_CommandsLeaveTheDirectoryAsItIs: systemd gives a directory the mode
// that whoever uses it last asks for, so the command in the first lines asks for
// the service's.
func TestDeploy_CommandsLeaveTheDirectoryAsItIs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("deploy/countersign.service")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"DynamicUser", "User", "StateDirectory", "StateDirectoryMode", "UMask"} {
		setting := regexp.MustCompile(`(?m)^` + name + `=\S+$`).FindString(string(text))
		if setting == "" || !strings.Contains(string(text), " -p "+setting+" ") {
			t.Errorf("the service has %q, and the command not", setting)
		}
	}
}

// closedAddress is one at which nobody listens.
func closedAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}
