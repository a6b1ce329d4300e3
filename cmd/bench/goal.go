package main

import (
	"fmt"
	"io"
)

// formula computes a figure from the values of one round.
type formula func(get func(name string) float64) float64

func value(name string) formula {
	return func(get func(string) float64) float64 { return get(name) }
}

func ratio(of, to string) formula {
	return func(get func(string) float64) float64 { return get(of) / get(to) }
}

// goal is a figure that has to be on one side of a limit.
type goal struct {
	name    string
	figure  formula
	atLeast bool
	limit   float64
}

func least(name string, limit float64, f formula) goal { return goal{name, f, true, limit} }
func most(name string, limit float64, f formula) goal  { return goal{name, f, false, limit} }

// goals are those of the fourth part's issue and of performance.md, which hold
// beside each other.
var goals = []goal{
	least("create, 128 clients / no-op POST", 0.40, ratio("create, 128 clients", "no-op POST, 128 clients")),
	least("create, 128 clients / own router without a store", 0.40, ratio("create, 128 clients", "own router without a store, 128 clients")),
	least("create, 128 clients / the same rows raw, 64 a commit", 0.35, ratio("create, 128 clients", "rows raw, 64 a commit")),
	most("create p50, 1 client / (raw one-row commit + no-op POST)", 1.8, func(get func(string) float64) float64 {
		return get("create p50, 1 client") / (get("raw commit of one row p50") + get("no-op POST p50, 1 client"))
	}),
	least("round trip, 16 clients / a third of no-op POST", 0.40, third("16 clients")),
	least("round trip, 128 clients / a third of no-op POST", 0.40, third("128 clients")),
	most("awake p50, 16 clients, ms", 1, value("awake p50, 16 clients")),
	most("awake p99, 16 clients, ms", 10, value("awake p99, 16 clients")),
	most("inbox p50 at 1,000,000 / at 1,000", 1.2, ratio("inbox, many p50, 1 client", "inbox, few p50, 1 client")),
	least("inbox at 1,000,000, 16 clients / the same rows as JSON", 0.5, ratio("inbox, many, 16 clients", "JSON list, many, 16 clients")),
	least("inbox at 1,000,000, 16 clients / no-op page", 0.14, ratio("inbox, many, 16 clients", "no-op page, 16 clients")),
	least("unchanged inbox, 16 clients / no-op page", 0.6, ratio("inbox unchanged, many, 16 clients", "no-op page, 16 clients")),
	most("inbox p99 while 16 clients create, ms", 5, value("inbox p99 while 16 create")),
	most("awake p50, 16 clients, 10,000 waiting, ms", 2, value("awake p50, 16 clients, many waiting by long-poll")),
	most("decision sent to agent awake p50, 1 client, 10,000 waiting / none", 1.3, ratio("decision sent to agent awake p50, 1 client, many waiting by long-poll", "decision sent to agent awake p50, 1 client, after long-poll")),
	least("decisions/s, 16 clients, 10,000 waiting / none", 0.9, ratio("round trip, 16 clients, many waiting by long-poll", "round trip, 16 clients, after long-poll")),
	most("processor while 10,000 wait, %", 2, value("processor while all wait, long-poll")),
	most("memory per waiting agent, long-poll, KiB", 40, value("memory per waiting agent, long-poll")),
	most("memory per waiting agent, stream, KiB", 40, value("memory per waiting agent, stream")),
	most("plan page of 500 steps, first time, ms", 60, value("plan page, first time p50")),
	most("plan page of 500 steps, again, ms", 10, value("plan page, again p50")),
	most("verify of 1,000,000 log entries, s", 10, value("verify, for 1,000,000 entries")),
	most("one proof, ms", 2, value("proof of one confirm p50")),
	most("database bytes per log entry", 700, value("database bytes per log entry")),
	most("database bytes per decided confirm beyond its content", 2048, value("database bytes per decided confirm beyond its content")),
	most("start to ready with 1,000,000 confirms, ms", 100, value("start to ready, large")),
	most("start with 1,000,000 confirms / fresh", 1.5, ratio("start to ready, large", "start to ready, fresh")),
	most("idle memory with 1,000,000 confirms, MiB", 40, value("idle memory, large")),
	least("group / naive commit, 16 clients", 3, grouping("0s", "16 clients")),
	least("group / naive commit, 128 clients", 4, grouping("0s", "128 clients")),
	least("group / naive commit, 16 clients, 1 ms added", 6.5, grouping("1ms", "16 clients")),
	least("group / naive commit, 128 clients, 1 ms added", 25, grouping("1ms", "128 clients")),
	least("FULL / NORMAL, 16 clients", 0.95, ratio("posts grouped, 0s added, 16 clients", "posts grouped, synchronous NORMAL, 16 clients")),
	least("FULL / NORMAL, 128 clients", 0.95, ratio("posts grouped, 0s added, 128 clients", "posts grouped, synchronous NORMAL, 128 clients")),
	least("journal syncs per created confirm, 1 client", 1, value("journal syncs per created confirm, 1 client")),
	most("R12: 1,000 decisions at the same moment p99, ms", 250, value("decisions at the same moment p99")),
	least("R12: decisions sustained for 60 s, 1/s", 1000, value("decisions sustained")),
	most("R12: awake p99, ms", 100, value("awake, decisions sustained p99")),
	most("slowest commit at most while 200 decisions/s arrive, ms", 50, value("slowest commit at most, 200 decisions/s")),
	most("longest wait for a commit at most while 200 decisions/s arrive, ms", 50, value("longest wait for a commit at most, 200 decisions/s")),
	least("journals folded in while 200 decisions/s arrive", 3, value("journals folded in, 200 decisions/s")),
	least("PostgreSQL, two nodes / one, create", 1.3, ratio("create on PostgreSQL, 128 clients, 2 nodes", "create on PostgreSQL, 128 clients, 1 node")),
}

func third(clients string) formula {
	return func(get func(string) float64) float64 {
		return get("round trip, "+clients) / (get("no-op POST, "+clients) / 3)
	}
}

func grouping(added, clients string) formula {
	return ratio("posts grouped, "+added+" added, "+clients, "posts one by one, "+added+" added, "+clients)
}

// judge prints the goals as a Markdown table and counts those missed. With all,
// a goal for which nothing was measured is missed; else it is left out.
func judge(w io.Writer, f *figures, all bool) (missed int) {
	fmt.Fprintln(w, "\n| goal | limit | median | min | max | |\n|---|--:|--:|--:|--:|---|")
	for _, g := range goals {
		s := f.over(g.figure)
		sign, verdict := "≤", "met"
		if g.atLeast {
			sign = "≥"
		}
		if s.n == 0 {
			if all {
				fmt.Fprintf(w, "| %s | %s %s | | | | NOT MEASURED |\n", g.name, sign, number(g.limit))
				missed++
			}
			continue
		}
		if g.atLeast != (s.median >= g.limit) && s.median != g.limit {
			verdict = "MISSED"
			missed++
		}
		fmt.Fprintf(w, "| %s | %s %s | %s | %s | %s | %s |\n", g.name, sign, number(g.limit), number(s.median), number(s.least), number(s.most), verdict)
	}
	return missed
}
