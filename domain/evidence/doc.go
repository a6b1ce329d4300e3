// Package evidence is what can be proved later: the entries of the log, the content
// that a reviewer decides on, and the digests that tie both to the rows of the
// database.
//
// It only turns bytes into bytes. It knows no database, clock or rights, so that an
// auditor's program can use it alone.
//
// # The bytes of an entry
//
// An entry is one JSON object without white space. Its members come in this order;
// all but the first six and rows are left out when empty:
//
//	v seq type at principal kind name role cause confirm_id plan_id object_id
//	content_hash effective_hash decisions trace_id span_id data rows
//
// Decisions are objects with type, args_hash and, if copied from the first, filled.
// Data is an object with further facts, which depend on the type.
//
// Rows are the rows that the transaction wrote, as [table, key, digest, before].
// The digest of a deleted row is empty, and before is left out for an inserted one.
// In a key, the id that the entry is about (confirm_id, else plan_id, else object_id)
// is left out if it is the whole key or stands before a slash. "#" is the entry's own
// number, and "~" comes before a key that would otherwise be read as one of these.
//
// Every SHA-256 in an entry has 43 characters of base64url without padding (RFC 4648).
// Elsewhere the hashes of contents and arguments are "sha256:" and 64 hexadecimal
// digits. The leaf in the tree is SHA-256(0x00 ‖ bytes) (RFC 6962). A database stores
// each entry's leaf, and the inner nodes over 16 entries and more; others are computed
// when they are needed ([ReadHashes]).
//
// The bytes of a content are those of [Content.Marshal], the digest of a row that of
// [RowDigest].
package evidence
