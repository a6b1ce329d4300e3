package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// traceable says whether this machine lets a test trace a process. What needs
// it is not tested where it does not, and that is said on standard error. With
// COUNTERSIGN_REQUIRE_STRACE=1 (make test) there must be a strace; a machine
// that forbids its use is still none of the product's faults.
func traceable(t *testing.T) bool {
	t.Helper()
	output := filepath.Join(t.TempDir(), "trace")
	words := traced("true", output, "-e", "trace=exit_group")
	said, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if seen, _ := os.ReadFile(output); err == nil && len(seen) > 0 {
		return true
	}
	complain(t, "no process can be traced here (install strace, allow ptrace): %v %s", err, said)
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("COUNTERSIGN_REQUIRE_STRACE") == "1" {
		t.Error("strace is to be installed, and is not")
	}
	return false
}

// complain says what could not be tested on this machine.
func complain(t *testing.T, format string, args ...any) {
	t.Helper()
	text := t.Name() + " IS NOT WHOLE: " + fmt.Sprintf(format, args...)
	t.Log(text)
	fmt.Fprintln(os.Stderr, text)
}

// traced is the command that runs a program under strace. The tracer is the
// grandchild, so that signals and the exit code are the program's own.
func traced(program, output string, options ...string) []string {
	words := []string{"strace", "-D", "-f", "--seccomp-bpf", "-qq", "-e", "signal=none", "-o", output}
	return append(append(words, options...), program)
}

// hasty is the program with one thing wrong: a commit does not wait for the
// disk. A harness that finds no loss in it would find none anywhere.
const hasty = "countersign-hasty"

func hastyMain() {
	hastyCommits = true
	main()
}
