package main

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/domain"
)

// dial opens a connection to a server, closed when the test ends.
func dial(t *testing.T, base string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestWire_NothingIsSmuggled: requests whose end two readers could see at
// different places are refused, and what hides in a body is never answered.
func TestWire_NothingIsSmuggled(t *testing.T) {
	t.Parallel()
	base, _, _ := startServer(t)
	host := strings.TrimPrefix(base, "http://")
	const form = "Content-Type: application/x-www-form-urlencoded\r\n"
	for _, tt := range []struct {
		name, request string
		want          string // statuses, in order
	}{
		{"well formed", "GET /healthz HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", "200"},
		{"two lengths", "POST /login HTTP/1.1\r\nHost: HOST\r\n" + form + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nx=1GET", "400"},
		{"a length with a sign", "POST /login HTTP/1.1\r\nHost: HOST\r\n" + form + "Content-Length: +5\r\n\r\nx=111", "400"},
		{"a length of two values", "POST /login HTTP/1.1\r\nHost: HOST\r\n" + form + "Content-Length: 5, 6\r\n\r\nx=111", "400"},
		{"an unknown coding", "POST /login HTTP/1.1\r\nHost: HOST\r\n" + form + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", "501"},
		{"a coding behind a tab", "POST /login HTTP/1.1\r\nHost: HOST\r\n" + form + "Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n", "400"},
		{"two codings", "POST /login HTTP/1.1\r\nHost: HOST\r\n" + form + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "501"},
		{"a space before the colon", "GET /healthz HTTP/1.1\r\nHost : HOST\r\n\r\n", "400"},
		{"two hosts", "GET /healthz HTTP/1.1\r\nHost: HOST\r\nHost: evil.test\r\n\r\n", "400"},
		{"no host", "GET /login HTTP/1.1\r\n\r\n", "400"},
		{"another host in the address", "GET http://evil.test/login HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", "421"},
		{"a NUL in a header", "GET /healthz HTTP/1.1\r\nHost: HOST\r\nX: a\x00b\r\n\r\n", "400"},
		{"an unknown protocol", "GET /healthz HTTP/9.9\r\nHost: HOST\r\n\r\n", "505"},
		{"a request within a body", "POST /login HTTP/1.1\r\nHost: HOST\r\n" + form + "Connection: close\r\nContent-Length: 45\r\n\r\nGET /healthz HTTP/1.1\r\nHost: HOST\r\n\r\n", "403"},
		{"headers without end", "GET /healthz HTTP/1.1\r\nHost: HOST\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", "431"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, base)
			// A server that refuses early may close before all has been sent.
			_, _ = io.WriteString(conn, strings.ReplaceAll(tt.request, "HOST", host))
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.CloseWrite()
			}
			var got []string
			for reader := bufio.NewReader(conn); ; {
				answer, err := http.ReadResponse(reader, nil)
				if err != nil {
					break
				}
				if _, err := io.Copy(io.Discard, answer.Body); err != nil {
					break
				}
				got = append(got, fmt.Sprint(answer.StatusCode))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("answers %v, want %s", got, tt.want)
			}
		})
	}
}

// TestT29_SlowHeadersAreCutOff: connections that never finish their headers are
// closed in time, and meanwhile nobody else waits.
func TestT29_SlowHeadersAreCutOff(t *testing.T) {
	t.Parallel()
	base, _, _ := startServer(t)
	var slow sync.WaitGroup
	for range 100 {
		conn := dial(t, base)
		slow.Go(func() {
			began := time.Now()
			if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: "); err != nil {
				t.Error(err)
			}
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
			if took := time.Since(began); took > 2*headerTimeout {
				t.Errorf("it was closed after %v", took)
			}
		})
	}
	for range 20 {
		began := time.Now()
		if status, _ := get(t, base+"/healthz", ""); status != http.StatusOK || time.Since(began) > headerTimeout {
			t.Errorf("status %d after %v", status, time.Since(began))
		}
	}
	slow.Wait()
}

// TestT09_NothingStoredIsUsable: no secret that opens anything stands in the
// database, beside it, or in a backup of it.
func TestT09_NothingStoredIsUsable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHouse(t, filepath.Join(dir, "countersign.db"))
	secrets := []string{password}
	for i := range 100 {
		name := fmt.Sprint("user-", i)
		key, _ := h.key(domain.KeyInput{Name: name, Roles: []string{"executor"}})
		_, link, err := h.AddUser(t.Context(), domain.System, name, []string{"reviewer"}, "")
		if err != nil {
			t.Fatal(err)
		}
		session, _, err := h.UseOneTimeLink(t.Context(), link, "", password, "")
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := h.ResetUser(t.Context(), domain.System, name)
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, key[len("cs_000000000000_"):], link, session, fresh)
	}
	if _, _, err := h.SignIn(t.Context(), "a password typed as a name", "", domain.Client{}); err == nil {
		t.Fatal("signed in")
	}
	secrets = append(secrets, "a password typed as a name")
	if err := h.db.Backup(t.Context(), filepath.Join(dir, "copy.db")); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s has the secret %q", filepath.Base(file), secret)
			}
		}
	}
}

// TestT26_NoInputIsSQL: what looks like SQL finds nothing, changes nothing and
// leaves the schema as it is.
func TestT26_NoInputIsSQL(t *testing.T) {
	t.Parallel()
	h := newHouse(t, tempDB(t))
	h.user("reader", "admin")
	_, agent := h.key(domain.KeyInput{Name: "agent", Roles: []string{"executor"}})
	h.post(agent, aCall)
	reader := h.signedIn("reader")
	key, _ := h.key(domain.KeyInput{Name: "other", Roles: []string{"admin"}, Owner: "reader", MayDecide: true})
	machine := &visitor{house: h, key: key}
	schema := func() (text string) {
		db, err := sql.Open("sqlite", "file:"+h.file)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.QueryRow("SELECT group_concat(name || COALESCE(sql, ''), ';') FROM sqlite_master").Scan(&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	rows, tables := digest(h), schema()
	for _, input := range []string{"'", "''", `"`, "' OR 1=1 --", "'; DROP TABLE confirms; --", "1) UNION SELECT name FROM sqlite_master --", "%", "_", "*", "\\", "x' AND randomblob(1000000000) --", "$1", "?1", "ATTACH DATABASE 'x' AS y"} {
		escaped := strings.NewReplacer("%", "%25", " ", "%20", "'", "%27", `"`, "%22", ";", "%3B", "\\", "%5C", "?", "%3F", "#", "%23").Replace(input)
		for _, path := range []string{"/confirms/X", "/plans/X", "/contexts/X", "/roles/X", "/confirms?q=X", "/confirms?cursor=X", "/confirms?status=X", "/confirms?target_type=X"} {
			for _, who := range []*visitor{reader, machine} {
				if who == machine {
					path = "/api/v1" + path
				}
				got := who.do(http.MethodGet, strings.ReplaceAll(path, "X", escaped), "", nil)
				if got.status >= http.StatusInternalServerError {
					t.Errorf("%s with %q: status %d", path, input, got.status)
				}
			}
		}
	}
	if digest(h) != rows || schema() != tables {
		t.Error("something changed")
	}
}
