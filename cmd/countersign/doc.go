// Countersign lets people countersign what AI agents are about to do. An agent
// posts a request and waits, a reviewer decides in a browser, and the agent
// continues.
//
// Every command but ask, hook and mcp takes --db PATH, the database file. The default is $COUNTERSIGN_DB,
// then countersign.db in the working directory. The database is created or migrated
// if needed. With a postgres:// URL instead, everything is kept in PostgreSQL.
//
// Commands work while servers run on the same database, and their changes take
// effect immediately. Flags may stand before or after names. They override
// variables, and those with … may be repeated. Commands act as the principal
// system: anyone who can open the database may do everything.
//
// # Serving
//
//	countersign serve [--listen 127.0.0.1:8080] [--base-url URL] [--host NAME]… [--trusted-proxy CIDR]… [--egress-allow CIDR]… [--egress-ports 443,8443]… [--allow-self-approval] [--metrics ADDR] [--verify-every 6h] [--limits k=v,…] [--signing-key F] [--head F] [--accept-restore] [--demo] [--demo-wait]
//
// Serve prints "listening on" and its address when it is ready. While there are no
// users it also prints a link to set up the first administrator, which works once
// and for 24 hours. It logs JSON lines to standard error.
//
// /healthz answers while the process runs. /readyz has a line for each thing that
// the server needs, and answers 503 if one is missing. On SIGINT or SIGTERM,
// /readyz answers 503 for up to 2 seconds if a monitor asked in the last 15. Then
// the server answers waiting clients, finishes its work and exits, within 5 seconds
// in all.
//
// Two seconds after its start, and then every --verify-every, the server runs
// evidence verify on its database in a separate process. While the last run found
// changes, the server is not ready, nobody can decide, no approval can be used, and
// the gate blocks. The log, the pages and the metrics say so. With 0 it never
// verifies.
//
// With --metrics a separate address serves /metrics in the format of Prometheus.
// Metrics contain nothing that clients sent. Anyone who reaches the address can
// read them: keep it on loopback or in a private network. OPERATING.md lists them.
//
// The server speaks plain HTTP and expects a proxy for TLS. --base-url is the address
// that browsers see; https there makes cookies Secure. Without --base-url it listens
// on loopback addresses only. It answers to the host of its base URL and to every
// --host. Each flag of serve except --accept-restore, --demo and --demo-wait has a variable, such
// as COUNTERSIGN_BASE_URL for --base-url. For flags that may be repeated, the
// variable has a list with commas.
//
// Messages go to public addresses and port 443 only. --egress-allow adds addresses, such
// as those of a gateway in the same network, and --egress-ports replaces the port.
//
// With --demo it uses a temporary database, prints accounts to sign in with, and
// runs an agent that sends requests and prints the answers. With --demo-wait it prints
// a command that sends a request instead.
//
// # Users
//
//	countersign user add NAME --role ROLE… [--password-stdin]
//	countersign user list
//	countersign user disable NAME
//	countersign user enable NAME
//	countersign user reset NAME
//
// Add and reset print a link to choose a password, which works once and for 24
// hours. --base-url is the address of the server; the default is
// http://$COUNTERSIGN_LISTEN, then http://127.0.0.1:8080. With --password-stdin, add
// reads the password from the first line of standard input instead.
//
// # Keys
//
//	countersign key create NAME --role ROLE… [--owner USER] [--may-decide] [--expires 90d]
//	countersign key list
//	countersign key revoke NAME
//
// Create prints only the key, and only once. A key without an owner sees only its
// own requests, and any reviewer may decide them. The keys of one owner see each
// other's requests. A key that may decide needs an owner, and stops working when the
// owner is disabled. Whoever creates a key on the page Keys cannot decide its
// requests. For a key created here, only the owner cannot.
//
// # Destinations
//
//	countersign destination list
//	countersign destination add NAME --format standard|slack|teams --url-stdin [--event TYPE]… [--role ROLE]… [--target TYPE]… [--key KEY] [--details names] [--egress-allow CIDR]… [--egress-ports 443,8443]…
//	countersign destination disable NAME
//	countersign destination enable NAME
//	countersign destination test NAME
//
// A destination is a webhook that is told when a request waits. The page Destinations
// has the events, and does more. Add reads the address from standard input, because it
// may be secret. Test has the running server send a message, and prints what the
// receiver answered.
//
// # Policies
//
//	countersign policy list
//	countersign policy show NAME
//	countersign policy set NAME --file F [--disabled]
//	countersign policy try --file F [--last 100]
//	countersign policy disable NAME
//	countersign policy enable NAME
//
// A policy says who must decide which requests. Set reads it as JSON, in the form that
// show prints, and saves a new version; --file - reads standard input. Try says what a
// policy would have matched, and saves nothing. What is pending keeps what was required
// when it was posted. Commands may change policies that other policies guard.
//
// # Roles
//
//	countersign role list
//	countersign role show NAME
//	countersign role set NAME --capability C…
//
// Set replaces the capabilities of a role, or creates the role.
//
// # Evidence
//
//	countersign evidence verify [--vkey KEY] [--checkpoint FILE] [--bundle FILE] [--json]
//	countersign evidence export --confirm ID | --trace ID --out FILE
//	countersign evidence rotate-key
//
// Verify compares every row of the database with the log, the log with its signed
// checkpoint, and the checkpoint with the head file and with --checkpoint. It changes
// nothing and works while a server runs. A bundle from export needs no database.
//
// With --json it prints one object: result (verified, tampered or unknown),
// findings, more (how many further findings), unknown (why there is no result),
// notes, entries, contents, origin, size and root. The key to verify with is the one
// that serve logs at its start and that rotate-key prints. An auditor must not take
// it from the bundle.
//
// The signing key is in a file beside the database with .key added to its name, and
// the head file has .head. With PostgreSQL they are countersign.key and
// countersign.head in the working directory. To keep them elsewhere, use
// --signing-key and --head of serve, or $COUNTERSIGN_SIGNING_KEY and
// $COUNTERSIGN_HEAD, which every command reads. A backup contains neither.
//
// A server does not start on a database that is older than its head file. With
// --accept-restore it verifies the database, starts a new epoch of the log under a
// new key, and cancels pending requests.
//
// # The database
//
//	countersign backup FILE
//	countersign migrate [--from FILE]
//	countersign migrate status
//	countersign prune --older-than 90d
//
// Backup copies a SQLite database while servers keep running. To restore a copy, stop
// the server, remove the database's -wal and -shm files, which belong to the old
// database, put the copy in its place, and start serve once with --accept-restore.
//
// Migrate does what every command does first. Its status changes nothing. With
// --from it moves a SQLite database with its log and signing key into an empty
// PostgreSQL database, and verifies it there. Prune deletes the content of requests
// that were decided that long ago, if the log proves the decision. Hashes, ids and
// proofs stay.
//
// # Asking
//
//	countersign ask [NAME] [--args JSON|@FILE|-] [--reason TEXT] [--timeout SECONDS] [--id ID] [--role ROLE] [--allow-edit] [--json] [--server URL] [--key-file F] [--insecure] [-- COMMAND ARG…]
//
// Ask calls a server and opens no database. It asks for the approval of one action,
// prints the address of its page to standard error, and waits. The server is --server,
// $COUNTERSIGN_URL or http://127.0.0.1:8080. The key, whose role needs plan.execute, is
// in $COUNTERSIGN_KEY, or in the file --key-file or $COUNTERSIGN_KEY_FILE. While the
// server is away ask tries again until --timeout is over.
//
// With --json standard output has the outcome, with --allow-edit the arguments that
// were approved, else nothing. With a COMMAND ask uses the approval and becomes the
// command: it runs once, in this directory, with the arguments that the reviewer saw.
// NAME is then the command's by default.
//
// The same --id with the same content attaches to a request, so that a job that starts
// again goes on waiting. SIGINT and SIGTERM cancel the request.
//
//	$ countersign ask --id "gh.$GITHUB_RUN_ID.$GITHUB_RUN_ATTEMPT.deploy" --reason "Deploy $GITHUB_SHA" --timeout 3600 -- ./deploy.sh prod
//
// # Hooks
//
//	countersign hook FORMAT [--wait S] [--server URL] [--key-file F] [--insecure]
//	countersign hook config FORMAT [--wait S]
//
// Hook asks for the approval of a tool call for a coding agent: claude, codex, gemini,
// copilot or cursor. It reads the call from standard input, waits for the decision and
// prints it in the agent's own form. Undecided after --wait it prints one that blocks,
// and the same call goes on waiting. Whatever goes wrong blocks the call.
//
// Most agents run the tool when their hook takes too long. Hook config prints settings
// with a time-out ten seconds longer than --wait.
//
// # Before an MCP server
//
//	countersign mcp [--config FILE] [--name N] [--wait 50] [--upstream URL] [--header 'K: $VAR']… [--server URL] [--key-file F] [--insecure] [-- COMMAND ARG…]
//
// Mcp stands between an agent and an MCP server and holds calls of tools until they are
// approved; all else passes as it is. It starts COMMAND as its child, which does not get
// the key, or calls --upstream. The rules in --config say what is asked about, without
// them everything is. A reviewer sees the tool's description and a form by its schema,
// and edited arguments are what runs. A call that is not decided within --wait is
// refused with words to make it again, which goes on waiting.
//
// Without COMMAND and --upstream it connects an agent that speaks only standard input
// and output to the server's own MCP server, /mcp.
//
// Whoever can edit the agent's MCP configuration goes around the gateway.
//
//	$ countersign mcp --config rules.json -- npx -y @modelcontextprotocol/server-filesystem /srv/data
//
// # Exit codes
//
// 0: done. 1: failed or refused; standard error says why. 64: the command line is
// wrong. Ask: 0 approved, 77 rejected or cancelled, 75 timed out, 69 could not ask, 130
// and 143 interrupted; after an approval the COMMAND's, 126 if it does not start.
// Hook: 0 a decision was printed, 2 everything else, which blocks.
// Mcp: that of COMMAND, 128 and the signal if one ended it.
// Evidence verify: 0 verified, 4 tampered, 3 cannot tell. From serve or
// migrate, 4 also means that the database was changed after it was signed.
package main
