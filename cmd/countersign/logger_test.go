package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"unicode"

	"countersign/domain/credential"
)

// FuzzLogger: whatever is logged is one line, one JSON object, with nothing raw
// that a terminal would act on, and no secret.
func FuzzLogger(f *testing.F) {
	for _, seed := range []string{
		"plain", "a\nb", "{\"level\":\"ERROR\"}\n{\"forged\":true}", "\x1b[2J\x1b]0;title\a", "\u009b31m", "\r", "\x00", "\xff\xfe",
		"\u202eevil\u2066", "\u2028\u2029", "cs_0123456789ab_" + strings.Repeat("Z", 49), "тест", "\U000e0041",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		logger := newLogger(&out, slog.LevelInfo)
		logger.Info(text, "path", text, "error", errors.New(text), "addr", &net.UnixAddr{Name: text}, text, text)
		line := out.String()
		checkLogLine(t, strings.TrimSuffix(line, "\n"))
		if !strings.HasSuffix(line, "\n") || strings.Count(line, "\n") != 1 {
			t.Errorf("%q is not one line", line)
		}
		if strings.Contains(line, "cs_0123456789ab_"+strings.Repeat("Z", 43)) {
			t.Errorf("the log has the secret of a key: %s", line)
		}
	})
}

// checkLogLine asserts one JSON object without anything that is not seen.
func checkLogLine(t *testing.T, line string) {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(line), &object); err != nil {
		t.Errorf("not one JSON object: %v: %q", err, line)
	}
	for _, r := range line {
		if !unicode.IsPrint(r) && r != unicode.ReplacementChar {
			t.Errorf("%U stands raw in %q", r, line)
		}
	}
}

// TestT27_LogLinesCannotBeForged sends what a client may over a raw connection
// and reads the log of the real server.
func TestT27_LogLinesCannotBeForged(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := invoke(t, "key", "create", "bot", "--role", "executor", "--db", r.db)
	secrets := []string{key[len("cs_000000000000_"):], "hunter2-hunter2", "s3cret-cookie-value", "s3cret-token-value"}
	requests := []string{
		"GET /api/v1/confirms/" + key + " HTTP/1.1\r\nHost: %s\r\nUser-Agent: a\u202e{}\r\nConnection: close\r\n\r\n",
		"GET /%%0a%%7b%%22forged%%22:1%%7d%%1b%%5b2J%%c2%%9b%%e2%%80%%ae HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
		"GET /confirms?key=" + key + "&token=s3cret-token-value HTTP/1.1\r\nHost: %s\r\nCookie: countersign=s3cret-cookie-value\r\nConnection: close\r\n\r\n",
		"GET /login HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer " + key + "\r\nX-Request-Id: forged\r\nConnection: close\r\n\r\n",
		"POST /login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 41\r\nConnection: close\r\n\r\nusername=hunter2-hunter2&password=hunter2",
		"\x00\x01\x1b[2J\r\nHost: %s\r\n\r\n",
	}
	for _, request := range requests {
		address := strings.TrimPrefix(r.base, "http://")
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(conn, request, address); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(bufio.NewReader(conn)); err != nil {
			t.Errorf("%q: %v", request, err)
		}
		conn.Close()
	}
	r.stop(t)
	text := r.stderr.String()
	if strings.Count(text, `"msg":"request"`) != len(requests)-1 {
		t.Errorf("requests are missing from the log:\n%s", text)
	}
	for line := range strings.Lines(text) {
		checkLogLine(t, strings.TrimSuffix(line, "\n"))
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("the log has %q:\n%s", secret, text)
		}
	}
	if id, _, err := credential.ParseKey(key); err != nil || !strings.Contains(text, "cs_"+id+"_…") {
		t.Errorf("the log does not say whose key it was (%v):\n%s", err, text)
	}
}
