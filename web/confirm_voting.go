package web

import (
	"fmt"
	"slices"
	"strconv"

	"countersign/domain"
	"countersign/views"
)

// addVoting says which votes the request needs, and what a vote of the reader would do.
func (p *confirmPage) addVoting(view *views.ConfirmView) {
	if p.RejectedBy != nil {
		view.Policies = []views.MatchedPolicy{p.newMatchedPolicy(*p.RejectedBy)}
	}
	v := p.Voting
	if v == nil {
		return
	}
	for _, m := range v.Policies {
		view.Policies = append(view.Policies, p.newMatchedPolicy(m))
	}
	view.RequiredRole = "" // is one of the roles that are needed
	voting := &views.VotingView{Title: "Needs", Needs: p.newNeeds(v.Thresholds), Rejections: rejectionWords(v, p.Confirm.IsFinal()), Mine: p.newMyVote()}
	if p.Confirm.IsFinal() {
		voting.Title = "Approvals"
	}
	if slices.ContainsFunc(v.Variants, func(t domain.Variant) bool { return t.IsEdit }) {
		voting.Variants = p.newVariants(view.Form != nil && view.Form.MayApprove)
		leading := slices.IndexFunc(v.Variants, func(t domain.Variant) bool { return slices.EqualFunc(t.Thresholds, v.Thresholds, sameCount) })
		voting.Leading = "for what most voted for: " + variantWords(v.Variants[max(leading, 0)])
	}
	if view.Form != nil {
		p.addVoteForm(view.Form, voting)
	}
	view.Voting = voting
}

func sameCount(a, b domain.Threshold) bool { return a.Approved == b.Approved }

// addVoteForm makes the form of a decision one of a vote.
func (p *confirmPage) addVoteForm(form *views.DecisionForm, voting *views.VotingView) {
	v, asked := p.Voting, p.Confirm.ContentHash
	form.Vote = true
	approved, needed := domain.Counted(v.Thresholds)
	voting.Short, form.NoFeedback = fmt.Sprintf("%d of %d", approved, needed), needed > 1
	if form.MayApprove {
		form.HasApproved = v.Approval(asked, p.roleFor(asked), p.Now).IsSame
		if !form.HasApproved {
			voting.Approve = p.approvalWords(asked, p.roleFor(asked))
			voting.Short = "yours: " + shortEffect(v.Approval(asked, p.roleFor(asked), p.Now))
		}
	}
	if form.MayReject {
		voting.Reject = p.vetoWords()
	}
	if len(form.Roles) == 0 {
		return
	}
	form.Roles[0].Label = "Automatic: the role that is still needed"
	for i, role := range p.Rights.Roles {
		e := v.Approval(asked, role.ID, p.Now)
		form.MayMove = form.MayMove || form.HasApproved && !e.IsSame
		if len(voting.Variants) == 0 {
			form.Roles[i+1].Label += ": " + shortEffect(e)
			if role.ID == p.roleFor(asked) {
				form.Roles[0].Label = "Automatic: " + role.Name
			}
		}
	}
}

// roleFor returns the id of the role in which the reader approves a variant who chose
// none: the one in which they do already, else one that is still needed.
func (p *confirmPage) roleFor(hash string) string {
	roles, mine := p.Rights.Roles, p.Voting.Mine
	if len(roles) == 0 {
		return ""
	}
	i := slices.IndexFunc(roles, func(role *domain.Role) bool {
		return mine != nil && mine.Status == domain.Approved && mine.EffectiveHash == hash && mine.RoleID == role.ID
	})
	if i < 0 {
		i = slices.IndexFunc(roles, func(role *domain.Role) bool { return p.Voting.Approval(hash, role.ID, p.Now).Adds })
	}
	return roles[max(i, 0)].ID
}

func (p *confirmPage) newNeeds(thresholds []domain.Threshold) (needs []views.VotingNeed) {
	for _, t := range thresholds {
		need := views.VotingNeed{Role: t.Role, Approved: t.Approved, Approvals: t.Approvals}
		for _, later := range t.Later {
			shown, end := views.LaterVoter{Role: later.Role}, p.Confirm.ExpiresAt
			if p.Now.Before(later.From) {
				shown.From = views.At(later.From)
			}
			if !p.Confirm.IsFinal() && (end.IsZero() || later.From.Before(end)) {
				need.Later = append(need.Later, shown)
			}
		}
		needs = append(needs, need)
	}
	return needs
}

func (p *confirmPage) newMatchedPolicy(m domain.MatchedPolicy) views.MatchedPolicy {
	match := views.MatchedPolicy{Policy: views.Link{Label: m.Name}, Version: strconv.FormatInt(m.Version, 10), Note: m.Note, Because: m.Because}
	if p.Reader.CanReadPolicies() {
		match.Policy.URL = policyPath(m.ID)
	}
	return match
}

// voteOf returns a decision as a vote, nil if it is none.
func (p *confirmPage) voteOf(d *domain.Decision) *domain.CastVote {
	if p.Voting == nil {
		return nil
	}
	for i, vote := range p.Voting.Votes {
		if vote.Seq == d.Seq {
			return &p.Voting.Votes[i]
		}
	}
	return nil
}

// isSameVote reports whether the reader's vote is the one that stood before.
func isSameVote(before, after *domain.ConfirmVoting) bool {
	return before != nil && after != nil && before.Mine != nil && after.Mine != nil && before.Mine.Seq == after.Mine.Seq
}
