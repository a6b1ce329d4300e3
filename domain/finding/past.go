package finding

import (
	"strconv"
	"strings"
	"time"

	"countersign/domain/reading"
)

var (
	// executions are names of a time at which something shall happen.
	executions = setOf(`executeat runat sendat startat startsat scheduledat scheduleat scheduledfor scheduletime
		scheduledtime publishat deployat executionat executiontime executiondate effectiveat effectivedate
		validfrom activateat releaseat departat departuretime pickupat deliverat notbefore valuedate`)
	// dates are such names where the tool says that it plans.
	dates = setOf("start starttime date when datetime day time begin from slot")
	plans = setOf("schedule book reserve event meeting appointment calendar reminder invite")
)

var layouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly}

// findPast reports times of execution that are over.
func findPast(r *Request, report func(Finding)) {
	for i, a := range r.Actions {
		isPlanned := hasWord(a.Name, plans) && !hasWord(a.Name, readWords) && !strings.Contains(strings.ToLower(a.Name), "search")
		for v := range a.Args.Leaves() {
			if v.Type != reading.String || len(v.Text) < len(time.DateOnly) || len(v.Text) > 40 {
				continue
			}
			name := strings.Join(wordsOf(memberName(v.Pointer)), "")
			if !executions[name] && !(isPlanned && dates[name]) {
				continue
			}
			for _, layout := range layouts {
				at, err := time.Parse(layout, v.Text)
				if err != nil {
					continue
				}
				isNamed := at.Year() != r.Now.Year() && strings.Contains(r.Reason, strconv.Itoa(at.Year()))
				if days := int(r.Now.Sub(at).Hours() / 24); days >= 2 && !isNamed {
					report(Finding{Kind: "past", Level: Look, Action: i, Pointer: v.Pointer, Says: "The time was " + strconv.Itoa(days) + " days ago", Here: v.Text})
				}
				break
			}
		}
	}
}
