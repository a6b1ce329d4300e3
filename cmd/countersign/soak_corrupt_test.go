package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/store"
)

// pageSize is that of the database file.
const pageSize = 4096

// TestBarR15_CorruptedDatabase damages copies of a database file. The gate may fail,
// or block; it never lets a step run that nobody approved, and where the file
// cannot be read the server does not start.
func TestBarR15_CorruptedDatabase(t *testing.T) {
	t.Parallel()
	b, damages := newBar(t, "R15", 100, 1_000)
	file := tempDB(t)
	var agent domain.Ref
	opened(t, file, func(h *house) { agent = gated(h) })
	names, err := filepath.Glob(file + "*") // its key and head belong to it
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string][]byte{}
	for _, name := range names {
		if whole[name[len(file):]], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	outcomes := map[string]int{}
	for i := range damages {
		copied := filepath.Join(t.TempDir(), "damaged.db")
		for suffix, data := range whole {
			if suffix == "" {
				data = damage(b.random(i), data)
			}
			if err := os.WriteFile(copied+suffix, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		outcomes[ask(b, i, copied, agent)]++
		b.n.Add(1)
	}
	b.figure("outcomes", outcomes)
	if outcomes["answered"] == damages || outcomes["refused to open"] == damages {
		t.Errorf("the damage did not differ: %v", outcomes)
	}
}

// steps are the steps of the plan that is gated, with what was decided on each;
// empty: the approval of the whole plan speaks for it.
var steps = map[string]domain.Status{
	"s-approved": domain.Approved, "s-rejected": domain.Rejected, "s-pending": domain.Pending, "s-cancelled": domain.Cancelled, "s-unasked": "",
}

// gated fills a database: a running plan with a step in every state.
func gated(h *house) domain.Ref {
	reviewer := h.user("reviewer", "reviewer")
	_, agent := h.key(domain.KeyInput{Name: "agent", Roles: []string{"executor", "planner", "orchestrator"}})
	text := `{"plan_id":"plan-1","context_id":"ctx-1","title":"Pay","objective":"Paid","steps":[`
	for _, step := range []string{"s-approved", "s-rejected", "s-pending", "s-cancelled", "s-unasked"} {
		text += `{"step_id":"` + step + `","description":"Do"},`
	}
	in, err := mplp.ParsePlan([]byte(text[:len(text)-1]+`]}`), h.Limits().MPLP())
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.PostPlan(h.t.Context(), agent, in); err != nil {
		h.t.Fatal(err)
	}
	proposed, err := h.ProposePlan(h.t.Context(), agent, "plan-1", domain.ProposeInput{})
	if err != nil {
		h.t.Fatal(err)
	}
	decide := func(c *domain.Confirm, status domain.Status) {
		if _, err := h.Decide(h.t.Context(), reviewer, c.ID, domain.DecisionInput{Status: status, ContentHash: c.ContentHash}); err != nil {
			h.t.Fatal(err)
		}
	}
	decide(proposed, domain.Approved)
	for step, status := range steps {
		if status == "" {
			continue
		}
		c := h.post(agent, `{"target_type":"plan","target_id":"plan-1","step_id":"`+step+`","on_reject":"recover"}`)
		switch status {
		case domain.Approved, domain.Rejected:
			decide(c, status)
		case domain.Cancelled:
			if _, err := h.CancelConfirm(h.t.Context(), agent, c.ID, "no need"); err != nil {
				h.t.Fatal(err)
			}
		}
	}
	for range 200 { // more pages, most of which matter to nobody
		h.post(agent, `{"target_type":"other","actions":[{"name":"pay","args":{"to":"somebody"}}]}`)
	}
	return agent
}

// damage gives a copy with bits or bytes flipped, a page overwritten, zeroed or
// swapped with another, or the end cut off.
func damage(random *rand.Rand, whole []byte) []byte {
	data := append([]byte(nil), whole...)
	page := func() []byte {
		at := random.IntN(len(data)/pageSize) * pageSize
		return data[at : at+pageSize]
	}
	switch random.IntN(6) {
	case 0:
		data[random.IntN(len(data))] ^= 1 << random.IntN(8)
	case 1:
		for range 1 + random.IntN(64) {
			data[random.IntN(len(data))] = byte(random.Uint32())
		}
	case 2:
		for p, i := page(), 0; i < pageSize; i++ {
			p[i] = byte(random.Uint32())
		}
	case 3:
		clear(page())
	case 4:
		a, b := page(), page()
		held := append([]byte(nil), a...)
		copy(a, b)
		copy(b, held)
	case 5:
		data = data[:random.IntN(len(data))]
	}
	return data
}

// ask opens a damaged database and asks the gate about every step.
func ask(b *bar, i int, file string, agent domain.Ref) (outcome string) {
	db, err := store.Open(context.Background(), file, store.Options{})
	if err != nil {
		return "refused to open"
	}
	defer func() { _ = db.Close() }() // which may fail: the file is damaged
	svc := domain.NewService(db, domain.Config{Hasher: cheap()})
	outcome = "answered"
	for step, status := range steps {
		v, err := svc.Gate(context.Background(), agent, domain.GateQuery{PlanID: "plan-1", StepID: step})
		switch {
		case err != nil:
			outcome = "failed"
		case v.Allows() && status != domain.Approved && status != "":
			b.violated("damage %d: the gate lets %s run, which is %s", i, step, status)
		}
	}
	return outcome
}
