// Command bench measures Countersign and holds it to its goals (goal.go): the
// real program over real HTTP on loopback, with keys, capability checks and
// evidence on, beside what the machine can do at best.
//
//	make bench                 everything, five rounds: writes RESULTS.md
//	bench --quick              small sizes and one round: whether it works
//	bench --only create,trip   some measures; bench list names them
//	bench --check              exits 1 when a goal is missed
//
// Each round runs the measures one at a time, in a shuffled order whose seed is
// printed. A measure starts what it measures itself, in a fresh directory under
// --dir, which must be on a disk, and stops it. Clients warm up before their
// window begins. Ratios are of values of the same round. The tables show medians
// with minimum and maximum, and mark rounds in which the ground moved by more
// than a quarter. Every value is a line of .build/bench.jsonl.
//
// A measure with an unexpected answer has no result, and bench exits 1 in the
// end. The server is killed after what it acknowledged, started again, and read
// back; then the log must verify.
//
// The limits of one key are lifted, for a key here stands for many agents. The
// database of 1,000,000 requests is made once and kept in --dir. Two nodes need
// PostgreSQL's programs, which make test installs.
package main
