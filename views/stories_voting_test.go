package views_test

import (
	"strings"
	"time"

	"countersign/views"
)

func voteView() views.ConfirmView {
	return with(tradeView(), func(v *views.ConfirmView) {
		v.Form.Vote, v.Form.NoFeedback = true, true
		v.Form.Roles = []views.Option{{Label: "Automatic: finance"}, {Value: "r1", Label: "finance: 1 of 2"}, {Value: "r2", Label: "security: 1 of 2"}}
		v.MayDecide = []string{"finance", "security"}
		v.Voting = &views.VotingView{
			Title: "Needs", Rejections: "One rejection is enough to end it.",
			Needs:   []views.VotingNeed{{Role: "finance", Approvals: 1, Approved: 1}, {Role: "security", Approvals: 1, Later: []views.LaterVoter{{Role: "ops_lead", From: views.At(now.Add(time.Minute))}}}},
			Approve: "Your approval is the last one that is needed: it will run.", Reject: "Your rejection ends it, and cannot be taken back.",
		}
		v.Policies = []views.MatchedPolicy{
			{Policy: views.Link{Label: "Large trades", URL: "/policies/p1"}, Version: "3", Note: "Call the desk first.\nAsk for the limit."},
			{Policy: views.Link{Label: "Trades of agents"}, Version: "1", Because: "args.amount is missing"},
		}
		v.History = []views.DecisionEntry{{Status: "approved", Cause: "human", Words: "voted", By: "fay", Role: "finance", At: views.At(now), Reason: "Within the limits."}}
	})
}

func voteEditedView() views.ConfirmView {
	return with(voteView(), func(v *views.ConfirmView) {
		needs := v.Voting.Needs
		v.Voting.Leading = "for what most voted for: edited by fay"
		v.Voting.Approve = "Your approval is 1 of 2. Then it waits for finance. It counts for the request as it was asked, not for an edit."
		v.Voting.Variants = []views.VariantView{
			{Title: "Edited by fay", Needs: needs, Edits: []views.ActionEdit{{Number: 1, Name: "execute_trade", Before: tradeArgs, After: strings.Replace(tradeArgs, "100", "50", 1)}}, Vote: "vote " + hash, Effect: "Your approval is the last one that is needed: it will run."},
			{Title: "As asked", Needs: []views.VotingNeed{{Role: "finance", Approvals: 1}, {Role: "security", Approvals: 1, Approved: 1}}, Mine: true},
		}
		v.History = append([]views.DecisionEntry{{Status: "approved", Cause: "human", Words: "voted", By: "fay", Role: "finance", At: views.At(now), Marks: []string{"replaced by a later vote"}}}, v.History...)
		v.History[1].Marks = []string{"edited"}
		v.History = append(v.History, views.DecisionEntry{Status: "approved", Cause: "human", Words: "voted", By: "max", Role: "finance", At: views.At(now), Marks: []string{"no longer counts: lost the role or the account"}})
	})
}

func votedView() views.ConfirmView {
	return with(voteView(), func(v *views.ConfirmView) {
		v.Form.HasApproved, v.Form.MayMove, v.Voting.Approve, v.JustDecided = true, true, "", true
		v.Voting.Mine = &views.MyVote{Title: "Your approval counts", Status: "approved", Words: "You approved this as finance", At: views.At(now), Far: "1 of 2; it waits for security."}
		v.Next = &views.NextConfirm{URL: "/confirms/c2?status=pending", Label: "wire_transfer", Left: 3}
	})
}

func vetoVotedView() views.ConfirmView {
	return with(voteView(), func(v *views.ConfirmView) {
		v.Form, v.Voting.Approve, v.Voting.Reject = nil, "", ""
		v.Voting.Rejections = "1 of 2 rejections that end it."
		v.Voting.Mine = &views.MyVote{Title: "You have voted", Status: "rejected", Words: "You rejected this as finance", At: views.At(now), Far: "1 of 2 rejections that end it; it waits for others."}
		v.Refusals = []string{"You have rejected this. A rejection cannot become an approval.", "You have rejected this. It waits for others."}
	})
}

func votesApprovedView() views.ConfirmView {
	return with(approvedView(), func(v *views.ConfirmView) {
		v.Voting = &views.VotingView{Title: "Approvals", Needs: []views.VotingNeed{{Role: "finance", Approvals: 1, Approved: 1}, {Role: "security", Approvals: 1, Approved: 1}}}
		v.Policies = voteView().Policies
		v.Receipt.Votes, v.Receipt.Cause = 2, "decided by a vote"
		v.History = []views.DecisionEntry{
			{Status: "approved", Cause: "human", Words: "voted", By: "fay", Role: "finance", At: views.At(now), Marks: []string{"counted"}},
			{Status: "approved", Cause: "human", Words: "voted", By: "max", Role: "finance", At: views.At(now), Marks: []string{"edited", "did not count"}},
			{Status: "approved", Cause: "human", Words: "voted", By: "sue", Role: "security", At: views.At(now), Marks: []string{"counted"}},
		}
	})
}

func policyRejectedView() views.ConfirmView {
	return with(timeoutView(), func(v *views.ConfirmView) {
		v.Cause, v.Receipt.Cause, v.Receipt.Reason = "policy", "rejected by the policy No trades at night, version 2", "Ask again after eight."
		v.Policies = []views.MatchedPolicy{{Policy: views.Link{Label: "No trades at night", URL: "/policies/p2"}, Version: "2", Note: "Ask again after eight."}}
		v.History = []views.DecisionEntry{{Status: "rejected", Cause: "policy", Words: "rejected by the policy No trades at night, version 2", Role: "system", At: views.At(now)}}
	})
}
