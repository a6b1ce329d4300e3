package web

import (
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/views"
)

// approvalWords says what an approval of a variant in a role does.
func (p *confirmPage) approvalWords(hash, role string) string {
	e := p.Voting.Approval(hash, role, p.Now)
	approved, needed := domain.Counted(e.Thresholds)
	var words string
	switch as := p.asRole(role); {
	case e.IsSame:
		return "You have approved this" + as + " already. To approve it again adds nothing."
	case e.IsLast:
		words = "Your approval" + as + " is the last one that is needed: it " + p.willWords() + "."
	case !e.Adds:
		words = fmt.Sprintf("Your approval%s brings it no further: it stays at %d of %d, and waits for %s.", as, approved, needed, missingRoles(e.Thresholds))
	default:
		words = fmt.Sprintf("Your approval%s is %d of %d. Then it waits for %s.", as, approved, needed, missingRoles(e.Thresholds))
	}
	if mine := p.Voting.Mine; mine != nil && mine.Status == domain.Approved {
		words += " It replaces the one you gave before."
	}
	if hash == p.Confirm.ContentHash && slices.ContainsFunc(p.Voting.Variants, func(t domain.Variant) bool { return t.IsEdit }) {
		words += " It counts for the request as it was asked, not for an edit."
	}
	return words
}

// vetoWords says what a rejection does.
func (p *confirmPage) vetoWords() string {
	if n := p.Voting.Rejected + 1; n < p.Voting.Rejections {
		return fmt.Sprintf("Your rejection is %d of %d that end it, and cannot be taken back.", n, p.Voting.Rejections)
	}
	return "Your rejection ends it, and cannot be taken back."
}

// voteWords says what a decision does.
func (p *confirmPage) voteWords(in *decision, hash string) string {
	if _, rejects := in.needs(); rejects {
		return p.vetoWords()
	}
	return p.approvalWords(hash, in.DecidedByRole)
}

// asRole names the role of a vote if there is a choice.
func (p *confirmPage) asRole(id string) string {
	for _, role := range p.Rights.Roles {
		if role.ID == id && len(p.Rights.Roles) > 1 {
			return " as " + role.Name
		}
	}
	return ""
}

func (p *confirmPage) willWords() string {
	if len(p.actions()) > 0 {
		return "will run"
	}
	return "takes effect"
}

// shortEffect says in short what an approval does.
func shortEffect(e domain.VoteEffect) string {
	approved, needed := domain.Counted(e.Thresholds)
	switch {
	case e.IsSame:
		return "your vote stands"
	case e.IsLast:
		return "the last one"
	case !e.Adds:
		return "brings it no further"
	}
	return fmt.Sprintf("%d of %d", approved, needed)
}

// missingRoles lists the roles whose approvals are missing.
func missingRoles(thresholds []domain.Threshold) string {
	var names []string
	for _, t := range thresholds {
		switch left := t.Approvals - t.Approved; {
		case left > 1:
			names = append(names, fmt.Sprintf("%s (%d)", t.Role, left))
		case left == 1:
			names = append(names, t.Role)
		}
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return strings.Join(names, "")
}

// farWords says how far a variant is: "1 of 2; it waits for security."
func farWords(thresholds []domain.Threshold) string {
	approved, needed := domain.Counted(thresholds)
	return fmt.Sprintf("%d of %d; it waits for %s.", approved, needed, missingRoles(thresholds))
}

func rejectionWords(v *domain.ConfirmVoting, isFinal bool) string {
	switch {
	case isFinal && v.Rejected == 0:
		return ""
	case v.Rejections == 1 && v.Rejected == 0:
		return "One rejection is enough to end it."
	case v.Rejected == 0:
		return fmt.Sprintf("%d rejections end it; there are none.", v.Rejections)
	}
	return fmt.Sprintf("%d of %d rejections that end it.", v.Rejected, v.Rejections)
}

// newMyVote returns the reader's vote while the request waits for others.
func (p *confirmPage) newMyVote() *views.MyVote {
	mine := p.Voting.Mine
	if mine == nil || p.Confirm.IsFinal() {
		return nil
	}
	noun, verb := "approval", "approved"
	if mine.Status == domain.Rejected {
		noun, verb = "rejection", "rejected"
	}
	view := &views.MyVote{Title: "You have voted", Status: string(mine.Status), At: views.At(mine.DecidedAt), Words: "You " + verb + " this as " + mine.DecidedByRole}
	if mine.IsEdit {
		view.Words = "You approved an edit as " + mine.DecidedByRole
	}
	switch {
	case mine.HasLapsed:
		view.Title = "Your " + noun + " no longer counts"
	case p.Again:
		view.Title = "Nothing new was counted: you had voted so before"
	case p.Receipt:
		view.Title = "Your " + noun + " counts"
	}
	counted := p.Voting.Thresholds
	for _, t := range p.Voting.Variants {
		if t.First.EffectiveHash == mine.EffectiveHash {
			counted = t.Thresholds
		}
	}
	switch {
	case mine.HasLapsed:
		view.Far = "You no longer have the role or the right in which you voted."
	case mine.Status == domain.Rejected:
		view.Far = fmt.Sprintf("%d of %d rejections that end it; it waits for others.", p.Voting.Rejected, p.Voting.Rejections)
	default:
		view.Far = farWords(counted)
	}
	return view
}

// voteMarks says what became of a vote.
func (p *confirmPage) voteMarks(vote *domain.CastVote) (marks []string) {
	if vote.IsEdit {
		marks = append(marks, "edited")
	}
	switch {
	case vote.IsCounted:
		marks = append(marks, "counted")
	case vote.IsReplaced:
		marks = append(marks, "replaced by a later vote")
	case vote.HasLapsed:
		marks = append(marks, "no longer counts: lost the role or the account")
	case p.Confirm.Cause == domain.CauseHuman:
		marks = append(marks, "did not count")
	}
	return marks
}
