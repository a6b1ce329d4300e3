package domain

import (
	"context"
	"encoding/json"
	"time"
)

// Precedents are what was asked before a request and concerns it, as far as the reader
// may see that.
type Precedents struct {
	Superseded *Precedent         // the request of the same group that it names; nil: none
	Actions    []ActionPrecedents // of the first MaxPrecedentActions
	Requester  *RequesterRecord   // nil: the reader does not see all that it asked
}

// RequesterRecord is what became of the requests of a requester in the last RecordDays,
// the one that is looked at among them.
type RequesterRecord struct {
	Asked     int
	Approved  int  // by people
	Rejected  int  // by people
	Expired   int  // nobody decided until the deadline
	IsPartial bool // there are too many: only the newest were counted
}

// RecordDays is how far back a RequesterRecord looks.
const RecordDays = 90

// ActionPrecedents are what concerns one action. Nil: there is none.
type ActionPrecedents struct {
	Superseded   *Precedent // the action that it replaces, in the request before
	Rejected     *Precedent // the same call, which a person rejected, and no person approved since
	Pending      *Precedent // the same call, which waits in another request
	Unused       *Precedent // the same call, which was approved lately, and not consumed
	LastApproved *Precedent // the last call of the tool by this requester that a person approved
}

// Precedent is an action of another request, or that request as a whole.
type Precedent struct {
	ConfirmID   string
	RequestedBy string // the requester's name
	Status      Status // of the action; of the request as a whole its own
	Cause       Cause
	Args        json.RawMessage // what was asked or approved; nil: forgotten, or a whole request
	Edited      bool            // Args are those of who decided
	DecidedBy   string          // their name; empty while it is pending
	Reason      string          // the words of who decided
	At          time.Time       // when it was decided, or asked while it is pending
}

// MaxPrecedentActions is how many actions of a request are looked for.
const MaxPrecedentActions = 8

// Precedents returns what came before a request that Confirm has returned to the same
// reader. What the reader may not see, or the log does not prove, is left out.
func (s *Service) Precedents(ctx context.Context, ref Ref, of *ConfirmDetail) (found *Precedents, err error) {
	found = new(Precedents)
	if of.Confirm.Imported {
		return found, nil
	}
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if !p.canSee(of.Confirm) {
			return errNotFound("request")
		}
		c, now := of.Confirm, s.clock()
		if of.Content != nil {
			q := &precedentQuery{r: r, p: p, of: of, now: now, read: map[string]*pastRequest{}}
			if *found, err = q.run(); err != nil {
				return err
			}
		}
		if p.confirmVisibility().All || p.Group == c.RequestedGroup {
			found.Requester, err = r.RequesterRecord(c.RequestedBy, c.RequestedGroup, now.AddDate(0, 0, -RecordDays))
		}
		return err
	})
	return found, err
}
