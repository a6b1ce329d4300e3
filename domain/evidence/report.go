package evidence

import "fmt"

// Report is what a verification found out.
type Report struct {
	Checkpoint Checkpoint // of what was verified
	Entries    int64
	Contents   int      // contents whose hash was recomputed
	Findings   []string // what is not as it was logged, and where: any is tampering
	Unknown    []string // what could not be verified, and why
	Notes      []string // what its reader should know
	More       int      // findings beyond the first maxFindings
}

// maxFindings bounds a report: the first few say where to look.
const maxFindings = 100

// Tampered says whether anything is not as it was logged.
func (r *Report) Tampered() bool { return len(r.Findings) > 0 }

// Verified says whether everything is proved to be as it was logged.
func (r *Report) Verified() bool { return !r.Tampered() && len(r.Unknown) == 0 }

func (r *Report) found(format string, args ...any) {
	if len(r.Findings) == maxFindings {
		r.More++
		return
	}
	r.Findings = append(r.Findings, fmt.Sprintf(format, args...))
}

// watched adds what whoever watches the log says of an entry.
func (r *Report) watched(e *Entry, watch func(*Entry) []string) {
	if watch == nil {
		return
	}
	for _, wrong := range watch(e) {
		r.found("log entry %d: %s", e.Seq, wrong)
	}
}

// join adds what a part found.
func (r *Report) join(part *Report) {
	r.Contents += part.Contents
	kept := min(len(part.Findings), maxFindings-len(r.Findings))
	r.Findings = append(r.Findings, part.Findings[:kept]...)
	r.More += part.More + len(part.Findings) - kept
}

func (r *Report) unknown(format string, args ...any) {
	r.Unknown = append(r.Unknown, fmt.Sprintf(format, args...))
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}
