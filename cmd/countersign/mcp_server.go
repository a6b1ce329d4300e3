package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpServer is an MCP server that runs as a child process.
type mcpServer struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	exited chan struct{} // closed when it has ended
}

// How long an MCP server may take: for its last answers, and to end by itself.
const (
	drainTime = time.Second
	endTime   = 2 * time.Second
)

// startMCPServer starts the command. It does not get the key of Countersign: who has it
// could ask in the agent's name.
func startMCPServer(c *call) (*mcpServer, error) {
	s := &mcpServer{cmd: exec.Command(c.argv[0], c.argv[1:]...), exited: make(chan struct{})}
	s.cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "COUNTERSIGN_KEY=") })
	s.cmd.Stderr = c.stderr
	s.cmd.WaitDelay = drainTime
	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	var out *os.File
	if s.stdout, out, err = os.Pipe(); err != nil {
		return nil, err
	}
	s.cmd.Stdout = out
	err = s.cmd.Start()
	_ = out.Close() // the child has its own
	if err != nil {
		return nil, fmt.Errorf("the MCP server did not start: %w", err)
	}
	go func() {
		defer close(s.exited)
		_ = s.cmd.Wait() // stop reports how it ended
		// A process that it has started may keep its output open.
		time.AfterFunc(drainTime, func() { _ = s.stdout.Close() })
	}()
	return s, nil
}

func (s *mcpServer) transport() mcp.Transport {
	return &mcp.IOTransport{Reader: s.stdout, Writer: s.stdin}
}

// stop ends the server: first its input, then by signals. It returns its exit code.
// answered is closed when its last answer was passed on.
func (s *mcpServer) stop(answered <-chan struct{}) error {
	_ = s.stdin.Close() // it may have ended
	isForced := false
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Kill} {
		select {
		case <-s.exited:
		case <-time.After(endTime):
			isForced = true
			_ = s.cmd.Process.Signal(signal) // it may end just now
		}
	}
	select {
	case <-s.exited:
	case <-time.After(endTime):
		return errors.New("the MCP server does not end")
	}
	if answered != nil {
		select {
		case <-answered:
		case <-time.After(2 * drainTime):
		}
	}
	state := s.cmd.ProcessState
	switch status, ok := state.Sys().(syscall.WaitStatus); {
	case isForced || state.Success():
		return nil
	case ok && status.Signaled():
		return exitError(128 + int(status.Signal()))
	}
	return exitError(state.ExitCode())
}
