package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// detach has a command end with the server, however that ends, and hear nothing
// of what a terminal sends to the server. It stays in the server's session: where
// the system shares processors out to sessions first, a lower priority counts only
// within one.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// lower gives a process that was detached what processor time nobody else wants,
// and has it be the first to go when memory runs out. Without either it does the
// same work.
func lower(pid int) {
	_ = syscall.Setpriority(syscall.PRIO_PGRP, pid, 19) // of all its threads
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("1000"), 0)
}
