package web

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/views"
)

// decideVote begins the value of a button that votes for an edit. The effective hash of
// the edit follows.
const decideVote = "vote "

// addVoting says which votes the request needs, and what a vote of the reader would do.
func (p *confirmPage) addVoting(view *views.ConfirmView) {
	if p.RejectedBy != nil {
		view.Policies = []views.PolicyMatch{p.newPolicyMatch(*p.RejectedBy)}
	}
	v := p.Voting
	if v == nil {
		return
	}
	for _, m := range v.Policies {
		view.Policies = append(view.Policies, p.newPolicyMatch(m))
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
			voting.Short = "yours: " + effectWords(v.Approval(asked, p.roleFor(asked), p.Now))
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
			form.Roles[i+1].Label += ": " + effectWords(e)
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
		words = fmt.Sprintf("Your approval%s is not needed now: it stays at %d of %d, and waits for %s.", as, approved, needed, missingRoles(e.Thresholds))
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

// effectWords says in short what an approval does.
func effectWords(e domain.VoteEffect) string {
	approved, needed := domain.Counted(e.Thresholds)
	switch {
	case e.IsSame:
		return "your vote stands"
	case e.IsLast:
		return "the last one"
	case !e.Adds:
		return "not needed now"
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

// variantWords names a variant.
func variantWords(t domain.Variant) string {
	if t.IsEdit {
		return "edited by " + t.First.DecidedByName
	}
	return "as asked"
}

func (p *confirmPage) newVariants(mayVote bool) (list []views.VariantView) {
	for _, t := range p.Voting.Variants {
		title := variantWords(t)
		view := views.VariantView{Title: strings.ToUpper(title[:1]) + title[1:], Needs: p.newNeeds(t.Thresholds)}
		edited := slices.Clone(p.actions())
		for i, args := range p.editsOf(t.First) {
			if args != nil {
				view.Edits = append(view.Edits, views.ActionEdit{Number: i + 1, Name: edited[i].Name, Before: string(edited[i].Args), After: string(args)})
				edited[i].Args = args
			}
		}
		mine := p.Voting.Mine
		view.Mine = mine != nil && mine.Status == domain.Approved && mine.EffectiveHash == t.First.EffectiveHash && !mine.HasLapsed
		switch role := p.roleFor(t.First.EffectiveHash); {
		case !t.IsEdit || !mayVote || p.Voting.Approval(t.First.EffectiveHash, role, p.Now).IsSame:
		case !fitsForm(edited):
			view.Effect = "These arguments are too long to vote for here."
		default:
			view.Vote, view.Effect = decideVote+t.First.EffectiveHash, p.approvalWords(t.First.EffectiveHash, role)
		}
		list = append(list, view)
	}
	return list
}

// editsOf returns the arguments that a decision replaces, parallel to the actions.
func (p *confirmPage) editsOf(d *domain.Decision) [][]byte {
	edits := make([][]byte, len(p.actions()))
	for i, action := range p.actions() {
		if i < len(d.Actions) && d.Actions[i].Type == domain.ActionEdit && !bytes.Equal(d.Actions[i].Args, action.Args) {
			edits[i] = d.Actions[i].Args
		}
	}
	return edits
}

// withVote returns the form that a button which votes for an edit stands for: the fields
// of the edit, with what else was typed. Other forms stay as they are.
func (p *confirmPage) withVote(sent url.Values) (form url.Values, wrong views.Errors) {
	hash, votes := strings.CutPrefix(sent.Get("decision"), decideVote)
	if !votes {
		return sent, nil
	}
	var chosen *domain.Decision
	if p.Voting != nil && p.Content != nil {
		for _, t := range p.Voting.Variants {
			if t.IsEdit && t.First.EffectiveHash == hash {
				chosen = t.First
			}
		}
	}
	if chosen == nil {
		return nil, views.Errors{"": "Nobody votes for this edit any longer. Nothing was decided. Look at what people vote for now."}
	}
	editors, form := p.editors(), url.Values{"decision": {decideEdit}}
	for _, name := range []string{csrfField, "content_hash", "reason", "user_edit_content", "decided_by_role"} {
		if len(sent[name]) > 0 {
			form[name] = sent[name]
		}
	}
	for name, values := range sent {
		if strings.HasPrefix(name, ackField) {
			form[name] = values
		}
	}
	if len(p.actions()) > 1 {
		form.Set("decision", decideEach)
	}
	for i, args := range p.editsOf(chosen) {
		typed, number := argsEdit{form: sent, action: p.actions()[i], editor: editors[i], index: i}, strconv.Itoa(i)
		if name := typed.changed(); name != "" {
			return nil, views.Errors{name: "You changed these arguments. Undo the change to vote for the edit of somebody else."}
		}
		form.Set("action_"+number, domain.ActionApprove)
		if args != nil {
			form.Set("action_"+number, domain.ActionEdit)
			form.Set(typed.json(), string(args))
			form.Set(typed.unfit(), "1") // the page to review it tells
		}
	}
	return form, nil
}

func (p *confirmPage) newPolicyMatch(m domain.MatchedPolicy) views.PolicyMatch {
	match := views.PolicyMatch{Policy: views.Link{Label: m.Name}, Version: strconv.FormatInt(m.Version, 10), Note: m.Note, Because: m.Because}
	if p.Reader.Can(domain.PolicyRead) {
		match.Policy.URL = "/policies/" + url.PathEscape(m.ID)
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

// isSameVote reports whether the reader's vote is the one that stood before.
func isSameVote(before, after *domain.ConfirmVoting) bool {
	return before != nil && after != nil && before.Mine != nil && after.Mine != nil && before.Mine.Seq == after.Mine.Seq
}
