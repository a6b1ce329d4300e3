// Package evidence owns what can be proved later: the entries of the log, the
// content a reviewer decides on, and the digests that tie both to the rows of
// the database.
//
// Everything here is bytes in, bytes out. The package knows no database, no
// clock and nobody's rights, so that an auditor's program can use it alone.
//
// # The bytes of an entry
//
// An entry is one JSON object without white space, its members in this order;
// those that say nothing are left out, but for the first six and rows:
//
//	v seq type at principal kind name role cause confirm_id plan_id object_id
//	content_hash effective_hash decisions trace_id span_id data rows
//
// decisions are objects with type, args_hash and, if it was copied from the
// first, filled. data is an object of further facts, which depend on the type.
// rows are the rows that the transaction wrote: [table, key, digest], and behind it
// the digest of the row before the change, unless it was inserted. A key leaves
// out the id that the entry is about, its confirm_id, else its plan_id, else its
// object_id, where that is all of it or stands before a slash; "#" is the entry's
// own number, and "~" stands before a key that would be read as one of these. The
// digest is empty where the row was removed.
//
// Every SHA-256 is written in 43 characters, base64url without padding
// (RFC 4648); elsewhere the hashes of contents and arguments are "sha256:" and 64
// hexadecimal digits. The leaf in the tree is SHA-256(0x00 ‖ bytes) (RFC 6962).
// Of the tree a database keeps each entry's leaf and the inner nodes from those of
// 16 entries upwards; what lies between is made when it is needed ([ReadHashes]).
//
// The bytes of a content are described at [Content], the digest of a row at
// [RowDigest].
package evidence
