package finding

import (
	"strconv"
	"strings"

	"countersign/domain/reading"
)

var (
	// owners are names of what all actions of a request are usually about.
	owners = setOf(`account accountid accountnumber iban customer customerid patient patientid userid tenant tenantid
		host hostname cluster clustername database databasename project projectid orderid invoiceid employeeid namespace`)
	// things are names of what may differ. Two that are nearly equal are a slip.
	things = setOf(`id path file filename filepath name target resource url recipient email key sku plate order invoice
		reference ref ticket case parcel shipment contract claim policy booking`)
)

// findActions reports actions of different tools that are about different things under
// the same name.
func findActions(r *Request, report func(Finding)) {
	type first struct {
		action int
		value  string
	}
	seen := map[string]first{}
	told := map[string]bool{}
	for i, a := range r.Actions {
		for _, v := range a.Args.Items {
			name := strings.Join(wordsOf(v.Name), "")
			if a.Args.Type != reading.Object || v.Type != reading.String && v.Type != reading.Number || !owners[name] && !things[name] || len(v.Text) > 300 || v.Text == "" || told[name] {
				continue
			}
			before, found := seen[name]
			if !found {
				seen[name] = first{i, v.Text}
				continue
			}
			if r.Actions[before.action].Name == a.Name || strings.EqualFold(before.value, v.Text) {
				continue
			}
			if owners[name] || isNearly(before.value, v.Text) {
				told[name] = true
				report(Finding{Kind: "actions", Level: Look, Action: i, Pointer: v.Pointer, Says: quoted(v.Name) + " differs between the actions",
					Here: shortened(v.Text), There: shortened(before.value), Where: "action " + strconv.Itoa(before.action+1)})
			}
		}
	}
}

// isNearly reports whether two values are of one length and differ in one character, or
// in two that are swapped.
func isNearly(a, b string) bool {
	if len(a) != len(b) || len(a) < 6 {
		return false
	}
	start := 0
	for a[start] == b[start] {
		start++
	}
	end := len(a)
	for a[end-1] == b[end-1] {
		end--
	}
	return end-start == 1 || end-start == 2 && a[start] == b[start+1] && a[start+1] == b[start]
}
