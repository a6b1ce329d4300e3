package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/views"
	"countersign/web/route"
)

func confirmPath(id string) string { return inboxPath + "/" + url.PathEscape(id) }

func (s *Server) mountConfirms() {
	s.page("/confirms/:id", route.Known, s.confirm)
	s.typed("/confirms/:id/decision", route.Capability(domain.ConfirmApprove, domain.ConfirmReject), s.decide, s.decisionAgain)
	s.typed("/confirms/:id/cancel", route.Known, s.cancelConfirm, s.cancelAgain)
}

// confirmPage is a confirm as one reader sees it at one moment.
type confirmPage struct {
	*domain.ConfirmDetail
	Earlier, Later []*domain.Outcome // confirms that it follows, nearest first; that follow it
	Reader         *domain.Principal
	Roles          rolePaths
	Query          inboxQuery // the list it was opened from
	Now            time.Time
	Drawings       *drawings
	Evidence       *confirmEvidence

	Receipt bool // the reader has just decided it
	Next    *domain.ConfirmRow
	Left    int // pending ones of the list; more than pendingCap are not counted
}

// actions are those of the content; none when it has been forgotten.
func (p *confirmPage) actions() []evidence.Action {
	if p.Content == nil {
		return nil
	}
	return p.Content.Actions
}

// chain bounds how many earlier confirms of the same matter are shown, and how many
// later ones: any agent may say of any number that they follow this one.
const chain = 10

// loadConfirm collects what the page shows.
func (s *Server) loadConfirm(v *visit, receipt bool) (*confirmPage, error) {
	detail, err := s.svc.Confirm(v.ctx(), v.ref(), v.Param("id"))
	if err != nil {
		return nil, err
	}
	p := &confirmPage{
		ConfirmDetail: detail, Reader: v.who, Query: parseFrom(v.QueryParam("from")), Now: s.svc.Now(), Drawings: s.drawings,
	}
	if p.Roles, err = s.rolePaths(v); err != nil {
		return nil, err
	}
	if p.Evidence, err = s.loadConfirmEvidence(v, detail.Confirm); err != nil {
		return nil, err
	}
	for before := detail.Before; before != nil && len(p.Earlier) < chain; {
		o, err := s.svc.Outcome(v.ctx(), v.ref(), before.ID, 0)
		if domain.ErrorCode(err) == domain.CodeNotFound {
			break // agents may name what there is not
		} else if err != nil {
			return nil, err
		}
		p.Earlier = append(p.Earlier, o)
		if o.Confirm.Supersedes == "" {
			break
		}
		before = &domain.Confirm{ID: o.Confirm.Supersedes}
	}
	for _, id := range detail.SupersededBy[:min(len(detail.SupersededBy), chain)] {
		o, err := s.svc.Outcome(v.ctx(), v.ref(), id, 0)
		if domain.ErrorCode(err) == domain.CodeNotFound {
			continue
		} else if err != nil {
			return nil, err
		}
		p.Later = append(p.Later, o)
	}
	if receipt && decidedBy(detail, v.ref()) {
		p.Receipt = true
		err = s.loadNext(v, p)
	}
	return p, err
}

// decidedBy says whether the confirm ended by a decision of this principal.
func decidedBy(d *domain.ConfirmDetail, who domain.Ref) bool {
	return len(d.Decisions) > 0 && !d.Confirm.Imported && d.Decisions[len(d.Decisions)-1].DecidedBy == who
}

// loadNext finds what the reader may decide next in the list they came from.
func (s *Server) loadNext(v *visit, p *confirmPage) error {
	filter := p.Query.filter()
	filter.Status, filter.Decided, filter.WithImports, filter.Mine = domain.Pending, false, false, true
	for page := (domain.Page{Limit: pendingCap}); p.Next == nil; {
		rows, more, err := s.svc.Confirms(v.ctx(), v.ref(), filter, page)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.ID == p.Confirm.ID {
				continue
			}
			if p.Next == nil {
				p.Next = row
			}
			p.Left++
		}
		if page.Cursor = more; more == "" {
			return nil
		}
	}
	p.Left++ // there are more
	return nil
}

func (s *Server) confirm(v *visit) error {
	p, err := s.loadConfirm(v, v.QueryParam("receipt") == "1")
	if err != nil {
		return err
	}
	return s.showConfirm(v, http.StatusOK, newConfirmView(p))
}

func (s *Server) showConfirm(v *visit, status int, view views.ConfirmView) error {
	return s.show(v, status, confirmTitle(view), views.SectionInbox, views.Confirm(view))
}

func (s *Server) cancelConfirm(v *visit) error {
	_, err := s.svc.CancelConfirm(v.ctx(), v.ref(), v.Param("id"), v.field("reason"))
	if stale(err) {
		return s.showConflict(v, err)
	} else if err != nil {
		return err
	}
	return goTo(v, parseFrom(v.QueryParam("from")).confirm(v.Param("id")))
}

// cancelAgain is showAgain of a confirm's cancellation.
func (s *Server) cancelAgain(v *visit, status int, wrong views.Errors) error {
	p, err := s.loadConfirm(v, false)
	if err != nil {
		return err
	}
	view := newConfirmView(p)
	if view.Cancel != nil {
		view.Cancel.Reason, view.Cancel.Error = v.field("reason"), wrong[""]
	} else {
		view.Conflict = uncounted("Your session had ended, and there is nothing left for you to cancel here.")
		view.Unsent = typedWords(v)
	}
	return s.showConfirm(v, status, view)
}

// showConflict renders the confirm as it is now, with why the reader's action
// did not count. The words they typed stay in the form if there still is one.
func (s *Server) showConflict(v *visit, refused error) error {
	p, err := s.loadConfirm(v, false)
	if err != nil {
		return err
	}
	view := newConfirmView(p)
	view.Conflict = newConflict(refused)
	if view.Form != nil {
		keep(view.Form, p.actions(), v.fields(), nil)
	} else {
		view.Unsent = typedWords(v)
	}
	return s.showConfirm(v, statusOf(refused), view)
}

// typedWords are the reason and the message of a decision that was sent.
func typedWords(v *visit) string {
	return strings.TrimSpace(v.field("reason") + "\n" + v.field("user_edit_content"))
}

// newConflict says what was there first.
func newConflict(err error) *views.Notice {
	notice := newRefusal(err)
	notice.Tone = views.ToneWarn
	refused := domain.AsError(err)
	if refused.Decision == nil || refused.Decision.Decision == nil || refused.Code == domain.CodeExpired {
		return notice
	}
	d := refused.Decision.Decision
	notice.Title = "Already " + string(d.Status)
	notice.Detail = fmt.Sprintf("%s %s it before you: %s. What you sent did not count.", d.DecidedByName, d.Status, views.At(d.DecidedAt).Text)
	return notice
}
