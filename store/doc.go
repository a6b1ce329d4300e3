// Package store keeps everything in SQL: it implements domain.Store.
//
// It owns the schema (migrations), the write path (one writer that commits
// waiting transactions in groups, see writer.go), the rule that every row
// written outside of volatile tables is named by a log entry with its digest
// (row.go), and the lists with their keysets. It knows no rule of the domain:
// who may do what, and what may follow what, is decided before it is called.
//
// SQLite and PostgreSQL get the same SQL. What they do in their own ways is a
// dialect (dialect.go), and an open connection to either is a session (conn.go):
// that to SQLite calls the library itself (sqlite_handle.go), and the one that
// writes gathers what goes to the journal (sqlite_journal.go). A connection that
// reads remembers what it read until somebody commits (seen.go), and the one that
// was used last is used next (readers.go).
// Several processes may write to one database, on PostgreSQL from several
// machines: each reads back what the others have appended (writer.go).
package store
