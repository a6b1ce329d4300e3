package domain_test

import (
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
)

// votes are what is forged on a log where one of finance and one of security have to
// approve, and after 900 s one of ops_lead in place of security.
type votes struct {
	open, done               *domain.Confirm // Fay has approved the open one
	fay, finn, sue, lead, ed domain.Ref
	finance, security, ops   string // ids of the roles
}

func honestVotes(t *testing.T) (file string, v votes) {
	t.Helper()
	w := newVotingWorld(t, `,"escalate":[{"after":900,"role":"ops_lead","for":"security"}],"timeout":3600`)
	v = votes{fay: w.fay, finn: w.finn, sue: w.sue, ed: w.ed, lead: w.user("lead", "ops_lead", "reviewer")}
	for name, id := range map[string]*string{"finance": &v.finance, "security": &v.security, "ops_lead": &v.ops} {
		role, _, err := w.Role(w.ctx, domain.System, name)
		if err != nil {
			t.Fatal(err)
		}
		*id = role.ID
	}
	v.open, v.done = w.post(w.agent, transfer), w.post(w.agent, transfer)
	w.mustVote(w.fay, v.open, domain.Approved, "")
	w.mustVote(w.fay, v.done, domain.Approved, "")
	w.mustVote(w.sue, v.done, domain.Approved, "")
	wantVerified(t, "the honest run", verify(t, w.file, ""))
	w.close()
	return w.file, v
}

// vote is a vote on the open request.
func (p *past) vote(v votes, who domain.Ref, role, id string) *evidence.Entry {
	p.t.Helper()
	return with(by(p.of("confirm.voted", v.open.ID), who, role), "role_id", id)
}

// end is the approval of the open request, by the votes with these numbers and itself.
func (p *past) end(v votes, who domain.Ref, role, id string, counted ...int64) *evidence.Entry {
	p.t.Helper()
	e := by(p.about(p.of("confirm.approved", v.done.ID), v.open.ID), who, role)
	return with(e, "role_id", id, "target_id", v.open.TargetID, "votes", append(counted, int64(len(p.log))))
}

func TestHistory_VotesThatNobodyCasts(t *testing.T) {
	t.Parallel()
	file, v := honestVotes(t)
	first := func(p *past) int64 { return p.of("confirm.voted", v.open.ID).Seq }
	testForgeriesOf(t, file, cast{}, []forgery{
		{"a vote", func(p *past, _ cast) []*evidence.Entry { return one(p.vote(v, v.finn, "finance", v.finance)) }, ""},
		{"the last vote", func(p *past, _ cast) []*evidence.Entry {
			return one(p.end(v, v.sue, "security", v.security, first(p)))
		}, ""},
		{"an end without votes", func(p *past, _ cast) []*evidence.Entry {
			return one(with(p.end(v, v.sue, "security", v.security), "votes", nil))
		}, "the votes do not prove it"},
		{"an end by one of two", func(p *past, _ cast) []*evidence.Entry { return one(p.end(v, v.sue, "security", v.security)) }, "0 of 1 approvals"},
		{"an end by the same role twice", func(p *past, _ cast) []*evidence.Entry {
			return one(p.end(v, v.finn, "finance", v.finance, first(p)))
		}, "0 of 1 approvals"},
		{"an end by one user's two votes", func(p *past, _ cast) []*evidence.Entry {
			return one(with(p.end(v, v.ed, "security", v.security), "votes", []int64{int64(len(p.log)), int64(len(p.log))}))
		}, "the votes do not prove it"},
		{"an end that counts a vote on another request", func(p *past, _ cast) []*evidence.Entry {
			return one(p.end(v, v.sue, "security", v.security, p.of("confirm.voted", v.done.ID).Seq))
		}, "does not exist"},
		{"an end for another variant", func(p *past, _ cast) []*evidence.Entry {
			e := p.end(v, v.sue, "security", v.security, first(p))
			e.EffectiveHash = p.of("confirm.requested", v.done.ID).ContentHash
			return one(e)
		}, "the votes do not prove it"},
		{"a role that is not held", func(p *past, _ cast) []*evidence.Entry { return one(p.vote(v, v.finn, "finance", v.security)) }, "did not hold"},
		{"a role without a vote yet", func(p *past, _ cast) []*evidence.Entry { return one(p.vote(v, v.lead, "ops_lead", v.ops)) }, "does not count"},
		{"a stand-in in time", func(p *past, _ cast) []*evidence.Entry {
			e := p.vote(v, v.lead, "ops_lead", v.ops)
			e.At = e.At.Add(900 * time.Second)
			return one(e)
		}, ""},
		{"a vote after the deadline", func(p *past, _ cast) []*evidence.Entry {
			e := p.vote(v, v.finn, "finance", v.finance)
			e.At = e.At.Add(time.Hour)
			return one(e)
		}, "after its deadline"},
		{"a vote of a key", func(p *past, _ cast) []*evidence.Entry {
			e := p.vote(v, v.finn, "finance", v.finance)
			e.Kind = string(domain.KindAgent)
			return one(e)
		}, "vote"},
		{"a vote after the end", func(p *past, _ cast) []*evidence.Entry {
			return one(p.about(p.vote(v, v.finn, "finance", v.finance), v.done.ID))
		}, "had decided"},
	})
}
