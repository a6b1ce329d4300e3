package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"countersign/domain"
	"countersign/domain/evidence"
)

// An auditor keeps a checkpoint, comes back later, and needs no word of the
// server's.
func TestEvidence_AnAuditorNeedsNobodysWord(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor", "planner")
	reviewer := s.decider("reviewer", "reviewer")
	s.role("auditor", "trace.read")
	auditor := s.agent("auditor") // of the agent's own group

	first := auditor.get("/evidence/checkpoint").want(http.StatusOK)
	if got := first.header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
	var keys struct{ Items []domain.SigningKey }
	auditor.get("/evidence/keys").want(http.StatusOK).decode(&keys)
	if len(keys.Items) != 1 {
		t.Fatalf("keys %+v", keys)
	}
	vkey := keys.Items[0].VKey
	older, err := evidence.OpenCheckpoint(first.body, vkey)
	if err != nil {
		t.Fatal(err)
	}

	posted := agent.post("/confirms", `{"confirm_id":"c-1",`+toolCall[1:]).want(http.StatusCreated)
	hash := strings.Trim(posted.header.Get("ETag"), `"`)
	reviewer.post("/confirms/c-1/decisions", `{"status":"approved","content_hash":"`+hash+`"}`).want(http.StatusCreated)

	newer, err := evidence.OpenCheckpoint(auditor.get("/evidence/checkpoint").want(http.StatusOK).body, vkey)
	if err != nil {
		t.Fatal(err)
	}
	var growth domain.ConsistencyProof
	auditor.get(fmt.Sprintf("/evidence/consistency?from=%d", older.Size)).want(http.StatusOK).decode(&growth)
	if err := tlog.CheckTree(growth.Proof, newer.Size, newer.Root, older.Size, older.Root); err != nil || growth.To != newer.Size {
		t.Errorf("consistency %+v: %v", growth, err)
	}
	bundle := agent.get("/evidence/confirms/c-1").want(http.StatusOK).body
	report, err := evidence.VerifyBundle([]byte(bundle), vkey, "", domain.NewPartialHistory().Check)
	if err != nil || !report.IsVerified() || report.Entries != 2 || report.Contents != 1 {
		t.Errorf("bundle %+v: %v", report, err)
	}

	for _, tt := range []struct{ query, path, code string }{
		{"from=0", "from", "type_error"}, {"from=x", "from", "type_error"}, {"from=1&to=9999", "to", "limit"}, {"from=3&to=2", "to", "limit"},
	} {
		auditor.get("/evidence/consistency?"+tt.query).problem(http.StatusUnprocessableEntity, "invalid").fault(tt.path, tt.code)
	}
	auditor.get("/evidence/confirms/none").problem(http.StatusNotFound, "not-found")
}
