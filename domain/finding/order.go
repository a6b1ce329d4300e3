package finding

import (
	"slices"
	"strings"
	"time"

	"countersign/domain/reading"
)

// spans are words of which the first names a beginning and the second its end.
var spans = []struct{ from, until map[string]bool }{
	{setOf("from since start starts begin begins issue issued von ab debut début desde inicio início dal inizio"),
		setOf("to until till end ends through finish expires expiry due bis fin hasta fim até ate al fine")},
	{setOf("notbefore"), setOf("notafter")},
	{setOf("in"), setOf("out")}, // check_in, check_out
	{setOf("departure depart departs"), setOf("arrival arrive arrives return")},
}

// Words in names where goods are fetched, and brought after that.
var (
	pickups    = setOf("pickup collect collection loading abholung enlèvement coleta recogida ritiro")
	deliveries = setOf("deliver delivery dropoff unloading zustellung lieferung livraison entrega consegna")
	transports = setOf("shipment shipments ship transport transports transporte freight carrier courier cargo haul pallets consignment dispatch truck fracht sendung trasporto")
)

// maxTimes limits the times of one action that are compared.
const maxTimes = 200

// timed is an argument that is a time.
type timed struct {
	reading.Value
	at      time.Time
	hasZone bool
	parent  string
	words   []string // of its name
}

// isAfter reports whether a time is later than another, as far as zones tell.
func (t timed) isAfter(other timed) bool {
	return t.hasZone == other.hasZone && t.at.After(other.at)
}

// findOrder reports an end before its beginning, and a delivery before the pickup.
func findOrder(r *Request, report func(Finding)) {
	for i, a := range r.Actions {
		times := timesOf(a.Args)
		say := func(from, until timed) {
			report(Finding{Kind: "order", Level: Look, Action: i, Pointer: from.Pointer,
				Says: quotedName(from.Pointer) + " is later than " + quoted(nameOf(until.Pointer)), Here: from.Text, There: until.Text, Where: "end"})
		}
		for _, from := range times {
			for _, until := range times {
				if from.parent == until.parent && from.isAfter(until) && isSpan(from, until) {
					say(from, until)
				}
			}
		}
		if !isTransport(a) {
			continue
		}
		var first, last *timed
		for _, t := range times {
			fetches, brings := hasWordOnTheWay(t.Pointer, pickups), hasWordOnTheWay(t.Pointer, deliveries)
			if fetches && !brings && (first == nil || t.at.Before(first.at)) {
				first = &t
			}
			if brings && !fetches && (last == nil || t.at.After(last.at)) {
				last = &t
			}
		}
		if first != nil && last != nil && first.isAfter(*last) {
			say(*first, *last)
		}
	}
}

func timesOf(args reading.Value) []timed {
	var times []timed
	for leaf := range args.Leaves() {
		if leaf.Type != reading.String || len(times) == maxTimes {
			continue
		}
		at, hasZone, err := reading.ParseTime(leaf.Text)
		if slash := strings.LastIndexByte(leaf.Pointer, '/'); err == nil && slash >= 0 {
			times = append(times, timed{leaf, at, hasZone, leaf.Pointer[:slash], wordsOf(leaf.Pointer[slash+1:])})
		}
	}
	return times
}

// isSpan reports whether two names differ only in that one begins what the other ends.
// Without zones a journey can end on an earlier hour than it begins.
func isSpan(from, until timed) bool {
	for i, span := range spans {
		if i == len(spans)-1 && !from.hasZone {
			return false
		}
		start, end := slices.IndexFunc(from.words, func(word string) bool { return span.from[word] }),
			slices.IndexFunc(until.words, func(word string) bool { return span.until[word] })
		if start >= 0 && end >= 0 && slices.Equal(slices.Delete(slices.Clone(from.words), start, start+1), slices.Delete(slices.Clone(until.words), end, end+1)) {
			return true
		}
	}
	return false
}

// isTransport reports whether an action moves goods. Rented things are brought first.
func isTransport(a Action) bool {
	if hasAny(wordsOf(a.Name), transports) {
		return true
	}
	return slices.ContainsFunc(a.Args.Items, func(member reading.Value) bool { return hasAny(wordsOf(member.Name), transports) })
}

func hasWordOnTheWay(pointer string, words map[string]bool) bool {
	return slices.ContainsFunc(strings.Split(pointer, "/"), func(name string) bool { return hasAny(wordsOf(name), words) })
}
