package main

// goal is a limit on a figure, or on the ratio of two figures of the same round.
type goal struct {
	name         string
	figure, over string
	sign         string // ≤ or ≥
	limit        float64
	meaning      string
}

var goals = []goal{
	{"create, 128 clients / the same rows by the driver alone, 64 a commit", "requests created, 128 clients", "the same rows by the driver alone, 64 a commit", "≥", 0.5,
		"What rules, keys, evidence and HTTP leave of what the database can do."},
	{"round trip, 16 clients / a third of a no-op POST", "HTTP requests of round trips, 16 clients", "no-op POST, 16 clients", "≥", 0.10,
		"A round trip is three requests. This holds them to requests that do nothing."},
	{"awake p50, 16 clients, ms", "decision acknowledged to agent awake, 16 clients, p50", "", "≤", 1, "From a decision's answer until the agent that waits has its own."},
	{"awake p99, 16 clients, ms", "decision acknowledged to agent awake, 16 clients, p99", "", "≤", 10, "The same for the slowest of a hundred."},
	{"awake with 10,000 others waiting / with none", "decision sent to agent awake, 16 clients beside the waiting, p50", "decision sent to agent awake, 16 clients and none waiting, p50", "≤", 1.3, "Agents that wait do not slow down the others. From sending the decision, 16 clients."},
	{"calls of hooks, 16 clients / the same as requests", "calls of hooks, 16 clients", "the same calls as requests, 16 clients", "≥", 0.8, "An agent that is connected without code pays little for it."},
	{"memory for each waiting agent, KiB", "memory for each waiting agent", "", "≤", 40, "10,000 waiting agents take 0.4 GB."},
	{"inbox at 1,000,000 requests / at 1,000", "inbox, large database, 1 client, p50", "inbox, small database, 1 client, p50", "≤", 1.3, "The inbox does not slow down as requests pile up."},
	{"inbox at 1,000,000, 16 clients / a no-op page", "inbox, large database, 16 clients", "no-op page, 16 clients", "≥", 0.04, "What a page of 50 requests costs beyond a page that says hello."},
	{"inbox p99 while 16 clients create, ms", "inbox while 16 clients create, 1 client, p99", "", "≤", 10, "Reviewers do not feel that agents are busy."},
	{"plan page of 500 steps, first, ms", "plan page, first, p50", "", "≤", 60, "The drawing is laid out."},
	{"plan page of 500 steps, again, ms", "plan page, again, 1 client, p50", "", "≤", 10, "The drawing is there."},
	{"verify of 1,000,000 entries, s", "verify, for 1,000,000 entries", "", "≤", 15, "An auditor checks the whole log."},
	{"one proof, ms", "proof of one request, 1 client, p50", "", "≤", 2, "An auditor fetches the proof of one request."},
	{"start to ready with 1,000,000 requests, ms", "start to ready, large database", "", "≤", 100, "A restart is hardly felt."},
	{"idle memory with 1,000,000 requests, MiB", "idle memory, large database", "", "≤", 40, "A small machine will do."},
	{"group commit / one commit each, 16 clients", "requests stored in group commits, 16 clients", "requests stored with one commit each, 16 clients", "≥", 3, "What it brings that many requests share one wait for the disk."},
	{"group commit / one commit each, 128 clients", "requests stored in group commits, 128 clients", "requests stored with one commit each, 128 clients", "≥", 4, "The same with more requests to share it."},
	{"1,000 decisions at one moment p99, ms", "decisions at one moment, p99", "", "≤", 250, "Everybody decides when the meeting ends."},
	{"decisions for a minute, 1/s", "decisions for a minute", "", "≥", 1000, "Nothing piles up."},
	{"create, 128 clients, with 5 destinations / without", "requests created, 128 clients, 5 destinations are told", "requests created, 128 clients, nobody is told", "≥", 0.9, "Nobody who asks waits for those who are told."},
	{"round trip, 16 clients, with 5 destinations / without", "round trips, 16 clients, 5 destinations are told", "round trips, 16 clients, nobody is told", "≥", 0.9, "The same from a request to its decision."},
	{"processor time that 10,000 waiting deliveries add, s", "processor time that waiting deliveries add", "", "≤", 0.02, "What is not due costs nothing. In ten seconds; a clock tick is 0.01 s."},
	{"create, 128 clients, with 20 policies of which none matches / without", "requests created, 128 clients, 20 policies and none matches", "requests created, 128 clients, no policies", "≥", 0.9, "Who is not concerned by policies pays nothing for them."},
	{"create, 128 clients, with 20 policies of which 2 match / without", "requests created, 128 clients, 20 policies and 2 match", "requests created, 128 clients, no policies", "≥", 0.9, "The same with what must be stored of two that match."},
	{"time that the worst policies add to the largest post, ms", "time that the worst policies add to the largest post", "", "≤", 20, "32 actions with 256 KiB of arguments, and as many policies as there may be. Others wait that long."},
	{"PostgreSQL, two nodes / one", "requests created on PostgreSQL, 128 clients, nodes: 2", "requests created on PostgreSQL, 128 clients, nodes: 1", "≥", 0.9, "A second node costs nothing, even where both share the processors."},
	{"acknowledged writes lost after kill -9", "acknowledged writes lost after kill -9", "", "≤", 0, "Killed after the last answer and started again, the server still has everything."},
}

// judge returns the goal's figure over all rounds, and the verdict.
func (g goal) judge(f figures) (s spread, verdict string) {
	values := f.byRound(g.figure)
	if g.over != "" {
		values = ratios(values, f.byRound(g.over))
	}
	s = spreadOf(values)
	isMet := s.median == g.limit || (s.median > g.limit) == (g.sign == "≥")
	switch {
	case len(values) == 0:
		return s, "not measured"
	case isMet:
		return s, "met"
	}
	return s, "**missed**"
}
