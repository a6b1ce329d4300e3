// Package quorum counts votes: what a request requires, who may vote on it and when,
// whether the votes are enough, and the proof of it.
//
// It knows neither policies nor conditions and imports only the standard library, so
// that whoever verifies a log counts with the same code as the server. It is
// deterministic and pure: no storage, no network, no clock.
package quorum
