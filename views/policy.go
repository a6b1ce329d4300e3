package views

import (
	"github.com/a-h/templ"

	"countersign/domain/reading"
)

// PoliciesView is GET /policies.
type PoliciesView struct {
	Self   string
	Notice *Notice
	Rows   []PolicyRow
	NewURL string // set if the reader may
}

// PolicyRow is the current version of a policy in a list.
type PolicyRow struct {
	URL      string
	Name     string
	Sentence string // what it does; empty: it cannot be read
	Effect   string // in words
	Status   string
	Version  string
	By       string
	Saved    Moment // an age
	Pending  int    // requests that wait under it
	Short    bool   // too few people may approve
	Broken   string // why it cannot be used as it is written
}

// PolicyView is GET /policies/new and GET /policies/{id}, and the answer to
// POST /policies/try.
type PolicyView struct {
	PolicyRow
	ID         string // empty: a new one
	Form       *PolicyForm
	Members    []PolicyMember // for readers who may not change it
	Notice     *Notice
	Shortages  []string // why nobody can meet it
	Warnings   []string // what it says but may not mean
	Trial      *PolicyTrial
	Versions   []PolicyVersion // the newest first
	MoreURL    string          // of all versions, if some are not listed
	EnableURL  string
	DisableURL string
}

// PolicyMember is one thing that a policy says.
type PolicyMember struct{ Label, Value string }

// PolicyVersion is one version of a policy, and the one before it as lines.
type PolicyVersion struct {
	Number        string
	Status        string
	By            string
	At            Moment
	Pending       int      // requests that wait under it
	Before, After []string // Before is nil for the first
	Document      string   // JSON
}

// PolicyTrial is what a policy that is not saved would have done.
type PolicyTrial struct {
	Sentence string
	Counts   []string
	Matches  []PolicyMatch
}

// PolicyMatch is a request that a policy would have matched.
type PolicyMatch struct {
	URL       string
	Tools     []string // none: Heading names it
	Heading   string
	Requester string
	At        Moment
	Why       string // it matched although its condition is not true; empty: it is true
}

// lineChanges shows the lines in which two texts differ.
func lineChanges(before, after []string) templ.Component {
	return component(func(m *htmlBuffer) {
		lines := reading.Compare(before, after)
		reading.CountChanges(lines)
		var changed []reading.Line
		var marks counts
		for _, line := range lines {
			if line.Op != ' ' {
				changed = append(changed, line)
				marks.text(line.Text)
			}
		}
		if len(changed) == 0 {
			m.html(`<p class="hint">Nothing in it changed.</p>`)
			return
		}
		m.html(`<div class="diff" hx-ignore dir="ltr">`)
		m.blocks(len(changed), func(i int) { m.diffLine(changed[i], unsigned) })
		m.html(`</div>`)
		m.legend(marks)
	})
}
