package finding

import (
	"fmt"
	"net/mail"
	"strings"

	"countersign/domain/reading"
)

const (
	longList = 8 // from here on most of a list says what the rest should be
	likeness = 7 // objects of which one differs in a flag: more than 85 % agree
)

// findOddOne reports what differs in kind from the rest of a list.
func findOddOne(r *Request, report func(Finding)) {
	for i := range r.Actions {
		say := func(v reading.Value, what, there string) {
			report(Finding{Kind: "odd one", Level: Look, Action: i, Pointer: v.Pointer, Says: what, Here: shortened(v.Text), There: shortened(there), Where: "the rest of the list"})
		}
		flags := oddFlags(r.Actions[i].Args, likeness)
		eachValue(r.Actions[i].Args, func(v reading.Value) {
			if rest := flags[v.Pointer]; rest != "" && v.Type == reading.Bool {
				say(v, "One flag differs from that of all the others in the list", rest)
			}
			for _, column := range columnsOf(v) {
				for _, sort := range sorts {
					if odd, rest := oddIn(column, sort.of); len(odd) > 0 {
						for _, o := range odd {
							say(o, fmt.Sprintf("%s than the other %d in the list", sort.says, len(column)-len(odd)), rest)
						}
						break
					}
				}
			}
		})
	}
}

// columnsOf returns the items of a list of strings, or the strings that stand under one
// name in a list of objects.
func columnsOf(v reading.Value) [][]reading.Value {
	if v.Type != reading.Array || len(v.Items) < longList {
		return nil
	}
	if v.Items[0].Type != reading.Object {
		return [][]reading.Value{v.Items}
	}
	var columns [][]reading.Value
	for _, first := range v.Items[0].Items[:min(len(v.Items[0].Items), 20)] {
		var column []reading.Value
		for _, item := range v.Items {
			if member, found := item.Member(first.Name); found && member.IsLeaf() {
				column = append(column, member)
			}
		}
		if len(column) == len(v.Items) {
			columns = append(columns, column)
		}
	}
	return columns
}

// sorts say of what sort a value is; "" is of none.
var sorts = []struct {
	says string
	of   func(reading.Value) string
}{
	{"Another type", typeOf},
	{"Another domain", domainOf},
	{"Another root directory", rootOf},
	{"More rights", rightOf},
}

// oddIn returns the one or two values that are of another sort than all the rest, and
// one of the rest.
func oddIn(column []reading.Value, sortOf func(reading.Value) string) (odd []reading.Value, rest string) {
	counts := map[string]int{}
	most := ""
	for _, v := range column {
		sort := sortOf(v)
		if sort == "" {
			return nil, ""
		}
		if counts[sort]++; counts[sort] > counts[most] {
			most = sort
		}
	}
	others := len(column) - counts[most]
	if others == 0 || others > 2 || counts[most]*100 < len(column)*75 {
		return nil, ""
	}
	for _, v := range column {
		if sort := sortOf(v); sort != most && !(sort == "read") {
			odd = append(odd, v)
		} else if rest == "" {
			rest = v.Text
		}
	}
	return odd, rest
}

// typeOf returns the JSON type of what a list usually has one of. Null stands for a
// value that is not known.
func typeOf(v reading.Value) string {
	switch v.Type {
	case reading.String, reading.Number, reading.Bool:
		return string(v.Type)
	}
	return ""
}

// domainOf returns the domain of an address, by its last two labels.
func domainOf(v reading.Value) string {
	text := v.Text
	if v.Type != reading.String || len(text) > 300 {
		return ""
	}
	host := ""
	if _, rest, found := strings.Cut(text, "://"); found {
		host = rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"))]
	} else if address, err := mail.ParseAddress(text); err == nil {
		_, host, _ = strings.Cut(address.Address, "@")
	}
	labels := strings.Split(strings.ToLower(host), ".")
	if len(labels) < 2 {
		return host
	}
	last := 2
	if len(labels) > 2 && len(labels[len(labels)-1]) == 2 && len(labels[len(labels)-2]) <= 3 {
		last = 3 // such as example.co.uk
	}
	return strings.Join(labels[len(labels)-last:], ".")
}

// rootOf returns the first directory of an absolute path.
func rootOf(v reading.Value) string {
	if v.Type != reading.String || len(v.Text) < 2 || v.Text[0] != '/' || strings.ContainsAny(v.Text, " \n") {
		return ""
	}
	root, _, found := strings.Cut(v.Text[1:], "/")
	if !found || root == "" {
		return ""
	}
	return root
}

var (
	readWords  = setOf("read get list view describe readonly select viewer head watch reader")
	writeWords = setOf("write admin delete manage owner put create update remove all full root execute modify impersonate")
)

// rightOf returns whether a permission reads or does more, by its last word.
func rightOf(v reading.Value) string {
	if v.Type != reading.String || len(v.Text) > 100 || strings.Contains(v.Text, " ") {
		return ""
	}
	sort := ""
	for _, word := range settingWords(v.Text) {
		switch {
		case writeWords[word]:
			return "write"
		case readWords[word]:
			sort = "read"
		}
	}
	if strings.HasSuffix(v.Text, "*") && sort == "" {
		return "write"
	}
	return sort
}
