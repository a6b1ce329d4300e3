package finding

// comparison are the rules that compare the arguments with the agent's words, the plan
// and the context.
var comparison = []rule{compare}

// comparisons find the kinds of comparison, the most telling first. An argument is
// reported by the first of them that has something to say.
var comparisons = []func(*comparing){compareIdentifiers, compareEnvironments, compareNetworks, compareVersions, compareObjects, compareDates, compareCurrencies, compareSums, compareUnits, compareNumbers, compareWithin, compareIdentifiersWithin, compareCounts, compareZones, noteAgreements}

func compare(r *Request, report func(Finding)) {
	c := newComparing(r, report)
	if len(c.passages) == 0 {
		return
	}
	for _, find := range comparisons {
		find(c)
	}
}
