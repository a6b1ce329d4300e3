package store

import (
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/store/driver"
)

var facts = newTable("volatile_facts", 1, func(f *domain.Fact) []column {
	return []column{
		{"fact", blob(&f.Key)},
		{"first_at", moment(&f.FirstAt)},
		{"last_at", moment(&f.LastAt)},
		{"approved", number(&f.Approved)},
		{"rejected", number(&f.Rejected)},
		{"edited", number(&f.Edited)},
		{"distinct_values", number(&f.Distinct)},
		{"recent", text(&f.Recent)},
		{"seq", number(&f.Seq)},
	}
})

// Facts implements domain.FactReader, some keys at a time.
func (r *reader) Facts(keys [][]byte) (list []*domain.Fact, err error) {
	for some := range slices.Chunk(keys, driver.MaxRows) {
		marks, args := make([]string, len(some)), make([]any, len(some))
		for i, key := range some {
			marks[i], args[i] = fmt.Sprintf("$%d", i+1), key
		}
		found, err := facts.all(r, "WHERE fact IN ("+strings.Join(marks, ", ")+")", args...)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// SetFacts writes many facts with few statements.
func (x *tx) SetFacts(list []*domain.Fact) error {
	values := make([]any, 0, len(list)*len(facts.columns))
	for _, f := range list {
		values = append(values, facts.values(f, 0)...)
	}
	_, replaced, _ := strings.Cut(facts.upserts, " ON CONFLICT")
	into := facts.name + " (" + facts.columnList("") + ")"
	return x.Conn.InsertRows(into, len(facts.columns), values, " ON CONFLICT"+replaced)
}

func (x *tx) DeleteFacts() error {
	_, err := x.Conn.Exec("DELETE FROM volatile_facts")
	return err
}
