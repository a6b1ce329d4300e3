package finding

// structure are the rules that compare nothing with the words of the agent.
var structure = []rule{
	limited(findShell),
	limited(findSQL),
	limited(findURL),
	limited(findHidden),
	limited(findBlanks),
	limited(findEncoded),
	limited(findDiffs),
	limited(findProtection),
	limited(findTrials),
	limited(findRights),
	limited(findTotals),
	limited(findOddOne),
	limited(findWildcard),
	limited(findClaims),
	limited(findActions),
	limited(findPast),
	limited(findIBAN),
	limited(findOrder),
	limited(findHosts),
	limited(findCopies),
	limited(findSteps),
}

const maxReported = 50 // findings of one rule and level

// limited bounds what a rule may report, so that a request of many faults takes no
// longer than others. Nobody reads more of them.
func limited(find rule) rule {
	return func(r *Request, report func(Finding)) {
		found := map[Level]int{}
		find(r, func(f Finding) {
			if found[f.Level]++; found[f.Level] <= maxReported {
				report(f)
			}
		})
	}
}
