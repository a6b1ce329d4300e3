// Package store keeps everything in SQL: it implements domain.Store.
//
// It owns the schema (migrations), the write path (one writer that commits
// waiting transactions in groups, see writer.go), the rule that every row
// written outside of volatile tables is named by a log entry with its digest
// (row.go), and the lists with their keysets. It knows no rule of the domain:
// who may do what, and what may follow what, is decided before it is called.
package store
