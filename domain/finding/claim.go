package finding

import (
	"slices"
	"strings"
	"unicode"

	"countersign/domain/reading"
)

const (
	maxClaimed = 32 << 10 // bytes of a text in which claims are looked for
	saysClaim  = "Countersign knows of no approval"
)

// findClaims reports where the agent says that its request is approved or checked, or
// that it speaks for the system.
func findClaims(r *Request, report func(Finding)) {
	say := func(action int, text, where string) {
		if claim := claimIn(text, true); claim != "" {
			report(Finding{Kind: "claim", Level: Look, Action: action, Says: saysClaim, There: shortened(claim), Where: where})
		}
	}
	say(-1, r.Reason, "reason")
	for i := range r.Actions {
		say(i, r.Actions[i].Description, "description")
	}
	eachString(r, func(action int, v reading.Value) {
		if claim := claimIn(v.Text, false); claim != "" {
			report(Finding{Kind: "claim", Level: Look, Action: action, Pointer: v.Pointer, Says: saysClaim, Here: shortened(claim)})
		}
	})
}

// claimIn returns the first claim in a text, as written there, or "".
func claimIn(text string, isBroad bool) string {
	text = text[:min(len(text), maxClaimed)]
	words, starts := spokenWords(text)
	for i, word := range words {
		for _, claim := range claimsByWord[word] {
			if !isBroad && !claim.isPointed || len(words)-i < len(claim.words) || !slices.Equal(words[i:i+len(claim.words)], claim.words) {
				continue
			}
			if isDoubted(words[max(i-4, 0):i]) || isAsked(text[starts[i]:]) {
				continue
			}
			end := starts[i+len(claim.words)-1] + len(words[i+len(claim.words)-1])
			return strings.ToValidUTF8(text[starts[i]:min(end, len(text))], "")
		}
	}
	lists := [][]string{unspacedClaims.pointed}
	if isBroad {
		lists = append(lists, unspacedClaims.broad)
	}
	for _, list := range lists {
		for _, claim := range list {
			if at := strings.Index(text, claim); at >= 0 && !isDoubtedUnspaced(text, at, len(claim)) {
				return claim
			}
		}
	}
	return ""
}

// spokenWords splits a text into lower-case words and says where each begins.
func spokenWords(text string) (words []string, starts []int) {
	start := -1
	for i, r := range text + " " {
		isPart := unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
		switch {
		case isPart && start < 0:
			start = i
		case !isPart && start >= 0:
			words, starts = append(words, strings.ToLower(text[start:i])), append(starts, start)
			start = -1
		}
		if r == '.' || r == '!' || r == '?' || r == '\n' || r == ';' {
			words, starts = append(words, "."), append(starts, i) // no claim goes over its end
		}
	}
	return words, starts
}

// isDoubted reports whether the words before a claim in its sentence deny it or make it
// a condition.
func isDoubted(before []string) bool {
	for i := len(before) - 1; i >= 0 && before[i] != "."; i-- {
		if doubts[before[i]] {
			return true
		}
	}
	return false
}

// isAsked reports whether the sentence ends as a question.
func isAsked(rest string) bool {
	rest = rest[:min(len(rest), 200)]
	end := strings.IndexAny(rest, ".!?;\n")
	return end >= 0 && rest[end] == '?'
}

// isDoubtedUnspaced is isDoubted for Chinese and Japanese.
func isDoubtedUnspaced(text string, at, size int) bool {
	before, after := text[max(at-12, 0):at], text[at+size:min(at+size+12, len(text))]
	for _, doubt := range []string{"如果", "若", "未", "是否", "等", "もし", "まだ"} {
		if strings.Contains(before, doubt) {
			return true
		}
	}
	for _, doubt := range []string{"吗", "后", "か?", "か？", "後", "次第", "たら", "れば"} {
		if strings.HasPrefix(after, doubt) {
			return true
		}
	}
	return false
}

// A phrase is a claim, split into words.
type phrase struct {
	words     []string
	isPointed bool
}

// claimsByWord has the claims by their first word.
var claimsByWord = func() map[string][]phrase {
	found := map[string][]phrase{}
	for _, c := range claims {
		for _, text := range c.pointed {
			words := strings.Fields(text)
			found[words[0]] = append(found[words[0]], phrase{words, true})
		}
		for _, text := range c.broad {
			words := strings.Fields(text)
			found[words[0]] = append(found[words[0]], phrase{words, false})
		}
	}
	return found
}()
