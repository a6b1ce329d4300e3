package domain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"countersign/domain/evidence"
	"countersign/domain/finding"
	"countersign/domain/reading"
)

// Brief is what the inbox says of a request's arguments: the values that matter most, and
// how much there is to notice.
type Brief struct {
	Values   []BriefValue
	Findings int             // to stop or to look at, without the plan and the context
	Gravest  finding.Finding // the first of them
}

// BriefValue is an argument in short.
type BriefValue struct {
	Name string // the member's
	Text Excerpt
}

const (
	// MaxBriefContent is the size in bytes up to which the inbox reads a content. An
	// agent must not slow down everybody's inbox with large ones.
	MaxBriefContent = 16 << 10
	// maxCachedBriefs bounds the cache of briefs, each of up to a few hundred bytes. Each
	// event renders all open inboxes, and without the cache each would read 50 contents.
	maxCachedBriefs = 2000

	maxBriefValues = 3
	maxBriefText   = 60
)

// addBriefs completes rows of the inbox and forgets their contents.
func (s *Service) addBriefs(rows []*ConfirmRow, now time.Time) {
	for _, row := range rows {
		content := row.Content
		row.Content = nil
		if content == nil || row.Unproven {
			continue
		}
		brief, isKnown := s.briefCache.Get(row.ContentHash)
		if !isKnown {
			brief = newBrief(content, now)
			s.briefCache.Put(row.ContentHash, brief, 1)
		}
		row.Brief = brief
	}
}

func newBrief(stored []byte, now time.Time) *Brief {
	content, err := evidence.ParseContent(stored)
	if err != nil {
		return nil
	}
	brief := new(Brief)
	r := &finding.Request{Reason: content.Reason, Now: now}
	var values []briefCandidate
	for _, action := range content.Actions {
		args, err := reading.Parse(action.Args)
		if err != nil {
			return nil
		}
		r.Actions = append(r.Actions, finding.Action{Name: action.Name, Description: action.Description, Args: args})
		values = append(values, briefCandidates(args)...)
	}
	slices.SortStableFunc(values, func(a, b briefCandidate) int { return cmp.Compare(a.rank, b.rank) })
	for _, v := range values[:min(len(values), maxBriefValues)] {
		brief.Values = append(brief.Values, BriefValue{Name: v.name, Text: NewExcerpt(tellingLine(v.text), maxBriefText)})
	}
	for _, f := range finding.Of(r) {
		if f.Level == finding.Note {
			continue
		}
		if brief.Findings++; brief.Findings == 1 {
			brief.Gravest = f
		}
	}
	return brief
}

type briefCandidate struct {
	name, text string
	rank       int
}

// briefRanks orders what a reviewer wants to see first. Values of no kind follow.
var briefRanks = map[reading.Kind]int{
	reading.Sum: 1, reading.Identifier: 2, reading.Email: 2, reading.URL: 3, reading.Host: 3, reading.Path: 4, reading.Quantity: 6, reading.Instant: 7,
}

const (
	rankCommand = 5
	rankOther   = 8

	repeatedRank = 4 // how much less another value of one rank matters
)

// briefCandidates are the values of arguments with how much they matter. Of those of one
// kind the first comes first.
func briefCandidates(args reading.Value) (found []briefCandidate) {
	currency := ""
	for v := range args.Leaves() {
		if v.Type == reading.String && currency == "" && strings.Contains(strings.ToLower(v.Name), "currency") && len(v.Text) <= 8 {
			currency = " " + v.Text
		}
	}
	used := map[int]int{}
	for v := range args.Leaves() {
		rank, isKnown := briefRanks[reading.KindOf(v)]
		switch {
		case v.Type == reading.Null, v.Text == "", currency != "" && v.Text == currency[1:]:
			continue
		case isKnown && rank <= briefRanks[reading.Path]:
		case v.Type == reading.String && isRecipientName(v.Name):
			rank = briefRanks[reading.Identifier]
		case isKnown:
		case v.Type == reading.String && (strings.Contains(v.Text, "\n") || isCommandName(v.Name)):
			rank = rankCommand
		default:
			rank = rankOther
		}
		text := v.Text
		if rank == briefRanks[reading.Sum] {
			text += currency
		}
		// The second of a kind says less than the first of another.
		found = append(found, briefCandidate{name: memberName(v.Pointer), text: text, rank: rank + repeatedRank*used[rank]})
		used[rank]++
	}
	return found
}

// memberName returns the name of the member that a value is in: an index tells nothing.
func memberName(pointer string) string {
	names := strings.Split(pointer, "/")
	for _, name := range slices.Backward(names) {
		if strings.Trim(name, "0123456789") != "" {
			return strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		}
	}
	return ""
}

// tellingLine returns the first line of a text that does not only set up the others.
func tellingLine(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.EqualFold(line, "BEGIN;") {
			continue
		}
		if !hasAnyPrefix(line, "#", "set -", "cd ", "--") {
			return line
		}
	}
	return strings.TrimSpace(text)
}

func hasAnyPrefix(text string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
}

// isRecipientName reports whether a member names who gets something.
func isRecipientName(name string) bool {
	switch strings.ToLower(name) {
	case "payee", "recipient", "beneficiary", "to", "customer", "vendor":
		return true
	}
	return false
}

func isCommandName(name string) bool {
	switch strings.ToLower(name) {
	case "command", "cmd", "script", "sql", "query", "code":
		return true
	}
	return false
}
