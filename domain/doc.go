// Package domain is Countersign without HTTP and SQL: the vocabulary, the rules
// and the one service that decides.
//
// # The system in one paragraph
//
// An agent posts a confirm (a tool call, a whole plan, a change) and waits. A
// reviewer sees exactly that content in a browser and approves, rejects or
// edits it. The decision names the hash of what was shown, is made once, and is
// written together with an entry of the log in one transaction. Only after the
// commit does anybody hear of it: the waiting agent, the open pages, the
// streams. Every failure on the way ends in "not approved".
//
// # Where things are
//
//	cmd/countersign   wires everything; the commands, the metrics and the demo
//	cmd/bench         measures it beside what the machine can do
//	web               pages, forms, sessions, live signals; web/api is the JSON,
//	                  web/sse writes streams, web/budget bounds bodies
//	views             templ components and their view models: no I/O, no rules
//	static            style sheet, script, assets under hashed addresses
//	store             domain.Store in SQL, on SQLite and PostgreSQL: group commit,
//	                  migrations, row digests
//	domain            this package: types, rules, Service, Store interface
//	  domain/mplp        wire forms: strict JSON in, lossless JSON out
//	  domain/evidence    log entries, content and its hash, row digests
//	  domain/credential  passwords, keys, one-time tokens
//	  domain/dag         layout of a plan's drawing
//	  domain/glyph       what characters look like, by Unicode's data
//
// Arrows point inward: domain imports nobody but its own subpackages, and they
// never import it back (arrows_test.go). One resource has one file, of the same
// name in each layer: confirm.go here, in store and in web, confirm.templ in
// views. Here the types are in confirm.go, and the use cases beside them:
// confirm_post.go, confirm_decide.go, confirm_end.go and confirm_read.go by
// verb, role_service.go where one file holds them all.
//
// # Vocabulary
//
//	confirm           a request for human consent, and what became of it
//	decision          one record of what was decided on a confirm, appended once
//	action            a tool call inside a confirm; each has its own decision
//	content           everything about a confirm that is decided on; fixed
//	content hash      names the content; a decision must send it back
//	effective hash    names the content with edited arguments in place
//	target            what the confirm is about: a plan, a context, other …
//	binding           which step of a plan a confirm speaks for
//	approval request  a confirm posted in the block form of seed S4, found by
//	                  its approval key
//	outcome           what a waiting agent gets: status, cause, decisions, text
//	cause             human, agent, timeout, cancelled, policy or import
//	claim             what an import says was decided elsewhere; proven by nobody here
//	plan, step        an agent's graph of work (seed S3)
//	context           the project a plan belongs to
//	principal         who acts: a user, an agent (a key) or system (the clock)
//	principal group   a user with all keys they own; a key without an owner alone
//	maker             who made a key, and decides nothing that it asks for
//	role, capability  what a principal may do (seed S1)
//	gate              answers whether a step may run: BLOCK, RESUME, ABORT, CLEANUP
//	consumption       one use of an approval by one execution
//	event             a reading of an entry as MPLP has it (S0, S2)
//	frame             a reading of a confirm as a session's stream has it (S4)
//	cursor            a place in a stream: <log sequence>.<n>
//	learning sample   what a decision on a plan teaches (S0)
//	entry             one change in the log, with the digests of the rows it wrote
//	import            an object that came with a past: shown, proves nothing
//
// # A confirm
//
//	             Decide, all actions approved or edited
//	          ┌──────────────────────────────────────────▶ approved
//	          │  Decide, any action rejected · deadline
//	pending ──┼──────────────────────────────────────────▶ rejected
//	          │  CancelConfirm · the plan ended or changed
//	          └──────────────────────────────────────────▶ cancelled
//
// The three on the right are final (requirements C-25). First wins: the status
// is changed by compare-and-swap, and the loser is told the winner's decision.
// At the deadline an approval loses, because the deadline is checked in the
// deciding transaction, and reading settles an expiry before it answers.
//
// # A plan
//
//	         propose            approved             start
//	draft ────────────▶ proposed ──────▶ approved ─────────▶ in_progress ──▶ completed
//	  │ ▲                  │                                     │  │
//	  │ └──────────────────┘                                     │  └──────▶ failed
//	  ▼      rejected                                            ▼
//	cancelled ◀──────────────────────────────────────────────────┘
//
// Only deciding a confirm takes proposed to approved or back to draft
// (requirements P-14c, P-14d).
//
// # A step
//
//	          start                complete
//	pending ─────────▶ in_progress ─────────▶ completed
//	 │ ▲ │                  │ fail
//	 │ │ └──▶ skipped       ▼
//	 │ └───── retry ───── failed
//	 ▼ a dependency fails            ▲ no dependency is failed any more
//	blocked ─────────────────────────┘ (to pending)
//
// A step starts when everything it depends on is completed or skipped. The plan
// completes with its last step, and fails with a step that its agent calls
// critical (requirements P-16, P-19, P-28, P-29).
//
// # How a change is made
//
// Service.as opens a transaction, loads the principal anew and runs the use
// case: check the capability, apply the rule, write rows, log. Tx.Append gives
// the entry its gap-free number and the digests of the rows written before it;
// rows that no entry covers fail the transaction. A refusal that must keep what
// it wrote (a decision that comes too late records the timeout) returns its
// error beside the transaction, never through it.
//
// A key's text is held to its hash once a minute (Service.Recognize). Whether the
// key is in force, and what it may, every use case finds out in its own
// transaction, so that what another process changes holds at once.
//
// Tables named volatile_… hold what proves nothing (sessions, one-time links,
// counts, search words) and are not covered by the log. Sessions and links give
// rights: each has a MAC that only who has the signing key can make, over the number
// of the entry that last ended its user's sessions (session.go, link.go).
//
// # What an agent cannot make large
//
// Texts that pages and the log repeat have limits (Limits). Of the others, lists
// show an Excerpt, cut on the server; only the page of a request has all of it. An
// entry of the log repeats a few KiB of a text at most. A page of objects ends at
// MaxPageBytes. While several principal groups wait, an inbox lists GroupShare
// requests of each, so that none keeps another's off its first page, and links to
// the rest.
//
// A verification folds the log once (evidence.Audit), and has History follow it
// beside: what no honest run writes is a finding. Whoever adds a use case, a fact
// or a type of entry has History know it.
//
// # How somebody waits
//
// Outcome, Gate and FollowSession listen to the Feed first and look then, so that
// nothing is missed in between. What wakes them is an entry about what they wait
// for, an entry that may have ended their rights, a deadline, or the end of the
// server; then they look again. Only an outcome that this process has made comes
// with its entry: whoever has heard of nothing else is given it without a look,
// for what ended rights before it was told before it. While nothing happens a wait
// costs neither a query nor a timer that ticks. Looking runs beside the goroutine that
// waits, whose stack stays small (apart). A stream reads a page, sends it and reads on.
package domain
