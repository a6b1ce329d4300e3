package web

import (
	"bytes"
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
