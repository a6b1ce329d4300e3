package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// detach makes a command end with the server, however that ends, and shields it
// from the terminal's signals. It stays in the server's session: where the
// scheduler divides processors among sessions first, a low priority counts only
// within one.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// lowerPriority gives a detached process only idle processor time, and makes it
// the first to be killed when memory runs out. Errors do not matter: the work is
// the same.
func lowerPriority(pid int) {
	_ = syscall.Setpriority(syscall.PRIO_PGRP, pid, 19) // of all its threads
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("1000"), 0)
}
