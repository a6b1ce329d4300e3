// Package load is the client of the benchmark: closed loops over raw keep-alive
// connections, with requests that are built before the clock runs. It lives in
// a process of its own, which reads one Job as JSON from standard input and
// writes one Result as JSON to standard output.
package load
