// Package mplp reads and writes the JSON objects that travel between agents
// and the server: confirms, decisions, approval requests, plans, roles,
// contexts and traces.
//
// It owns the wire forms and nothing else. It knows no principals, no stored
// state and no clock: what an object may do is decided by package domain.
//
// Reading has two layers. The lexical layer is strict, because two parsers
// that disagree about a document are an attack: duplicate keys, known keys in
// another case, broken UTF-8, lone surrogates, trailing data and excessive
// depth are a [SyntaxError]. The layer above is liberal: members it does not
// know are kept, optional nulls count as absent, naive times are UTC, and what
// was filled or doubtful is reported as [Warning]. Everything that breaks a
// rule is collected into one [Invalid].
//
// Objects have two forms. The native one is what was sent. The canonical one
// (CanonicalConfirm and its like) validates against the official schemas, which
// this package describes once: [ValidateStrict] checks against them
// and the canonical form is projected onto them.
//
// Values are kept as the bytes that were sent. Only white space between tokens
// is ever changed: a number such as 9007199254740993 or 1e400 is never parsed
// into a float, and no escape is rewritten.
package mplp
