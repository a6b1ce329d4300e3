// Command bench measures Countersign and holds it to its goals (goal.go): the
// real program over real HTTP on loopback, with keys, capability checks and
// evidence on, beside what the machine can do at best.
//
//	make bench                 everything, five rounds, about 25 minutes
//	bench [flags]              --binary .build/countersign must have been built
//	bench --quick              small sizes and one round: whether it works
//	bench --only create,trip   some measures; bench list names them
//	bench --check              exits 1 when a goal is missed
//
// Each round runs every measure once, in a shuffled order whose seed is printed,
// one at a time. Each starts what it measures itself, in a fresh directory under
// --dir, which must be on a disk, and stops it. Ratios are of values of the same
// round; the tables show their median, minimum and maximum. A round in which
// the ground moved by more than a quarter is marked as noisy. Everything that was
// measured stands in .build/bench.jsonl, a line for each value.
//
// A run with an unexpected answer has no result: what was created and decided
// is read back over HTTP, and evidence verify must pass on the database that is
// left behind. The other measures go on, and bench exits 1 in the end.
//
// Counting how often the disk is waited for needs strace, and two nodes need
// PostgreSQL's programs, which make test installs. Where they are missing the
// output says so.
//
// The server runs with its limits of one key (creates, burst, pending, waits)
// lifted by serve --limits, for a key here stands for many agents; nothing else
// is changed. The database of 1,000,000 confirms, of which every tenth is
// decided, is made once, by the product's own service in this process, and kept
// in --dir for as long as the schema stays the same.
package main
