package finding

import (
	"strings"
	"unicode"

	"countersign/domain/reading"
)

// trials are words by which prose says that nothing is done yet, with the names of flags
// that say the same.
var (
	trialNames   = setOf("dryrun simulate simulation simulated testmode previewonly noop whatif validateonly checkonly probelauf testlauf")
	realNames    = setOf("apply commit execute live forreal confirmed")
	trialWords   = []string{"dry run", "dry-run", "dryrun", "simulation only", "only simulate", "nothing is written", "nothing shall be written", "nothing is changed", "nothing is sent", "test mode", "probelauf", "testlauf", "trockenlauf", "à blanc", "simulacro", "prova a vuoto", "ensayo en seco"}
	trialOvers   = setOf("after no not without skip passed successful following the since nach ohne kein keine après sans tras sin dopo senza")
	trialEndings = setOf("passed succeeded was went showed had found ended worked ran reported looked")
)

// findTrials reports a flag that does in earnest what the reason calls a trial.
func findTrials(r *Request, report func(Finding)) {
	words := trialIn(cut(r.Reason, maxProse))
	if words == "" {
		return
	}
	for i, a := range r.Actions {
		for v := range a.Args.Leaves() {
			name := strings.Join(settingWords(memberName(v.Pointer)), "")
			value := strings.ToLower(v.Text)
			if v.Type == reading.Null || !(trialNames[name] && falses[value] || realNames[name] && value == "true") {
				continue
			}
			report(Finding{Kind: "trial", Level: Stop, Action: i, Pointer: v.Pointer,
				Says: quotedName(v.Pointer) + " is not set as the reason says", Here: v.Text, There: words, Where: "reason"})
		}
	}
}

// trialIn returns the words that call the request a trial, or "". A trial that is over,
// or that is refused, is none.
func trialIn(reason string) string {
	lower := strings.ToLower(reason)
	if len(lower) != len(reason) {
		return ""
	}
	for _, words := range trialWords {
		at := strings.Index(lower, words)
		if at < 0 {
			continue
		}
		before := strings.Fields(lower[max(0, at-40):at])
		after := strings.FieldsFunc(lower[at+len(words):], func(r rune) bool { return !unicode.IsLetter(r) })
		if hasAny(before[max(0, len(before)-3):], trialOvers) || hasAny(after[:min(2, len(after))], trialEndings) {
			return ""
		}
		return reason[at : at+len(words)]
	}
	return ""
}
