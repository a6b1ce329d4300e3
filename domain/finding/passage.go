package finding

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain/reading"
)

// passage is one text of the agent, the plan or the context.
type passage struct {
	where   string // as in Finding.Where
	action  int    // the action that it describes, or -1: all of them
	text    []rune
	numbers []mention
	ids     []identifier
	compact string
}

// isNear reports whether the text is about these very actions.
func (p *passage) isNear() bool { return p.where == "reason" || p.where == "description" }

// comparing is what the rules of comparison share.
type comparing struct {
	passages []*passage // the nearest first
	all      []argument
	byAction [][]argument
	lists    []argument
	counts   map[string]bool // numbers in the arguments, by action and in all
	compact  []string        // letters and digits of the arguments, by action
	said     map[string]bool // arguments that something was said of
	now      time.Time
	tell     func(Finding)
}

func newComparing(r *Request, report func(Finding)) *comparing {
	c := &comparing{tell: report, now: r.Now, counts: map[string]bool{}, said: map[string]bool{}, compact: make([]string, len(r.Actions)), byAction: make([][]argument, len(r.Actions))}
	room := maxProse * 4
	add := func(where string, action int, texts ...string) {
		text := firstRunes(strings.TrimSpace(strings.Join(texts, "\n")), min(maxProse, room))
		room -= len(text)
		if len(text) > 0 {
			c.passages = append(c.passages, &passage{where: where, action: action, text: text, numbers: numbersIn(text), ids: identifiersIn(text), compact: compactOf(text)})
		}
	}
	add("reason", -1, r.Reason)
	for i, action := range r.Actions {
		add("description", i, action.Description)
	}
	if r.Plan != nil {
		add("plan", -1, r.Plan.Title, r.Plan.Objective)
		for _, step := range r.Plan.Steps {
			if step.ID == r.Plan.Current && step.ID != "" {
				add("step", -1, step.Description)
			}
		}
	}
	add("context", -1, r.Context)
	if len(c.passages) == 0 {
		return c
	}
	rest := maxCompact
	for i, action := range r.Actions {
		if len(c.all) >= maxArguments {
			break
		}
		var b strings.Builder
		own := arguments(i, action.Args)
		c.byAction[i] = own
		for _, a := range own {
			c.all = append(c.all, a)
			c.count(a)
			if rest -= len(a.compact); rest > 0 {
				b.WriteString(a.compact + "\n")
			}
		}
		c.compact[i] = b.String()
		c.countLists(i, action.Args)
	}
	return c
}

// count notes the numbers of an argument.
func (c *comparing) count(a argument) {
	for _, d := range a.numbers {
		c.note(a.action, d)
	}
	for _, m := range a.found {
		for _, d := range slices.Concat(m.readings, m.parts) {
			c.note(a.action, d)
		}
	}
}

// countLists notes how many items lists have: prose counts them.
func (c *comparing) countLists(action int, v reading.Value) {
	if v.Type == reading.Array {
		if d, ok := parseDecimal(strconv.Itoa(len(v.Items))); ok {
			c.note(action, d)
		}
		if len(c.lists) < maxArguments {
			c.lists = append(c.lists, argument{Value: v, action: action})
		}
	}
	for _, item := range v.Items {
		if !item.IsLeaf() {
			c.countLists(action, item)
		}
	}
}

func (c *comparing) note(action int, d decimal) {
	c.counts[d.key(-1)] = true
	c.counts[d.key(action)] = true
}

// key names a number in the arguments of an action.
func (d decimal) key(action int) string {
	return strconv.Itoa(action) + ":" + d.digits + "e" + strconv.Itoa(d.exp)
}

// has reports whether a number of a text stands in the arguments that it is about.
func (c *comparing) has(p *passage, m mention) bool {
	isThere := func(d decimal) bool { return c.counts[d.key(p.action)] }
	return slices.ContainsFunc(m.readings, isThere) || slices.ContainsFunc(m.parts, isThere)
}

// hasCompact reports whether letters and digits stand in the arguments.
func (c *comparing) hasCompact(p *passage, text string) bool {
	if p.action >= 0 {
		return strings.Contains(c.compact[p.action], text)
	}
	return slices.ContainsFunc(c.compact, func(all string) bool { return strings.Contains(all, text) })
}

// arguments returns those that a text is about.
func (c *comparing) arguments(p *passage) []argument {
	if p.action < 0 {
		return c.all
	}
	return c.byAction[p.action]
}

// isNamed reports whether prose names the value of an argument. The agent's texts count
// together.
func (c *comparing) isNamed(p *passage, a argument) bool {
	return slices.ContainsFunc(c.passages, func(other *passage) bool {
		if other != p && !(p.isNear() && other.isNear() && (other.action < 0 || other.action == a.action)) {
			return false
		}
		return slices.ContainsFunc(a.numbers, func(d decimal) bool {
			return slices.ContainsFunc(other.numbers, func(m mention) bool { return m.isAny(d) })
		})
	})
}

// key names the argument among all of the request.
func (a argument) key() string { return strconv.Itoa(a.action) + a.Pointer }

// say reports a finding about an argument, once for each.
func (c *comparing) say(kind Kind, level Level, p *passage, a argument, says, there string) {
	if c.said[a.key()] {
		return
	}
	c.said[a.key()] = true
	c.tell(Finding{
		Kind: kind, Level: level, Action: a.action, Pointer: a.Pointer,
		Says: says, Here: string(firstRunes(a.Text, 200)), There: string(firstRunes(strings.TrimSpace(there), 200)), Where: p.where,
	})
}

// differs is the sentence for an argument that is not what a text says.
func differs(a argument, p *passage) string {
	return quotedName(a.Pointer) + " differs from the " + p.where
}

// written returns what stands in a text, with the unit or currency around it.
func (p *passage) written(m mention) string {
	start, end := m.start, m.end
	if word, _ := wordBefore(p.text, start); word != "" && word == m.currency {
		start = max(0, strings.LastIndex(string(p.text[:start]), word))
		start = len([]rune(string(p.text)[:start]))
	}
	if word, hasBlank := wordAfter(p.text, end); word != "" {
		if magnitudes[strings.ToLower(word)] > 0 || unitOf(word) != nil || isCurrency(word) || word == m.currency {
			end += len([]rune(word))
			if hasBlank {
				end++
			}
		}
	}
	return string(p.text[start:min(end, len(p.text))])
}
