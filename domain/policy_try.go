package domain

import (
	"context"
	"errors"
	"time"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/domain/policy"
)

// Limits of a trial.
const (
	DefaultTrial = 100 // requests
	MaxTrial     = 1000
	maxTrialTime = 2 * time.Second
)

// PolicyTrial is what a policy would have said of past requests. What the server no longer
// knows of one counts as missing; roles of requesters are those that they hold now.
type PolicyTrial struct {
	Looked    int          // requests that it was tried on
	Matches   []TrialMatch // the newest first
	Unknown   int          // of the matches: the condition could not be computed, see Because
	NeedsMore int          // of the matches: more than one person would have had to approve
	Shortages []Shortage
	Holders   []RoleHolders // of each role of the quorum
	IsCutOff  bool          // there was no time for more
	Sentence  string
	Warnings  []mplp.Warning
}

// TrialMatch is a request that would have been matched.
type TrialMatch struct {
	Row     *ConfirmRow // without title, brief and decision
	Because string      // why the condition is unknown; empty: it is true
}

// TryPolicy evaluates a document alone, saved or not, against the last requests that the
// reader sees and whose content is still there. Imports are left out. It writes nothing.
// last is 0 for DefaultTrial, and at most MaxTrial. Needs policy.read.
func (s *Service) TryPolicy(ctx context.Context, ref Ref, document []byte, last int) (*PolicyTrial, error) {
	switch {
	case last == 0:
		last = DefaultTrial
	case last < 0 || last > MaxTrial:
		return nil, Invalid("last", "limit", "Try it on 1 to %d requests.", MaxTrial)
	}
	result := new(PolicyTrial)
	err := s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.requireAny(PolicyRead, PolicyModify); err != nil {
			return err
		}
		t := &trial{PolicyTrial: result, r: r, p: p, until: s.now().Add(maxTrialTime), requesters: map[Ref]*pastRequester{}}
		names := &policyNames{r: r}
		d, err := names.parse(document)
		if err != nil {
			return err
		}
		if t.policy.Compiled, err = policy.Compile(d); err != nil {
			return err
		}
		may, err := r.Voters()
		if err != nil {
			return err
		}
		for _, threshold := range d.Quorum {
			result.Holders = append(result.Holders, RoleHolders{Role: names.roleName(threshold.Role), Holders: may[threshold.Role]})
		}
		result.Shortages, result.Sentence, result.Warnings = names.shortages(d, may), names.sentence(d), d.Warnings()
		return errors.Join(names.err, s.try(t, last))
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// trial is a dry run of a policy.
type trial struct {
	*PolicyTrial
	r          Reader
	p          *Principal // who reads
	policy     policy.Policy
	until      time.Time
	requesters map[Ref]*pastRequester
}

// try looks at requests until there are enough of them, or no more, or no time.
func (s *Service) try(t *trial, last int) error {
	filter := s.withVisibility(t.p, ConfirmFilter{OmitTexts: true})
	for page := (Page{Limit: MaxPage}); t.Looked < last; {
		rows, next, err := t.r.Confirms(filter, page)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if t.Looked == last {
				return nil
			}
			if t.IsCutOff = !s.now().Before(t.until); t.IsCutOff {
				return nil
			}
			if err := s.tryOn(t, row); err != nil {
				return err
			}
		}
		if page.Cursor = next; next == "" {
			return nil
		}
	}
	return nil
}

// tryOn tries the policy on a request, unless its content was pruned or is not what the
// log says.
func (s *Service) tryOn(t *trial, row *ConfirmRow) error {
	if row.Unproven {
		return nil
	}
	stored, err := loadContent(t.r, &row.Confirm)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrUnproven) {
		return nil
	} else if err != nil {
		return err
	}
	content, err := evidence.ParseContent(stored.Content)
	if err != nil {
		return err
	}
	post, err := t.pastPost(s, &row.Confirm, content)
	if err != nil {
		return err
	}
	t.Looked++
	res := policy.Resolve([]policy.Policy{t.policy}, post)
	if len(res.Matched) == 0 {
		return nil
	}
	listed := &ConfirmRow{Confirm: row.Confirm, Reason: NewExcerpt(stored.Reason, MaxExcerpt), Tools: stored.Tools}
	t.Matches = append(t.Matches, TrialMatch{Row: listed, Because: res.Matched[0].Because})
	t.Unknown += res.Unknown
	if res.Requires != nil && res.Requires.Approvals() > 1 {
		t.NeedsMore++
	}
	return nil
}
