package finding

import (
	"strconv"
	"strings"
)

// findSteps reports steps of the plan whose role is not registered, and steps that name
// an address. One line is about all of them.
func findSteps(r *Request, report func(Finding)) {
	if r.Plan == nil {
		return
	}
	var unknown, addresses []string
	registered, naming := 0, 0
	for _, step := range r.Plan.Steps {
		switch {
		case step.HasRole:
			registered++
		case step.Role != "":
			unknown = append(unknown, step.Role)
		}
		if address := addressIn(step.Description); address != "" {
			naming++
			addresses = append(addresses, address)
		}
	}
	say := func(level Level, says string, values []string) {
		report(Finding{Kind: "step", Level: level, Action: -1, Says: says, There: listed(values), Where: "plan"})
	}
	switch {
	case len(unknown) > 0 && registered > len(unknown):
		say(Look, numbered(len(unknown), "step has", "steps have")+" a role that is not registered; most roles are", unknown)
	case len(unknown) > 0 && registered == 0:
		say(Note, "No role of the plan's steps is registered", unknown)
	}
	if naming > 0 {
		say(Look, numbered(naming, "step of the plan names", "steps of the plan name")+" an address", addresses)
	}
}

func numbered(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// listed joins a few values, each once.
func listed(values []string) string {
	var few []string
	seen := map[string]bool{}
	for _, value := range values {
		if !seen[value] && len(few) < 5 {
			seen[value] = true
			few = append(few, cut(value, maxQuoted))
		}
	}
	return shortened(strings.Join(few, ", "))
}

// addressIn returns the first web or mail address in a text, or "".
func addressIn(text string) string {
	for word := range strings.FieldsSeq(text[:min(len(text), maxClaimed)]) {
		word = strings.Trim(word, ".,;:!?()<>[]\"'`“”")
		at := strings.IndexByte(word, '@')
		isMail := at > 0 && strings.Count(word, "@") == 1 && isTopDomain(word[strings.LastIndexByte(word, '.')+1:]) && strings.LastIndexByte(word, '.') > at+1
		if isMail || strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "ftp://") {
			return word
		}
	}
	return ""
}
