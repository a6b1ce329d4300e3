package main

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"countersign/domain"
	"countersign/domain/mplp"
)

// posts makes an object of every kind with the id, as a key of the owner's, or of
// nobody's.
func posts(h *house, id, owner string) string {
	h.t.Helper()
	_, key := h.key(domain.KeyInput{Name: "poster-" + id, Roles: []string{"planner", "executor", "architect"}, Owner: owner})
	limits := h.Limits().MPLP()
	approval, err := mplp.ParseApproval(fmt.Appendf(nil, `{"confirm_id":%q,"approval_key":"%s_1",%s`, id, id, aCall[1:]), limits)
	if err == nil {
		_, err = h.PostApproval(h.t.Context(), key, approval)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	plan, err := mplp.ParsePlan([]byte(strings.ReplaceAll(aPlan, "ID", id)), limits)
	if err == nil {
		_, err = h.PostPlan(h.t.Context(), key, plan)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	situation, err := mplp.ParseContext(fmt.Appendf(nil, `{"context_id":%q}`, id), limits)
	if err == nil {
		_, err = h.CreateContext(h.t.Context(), key, situation)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.destination(id)
	h.policy(id)
	kept, err := h.DestinationDetail(h.t.Context(), domain.System, "kept")
	if err != nil {
		h.t.Fatal(err)
	}
	sent := &domain.Delivery{ID: id, DestinationID: kept.ID, Type: "role.modified", State: domain.DeliverySent, DueAt: h.now(), CreatedAt: h.now(), EndedAt: h.now()}
	if err := h.db.Tx(h.t.Context(), func(tx domain.Tx) error { return tx.InsertDeliveries([]*domain.Delivery{sent}) }); err != nil {
		h.t.Fatal(err)
	}
	trace, err := mplp.ParseTraceObject(fmt.Appendf(nil, `{"trace_id":%q,"context_id":%q}`, id, id), limits)
	if err == nil {
		_, err = h.CreateTrace(h.t.Context(), key, trace)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return id
}

func (h *house) destination(name string) {
	h.t.Helper()
	_, _, err := h.CreateDestination(h.t.Context(), domain.System, domain.DestinationInput{Name: name, Format: domain.FormatStandard,
		Address: "https://hook.example/secret", Types: []string{"role.*"}, Details: domain.DetailsNames})
	if err != nil {
		h.t.Fatal(err)
	}
}

// policy saves a policy that nothing here matches.
func (h *house) policy(name string) {
	h.t.Helper()
	_, err := h.SavePolicy(h.t.Context(), domain.System, domain.PolicyInput{Enabled: true,
		Document: fmt.Appendf(nil, `{"v":1,"name":%q,"effect":"reject","match":{"tools":["nothing"]}}`, name)})
	if err != nil {
		h.t.Fatal(err)
	}
}

// digest is one of every row of every table that the log covers, and of the
// log's length.
func digest(h *house) [sha256.Size]byte {
	h.t.Helper()
	all := sha256.New()
	err := h.db.Rows(h.t.Context(), func(table, key string, row []byte) error {
		fmt.Fprintf(all, "%s %s %x\n", table, key, row)
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	seq, err := h.LastSeq(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	fmt.Fprint(all, seq)
	return [sha256.Size]byte(all.Sum(nil))
}
