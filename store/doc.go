// Package store keeps everything in SQL: it implements domain.Store.
//
// It has a file for each resource, the tables (table.go), the lists with their keysets
// (list_query.go) and the proofs of rows: every row outside of the volatile tables is
// named by a log entry with its digest (row.go), and is believed only if the signed log
// proves that entry (prove.go). It knows no rule of the domain: who may do what, and what
// may follow what, is decided before it is called.
//
// Package ledger writes: it commits waiting transactions in groups and signs the log.
// Package audit reads a whole database for a verification. SQLite and PostgreSQL get the
// same SQL: package driver says what a database does in its own way, and packages sqlite
// and postgres do it, each with its own schema. None of these imports another, but for
// driver. Several processes may write to one database, on PostgreSQL from several
// machines: each reads back what the others have appended.
package store
