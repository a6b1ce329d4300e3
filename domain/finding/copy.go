package finding

import (
	"strings"

	"countersign/domain/reading"
)

// blindCopies are names of members with recipients whom the others do not see.
var blindCopies = setOf("bcc blindcopy blindcopies cci cco ccn")

// collectors are words of addresses that keep copies of all mail.
var collectors = setOf("archive archiv archives archivo archivio bcc crm journal log mailbox dropbox inbox")

// findCopies reports a blind copy to a domain that nobody else in the request has.
func findCopies(r *Request, report func(Finding)) {
	named := hostsIn(cut(r.Reason, maxProse), -1, "", true)
	for i, a := range r.Actions {
		var others []namedHost
		var copies []reading.Value
		for v := range a.Args.Leaves() {
			switch {
			case v.Type != reading.String || len(v.Text) > 300 || !strings.Contains(v.Text, "@"):
			case blindCopies[strings.Join(wordsOf(memberName(v.Pointer)), "")]:
				copies = append(copies, v)
			case len(others) < maxHosts:
				others = append(others, hostsIn(v.Text, i, v.Pointer, false)...)
			}
		}
		if len(others) == 0 {
			continue
		}
		for _, v := range copies {
			for _, h := range hostsIn(v.Text, i, v.Pointer, false) {
				if !isNamedHost(named, h) && !isNamedHost(others, h) {
					level := Look
					if hasAny(wordsOf(v.Text), collectors) {
						level = Note
					}
					report(Finding{Kind: "odd one", Level: level, Action: i, Pointer: v.Pointer, Says: "A blind copy goes to a domain that nobody else here has",
						Here: shortened(v.Text), There: shortened(others[0].text), Where: "the request"})
				}
			}
		}
	}
}
