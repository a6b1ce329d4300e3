package finding

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain/reading"
)

// months are names of months in prose, by their number.
var months = monthsOf(
	"january jan januar jänner janvier enero gennaio janeiro января stycznia januari", "february feb februar février febrero febbraio fevereiro февраля lutego februari",
	"march mar märz mär mars marzo março марта marca maart", "april apr avril abril aprile апреля kwietnia", "may mai mayo maggio maio мая maja mei",
	"june jun juni juin junio giugno junho июня czerwca", "july jul juli juillet julio luglio julho июля lipca", "august aug août agosto августа sierpnia augustus",
	"september sep sept septembre septiembre settembre setembro сентября września", "october oct oktober okt octobre octubre ottobre outubro октября października",
	"november nov novembre noviembre novembro ноября listopada", "december dec dezember dez décembre diciembre dicembre dezembro декабря grudnia",
)

func monthsOf(names ...string) map[string]time.Month {
	all := map[string]time.Month{}
	for i, list := range names {
		for _, name := range strings.Fields(list) {
			all[name] = time.Month(i + 1)
		}
	}
	return all
}

// bounds stand before a date that is not the day of an action: a deadline or a beginning.
var bounds = setOf(`due until till by before after since from payable expires expiring deadline latest dated of invoice born
	bis fällig zahlbar vor nach seit ab vom spätestens gültig échéance avant après depuis jusqu jusque dès du payable
	hasta antes después desde vence del entro dopo prima dal scade até depois desde vence vencimento do до после с od po przed`)

// day is a day that prose names.
type day struct {
	raw     string
	at      time.Time
	form    string // by which it is looked for; without a year if prose has none
	isBound bool
}

// compareDates finds the one day of the arguments, if prose names one other day. Both are
// still to come, and what prose names is no deadline.
func compareDates(c *comparing) {
	for _, p := range c.passages {
		if !p.isNear() || c.now.IsZero() {
			continue
		}
		stated := c.daysIn(string(p.text))
		if len(stated) != 1 || stated[0].isBound || stated[0].at.Before(c.now) {
			continue
		}
		want := stated[0].at.Format(stated[0].form)
		var odd []argument
		isThere := false
		for _, a := range c.arguments(p) {
			isThere = isThere || strings.Contains(a.Text, want)
			if a.Type != reading.String {
				continue
			}
			if at, _, err := reading.ParseTime(a.Text); err == nil {
				// The zone can make it the day before or after.
				isThere = isThere || at.UTC().Format(stated[0].form) == want
				odd = append(odd, a)
			}
		}
		if isThere || len(odd) == 0 {
			continue
		}
		isOneDay := !slices.ContainsFunc(odd, func(a argument) bool { return a.Text[:10] != odd[0].Text[:10] })
		if at, _, err := reading.ParseTime(odd[0].Text); isOneDay && err == nil && at.After(c.now) {
			c.say("date", Look, p, odd[0], "The day in "+quotedName(odd[0].Pointer)+" differs from the "+p.where, stated[0].raw)
		}
	}
}

// daysIn returns the days that a text names by day and month, or as 2026-11-26. Without a
// year the nearest one is meant.
func (c *comparing) daysIn(text string) []day {
	words := strings.Fields(text)
	var found []day
	for i, word := range words {
		before := words[max(0, i-3):i]
		isBound := slices.ContainsFunc(before, func(w string) bool { return bounds[strings.ToLower(trimEnd(w))] })
		if at, err := time.Parse(time.DateOnly, trimEnd(word)); err == nil {
			found = append(found, day{trimEnd(word), at, time.DateOnly, isBound})
			continue
		}
		month := months[strings.ToLower(trimEnd(word))]
		if month == 0 || len(found) == maxMentions {
			continue
		}
		// "26 November", "26. November", "26 de noviembre", "November 26".
		near := []int{i - 1, i + 1}
		if i > 1 && strings.EqualFold(words[i-1], "de") {
			near = []int{i - 2}
		}
		for _, at := range near {
			if at < 0 || at >= len(words) {
				continue
			}
			n, err := strconv.Atoi(strings.TrimRight(strings.TrimRight(trimEnd(words[at]), "sthndr"), "."))
			if err != nil || n < 1 || n > 31 {
				continue
			}
			from, until := min(at, i), max(at, i)
			year, form := 0, time.DateOnly
			for _, next := range words[until+1 : min(until+3, len(words))] {
				if y, err := strconv.Atoi(trimEnd(next)); err == nil && y > 1900 && y < 2200 {
					year, until = y, slices.Index(words[until:], next)+until
				}
			}
			if year == 0 {
				year, form = c.now.Year(), "-01-02"
				if time.Date(year, month, n, 0, 0, 0, 0, time.UTC).Before(c.now.AddDate(0, -6, 0)) {
					year++
				}
			}
			before := words[max(0, from-3):from]
			isBound := slices.ContainsFunc(before, func(w string) bool { return bounds[strings.ToLower(trimEnd(w))] })
			found = append(found, day{trimEnd(strings.Join(words[from:until+1], " ")), time.Date(year, month, n, 0, 0, 0, 0, time.UTC), form, isBound})
			break
		}
	}
	return found
}
