// Package evidence owns what can be proved later: the entries of the log, the
// content a reviewer decides on, and the digests that tie both to the rows of
// the database.
//
// Everything here is bytes in, bytes out. The package knows no database, no
// clock and nobody's rights, so that an auditor's program can use it alone.
package evidence
