package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// patience is how long a process may take to say that it is ready, or to end.
const patience = 30 * time.Second

// process is a program that the benchmark started, and stops.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr *os.File
	ended  chan error
}

// start runs a program in dir. Its standard error goes to a file there.
func start(ctx context.Context, dir, program string, args ...string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, program, args...), ended: make(chan error, 1)}
	p.cmd.Dir = dir
	var err error
	if p.stderr, err = os.CreateTemp(dir, filepath.Base(program)+"-*.log"); err != nil {
		return nil, err
	}
	p.cmd.Stderr = p.stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	// A pipe of our own: the command's would be closed under what is still unread.
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stdout, p.stdout = out, bufio.NewReader(in)
	if err := errors.Join(p.cmd.Start(), out.Close()); err != nil {
		return nil, err
	}
	go func() { p.ended <- p.cmd.Wait() }()
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// line waits for a line that begins with prefix and gives the rest of it.
func (p *process) line(prefix string) (string, error) {
	for {
		line, err := p.stdout.ReadString('\n')
		if rest, found := strings.CutPrefix(line, prefix); found {
			return strings.TrimSpace(rest), nil
		}
		if err != nil {
			return "", p.failed(err)
		}
	}
}

// stop asks the program to end, and waits for it.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return p.failed(err)
	}
	return p.wait()
}

func (p *process) wait() error {
	select {
	case err := <-p.ended:
		p.ended <- err
		return p.failed(err)
	case <-time.After(patience):
		return errors.Join(p.failed(errors.New("it does not end")), p.cmd.Process.Kill())
	}
}

// kill ends what is still there after a failure.
func (p *process) kill() { _ = p.cmd.Process.Kill() } // what has ended refuses

// failed adds what the program said to an error.
func (p *process) failed(err error) error {
	if err == nil {
		return nil
	}
	said, _ := os.ReadFile(p.stderr.Name())
	return fmt.Errorf("%s %s: %w\n%s", filepath.Base(p.cmd.Path), p.cmd.Args[1], err, last(said, 2000))
}

func last(text []byte, n int) []byte { return text[max(0, len(text)-n):] }
