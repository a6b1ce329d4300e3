package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"countersign/web/client"
)

// serverFlags say which server a command calls. The key is in no flag: other users of
// the machine can read command lines.
type serverFlags struct {
	url      address
	keyFile  string
	insecure bool
}

// addServerFlags declares the flags of a command that calls a server.
func addServerFlags(f *flag.FlagSet) *serverFlags {
	s := &serverFlags{}
	_ = s.url.Set("http://127.0.0.1:8080") // it is one
	f.Var(&s.url, "server", "the `URL` of the server")
	f.StringVar(&s.keyFile, "key-file", "", "`PATH` of a file with the key, instead of $COUNTERSIGN_KEY or the file in $COUNTERSIGN_KEY_FILE")
	f.BoolVar(&s.insecure, "insecure", false, "send the key over plain HTTP to another machine")
	return s
}

// client returns a client of the server, with the key.
func (s *serverFlags) client(c *call) (*client.Client, error) {
	if s.url.url.Scheme == "http" && !isLoopback(s.url.url.Hostname()) && !s.insecure {
		return nil, usageErrorf("--server %s would send the key over plain HTTP: use https, or add --insecure", &s.url)
	}
	key, err := s.key(c)
	if err != nil {
		return nil, err
	}
	return client.New(s.url.String(), key), nil
}

// maxKeyFile bounds a file with a key, in bytes.
const maxKeyFile = 4 << 10

// key returns the key. A flag overrides the variables.
func (s *serverFlags) key(c *call) (string, error) {
	key, file := c.getenv("COUNTERSIGN_KEY"), s.keyFile
	if key == "" {
		file = cmp.Or(file, c.getenv("COUNTERSIGN_KEY_FILE"))
	}
	if file != "" {
		text, err := readFile(file, maxKeyFile)
		if err != nil {
			return "", fmt.Errorf("the key file cannot be read: %w", err)
		}
		key = string(text)
	}
	key = strings.TrimSpace(key)
	switch {
	case key == "":
		return "", errors.New("there is no key: set $COUNTERSIGN_KEY, or name a file with --key-file")
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("the key has spaces or other characters that no key has")
	}
	return key, nil
}

// readFile reads a file of at most limit bytes.
func readFile(name string, limit int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	return readAll(file, limit)
}

// readAll reads at most limit bytes, and fails if there are more.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("longer than %d bytes", limit)
	}
	return text, err
}
