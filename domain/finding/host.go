package finding

import (
	"slices"
	"strconv"
	"strings"

	"countersign/domain/reading"
)

// Limits of the hosts that are compared in one request.
const (
	maxHosts  = 60
	shortHost = 7 // characters of a domain
)

// A namedHost is a host that a text of the request names.
type namedHost struct {
	name, domain string // in small letters; the domain is what is registered
	action       int    // -1: in the reason
	pointer      string
	text         string
}

// findHosts reports a host that is nearly one in the reason or elsewhere in the request,
// but belongs to somebody else.
func findHosts(r *Request, report func(Finding)) {
	named := hostsIn(cut(r.Reason, maxProse), -1, "", true)
	var all []namedHost
	for i := range r.Actions {
		for v := range r.Actions[i].Args.Leaves() {
			if v.Type == reading.String && len(all) < maxHosts && strings.Contains(v.Text, ".") {
				all = append(all, hostsIn(cut(v.Text, maxArgument), i, v.Pointer, reading.KindOf(v) == reading.Host)...)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	odd := map[string]bool{} // what another rule says already
	findOddOne(r, func(f Finding) { odd[strconv.Itoa(f.Action)+f.Pointer] = true })
	uses := map[string]int{}
	for _, h := range all {
		uses[h.domain]++
	}
	for i, h := range all {
		if isNamedHost(named, h) {
			continue
		}
		if like := slices.IndexFunc(named, h.isLike); like >= 0 {
			report(h.finding("Nearly the host in the reason, but another one", named[like], "reason"))
			continue
		}
		if odd[strconv.Itoa(h.action)+h.pointer] {
			continue
		}
		// Of two that are alike the rarer one is odd, or else the later one.
		like := slices.IndexFunc(all, func(other namedHost) bool {
			return h.hides(other) || isOneAway(h.domain, other.domain) && uses[h.domain] <= uses[other.domain]
		})
		if like >= 0 && (h.hides(all[like]) || uses[h.domain] < uses[all[like].domain] || like < i || isNamedHost(named, all[like])) {
			report(h.finding("Nearly another host in the request, but not the same", all[like], "the request"))
		}
	}
}

func (h namedHost) finding(says string, other namedHost, where string) Finding {
	return Finding{Kind: "host", Level: Look, Action: h.action, Pointer: h.pointer, Says: says, Here: shortened(h.text), There: shortened(other.text), Where: where}
}

func isNamedHost(named []namedHost, h namedHost) bool {
	return slices.ContainsFunc(named, func(other namedHost) bool { return other.domain == h.domain })
}

// hostsIn returns the hosts of web and mail addresses in a text, and plain host names if
// they count.
func hostsIn(text string, action int, pointer string, isPlain bool) []namedHost {
	var found []namedHost
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'<>()[]{},;|`“”„", r) }) {
		word = strings.TrimRight(trimEnd(word), "/")
		name, isAddress := word, false
		if _, rest, ok := strings.Cut(name, "://"); ok {
			name, isAddress = rest, true
		}
		name, _, _ = strings.Cut(name, "/")
		if at := strings.LastIndexByte(name, '@'); at >= 0 {
			name, isAddress = name[at+1:], true
		}
		name, _, _ = strings.Cut(strings.ToLower(name), ":")
		name = strings.TrimPrefix(name, "www.")
		if (isAddress || isPlain) && len(found) < maxHosts && isDomain(name) {
			found = append(found, namedHost{name, registered(name), action, pointer, word})
		}
	}
	return found
}

// isDomain reports whether a name has the form of a host on the Internet.
func isDomain(name string) bool {
	labels := strings.Split(name, ".")
	last := labels[len(labels)-1]
	return len(labels) > 1 && len(name) <= 253 && len(last) >= 2 && strings.Trim(last, "abcdefghijklmnopqrstuvwxyz") == "" &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") == "" && !slices.Contains(labels, "")
}

// registered returns the part of a host that somebody registered: two labels, or three
// as in example.co.uk.
func registered(name string) string {
	labels := strings.Split(name, ".")
	n := 2
	if len(labels) > 2 && len(labels[len(labels)-1]) == 2 && len(labels[len(labels)-2]) <= 3 {
		n = 3
	}
	return strings.Join(labels[max(0, len(labels)-n):], ".")
}

// isLike reports whether a host seems to be another one.
func (h namedHost) isLike(other namedHost) bool {
	return h.hides(other) || isOneAway(h.domain, other.domain)
}

// hides reports whether a host begins with the name of another, or writes it with a
// hyphen, and belongs to somebody else.
func (h namedHost) hides(other namedHost) bool {
	if h.domain == other.domain || len(other.domain) < shortHost {
		return false
	}
	return strings.HasPrefix(h.name, other.name+".") || strings.Contains("."+h.name, "."+other.domain+".") ||
		strings.HasPrefix(h.domain, strings.ReplaceAll(other.domain, ".", "-")+".")
}

// isOneAway reports whether two names differ in one character, or in two that changed
// places, or as rn differs from m. Numbers tell hosts apart on purpose.
func isOneAway(a, b string) bool {
	ending := a[strings.LastIndexByte(a, '.')+1:]
	// Many own their name under several endings. Short names are alike by chance.
	if a == b || len(a) < shortHost || ending != b[strings.LastIndexByte(b, '.')+1:] || privateEndings[ending] {
		return false
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	start := 0
	for start < len(b) && a[start] == b[start] {
		start++
	}
	x, y := a[start:], b[start:]
	switch {
	case strings.ReplaceAll(a, "rn", "m") == strings.ReplaceAll(b, "rn", "m"):
		return true
	case len(x) == len(y)+1:
		return x[1:] == y && !isDigit(x[0])
	case len(x) != len(y):
		return false
	case x[1:] == y[1:]:
		return !isDigit(x[0]) || !isDigit(y[0])
	}
	return x[0] == y[1] && x[1] == y[0] && x[2:] == y[2:]
}

// privateEndings are of hosts that nobody registers.
var privateEndings = setOf("internal local localhost lan test invalid home corp cluster svc intranet")
