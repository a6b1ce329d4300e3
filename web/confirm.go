package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/finding"
	"countersign/views"
)

func confirmPath(id string) string { return inboxPath + "/" + url.PathEscape(id) }

// confirmPage is a confirm as one reader sees it at one moment.
type confirmPage struct {
	*domain.ConfirmDetail
	Before         *domain.Precedents
	Facts          *finding.Facts
	Earlier, Later []*domain.Outcome // confirms that it follows, nearest first; that follow it
	Reader         *domain.Principal
	Roles          rolePaths
	Filter         inboxFilter // the list it was opened from
	Now            time.Time
	Drawings       *drawingCache
	Evidence       *confirmEvidence

	Receipt bool // the reader has just decided it, or voted on it
	Again   bool // and had voted so before
	Next    *domain.ConfirmRow
	Left    int // pending ones of the list; more than pendingCap are not counted
}

// actions returns the actions of the content, none if it was deleted.
func (p *confirmPage) actions() []evidence.Action {
	if p.Content == nil {
		return nil
	}
	return p.Content.Actions
}

// maxChain bounds how many earlier confirms of the same matter are shown, and how many
// later ones: any agent may say of any number that they follow this one.
const maxChain = 10

// loadConfirm collects what the page shows.
func (s *Server) loadConfirm(v *visit, receipt bool) (*confirmPage, error) {
	detail, err := s.svc.Confirm(v.ctx(), v.ref(), v.Param("id"))
	if err != nil {
		return nil, err
	}
	p := &confirmPage{
		ConfirmDetail: detail, Reader: v.user, Filter: parseFrom(v.QueryParam("from")), Now: s.svc.Now(), Drawings: s.drawings,
	}
	if !detail.Confirm.IsFinal() {
		if p.Before, err = s.svc.Precedents(v.ctx(), v.ref(), detail); err != nil {
			return nil, err
		}
		if p.Facts, err = s.svc.Facts(v.ctx(), v.ref(), detail); err != nil {
			return nil, err
		}
	}
	if p.Roles, err = s.rolePaths(v); err != nil {
		return nil, err
	}
	if p.Evidence, err = s.loadConfirmEvidence(v, detail.Confirm); err != nil {
		return nil, err
	}
	for before := detail.Predecessor; before != nil && len(p.Earlier) < maxChain; {
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
	for _, id := range detail.SupersededBy[:min(len(detail.SupersededBy), maxChain)] {
		o, err := s.svc.Outcome(v.ctx(), v.ref(), id, 0)
		if domain.ErrorCode(err) == domain.CodeNotFound {
			continue
		} else if err != nil {
			return nil, err
		}
		p.Later = append(p.Later, o)
	}
	if receipt && decidedBy(detail, v.ref()) {
		p.Receipt, p.Again = true, v.QueryParam("receipt") == receiptAgain
		err = s.loadNext(v, p)
	}
	return p, err
}

// decidedBy reports whether the confirm ended by a decision of this principal, or waits
// with their vote.
func decidedBy(d *domain.ConfirmDetail, who domain.Ref) bool {
	if !d.Confirm.IsFinal() {
		return d.Voting != nil && d.Voting.Mine != nil
	}
	return len(d.Decisions) > 0 && !d.Confirm.Imported && d.Decisions[len(d.Decisions)-1].DecidedBy == who
}

// loadNext finds the next request that the reader may decide in the list they came from.
func (s *Server) loadNext(v *visit, p *confirmPage) error {
	filter := p.Filter.confirms()
	filter.Status, filter.Decided, filter.WithImports, filter.Mine = domain.Pending, false, false, true
	for page := (domain.Page{Limit: maxPendingCount}); p.Next == nil; {
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
	p, err := s.loadConfirm(v, v.QueryParam("receipt") != "")
	if err != nil {
		return err
	}
	view := newConfirmView(p)
	view.Conflict = noticeOf(v)
	return s.showConfirm(v, http.StatusOK, view)
}

// confirmContent answers with the content that the decision is about, as it is stored and
// hashed, or with ?action=2 with the arguments of the second action, to the byte.
func (s *Server) confirmContent(v *visit) error {
	detail, err := s.svc.Confirm(v.ctx(), v.ref(), v.Param("id"))
	if err != nil {
		return err
	}
	if detail.Content == nil {
		return &domain.Error{Code: domain.CodeNotFound, Message: "The content of this request was deleted."}
	}
	name, content := "request-"+detail.Confirm.ID, detail.Stored.Content
	if number := v.QueryParam("action"); number != "" {
		i, err := strconv.Atoi(number)
		if err != nil || i < 1 || i > len(detail.Content.Actions) {
			return &domain.Error{Code: domain.CodeNotFound, Message: "The request has no such action."}
		}
		name, content = name+"-action-"+number, detail.Content.Actions[i-1].Args
	}
	return download(v, name+".json", echo.MIMEApplicationJSON, content)
}

func contentPath(id string) string { return confirmPath(id) + "/content" }

func (s *Server) showConfirm(v *visit, status int, view views.ConfirmView) error {
	return s.show(v, status, confirmTitle(view), views.Confirm(view))
}

func (s *Server) cancelConfirm(v *visit) error {
	_, err := s.svc.CancelConfirm(v.ctx(), v.ref(), v.Param("id"), v.field("reason"))
	if isStale(err) {
		return s.showConflict(v, err)
	} else if err != nil {
		return err
	}
	return redirect(v, parseFrom(v.QueryParam("from")).confirmURL(v.Param("id")))
}

// renderCancelDraft is showAgain of a confirm's cancellation.
func (s *Server) renderCancelDraft(v *visit, status int, wrong views.Errors) error {
	p, err := s.loadConfirm(v, false)
	if err != nil {
		return err
	}
	view := newConfirmView(p)
	if view.Cancel != nil {
		view.Cancel.Reason, view.Cancel.Error = v.field("reason"), wrong[""]
	} else {
		view.Conflict = notSubmittedNotice("Your session expired, and you can no longer cancel this.")
		view.Unsent = typedWords(v)
	}
	return s.showConfirm(v, status, view)
}

// showConflict shows the request as it is now, and why the reader's action did not
// count. What they typed stays in the form, if there still is one.
func (s *Server) showConflict(v *visit, refused error) error {
	p, err := s.loadConfirm(v, false)
	if err != nil {
		return err
	}
	view := newConfirmView(p)
	view.Conflict = newConflict(refused)
	if view.Form != nil {
		refillForm(view.Form, p, v.fields(), nil)
	} else {
		view.Unsent = typedWords(v)
	}
	return s.showConfirm(v, statusOf(refused), view)
}

// typedWords returns the reason and the message of a decision that was sent.
func typedWords(v *visit) string {
	return strings.TrimSpace(v.field("reason") + "\n" + v.field("user_edit_content"))
}

// newConflict says which decision came first.
func newConflict(err error) *views.Notice {
	notice := newRefusal(err)
	notice.Tone = views.ToneWarn
	refused := domain.AsError(err)
	if refused.Decision == nil || refused.Decision.Decision == nil || refused.Code == domain.CodeExpired {
		return notice
	}
	d := refused.Decision.Decision
	notice.Title = "Already " + string(d.Status)
	notice.Detail = fmt.Sprintf("%s %s it before you, on %s. Your decision was not saved.", d.DecidedByName, d.Status, views.At(d.DecidedAt).Text)
	return notice
}
