package views

// VotingView says which votes a request needs, how far they are, and who has voted.
type VotingView struct {
	Title      string // of Needs
	Needs      []VotingNeed
	Leading    string // the variant that Needs counts, if some voted for an edit
	Rejections string // how many end it, a sentence
	Mine       *MyVote
	// Approve and Reject say what the buttons do; empty without a form.
	Approve, Reject string
	Short           string        // what an approval does, in a few words, or how far it is
	Variants        []VariantView // if some voted for an edit
}

// VotingNeed is a number of approvals by holders of a role.
type VotingNeed struct {
	Role                string
	Approved, Approvals int
	Later               []LaterVoter
}

// LaterVoter is a role that may vote in place of another.
type LaterVoter struct {
	Role string
	From Moment // empty: it may by now
}

// MyVote is the user's vote.
type MyVote struct {
	Title  string // "Your approval counts"
	Status string // approved or rejected
	Words  string // "You approved this as finance"
	At     Moment
	Far    string // how far it is now
}

// VariantView is a request as it was asked, or as somebody edited it.
type VariantView struct {
	Title  string
	Needs  []VotingNeed
	Edits  []ActionEdit
	Mine   bool   // the user votes for it
	Vote   string // value of the button that votes for it; empty: none
	Effect string // what the vote does, or why there is no button
}

// MatchedPolicy is a policy that matched a request.
type MatchedPolicy struct {
	Policy  Link
	Version string
	Note    string // for reviewers
	Because string // why its condition is unknown
}

func (n VotingNeed) isMet() bool { return n.Approved >= n.Approvals }

// votesCount returns how many approvals there are, and are needed: "1 of 2".
func votesCount(needs []VotingNeed) string {
	approved, needed := 0, 0
	for _, n := range needs {
		approved, needed = approved+n.Approved, needed+n.Approvals
	}
	return grouped(approved) + " of " + grouped(needed)
}
