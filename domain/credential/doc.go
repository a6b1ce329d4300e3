// Package credential makes and checks what principals prove themselves with:
// the passwords of users, the API keys of agents, and the opaque tokens behind
// browser sessions, one-time links and forms. It also seals words for the one
// person whose password opens them.
//
// Nothing here is stored. For every secret the package gives the form that may
// be: an argon2id string for a password, which people choose and which is
// therefore guessable, and a plain SHA-256 for keys and tokens, which carry 256
// random bits and are not. Comparisons of secrets take constant time, and no
// error repeats any part of its input.
package credential
