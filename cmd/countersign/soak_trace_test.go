package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"countersign/domain"
)

// diskCalls are the system calls that change files, and write, by which answers
// leave too. A question mark lets an architecture be without one. Those of the
// second line are not understood: one that touches the files is an error, not
// an oversight.
const diskCalls = "trace=?open,openat,write,pwrite64,fsync,fdatasync,ftruncate,?unlink,unlinkat,?rename,?renameat,renameat2,?link,linkat," +
	"writev,pwritev,pwritev2,fallocate,copy_file_range"

type eventKind int

const (
	written   eventKind = iota // data at offset
	truncated                  // to offset
	synced                     // what had ended when it began is durable
	named                      // name is target from now on, and old is gone; either may be empty
	answered                   // a client may have read it
)

// event is one thing that a program did to the files in its directory, or said.
type event struct {
	kind      eventKind
	file      int // whose sync makes it durable
	offset    int64
	data      []byte
	began     int // number of events that had ended when it began
	name, old string
	target    int
	told      answer
}

// answer is what matters of an answer to an approval request.
type answer struct {
	Key    string        `json:"approval_key"`
	Hash   string        `json:"content_hash"`
	Status domain.Status `json:"status"`
}

// theDirectory is the number of the file that the others are named in.
const theDirectory = 0

// recording is all that a program did to the files of one directory.
type recording struct {
	dir    string
	files  [][]byte       // as they were at first, by number
	names  map[string]int // as they were at first
	events []event
}

// record takes the directory as it is, all of it durable.
func record(dir string) (*recording, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	r := &recording{dir: dir, files: [][]byte{theDirectory: nil}, names: map[string]int{}}
	there, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range there {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		r.names[entry.Name()] = len(r.files)
		r.files = append(r.files, data)
	}
	return r, nil
}

// listener turns the lines of strace into events.
type listener struct {
	*recording
	live    map[string]int // names as they are now
	sizes   []int64        // of files that are written from begin to end
	waiting map[string]begun
}

// begun is a call that other threads' calls interrupt in the trace.
type begun struct {
	text  string
	count int // of events when it began
}

// listen reads what strace wrote about the program.
func (r *recording) listen(trace string) error {
	f, err := os.Open(trace)
	if err != nil {
		return err
	}
	defer f.Close()
	l := &listener{recording: r, live: map[string]int{}, waiting: map[string]begun{}}
	for name, file := range r.names {
		l.live[name] = file
	}
	for _, data := range r.files {
		l.sizes = append(l.sizes, int64(len(data)))
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if err := l.line(lines.Text()); err != nil {
			return fmt.Errorf("%w in %.300s", err, lines.Text())
		}
	}
	return lines.Err()
}

func (l *listener) line(text string) error {
	thread, text, _ := strings.Cut(text, " ")
	text = strings.TrimLeft(text, " ")
	at := len(l.events)
	if head, ok := strings.CutSuffix(text, " <unfinished ...>"); ok {
		l.waiting[thread] = begun{head, at}
		name, args := apart(head)
		if name == "write" { // it may arrive before the call ends
			return l.answer(args)
		}
		return nil
	}
	resumed := strings.HasPrefix(text, "<... ")
	if resumed {
		_, tail, _ := strings.Cut(text, " resumed>")
		at, text = l.waiting[thread].count, l.waiting[thread].text+tail
		delete(l.waiting, thread)
	}
	i := strings.LastIndex(text, "= ")
	if i < 0 {
		return nil // a thread ended
	}
	digits, _, _ := strings.Cut(strings.Fields(text[i+2:])[0], "<")
	result, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || result < 0 {
		return nil // it did nothing
	}
	name, args := apart(strings.TrimSuffix(strings.TrimRight(text[:i], " "), ")"))
	if name == "write" && !resumed {
		if err := l.answer(args); err != nil {
			return err
		}
	}
	return l.call(name, args, result, at)
}

// apart takes a call apart. Strings are in hexadecimal, so that no comma is part
// of one.
func apart(text string) (name string, args []string) {
	name, rest, _ := strings.Cut(text, "(")
	return name, strings.Split(rest, ", ")
}

