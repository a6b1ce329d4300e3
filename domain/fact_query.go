package domain

import (
	"context"
	"errors"
	"strings"
	"time"

	"countersign/domain/finding"
)

// factLag is how old a decision may be that is not folded yet. With an older one the
// facts are silent.
const factLag = time.Second

// Facts returns what people decided so far on calls like those of a request that Confirm
// has returned to the same reader. It returns nil while decisions are still to be
// folded, and for readers who do not see all requests.
func (s *Service) Facts(ctx context.Context, ref Ref, of *ConfirmDetail) (found *finding.Facts, err error) {
	if of.Confirm.Imported || of.Content == nil {
		return nil, nil
	}
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if !p.canSee(of.Confirm) {
			return errNotFound("request")
		}
		if !p.confirmVisibility().All {
			return nil
		}
		isFolded, err := s.areFactsFolded(r)
		if err != nil || !isFolded {
			return err
		}
		found, err = queryFacts(r, of)
		return err
	})
	return found, err
}

// areFactsFolded reports whether the facts have all decisions but the very last ones.
func (s *Service) areFactsFolded(r Reader) (bool, error) {
	watermark, err := readFactWatermark(r)
	if err != nil || watermark == nil {
		return false, err
	}
	left, err := r.Entries(EntryFilter{After: &watermark.Seq, Types: decidedEntries, Limit: 1})
	return err == nil && (len(left) == 0 || s.clock().Sub(left[0].At) <= factLag), err
}

// queryFacts reads the facts of a request's first actions.
func queryFacts(r Reader, of *ConfirmDetail) (*finding.Facts, error) {
	c, actions := of.Confirm, of.Content.Actions
	actions = actions[:min(len(actions), MaxPrecedentActions)]
	by, facts := c.RequestedBy.String(), factSet{}
	found := &finding.Facts{Requester: c.RequestedByName, Actions: make([]finding.CallFacts, len(actions))}
	fill := func() {
		found.Decided = facts.add(callsFact(by)).decided()
		for i := range actions {
			found.Actions[i] = facts.ofCall(by, actions[i].Name, callValues(actions[i].Args))
		}
	}
	fill() // names what is to be read
	if err := facts.load(r); err != nil {
		return nil, err
	}
	fill()
	return found, findOtherRequests(r, found)
}

// decided returns how many decisions a fact counts.
func (f *Fact) decided() int { return f.Approved + f.Rejected + f.Edited }

// ofCall returns what the set has of a call.
func (s factSet) ofCall(by, tool string, values finding.CallValues) (found finding.CallFacts) {
	own := s.add(toolFact(by, tool))
	found.ByRequester, found.ByAnybody = own.decided(), s.add(toolFact("", tool)).decided()
	found.Recent, found.Rejected = len(own.Recent), strings.Count(own.Recent, ActionReject[:1])
	for _, v := range values.Values {
		all, one := s.add(memberFact(tool, v.Member)), s.add(valueFact(tool, v))
		found.Values = append(found.Values, finding.ValueFacts{FactValue: v, Approved: one.Approved, All: all.Approved, Distinct: all.Distinct})
	}
	for _, sum := range values.Sums {
		own, all := strings.Fields(s.add(sumsFact(by, tool, sum)).Recent), strings.Fields(s.add(sumsFact("", tool, sum)).Recent)
		f := finding.SumFacts{FactSum: sum, Approved: own}
		if len(own) < finding.MinSums {
			f.Approved, f.IsAll = all, true
		}
		found.Sums = append(found.Sums, f)
	}
	for _, pair := range values.Pairs {
		all, one := s.add(payeeFact(tool, pair)), s.add(accountFact(tool, pair))
		found.Pairs = append(found.Pairs, finding.PairFacts{FactPair: pair, Approved: one.Approved, All: all.Approved,
			Distinct: all.Distinct, Since: all.FirstAt, Seq: all.Seq})
	}
	return found
}

// findOtherRequests finds the request in which each payee was approved last. The log has
// to prove it.
func findOtherRequests(r Reader, found *finding.Facts) error {
	for i := range found.Actions {
		for j := range found.Actions[i].Pairs {
			pair := &found.Actions[i].Pairs[j]
			if !pair.IsOther() {
				continue
			}
			e, _, err := readProven(r, pair.Seq)
			if err != nil && !errors.Is(err, ErrUnproven) {
				return err
			}
			if err == nil && e.Type == "confirm.approved" {
				pair.Request = e.ConfirmID
			}
		}
	}
	return nil
}
