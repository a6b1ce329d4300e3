package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"countersign/cmd/bench/load"
	"countersign/domain"
	"countersign/store"
)

// Conditions of policies. All but those elsewhere are about the tool that is asked for, so
// that they are computed.
var (
	elsewhere = []string{"args.amount > 10000 || args.currency != 'EUR'", "args.recipients.size() > 50", "!args.path.startsWith('/srv/build/')",
		"args.quantity * args.price > 50000.0"}
	untrue = []string{"args.percent > 50", "args.service in ['billing', 'payments', 'ledger']", "args.service.startsWith('db-') && args.percent > 1",
		"actions.size() > 5", "requester.roles.exists(r, r == 'contractor')", "target_type == 'plan'", "now.getFullYear() < 2020",
		"args.manifest.contains('privileged: true')", "reason == ''", "tool.endsWith('_force') || args.percent == 0"}
	untrueToo = []string{"args.percent > 60", "args.service == 'mail'"}
	isTrue    = []string{"args.percent >= 10", "args.service == 'checkout' && reason.contains('release')"}
)

// policiesOf are 20 policies, with these conditions of the last two.
func policiesOf(last []string) (documents []string) {
	for i, condition := range elsewhere {
		documents = append(documents, requireTwo(fmt.Sprint("Transfers ", i), "wire_*", condition), requireTwo(fmt.Sprint("Databases ", i), "db_*", condition))
	}
	for i, condition := range append(untrue[:len(untrue):len(untrue)], last...) {
		documents = append(documents, requireTwo(fmt.Sprint("Releases ", i), "deploy_*", condition))
	}
	return documents
}

// requireTwo is a policy that needs the approval of two roles.
func requireTwo(name, tool, condition string) string {
	return string(must(json.Marshal(map[string]any{"v": 1, "name": name, "effect": "require", "match": map[string]any{"tools": []string{tool}}, "condition": condition,
		"quorum": []any{map[string]any{"role": "reviewer", "approvals": 1}, map[string]any{"role": "architect", "approvals": 1}}})))
}

// worstPolicies are as many as there may be beside the seeded ones. Their condition is the
// one that takes longest of those that policies are tested with. After the tenth time a
// request has cost what it may, and the rest counts as matched.
func worstPolicies() (documents []string) {
	for i := range domain.MaxPolicies - 3 {
		documents = append(documents, requireTwo(fmt.Sprint("Imports ", i), "bulk_*", "args.big.all(x, args.big.all(y, x + y >= 0)) && tool == 'x'"))
	}
	return documents
}

// largestBody is the largest post: 32 actions with 256 KiB of arguments in all.
var largestBody = func() []byte {
	const limit, actions = 256 << 10, 32
	numbers := strings.TrimSuffix(strings.Repeat("1,", 1000), ",")
	action := func(text string) string {
		return fmt.Sprintf(`{"name":"bulk_import","args":{"big":[%s],"text":"%s"}}`, numbers, text)
	}
	room := limit/actions - len(action("")) - 8
	list := strings.TrimSuffix(strings.Repeat(action(strings.Repeat("a", room))+",", actions), ",")
	return fmt.Appendf(nil, `{"target_type":"other","timeout":86400,"actions":[%s]}`, list)
}()

func measurePolicies(ctx context.Context, r *round) {
	r.createUnderPolicies(ctx)
	r.postLargest(ctx)
	r.inboxOfVotings(ctx)
}

// withPolicies makes a database with policies in force.
func (r *round) withPolicies(ctx context.Context, documents ...string) (dir string) {
	dir = r.fresh()
	db := must(store.Open(ctx, filepath.Join(dir, database), store.Options{Now: time.Now}))
	service := domain.NewService(db, domain.Config{})
	for _, document := range documents {
		must(service.SavePolicy(ctx, domain.System, domain.PolicyInput{Document: []byte(document), Enabled: true}))
	}
	check(db.Close())
	return dir
}

func (r *round) createUnderPolicies(ctx context.Context) {
	const name = "requests created, 128 clients"
	sides := []*side{
		{name: name + ", no policies", dir: r.fresh()},
		{name: name + ", 20 policies and none matches", dir: r.withPolicies(ctx, policiesOf(untrueToo)...)},
		{name: name + ", 20 policies and 2 match", dir: r.withPolicies(ctx, policiesOf(isTrue)...)},
	}
	for i, s := range sides {
		s.server = r.serve(ctx, s.dir, filepath.Join(s.dir, database))
		defer s.kill()
		s.checkVoting(ctx, requestBody, i == 2)
	}
	r.inTurns(ctx, sides, 128, (*server).create)
	r.readBack(ctx, sides)
}

// checkVoting posts a request and checks that it needs a quorum, or none.
func (s *server) checkVoting(ctx context.Context, body []byte, isVoted bool) {
	client := &load.Client{Address: s.address}
	posted := must(client.Do(ctx, load.Post("/api/v1/confirms", body, load.Bearer(s.Agents[0])), http.StatusCreated))
	outcome := must(client.Do(ctx, load.Get(posted.Header.Get("Location")+"/outcome", load.Bearer(s.Agents[0])), http.StatusOK))
	if bytes.Contains(outcome.Body, []byte(`"requires"`)) != isVoted {
		check(fmt.Errorf("a request that policies match or not (%t) has the outcome %s", isVoted, outcome.Body))
	}
}

// postLargest measures what the worst policies add to the largest post, and what
// others feel of it.
func (r *round) postLargest(ctx context.Context) {
	alone := map[bool]float64{}
	for _, isWorst := range []bool{false, true} {
		name, dir := "no policy", r.fresh()
		if isWorst {
			name, dir = "the worst policies", r.withPolicies(ctx, worstPolicies()...)
		}
		s := r.serve(ctx, dir, filepath.Join(dir, database))
		defer s.kill()
		s.checkVoting(ctx, largestBody, isWorst)
		largest := load.Send(s.address, http.StatusCreated, load.Post("/api/v1/confirms", largestBody, load.Bearer(s.Agents[1])))
		result := r.runClients(ctx, "largest posts, "+name, 1, largest)
		alone[isWorst] = result.Percentile(load.Whole, 50)
		check(load.Together(ctx, 2, func(ctx context.Context, i int) (err error) {
			defer catch(&err)
			if i == 0 {
				r.runClients(ctx, "requests created beside the largest posts, "+name, 16, s.create())
			} else {
				must(load.Run(ctx, 1, r.size.window, largest))
			}
			return nil
		}))
		s.stop()
		r.verify(ctx, dir, filepath.Join(dir, database))
		check(os.RemoveAll(dir))
	}
	r.set("time that the worst policies add to the largest post", "ms", alone[true]-alone[false])
}

// inboxOfVotings opens the inbox with 50 requests that need votes, and with 50 that do not.
func (r *round) inboxOfVotings(ctx context.Context) {
	const rows = 50
	for _, isVoted := range []bool{false, true} {
		name, dir := "inbox of 50 requests without a quorum", r.fresh()
		if isVoted {
			name, dir = "inbox of 50 requests with a quorum", r.withPolicies(ctx, policiesOf(isTrue)...)
		}
		r.on(ctx, dir, func(s *server) {
			must(load.Run(ctx, 1, load.Window{Steps: rows}, s.create()))
			r.runClients(ctx, name, 1, s.inbox(ctx))
		})
		check(os.RemoveAll(dir))
	}
}
