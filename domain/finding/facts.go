package finding

import (
	"slices"
	"strconv"
	"time"
)

// Facts are counts of what people decided on earlier calls.
type Facts struct {
	Requester string // its name
	Decided   int    // calls of the requester, of any tool
	Actions   []CallFacts
}

// CallFacts are the facts that concern one action.
type CallFacts struct {
	ByRequester int // decided calls of the tool by this requester
	ByAnybody   int
	Recent      int // of those of the requester, how many are the last ones
	Rejected    int // of the last ones, how many were rejected
	Values      []ValueFacts
	Sums        []SumFacts
	Pairs       []PairFacts
}

// ValueFacts are the facts of a value.
type ValueFacts struct {
	FactValue
	Approved int // how often, with this value
	All      int // how often, with any value under this name
	Distinct int // with how many different values
}

// SumFacts are the last sums that were approved under one name.
type SumFacts struct {
	FactSum
	Approved []string
	IsAll    bool // of anybody: the requester has too few
}

// PairFacts are the facts of a payee.
type PairFacts struct {
	FactPair
	Approved int // how often, with this account
	All      int // how often, with any account
	Distinct int // with how many accounts
	Since    time.Time
	Seq      int64  // number of the entry of the last approval
	Request  string // the id of the request that was approved last; empty: unknown
}

// Guards of the rules: with fewer, a number says little.
const (
	minDecided    = 10 // decided calls of a requester
	minApproved   = 10 // approved values of a name
	MinSums       = 20 // approved sums
	maxNewPercent = 30 // of the values of a name; with more, a new one is usual
	manyRejected  = 3
)

// factRules are the rules that compare with what people decided so far.
var factRules = []rule{findFirstTime, findOftenRejected, findOtherAccount, findNewAddress, findFarAbove}

// eachFacts calls fn for each action of which something is known.
func eachFacts(r *Request, fn func(action int, facts *CallFacts)) {
	if r.Facts == nil {
		return
	}
	for i := range min(len(r.Actions), len(r.Facts.Actions)) {
		fn(i, &r.Facts.Actions[i])
	}
}

// eachTool is eachFacts for the first action of each tool.
func eachTool(r *Request, fn func(action int, facts *CallFacts)) {
	eachFacts(r, func(action int, facts *CallFacts) {
		name := r.Actions[action].Name
		if !slices.ContainsFunc(r.Actions[:action], func(before Action) bool { return before.Name == name }) {
			fn(action, facts)
		}
	})
}

// findFirstTime tells that an experienced requester never called the tool.
func findFirstTime(r *Request, report func(Finding)) {
	eachTool(r, func(action int, facts *CallFacts) {
		if r.Facts.Decided < minDecided || facts.ByRequester > 0 {
			return
		}
		f := Finding{Kind: "first-time", Level: Note, Action: action}
		who := plainWord(r.Facts.Requester, "this requester")
		if facts.ByAnybody == 0 {
			f.Level, who = Look, "anybody"
		}
		f.Says = "First time " + who + " calls " + plainWord(r.Actions[action].Name, "this tool")
		report(f)
	})
}

// plainWord returns a name for a sentence, or other words if it could be read as one.
func plainWord(name, otherwise string) string {
	if plain := plainName(name); plain == name {
		return name
	}
	return otherwise
}

// findOftenRejected tells how many of the last calls were rejected.
func findOftenRejected(r *Request, report func(Finding)) {
	eachTool(r, func(action int, facts *CallFacts) {
		if facts.Recent >= minDecided && facts.Rejected >= manyRejected {
			says := "Rejected " + strconv.Itoa(facts.Rejected) + " of the last " + strconv.Itoa(facts.Recent) + " times"
			report(Finding{Kind: "often-rejected", Level: Note, Action: action, Says: says})
		}
	})
}

// findOtherAccount finds a known payee with an account that was never approved for it.
// A payee with many accounts is no one payee.
func findOtherAccount(r *Request, report func(Finding)) {
	eachFacts(r, func(action int, facts *CallFacts) {
		now := ValuesOf(r.Actions[action].Args).Pairs
		told := map[string]bool{}
		for _, f := range facts.Pairs {
			if !f.IsOther() || told[f.Pointer] || !slices.Contains(now, f.FactPair) {
				continue
			}
			told[f.Pointer] = true
			found := Finding{Kind: "other-account", Level: Stop, Action: action, Pointer: f.Pointer, Here: shortText(f.Text)}
			found.Says = "Same payee, another account: " + strconv.Itoa(f.All) + " approved since " + dayOf(f.Since, r.Now) + ", none with this one"
			if f.Request != "" {
				found.There, found.Where = f.Request, InRequest
			}
			report(found)
		}
	})
}

// IsOther reports whether the payee was paid, and always to other accounts.
func (f PairFacts) IsOther() bool {
	return f.All > 0 && f.Approved == 0 && (f.Distinct == 1 || isUnusual(f.Distinct, f.All))
}

// isUnusual reports whether a new value is unusual where so many were different.
func isUnusual(distinct, all int) bool { return 100*distinct < maxNewPercent*all }

// findNewAddress finds an address, host, name or account that was never approved, where
// most are those of before.
func findNewAddress(r *Request, report func(Finding)) {
	eachFacts(r, func(action int, facts *CallFacts) {
		now := ValuesOf(r.Actions[action].Args).Values
		for _, f := range facts.Values {
			isNew := f.Approved == 0 && f.All >= minApproved && isUnusual(f.Distinct, f.All)
			if !isNew || !slices.Contains(now, f.FactValue) || facts.isOtherAccount(f.Pointer) {
				continue
			}
			says := "Never approved with this " + f.Noun + " before"
			if f.Noun == "address" {
				says = "Never approved to this address before"
			}
			says += ": " + strconv.Itoa(f.All) + " approved with " + strconv.Itoa(f.Distinct) + " other"
			if f.Distinct > 1 {
				says += "s"
			}
			report(Finding{Kind: "new-address", Level: Look, Action: action, Pointer: f.Pointer, Here: shortText(f.Text), Says: says})
		}
	})
}

// isOtherAccount reports whether a graver finding says so of the value.
func (f *CallFacts) isOtherAccount(pointer string) bool {
	return slices.ContainsFunc(f.Pairs, func(pair PairFacts) bool { return pair.Pointer == pointer && pair.IsOther() })
}
