package web

import (
	"net/http"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/views"
)

// waitingPath is what every open page asks after a signal: how much waits now.
const waitingPath = "/waiting"

// showWaiting answers with the count of the navigation, which says what waits for
// the reader too.
func (s *Server) showWaiting(v *visit) error {
	pending, err := s.pending(v)
	if err != nil {
		return err
	}
	return writePage(v, http.StatusOK, "", views.PendingCount(newNav(v.user, section{}, pending)))
}

// pending is what waits, looked up once for a page.
func (s *Server) pending(v *visit) (domain.PendingConfirms, error) {
	if v.pending == nil {
		pending, err := s.svc.Pending(v.ctx(), v.ref())
		if err != nil {
			return pending, err
		}
		v.pending = &pending
	}
	return *v.pending, nil
}

// newWaiting names the two newest: the script tells by them whether one is new, or
// several.
func newWaiting(user *domain.Principal, mine []domain.WaitingConfirm) views.Waiting {
	waiting := views.Waiting{UserID: user.ID, Count: len(mine)}
	var newest []string
	for _, c := range mine[:min(len(mine), 2)] {
		newest = append(newest, strconv.FormatInt(c.Seq, 10))
	}
	waiting.Newest = strings.Join(newest, " ")
	if len(mine) > 0 {
		waiting.NewestURL = confirmPath(mine[0].ID)
	}
	return waiting
}
