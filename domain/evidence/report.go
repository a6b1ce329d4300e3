package evidence

import "fmt"

// Report is the result of a verification.
type Report struct {
	Checkpoint      Checkpoint // of what was verified
	Entries         int64
	Contents        int      // contents whose hash was recomputed
	Findings        []string // what is not as it was logged: any is tampering
	Unknown         []string // what could not be verified, and why
	Notes           []string // what the reader should know
	OmittedFindings int      // findings beyond the first maxFindings
}

// maxFindings bounds a report: the first findings say where to look.
const maxFindings = 100

// IsTampered reports whether anything is not as it was logged.
func (r *Report) IsTampered() bool { return len(r.Findings) > 0 }

// IsVerified reports whether everything is proven to be as it was logged.
func (r *Report) IsVerified() bool { return !r.IsTampered() && len(r.Unknown) == 0 }

func (r *Report) addFinding(format string, args ...any) {
	if len(r.Findings) == maxFindings {
		r.OmittedFindings++
		return
	}
	r.Findings = append(r.Findings, fmt.Sprintf(format, args...))
}

// addWatched adds what watch returns about an entry.
func (r *Report) addWatched(e *Entry, watch func(*Entry) []string) {
	if watch == nil {
		return
	}
	for _, wrong := range watch(e) {
		r.addFinding("log entry %d: %s", e.Seq, wrong)
	}
}

// join adds the findings of a part.
func (r *Report) join(part *Report) {
	r.Contents += part.Contents
	kept := min(len(part.Findings), maxFindings-len(r.Findings))
	r.Findings = append(r.Findings, part.Findings[:kept]...)
	r.OmittedFindings += part.OmittedFindings + len(part.Findings) - kept
}

func (r *Report) addUnknown(format string, args ...any) {
	r.Unknown = append(r.Unknown, fmt.Sprintf(format, args...))
}

func (r *Report) addNote(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}
