// Package domain is Countersign without HTTP and SQL: its vocabulary, its rules and the
// one service that decides.
//
// # The system in one paragraph
//
// An agent posts a confirm (a tool call, a whole plan, a change) and waits. A reviewer
// sees exactly that content in a browser and approves, rejects or edits it. The decision
// names the hash of what was shown and is made once. One transaction writes it together
// with an entry of the log. Only after the commit do the waiting agent, the open pages
// and the streams hear of it. Every failure on the way means "not approved".
//
// # Where things are
//
//	cmd/countersign   wires everything; the commands, the metrics and the demo
//	cmd/bench         measures it beside what the machine can do
//	web               pages, forms, sessions, live refresh; web/api is the JSON,
//	                  web/native the forms of harnesses, web/sse writes streams,
//	                  web/budget bounds bodies, web/client is the Go client, which
//	                  knows nothing of ours; web/gateway stands before other MCP
//	                  servers and holds calls of tools, web/mcp is our own MCP server;
//	                  web/notify sends messages to destinations;
//	                  web/argsform draws the form of an edit from a JSON Schema
//	views             templ components and their view models: no I/O, no rules
//	static            style sheet, script, assets under hashed addresses;
//	                  static/clients has the clients for JavaScript and Python
//	store             domain.Store in SQL: resources, lists, proofs of rows; opens
//	                  databases, migrates and moves them
//	  store/ledger       the one writer: group commit, counters, the signed log
//	  store/audit        reads a whole database for a verification
//	  store/driver       what a database must do; store/sqlite, store/postgres do it
//	domain            this package: types, rules, Service, Store interface
//	  domain/mplp        the protocol's JSON: strict reading, lossless writing
//	  domain/evidence    log entries, contents and their hashes, row digests
//	  domain/credential  passwords, keys, one-time tokens
//	  domain/dag         layout of a plan's drawing
//	  domain/glyph       what characters look like, by Unicode's data
//	  domain/reading     arguments as rows and blocks, for people
//	  domain/finding     what a reviewer should not overlook in a request
//	  domain/policy      who must decide a request: rules and their conditions
//	  domain/quorum      counts votes, and proves that they were enough
//	  domain/lru         a cache that evicts what was used least recently
//
// REQUIREMENTS.md lists what is promised about the protocol, SECURITY.md what is promised
// about tampering, and what is not.
//
// Imports point inward: domain imports only its own subpackages, and they never import
// it (arrows_test.go). A resource has a file of the same name in each layer: confirm.go
// here, in store and in web, confirm.templ in views. Here confirm.go has the types and
// the store's interfaces. The use cases are beside it: by verb in confirm_post.go,
// confirm_decide.go, confirm_end.go and confirm_read.go, or all in role_service.go.
//
// # Vocabulary
//
//	confirm           a request for human consent, and what became of it; people
//	                  read "request"
//	decision          one record of what was decided on a confirm, appended once
//	action            a tool call inside a confirm; each has its own decision
//	content           everything about a confirm that is decided on; fixed
//	content hash      names the content; a decision must send it back
//	effective hash    names the content with edited arguments in place
//	target            what the confirm is about: a plan, a context, other …
//	binding           which step of a plan a confirm is about
//	approval request  a confirm posted as a frame of a session, found by its
//	                  approval key
//	outcome           what a waiting agent gets: status, cause, decisions, text
//	cause             human, agent, timeout, cancelled, policy or import
//	plan, step        an agent's graph of work
//	context           the project that a plan belongs to
//	principal         who acts: a user, an agent (a key) or system (the clock)
//	principal group   a user with all keys they own; a key without an owner alone
//	role, capability  what a principal may do
//	gate              answers whether a step may run: BLOCK, RESUME, ABORT, CLEANUP
//	harness           what an agent runs in: a coding agent or a framework
//	native call       a tool call in the form of a harness
//	consumption       one use of an approval by one execution
//	event             a log entry as MPLP's event streams have it
//	frame             a message of a session's stream about one confirm
//	cursor            a place in a stream: <log sequence>.<n>
//	reading           the arguments of an action as rows and blocks, for people
//	finding           what the server points out in a request; levels stop, look, note
//	precedent         an action of another request that concerns this one
//	fact              a count of what people decided on like calls; folded from the log
//	policy            a rule: what it matches, a condition, and what it requires
//	quorum            thresholds that must all be met; each a role and a number
//	escalation        lets another role fill a threshold after a time
//	requires          what the policies that matched require, in the content
//	vote              a user's decision in one role, counted towards a quorum
//	variant           the content as asked or as edited; votes count for one
//	guard             a policy that matches the action policy.modify
//	unattainable      fewer people may vote than a threshold needs
//	learning sample   what a decision on a plan teaches
//	entry             one change in the log, with the digests of the rows it wrote
//	destination       a webhook that is told of entries of the log; it decides nothing
//	delivery          one entry that one destination is told of, at least once
//	message           what a delivery says, made from the log when it is sent
//	import            an object that came with a history: shown, proves nothing
//
// A type or method whose name ends in Row is an item of a list on a page, one that ends
// in JSON is for the JSON interface.
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
// The three on the right are final. The first decision wins: the status is changed by
// compare-and-swap, and the loser gets the winner's decision. At the deadline an
// approval loses: the deciding transaction checks the deadline, and reading a confirm
// that is due expires it first. A policy may reject a confirm in the transaction that
// posts it. Under a quorum, decisions that do not end the confirm are votes.
//
// # Policies and votes
//
// Policies are looked at once, in the transaction that posts a confirm. What they require
// becomes the last member of the content, Requires: it is under the content hash, and no
// later change of a policy touches what is pending. Where none matches, not a byte
// differs from a server without policies. Saving makes a version; no version is changed
// or deleted. Policies that cannot be read refuse the post.
//
// A condition is true, false or unknown: a value is missing, of another kind, or costs too
// much. Unknown counts as true. A policy that rejects beats all. Else the strictest of
// everything counts: each role with its largest number, the fewest rejections, the
// shortest timeout. A role stands in for a threshold only where every policy that asks for
// it says so, from the latest of their times. The agent's required_role is a threshold of
// one without stand-ins, and its timeout counts if it is shorter.
//
// Only users vote. They vote in one of their roles, which need not be the one that grants
// the capability. A user has one vote, which counts for one variant and fills one
// threshold. The requester's group has none, nor has who made the key. An approval may
// become a rejection, not the other way round. The deciding transaction counts again: votes of people who have lost
// the account, the role or the capability have lapsed. Package quorum counts for the
// service, for the gate (evidence.Voting) and for a bundle.
//
// Rows of confirm_roles say who may vote, for lists and for the clock. They give no right:
// that is read from the content and the time. So an escalation holds when its time comes;
// Service.escalateDue only tells of it.
//
// What their entries name:
//
//	policy.created, .modified, .disabled   name, version, hash, enabled; confirm_id of
//	                                       the request that a guard had approved
//	confirm.requested                      quorum, rejections, and the policies that
//	                                       matched, with because if one was unknown
//	confirm.voted                          vote, role_id, decision_id; the effective hash
//	                                       and the decisions, as a final entry has them
//	confirm.escalated                      roles that may vote from now on
//	confirm.approved, .rejected            votes: the entries that count, itself the last;
//	                                       policy, if one rejected it
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
// Only the decision on a confirm moves a plan from proposed to approved, or back to
// draft.
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
// completes with its last step, and fails with a step that its agent calls critical.
//
// # How a change is made
//
// Service.write opens a transaction, loads the principal again and runs the use case:
// check the capability, apply the rule, write rows, log. Tx.Append gives the entry its
// gap-free number and the digests of the rows written before it. Rows that no entry
// covers fail the transaction. A refusal that must keep what was written (a decision
// that comes too late records the timeout) is returned beside the transaction.
//
// The secret of a key is checked once a minute (Service.AuthenticateCached). Every use
// case checks in its own transaction whether the key is in force and what it may do, so
// that changes by other processes count at once.
//
// Tables named volatile_… hold what proves nothing (sessions, one-time links, counters,
// the search index, facts). The log does not cover them. Sessions and links give rights only
// with a MAC by the signing key, over the number of the entry that last ended their
// user's sessions (session.go, one_time_link.go).
//
// The log is the outbox of messages. QueueDeliveries follows it from a cursor, writes the
// deliveries of up to 512 entries and moves the cursor in one transaction. Senders claim
// what is due for a minute, send it and record the result. A new way to tell somebody
// implements Send, and nobody who decides waits for it (delivery_run.go).
//
// A verification reads the log once (evidence.Audit), and History checks each entry
// against the rules: what no honest server writes is a finding. A new use case, fact or
// type of entry must be added to History.
//
// # How an agent is kept small
//
// Texts that pages and the log repeat have limits (Limits). Of others, lists show an
// Excerpt; only the page of a request has the whole. An entry repeats a few KiB of a
// text at most. A page of objects ends at MaxPageBytes. While several principal groups
// wait, an inbox lists MaxPerGroup requests of each and links to the rest.
//
// # How a caller waits
//
// Outcome, Gate and FollowSession subscribe to the Feed first and look then, so that
// they miss nothing in between. They look again after an entry about what they wait for,
// after one that may have ended their rights, at a deadline, and when the server stops.
// An outcome that this process decided comes with its entry: a caller that was notified
// of nothing else returns it without a look. Each look runs in a goroutine of its own
// (onOwnStack), so that the stack of the waiting one stays small.
//
// # Contributing
//
// Names are the field's terms: cache, draft, ETag, CSRF token, keyset, watermark.
// Functions are verbs, booleans begin with is, has or can, collections are plural nouns,
// errors begin with err. A comment gives the reason, in sentences of at most 20 words.
// Pages, messages and mails address the user in sentence case and say what to do next.
// Commits read "area: imperative change", with the reason in the body.
//
// A test comes first. Rows of REQUIREMENTS.md head the names of their tests. Whatever is
// generated (*_templ.go) is committed: go tool templ generate -path views.
//
// A filter of the inbox, five files:
//
//	domain/confirm.go, store/confirm_list.go   the field, and its condition
//	web/inbox_filter.go                        the parameter
//	views/inbox.go, views/inbox.templ          the control
//
// A page with navigation, five files:
//
//	web/<page>.go                              the handler and its view model
//	web/routes.go, web/sections.go             the address with its need, the label
//	views/<page>.go, views/<page>.templ        what it shows
//
// A member of a confirm that reviewers see and the hash covers, seven files:
//
//	domain/mplp/confirm.go                     reading it
//	domain/confirm_post.go                     copying it into the content
//	domain/evidence/content.go                 the field, at the end of Marshal
//	web/confirm_view.go                        showing it; web/finding.go, if rules look at it
//	views/confirm.go, views/confirm.templ
//	web/api/openapi.yaml
//
// It needs a column too only if lists, the gate or History use it.
//
// A kind of finding, three files: domain/finding/<kind>.go with its rule and its test, of
// at least eight requests that have it and twelve that nearly do; kind.go there, which
// lists it; structure.go or comparison.go, which runs it. domain/finding/finding.go says
// what each level asks of the reviewer.
//
// A member of a policy, six files: domain/policy/document.go, document_check.go,
// resolve.go and sentence.go, web/policy_form.go, views/policy_form.templ. What outlives
// the post goes into quorum.Requires, at its end, and is absent if empty.
//
// A capability: domain/capability.go (the constant and its description), the use cases
// that require it, web/routes.go and web/api/routes.go, and domain/role.go if a seeded
// role has it. A test holds every address to its need.
//
// A column: domain/<resource>.go, store/<resource>.go, a migration for each database, and
// store/storetest/<resource>.go. NULL is left out of a row's digest, so a new column that
// is NULL keeps the digests of existing rows. Released migrations never change.
//
// A resource: the type with its two interfaces here, listed in store.go; its use cases;
// store/<resource>.go with its table; migrations, storetest, a handler and its route.
package domain
