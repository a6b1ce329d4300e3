package storetest

import (
	"fmt"
	"testing"

	"countersign/domain"
)

func testSessionSteps(t *testing.T, s Store) {
	number := int64(-10) // before the decisions, which have numbers of the log
	of := func(session, group string) func(*domain.Confirm) {
		number++
		seq := number
		return func(c *domain.Confirm) {
			c.SessionID, c.RequestedGroup, c.RequestedSeq = session, domain.Group(group), seq
		}
	}
	first, second, third := confirm("first", of("s", "a")), confirm("second", of("s", "b")), confirm("third", of("s", "a"))
	imported := confirm("imported", of("s", "a"), func(c *domain.Confirm) { c.Imported = true })
	insert(t, s, confirm("other", of("other", "a")), first, second, imported, third)
	open := read(t, s, domain.Reader.NextSeq)
	write(t, s, func(tx domain.Tx) error { return finish(tx, third, domain.Rejected, 5) })
	write(t, s, func(tx domain.Tx) error { return finish(tx, first, domain.Approved, 6) })
	number = first.DecidedSeq
	fourth := confirm("fourth", of("s", "a"))
	insert(t, s, fourth)
	requested := func(c *domain.Confirm) string { return fmt.Sprint(c.ID, " ", c.RequestedSeq) }
	decided := func(c *domain.Confirm) string { return fmt.Sprint(c.ID, " ", c.DecidedSeq) }
	for _, tt := range []struct {
		name string
		f    domain.SessionFilter
		want []string
	}{
		{"all", domain.SessionFilter{Visible: everything, From: -10, Limit: 9},
			[]string{requested(first), requested(second), requested(third), decided(third), decided(first), requested(fourth)}},
		{"a page", domain.SessionFilter{Visible: everything, From: -10, Limit: 4},
			[]string{requested(first), requested(second), requested(third), decided(third)}},
		{"the next page", domain.SessionFilter{Visible: everything, From: third.DecidedSeq, Limit: 2}, []string{decided(third), decided(first)}},
		{"a group's", domain.SessionFilter{Visible: domain.Visibility{Group: "b"}, From: -10, Limit: 9}, []string{requested(second)}},
		{"what was pending then", domain.SessionFilter{Visible: everything, From: -10, OpenAt: open, Limit: 9},
			[]string{requested(first), requested(second), requested(third)}},
		{"the first of it", domain.SessionFilter{Visible: everything, From: -10, OpenAt: open, Limit: 1}, []string{requested(first)}},
		{"what was pending later", domain.SessionFilter{Visible: everything, From: -10, OpenAt: third.DecidedSeq + 1, Limit: 9},
			[]string{requested(first), requested(second)}},
	} {
		tt.f.SessionID = "s"
		got := []string{}
		for _, step := range read(t, s, func(r domain.Reader) ([]domain.SessionStep, error) { return r.SessionSteps(tt.f) }) {
			got = append(got, fmt.Sprint(step.Confirm.ID, " ", step.Seq))
		}
		same(t, tt.name, tt.want, got)
	}
}
