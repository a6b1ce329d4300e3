// Countersign is where people countersign what AI agents are about to do: an
// agent posts a confirm and waits, a reviewer decides in a browser, and the
// agent goes on.
//
// Every command takes --db PATH, the database file: else $COUNTERSIGN_DB, else
// countersign.db in the working directory. It is created, or migrated to this
// program's schema, if needed. With the postgres:// URL of a database in its
// place everything is kept in PostgreSQL. Commands work while servers run on the
// same database, and what they change holds at once. Flags may stand before or
// behind names, win over variables, and those with … may be repeated. Commands
// act as the principal system: whoever may open the database may do everything.
//
// # Serving
//
//	countersign serve [--listen 127.0.0.1:8080] [--base-url URL] [--host NAME]… [--trusted-proxy CIDR]… [--allow-self-approval] [--metrics ADDR] [--verify-every 6h] [--limits k=v,…] [--signing-key F] [--head F] [--accept-restore] [--demo]
//
// Serve prints "listening on" and its address when it is ready, and while there
// are no users a link, good for one use and 24 hours, to set up the first
// administrator. It logs JSON lines to standard error. /healthz answers while
// the process does; /readyz has a line for each thing that the server cannot
// work without, and is 503 if one is missing. On SIGINT or SIGTERM a monitor
// that has asked there in the last 15 seconds gets 2 to hear that the server
// stops; then it answers whoever waits, finishes what it is doing, and ends,
// within 5 seconds in all.
//
// Two seconds after its start, and then at the interval that --verify-every says,
// it runs evidence verify on its database, in a process of its own. While what was
// found last is not as it should be, it is not ready, decides nothing, lets no
// approval be used, and its gate blocks; the log, the pages of whoever may read
// the log, and the metrics say so. With 0 it never verifies.
//
// With --metrics another address, for nothing else, answers /metrics in the
// format of Prometheus. They hold nothing that clients sent, but whoever reaches
// the address reads them: keep it on loopback or inside. The README lists them.
//
// It speaks plain HTTP and expects a proxy to speak TLS for it: --base-url is
// the address that browsers see, and https there makes cookies Secure. Without
// --base-url it listens on loopback addresses only. It answers to the host of
// its base URL, and to every --host. Each flag of serve but --demo can come
// from a variable, COUNTERSIGN_BASE_URL for --base-url; where a flag can be
// repeated the variable holds a list with commas.
//
// With --demo it uses a database that goes when it ends, prints accounts to
// sign in with, and runs an agent that asks over HTTP and prints what it is
// told.
//
// # Users
//
//	countersign user add NAME --role ROLE… [--password-stdin]
//	countersign user list
//	countersign user disable NAME
//	countersign user enable NAME
//	countersign user reset NAME
//
// Add and reset print a link, good for one use and 24 hours, by which the user
// chooses a password; --base-url says where the server is, else the link is for
// one on http://$COUNTERSIGN_LISTEN, or on http://127.0.0.1:8080. With
// --password-stdin, add takes the password from the first line of standard input
// instead.
//
// # Keys
//
//	countersign key create NAME --role ROLE… [--owner USER] [--may-decide] [--expires 90d]
//	countersign key list
//	countersign key revoke NAME
//
// Create prints the key alone, this once. Without an owner the key stands alone:
// it sees only what it requested itself, and any reviewer may decide that. The keys of one owner see what each other requested. A key that
// may decide needs an owner, and stops when they are disabled. Who makes a key on
// the page of keys may not decide what it requests; keys made here have no maker.
//
// # Roles
//
//	countersign role list
//	countersign role show NAME
//	countersign role set NAME --capability C…
//
// Set replaces the capabilities of a role, or creates it.
//
// # Evidence
//
//	countersign evidence verify [--vkey KEY] [--checkpoint FILE] [--bundle FILE] [--json]
//	countersign evidence export --confirm ID | --trace ID --out FILE
//	countersign evidence rotate-key
//
// Verify holds every row of the database to the log, the log to its signed
// checkpoint, and that to the head file and to a checkpoint kept from before.
// It changes nothing and works while a server runs; so does a bundle that
// export wrote, with no database at all. With --json it prints one object: result
// (verified, tampered or unknown), findings, more (findings beyond those), unknown
// (why there is no result), notes, entries, contents, origin, size and root. The key to verify with is the one that
// serve logs when it starts and that rotate-key prints: an auditor gets it by
// another way than the bundle.
//
// The signing key lies beside the database, in a file with .key behind its
// name, and the head file in one with .head; with PostgreSQL they are
// countersign.key and countersign.head in the working directory. --signing-key
// and --head of serve, or $COUNTERSIGN_SIGNING_KEY and $COUNTERSIGN_HEAD, which
// every command minds, say otherwise. Neither is in a backup. A server does not
// start on a database that is older than its head file; with --accept-restore it
// verifies the database and begins a new epoch of the log, under a new key, and
// cancels what is pending.
//
// # The database
//
//	countersign backup FILE
//	countersign migrate [--from FILE]
//	countersign migrate status
//	countersign prune --older-than 90d
//
// Backup copies a SQLite database while servers go on. To restore a copy, stop
// the server, remove the files with -wal and -shm behind the database's name
// (they belong to what was there before), put the copy in its place, and start
// serve once with --accept-restore.
//
// Migrate does what every command does first; its status changes nothing. With
// --from it moves a SQLite database, its log and its signing key into an empty
// PostgreSQL database, and verifies it there. Prune forgets what was asked for
// in confirms decided so long ago, as far as the log proves that they were; hashes,
// ids and proofs stay.
//
// # Exit codes
//
// 0: done. 1: failed, or refused; standard error says why. 64: the command line
// is wrong. Evidence verify: 0 verified, 4 tampered, 3 cannot tell. 4 from serve or
// migrate says too that the database was changed after it was signed.
package main
