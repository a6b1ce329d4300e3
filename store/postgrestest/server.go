// Package postgrestest runs PostgreSQL for tests, from the binaries that the
// system has: in a scratch directory, on a free port of the loopback address,
// and as a user who is not root, which PostgreSQL refuses.
package postgrestest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a PostgreSQL server with a directory of its own.
type Server struct {
	bin, dir string
	port     int
	password string
	owner    *syscall.Credential // nil: whoever runs the test
	process  *os.Process
	ended    chan error
}

// startTimeout is how long a server may take to answer.
const startTimeout = 60 * time.Second

// New makes a server, which does not run yet.
func New() (_ *Server, err error) {
	s := &Server{password: rand.Text()}
	if s.bin, err = binaries(); err != nil {
		return nil, err
	}
	if s.owner, err = ordinary(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "countersign-postgres-"); err != nil {
		return nil, err
	}
	secret := filepath.Join(s.dir, "password")
	err = os.WriteFile(secret, []byte(s.password), 0o600)
	if s.owner != nil {
		err = errors.Join(err, os.Chown(s.dir, int(s.owner.Uid), int(s.owner.Gid)), os.Chown(secret, int(s.owner.Uid), int(s.owner.Gid)))
	}
	if err != nil {
		return nil, err
	}
	// The default order of text is none that anything may depend on.
	out, err := s.command("initdb", "-D", s.data(), "-U", "countersign", "--pwfile", secret, "-A", "scram-sha-256", "-E", "UTF8",
		"--locale", "C.UTF-8", "--no-sync").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return s, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// binaries finds the newest server that is installed.
func binaries() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return "", err
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // 0: not a version
		return n
	}
	slices.SortFunc(found, func(a, b string) int { return version(a) - version(b) })
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		return "", fmt.Errorf("%w: run make test-tools", err)
	}
	path, err = filepath.EvalSymlinks(path)
	return filepath.Dir(path), err
}

// ordinary is the user to run the server as when the test runs as root.
func ordinary() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.owner}
	return cmd
}

// Start runs the server, and returns when it answers. It ends with the test's
// process whatever becomes of that.
func (s *Server) Start() error {
	if s.port == 0 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		s.port = l.Addr().(*net.TCPAddr).Port
		if err := l.Close(); err != nil {
			return err
		}
	}
	cmd := s.command("postgres", "-D", s.data(), "-p", strconv.Itoa(s.port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "max_connections=500")
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the server has its own
	cmd.Stderr = log
	cmd.SysProcAttr.Pdeathsig = syscall.SIGQUIT
	started := make(chan error)
	s.ended = make(chan error, 1)
	go func() { // the signal at death is that of the thread
		runtime.LockOSThread()
		err := cmd.Start()
		s.process = cmd.Process
		started <- err
		if err == nil {
			s.ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	return s.await(log.Name())
}

// await waits until the server answers.
func (s *Server) await(log string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return errors.Join(err, s.Stop())
		case ended := <-s.ended:
			text, _ := os.ReadFile(log) // the error says enough without
			return fmt.Errorf("postgres: %w\n%s", ended, text)
		}
	}
}

// Stop ends the server at once, as a crash would, and everybody's connections
// with it. Start runs it again.
func (s *Server) Stop() error {
	if s.process == nil {
		return nil
	}
	err := s.process.Signal(syscall.SIGQUIT)
	<-s.ended
	s.process = nil
	return err
}

// Remove stops the server and deletes its directory.
func (s *Server) Remove() error { return errors.Join(s.Stop(), os.RemoveAll(s.dir)) }

// URL names a database of the server.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://countersign:%s@127.0.0.1:%d/%s", s.password, s.port, database)
}

// Create makes an empty database and gives its URL.
func (s *Server) Create(ctx context.Context) (url string, err error) {
	// An order of text in which upper case is not before lower case.
	return s.create(ctx, "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'")
}

// Copy makes a copy of a database that nobody is connected to.
func (s *Server) Copy(ctx context.Context, url string) (copied string, err error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return "", err
	}
	return s.create(ctx, "TEMPLATE "+pgx.Identifier{config.Database}.Sanitize())
}

func (s *Server) create(ctx context.Context, how string) (url string, err error) {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	name := "test" + rand.Text()
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" "+how)
	return s.URL(name), err
}
