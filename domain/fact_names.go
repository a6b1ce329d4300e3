package domain

import "countersign/domain/finding"

// What calls have in common has one name for each question that is asked of it. by is
// the requester, "" for anybody.

func callsFact(by string) string        { return factName("calls", by) }
func toolFact(by, tool string) string   { return factName("tool", by, tool) }
func memberFact(tool, of string) string { return factName("member", tool, of) }

func valueFact(tool string, v finding.FactValue) string {
	return factName("value", tool, v.Member, v.Value)
}

func sumsFact(by, tool string, s finding.FactSum) string {
	return factName("sums", by, tool, s.Member, s.Currency)
}

func payeeFact(tool string, p finding.FactPair) string {
	return factName("payee", tool, p.PayeeMember, p.Payee, p.Member)
}

func accountFact(tool string, p finding.FactPair) string {
	return factName("account", tool, p.PayeeMember, p.Payee, p.Member, p.Account)
}
