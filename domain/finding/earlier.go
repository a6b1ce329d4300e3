package finding

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"countersign/domain/reading"
)

// Earlier is what was asked before a request and concerns it.
type Earlier struct {
	Actions []EarlierCalls // of the first actions of the request, in their order
}

// EarlierCalls are the calls that concern one action. Nil: there is none.
type EarlierCalls struct {
	Superseded   *Call // what the action replaces
	Rejected     *Call // exactly this, rejected by a person
	Pending      *Call // exactly this, waiting in another request
	Unused       *Call // exactly this, approved and not used
	LastApproved *Call // the last one of the tool that was approved for the requester
}

// Call is a call of another request.
type Call struct {
	Request    string // its id
	IsApproved bool
	Args       reading.Value // what was asked, or approved in its place; no type: forgotten
	Reason     string        // the words of who decided
	At         time.Time     // when it was decided
}

// What There holds besides values in other places.
const (
	InRequest = "request"        // There is the id of a request
	InBefore  = "request before" // There is a value of the request that is replaced
)

// earlier are the rules that look at what came before.
var earlier = []rule{findSuperseded, findSameCalls, findDifference}

// eachCall calls fn for each action of which something came before.
func eachCall(r *Request, fn func(action int, args reading.Value, calls *EarlierCalls)) {
	if r.Earlier == nil {
		return
	}
	for i := range min(len(r.Actions), len(r.Earlier.Actions)) {
		fn(i, r.Actions[i].Args, &r.Earlier.Actions[i])
	}
}

// maxChanges is how many changed values of an action have to be acknowledged one by one.
const maxChanges = 3

// findSuperseded compares an action with the one it replaces. What was approved is not
// approved for another account or sum.
func findSuperseded(r *Request, report func(Finding)) {
	eachCall(r, func(action int, args reading.Value, calls *EarlierCalls) {
		before := calls.Superseded
		if before == nil || before.Args.Type == "" {
			return
		}
		f := Finding{Kind: "superseded", Level: Note, Action: action, There: before.Request, Where: InRequest}
		changes := changesOf(before.Args, args)
		switch {
		case len(changes) > 0:
			f.Says = sentenceOfNames("Differs from the request before in ", changes)
		case before.IsApproved:
			f.Says = "The same as approved on " + dayOf(before.At, r.Now)
		default:
			f.Says = "The same as in the request before"
		}
		report(f)
		if !before.IsApproved {
			return
		}
		told := 0
		for _, c := range changes {
			if told == maxChanges {
				return
			}
			if c.isGrave() {
				told++
				report(Finding{
					Kind: "superseded", Level: Stop, Action: action, Pointer: c.here.Pointer, Here: shortText(c.here.Text), There: shortText(c.there.Text),
					Where: c.where(), Says: plainName(c.name) + c.verb() + dayOf(before.At, r.Now),
				})
			}
		}
	})
}

// findSameCalls tells what became of exactly this call. Edited arguments make another.
func findSameCalls(r *Request, report func(Finding)) {
	twice := map[string]bool{} // requests of which one action says it for all
	eachCall(r, func(action int, args reading.Value, calls *EarlierCalls) {
		isThis := func(of *Call) bool { return of != nil && (of.Args.Type == "" || len(changesOf(of.Args, args)) == 0) }
		say := func(kind Kind, level Level, of *Call, says string) {
			report(Finding{Kind: kind, Level: level, Action: action, Says: says, There: of.Request, Where: InRequest})
		}
		if no := calls.Rejected; isThis(no) {
			says := "A person rejected exactly this on " + dayOf(no.At, r.Now)
			if no.Reason != "" {
				says += ": " + quotedWords(no.Reason, maxSays-utf8.RuneCountInString(says)-2)
			}
			say("rejected-before", Stop, no, says)
		}
		if isThis(calls.Pending) && !twice[calls.Pending.Request] {
			twice[calls.Pending.Request] = true
			say("asked-twice", Look, calls.Pending, "Asked twice: another request with exactly this waits")
		}
		if yes := calls.Unused; isThis(yes) {
			say("approved-unused", Note, yes, "Exactly this was approved on "+dayOf(yes.At, r.Now)+" and is not used yet")
		}
	})
}

// findDifference compares an action with the last approved one of its tool, unless it
// replaces another: that says more.
func findDifference(r *Request, report func(Finding)) {
	eachCall(r, func(action int, args reading.Value, calls *EarlierCalls) {
		like := calls.LastApproved
		if like == nil || like.Args.Type == "" || calls.Superseded != nil {
			return
		}
		if changes := changesOf(like.Args, args); len(changes) > 0 {
			says := sentenceOfNames("Differs from the last approved call in ", changes)
			report(Finding{Kind: "differs", Level: Note, Action: action, Says: says, There: like.Request, Where: InRequest})
		}
	})
}

// maxSays is how many characters a sentence has.
const maxSays = 120

// dayOf returns a day as people write it, with its year if that is another than now's.
func dayOf(at, now time.Time) string {
	if at.UTC().Year() != now.UTC().Year() {
		return at.UTC().Format("2 Jan 2006")
	}
	return at.UTC().Format("2 Jan")
}

// quotedWords returns the beginning of what somebody wrote, at most so many characters
// with its quotation marks. Nothing in it can end the quotation.
func quotedWords(text string, most int) string {
	text = strings.ToValidUTF8(text[:min(len(text), 4*most)], "")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		case strings.ContainsRune("“”„‟\"«»", r):
			return '\''
		}
		return r
	}, text)
	words := []rune(strings.Join(strings.Fields(text), " "))
	if len(words) > most-2 {
		words = append(words[:most-3], '…')
	}
	return "“" + string(words) + "”"
}

// plainName returns a member's name for a sentence, or words in its place if it could
// be read as one.
func plainName(name string) string {
	if name == "" || len(name) > 32 {
		return "a value"
	}
	for _, c := range []byte(name) {
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' {
			continue
		}
		return "a value"
	}
	return name
}

// sentenceOfNames ends a sentence with the names of what changed, as many as fit.
func sentenceOfNames(start string, changes []change) string {
	var names []string
	seen := map[string]bool{}
	for _, c := range changes {
		if name := plainName(c.name); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	const more = len(" and 2000 more")
	length := len(start)
	for i, name := range names {
		if length += len(name) + len(", "); length > maxSays-more {
			return start + strings.Join(names[:i], ", ") + " and " + strconv.Itoa(len(names)-i) + " more"
		}
	}
	return start + strings.Join(names, ", ")
}
