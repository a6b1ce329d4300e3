package policy

import (
	"fmt"
	"strconv"
	"strings"
)

// Sentence says in plain English what a policy does. name gives the name of a role or
// key by its id. Conditions that are not made of rows are quoted.
func (d *Document) Sentence(name func(id string) string) string {
	subject := d.subject(name)
	if d.Effect == Reject {
		return subject + ", the request is rejected at once."
	}
	parts := make([]string, len(d.Quorum))
	for i, t := range d.Quorum {
		parts[i] = count(t.Approvals) + " of " + name(t.Role)
		if i == 0 {
			parts[i] = plural(t.Approvals, "person", "people") + " of " + name(t.Role)
		}
	}
	said := []string{subject + ", " + list(parts, "and") + " must approve."}
	for _, e := range d.Escalate {
		said = append(said, fmt.Sprintf("After %s, people of %s may approve in place of %s.", duration(e.After), name(e.Role), name(e.For)))
	}
	if d.Rejections > 1 {
		said = append(said, fmt.Sprintf("It takes %d rejections to refuse.", d.Rejections))
	} else {
		said = append(said, "One rejection is enough to refuse.")
	}
	if d.Timeout > 0 {
		said = append(said, "It times out after "+duration(d.Timeout)+".")
	}
	return strings.Join(said, " ")
}

// subject says what the policy looks at: "For calls of wire_* with amount over 10,000".
func (d *Document) subject(name func(id string) string) string {
	m := d.Match
	s := "For every request"
	if len(m.Tools) > 0 {
		s = "For calls of " + list(m.Tools, "or")
	}
	if len(m.TargetTypes) > 0 {
		s += " about targets of type " + list(m.TargetTypes, "or")
	}
	if len(m.Keys) > 0 {
		s += " by the key " + list(named(m.Keys, name), "or")
	}
	if len(m.Roles) > 0 {
		s += " by holders of " + list(named(m.Roles, name), "or")
	}
	if d.Condition == "" {
		return s
	}
	rows := Rows(d.Condition)
	if rows == nil {
		return s + " where “" + d.Condition + "” holds"
	}
	said := make([]string, len(rows))
	for i, row := range rows {
		said[i] = row.says()
	}
	return s + " with " + list(said, "and")
}

// says words a row: "amount over 10,000".
func (row Row) says() string {
	text := strings.TrimPrefix(row.Member, "args.")
	for _, c := range comparisons {
		if c.is == row.Is {
			text += " " + c.says
		}
	}
	if n, err := strconv.ParseInt(row.Value, 10, 64); err == nil {
		return text + " " + grouped(n)
	}
	return strings.TrimSuffix(text+" "+row.Value, " ")
}

// grouped writes a number with commas between thousands.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// duration writes seconds in the largest unit that they are a multiple of.
func duration(seconds int64) string {
	for _, unit := range []struct {
		seconds int64
		name    string
	}{{86400, "day"}, {3600, "hour"}, {60, "minute"}} {
		if seconds%unit.seconds == 0 {
			return units(seconds/unit.seconds, unit.name)
		}
	}
	return units(seconds, "second")
}

func units(n int64, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return count(n) + " " + one
	}
	return count(n) + " " + many
}

// count writes a number of approvals in words.
func count(n int) string {
	words := [MaxApprovals + 1]string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight"}
	if n < 0 || n >= len(words) {
		return strconv.Itoa(n)
	}
	return words[n]
}

// list joins words: "a, b and c".
func list(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

func named(ids []string, name func(string) string) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = name(id)
	}
	return names
}
