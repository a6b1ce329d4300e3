package postgrestest

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// shared is the server of a test binary.
var shared struct {
	sync.Mutex
	server *Server
	made   string // URL of the database that Made copies
}

// Database gives the URL of an empty database on the test binary's server,
// which the first test that asks starts. Its TestMain must call Run.
func Database(t testing.TB) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	return check(t)(server(t).Create(t.Context()))
}

// Made gives the URL of a database as prepare makes it of an empty one. It is
// called once for a test binary; everybody gets a copy, which is quicker.
func Made(t testing.TB, prepare func(url string) error) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	s := server(t)
	if shared.made == "" {
		url := check(t)(s.Create(t.Context()))
		if err := prepare(url); err != nil {
			t.Fatal(err)
		}
		shared.made = url
	}
	return check(t)(s.Copy(t.Context(), shared.made))
}

// Copy gives the URL of a copy of a database that nobody is connected to, as a
// backup that was restored would be.
func Copy(t testing.TB, url string) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	return check(t)(server(t).Copy(t.Context(), url))
}

func server(t testing.TB) *Server {
	t.Helper()
	if shared.server == nil {
		s, err := New()
		if err == nil {
			err = s.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		shared.server = s
	}
	return shared.server
}

func check(t testing.TB) func(string, error) string {
	return func(url string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return url
	}
}

// Run runs the tests of a binary, and stops the server that they used, if there
// is one. It gives the code to exit with.
func Run(m interface{ Run() int }) int {
	code := m.Run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stopping PostgreSQL:", err)
		return 1
	}
	return code
}

func stop() error {
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		return nil
	}
	err := shared.server.Remove()
	shared.server = nil
	return err
}