func (l *listener) call(name string, args []string, result int64, began int) error {
	switch paths := l.paths(args); name {
	case "open", "openat":
		if len(paths) == 1 && strings.Contains(strings.Join(args, " "), "O_CREAT") {
			l.create(paths[0])
		}
		return nil
	case "unlink", "unlinkat":
		if len(paths) == 1 {
			l.rename(paths[0], "", 0)
		}
		return nil
	case "rename", "renameat", "renameat2":
		if len(paths) == 2 {
			l.rename(paths[0], paths[1], l.live[paths[0]])
		}
		return nil
	case "link", "linkat":
		if len(paths) == 2 {
			l.rename("", paths[1], l.live[paths[0]])
		}
		return nil
	}
	file, ok := l.file(args[0])
	if !ok {
		return nil
	}
	e := event{file: file, began: began}
	var err error
	switch name {
	case "write":
		e.offset, e.data = l.sizes[file], []byte(unhex(args[1]))
	case "pwrite64":
		e.data = []byte(unhex(args[1]))
		e.offset, err = strconv.ParseInt(args[3], 10, 64)
	case "ftruncate":
		e.kind = truncated
		e.offset, err = strconv.ParseInt(args[1], 10, 64)
		l.sizes[file] = e.offset
	case "fsync", "fdatasync":
		e.kind = synced
	default:
		return fmt.Errorf("%s is not understood", name)
	}
	if e.kind == written {
		if int64(len(e.data)) < result {
			return errors.New("what was written is not all here")
		}
		e.data = e.data[:result]
		l.sizes[file] = max(l.sizes[file], e.offset+result)
	}
	l.events = append(l.events, e)
	return err
}

// create makes a file unless it is there.
func (l *listener) create(name string) {
	if _, there := l.live[name]; there {
		return
	}
	l.files = append(l.files, nil)
	l.sizes = append(l.sizes, 0)
	l.rename("", name, len(l.files)-1)
}

func (l *listener) rename(old, name string, target int) {
	e := event{kind: named, file: theDirectory, old: old, name: name, target: target}
	e.naming(l.live)
	l.events = append(l.events, e)
}

// naming does to names what the event did.
func (e *event) naming(names map[string]int) {
	delete(names, e.old)
	if e.name != "" {
		names[e.name] = e.target
	}
}

// answer takes note of an answer over HTTP that tells of an approval request.
func (l *listener) answer(args []string) error {
	text := unhex(args[1])
	head, body, _ := strings.Cut(text, "\r\n\r\n")
	if !strings.HasPrefix(head, "HTTP/1.1 2") {
		return nil
	}
	e := event{kind: answered}
	if err := json.Unmarshal([]byte(body), &e.told); err != nil {
		return fmt.Errorf("an answer is not whole: %w", err)
	}
	l.events = append(l.events, e)
	return nil
}

// paths are the names in the directory that the arguments spell.
func (l *listener) paths(args []string) (names []string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, `"`) {
			if dir, name := filepath.Split(unhex(arg)); filepath.Clean(dir) == l.dir && !volatile(name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// file is the file of the directory that a descriptor is of, or the directory.
func (l *listener) file(arg string) (number int, ok bool) {
	_, path, _ := strings.Cut(arg, "<")
	if strings.HasSuffix(path, "(deleted)") {
		return 0, false
	}
	path = unhex(path)
	if path == l.dir {
		return theDirectory, true
	}
	dir, name := filepath.Split(path)
	number, ok = l.live[name]
	return number, ok && filepath.Clean(dir) == l.dir
}

// volatile says whether a file holds nothing that must last: the index of the
// write-ahead log is made anew after a power cut.
func volatile(name string) bool { return strings.HasSuffix(name, "-shm") }

// unhex gives what a string of the trace spells, in its quotes or brackets.
func unhex(text string) string {
	text = strings.Trim(strings.TrimSuffix(text, "..."), `"<>`)
	data, err := hex.DecodeString(strings.ReplaceAll(text, `\x`, ""))
	if err != nil {
		return ""
	}
	return string(data)
}
