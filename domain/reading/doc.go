// Package reading shows the JSON of a request to people, as labelled rows and blocks
// of text beside the exact document. It leaves nothing out: from the rows the equal JSON
// can be read back. What it infers is kept apart from what was sent.
//
// It is pure: no I/O, no clock of its own, no regular expression that backtracks. The
// time that it takes grows linearly with the size of the text, up to fixed limits. Beyond
// them it shows plain text, and says so.
package reading
