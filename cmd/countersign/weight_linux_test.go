package main

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"countersign/domain"
)

// TestB2_ListsKeepMemorySmall: however many ask for lists of the largest objects at
// once, the process stays under 300 MB. It posts and reads some hundred megabytes,
// which takes several seconds.
func TestB2_ListsKeepMemorySmall(t *testing.T) {
	t.Parallel()
	db := tempDB(t)
	var key string
	opened(t, db, func(h *house) {
		key, _ = h.key(domain.KeyInput{Name: "agent", Roles: []string{"planner", "architect", "executor"}})
	})
	p := spawn(t, db)
	client := new(http.Client)
	post := func(path, body string) {
		t.Helper()
		status, text, err := fetches(t.Context(), client, key, http.MethodPost, p.base+"/api/v1"+path, body)
		if err != nil || status != http.StatusCreated {
			t.Fatalf("POST %s: %d %.300s %v", path, status, text, err)
		}
	}
	steps := make([]string, 1000)
	for i := range steps {
		steps[i] = fmt.Sprintf(`{"step_id":"s%d","description":"d","x":"%s"}`, i, strings.Repeat("x", 3_900))
	}
	for i := range 10 {
		post("/plans", fmt.Sprintf(`{"plan_id":"p%d","context_id":"c","title":"t","objective":"o","steps":[%s]}`, i, strings.Join(steps, ",")))
	}
	for i := range 50 {
		post("/contexts", fmt.Sprintf(`{"context_id":"c%d","constraints":{"x":"%s"}}`, i, strings.Repeat("x", 200_000)))
		post("/confirms", fmt.Sprintf(`{"target_type":"other","actions":[{"name":"rm","args":{}}],"reason":"%s"}`, strings.Repeat("\u200b", 80_000)))
	}
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			for _, path := range []string{"/plans?limit=200", "/contexts?limit=200", "/confirms?limit=200"} {
				status, text, err := fetches(t.Context(), client, key, http.MethodGet, p.base+"/api/v1"+path, "")
				if err != nil || status != http.StatusOK || len(text) > 4<<20 {
					t.Errorf("GET %s: %d with %d bytes, %v", path, status, len(text), err)
				}
			}
		})
	}
	wg.Wait()
	if most := peak(t, p.cmd.Process.Pid); most > 300_000 {
		t.Errorf("the process had %d kB in memory", most)
	}
}

// peak is the most memory that a process has had, in kB.
func peak(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("no peak in\n%s", status)
	}
	most, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return most
}
