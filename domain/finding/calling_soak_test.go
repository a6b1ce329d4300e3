package finding

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOf_LeavesPublicCallsAlone holds the rules to the same bars on a public set of
// function calls, which is not ours to keep here. COUNTERSIGN_SOAK=1 runs it, on the
// directory that COUNTERSIGN_CALLS names. A file *.jsonl in it has lines of the form of
// testdata/calls.jsonl. A file *.json is of the Berkeley Function-Calling Leaderboard:
// lines with "id" and "question"; the answers are in the file of the same name in the
// directory possible_answer below.
func TestOf_LeavesPublicCallsAlone(t *testing.T) {
	t.Parallel()
	directory := os.Getenv("COUNTERSIGN_CALLS")
	if os.Getenv("COUNTERSIGN_SOAK") != "1" {
		return
	}
	if directory == "" {
		t.Log("not run: COUNTERSIGN_CALLS names no directory")
		return
	}
	var calls []call
	own, _ := filepath.Glob(filepath.Join(directory, "*.jsonl"))
	for _, path := range own {
		eachLine(t, path, func(line []byte) {
			var c call
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			calls = append(calls, c)
		})
	}
	berkeley, _ := filepath.Glob(filepath.Join(directory, "*.json"))
	for _, path := range berkeley {
		calls = append(calls, berkeleyCalls(t, path)...)
	}
	if len(calls) == 0 {
		t.Fatalf("%s has no calls", directory)
	}
	checkCalls(t, calls)
}

// eachLine calls f with the lines of a file that are not empty.
func eachLine(t *testing.T, path string, f func([]byte)) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			f(line)
		}
	}
}

// berkeleyCalls reads questions and their answers. Of the values that an answer allows
// the first is taken; an empty one means that the argument can be left out.
func berkeleyCalls(t *testing.T, path string) []call {
	t.Helper()
	questions := map[string]string{}
	eachLine(t, path, func(line []byte) {
		var q struct {
			ID       string
			Question [][]struct{ Content string }
		}
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var texts []string
		for _, turn := range q.Question {
			for _, message := range turn {
				texts = append(texts, message.Content)
			}
		}
		questions[q.ID] = strings.Join(texts, "\n")
	})
	var calls []call
	eachLine(t, filepath.Join(filepath.Dir(path), "possible_answer", filepath.Base(path)), func(line []byte) {
		var answer struct {
			ID          string
			GroundTruth []map[string]map[string][]any `json:"ground_truth"`
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		args := []map[string]any{}
		for _, functions := range answer.GroundTruth {
			for _, allowed := range functions {
				args = append(args, firstAllowed(allowed))
			}
		}
		encoded, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, call{Question: questions[answer.ID], Args: encoded})
	})
	return calls
}

func firstAllowed(allowed map[string][]any) map[string]any {
	args := map[string]any{}
	for name, values := range allowed {
		if len(values) > 0 && values[0] != "" {
			args[name] = values[0]
		}
	}
	return args
}
