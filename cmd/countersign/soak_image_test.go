package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// sector is how much a disk writes whole.
const sector = 512

// cut gives the files as a power cut before an event may leave them. What was
// synced is there. Of the rest each sector is with the probability keep, in any
// order; names are in the order in which they were given, up to some point.
func (r *recording) cut(at int, keep float64, random *rand.Rand) map[string][]byte {
	durable := make([]int, len(r.files)) // events before this one are, by file
	for _, e := range r.events[:at] {
		if e.kind == synced {
			durable[e.file] = max(durable[e.file], e.began)
		}
	}
	files := make([][]byte, len(r.files))
	for i, data := range r.files {
		files[i] = append([]byte(nil), data...)
	}
	names := map[string]int{}
	for name, file := range r.names {
		names[name] = file
	}
	forgotten := false
	for i, e := range r.events[:at] {
		kept := func() bool { return i < durable[e.file] || random.Float64() < keep }
		switch e.kind {
		case named:
			if forgotten = forgotten || !kept(); !forgotten {
				e.naming(names)
			}
		case truncated:
			if kept() {
				files[e.file] = resize(files[e.file], int(e.offset))
			}
		case written:
			for from := 0; from < len(e.data); {
				start := int(e.offset) + from
				n := min(sector-start%sector, len(e.data)-from)
				if kept() {
					files[e.file] = resize(files[e.file], max(len(files[e.file]), start+n))
					copy(files[e.file][start:], e.data[from:from+n])
				}
				from += n
			}
		}
	}
	image := map[string][]byte{}
	for name, file := range names {
		image[name] = files[file]
	}
	return image
}

func resize(data []byte, size int) []byte {
	if size <= len(data) {
		return data[:size]
	}
	return append(data, make([]byte, size-len(data))...)
}

// told is what clients may have read before an event.
func (r *recording) told(at int) *acknowledged {
	a := &acknowledged{created: map[string]string{}, decided: map[string]domain.Status{}}
	for _, e := range r.events[:at] {
		if e.kind != answered || e.told.Key == "" {
			continue
		}
		a.created[e.told.Key] = e.told.Hash
		if e.told.Status != domain.Pending {
			a.decided[e.told.Key] = e.told.Status
		}
	}
	return a
}

// TestRecording_Cut holds the disk that the power cuts are played on to what a
// disk does.
func TestRecording_Cut(t *testing.T) {
	t.Parallel()
	const there = "0123456789"
	for _, row := range []struct {
		name, trace string
		keep        float64
		want        map[string]string
	}{
		{"what was synced stays", "7 pwrite64(3<F>, \"ab\", 2, 4) = 2\n7 fsync(3<F>) = 0\n", 0, map[string]string{"F": "0123ab6789"}},
		{"what was not is lost", "7 fsync(3<F>) = 0\n7 pwrite64(3<F>, \"ab\", 2, 4) = 2\n", 0, map[string]string{"F": there}},
		{"or is not", "7 pwrite64(3<F>, \"ab\", 2, 10) = 2\n", 1, map[string]string{"F": there + "ab"}},
		{"a sync covers what had ended when it began", "8 fsync(3<F> <unfinished ...>\n7 pwrite64(3<F>, \"ab\", 2, 4) = 2\n8 <... fsync resumed>) = 0\n", 0, map[string]string{"F": there}},
		{"and of its own file alone", "7 ftruncate(3<F>, 4) = 0\n7 fsync(4<D>) = 0\n", 0, map[string]string{"F": there}},
		{"a name is the directory's", "7 openat(AT_FDCWD<D>, \"G\", O_RDWR|O_CREAT, 0600) = 4<G>\n7 write(4<G>, \"ab\", 2) = 2\n7 fsync(4<G>) = 0\n", 0, map[string]string{"F": there}},
		{"and stays with it", "7 openat(AT_FDCWD<D>, \"G\", O_RDWR|O_CREAT, 0600) = 4<G>\n7 fsync(3<D>) = 0\n", 0, map[string]string{"F": there, "G": ""}},
		{"a file changes place", "7 openat(AT_FDCWD<D>, \"G\", O_RDWR|O_CREAT, 0600) = 4<G>\n7 write(4<G>, \"ab\", 2) = 2\n7 fsync(4<G>) = 0\n7 renameat(AT_FDCWD<D>, \"G\", AT_FDCWD<D>, \"F\") = 0\n7 fsync(3<D>) = 0\n", 0, map[string]string{"F": "ab"}},
		{"a removal may be lost", "7 unlink(\"F\") = 0\n", 0, map[string]string{"F": there}},
		{"what failed was not", "7 pwrite64(3<F>, \"ab\", 2, 4) = -1 EIO (Input/output error) (INJECTED)\n7 fsync(3<F>) = 0\n", 1, map[string]string{"F": there}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "F"), []byte(there), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := record(dir)
			if err != nil {
				t.Fatal(err)
			}
			trace := filepath.Join(t.TempDir(), "trace")
			if err := os.WriteFile(trace, []byte(inHex(dir, row.trace)), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := r.listen(trace); err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for name, data := range r.cut(len(r.events), row.keep, rand.New(rand.NewPCG(1, 1))) {
				got[name] = string(data)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("the disk (-want +got):\n%s", diff)
			}
		})
	}
}

// inHex writes a trace as strace does: names in quotes and brackets with their
// directory (D is that itself), all strings in hexadecimal.
func inHex(dir, trace string) string {
	spelt := func(text string) string {
		var b strings.Builder
		for _, c := range []byte(text) {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
		return b.String()
	}
	return regexp.MustCompile(`"\w+"|<\w>`).ReplaceAllStringFunc(trace, func(quoted string) string {
		text := quoted[1 : len(quoted)-1]
		switch text {
		case "F", "G":
			text = filepath.Join(dir, text)
		case "D":
			text = dir
		}
		return quoted[:1] + spelt(text) + quoted[len(quoted)-1:]
	})
}
