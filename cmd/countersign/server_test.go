package main

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"countersign/store"
)

func TestSlowCommitsAreLogged(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		group store.Group
		want  bool
	}{
		{"quick", store.Group{Members: 7, Took: 3 * time.Millisecond, Waited: time.Millisecond}, false},
		{"slow to commit", store.Group{Members: 7, Took: 1500 * time.Millisecond}, true},
		{"slow to have its turn", store.Group{Members: 7, Took: 300 * time.Millisecond, Waited: 800 * time.Millisecond}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			logged := newTranscript()
			s := &server{logger: newLogger(logged, slog.LevelInfo)}
			s.observed(test.group)
			line := logged.String()
			if got := strings.Contains(line, `"level":"WARN","msg":"slow commit"`) && strings.Contains(line, `"transactions":7`); got != test.want {
				t.Errorf("logged %q", line)
			}
		})
	}
}
