package domain_test

import (
	"crypto/rand"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/credential"
	"countersign/domain/evidence"
)

// play is a sequence of deeds that two actors are asked for. Somebody changes the database
// of one of them while they act.
type play struct {
	t                       testing.TB
	number                  int
	random                  *mathrand.Rand
	stage                   *stage
	readers                 []reader
	triggers                [][2]string
	root                    domain.Ref
	tokens, links           []string
	people                  []domain.Ref // whose rows are changed, and so on
	confirms, plans, posted []string

	status domain.Status
	edits  bool
}

// tamper makes up what to change, and does it.
func (p *play) tamper(i *intruder) *tampering {
	p.t.Helper()
	now := i.read(slices.Sorted(maps.Keys(i.tables))...)
	places := slices.SortedFunc(maps.Keys(now), func(a, b rowPlace) int { return strings.Compare(a.table+a.key, b.table+b.key) })
	for range 200 {
		tp := &tampering{edits: edits{}}
		for range 1 + max(0, p.random.IntN(5)-3) {
			p.change(i, now, places, tp)
		}
		for place, e := range tp.edits {
			if e.was.equal(e.is) {
				delete(tp.edits, place)
			}
		}
		if tp.trigger[0] != "" {
			i.change(tp.trigger[0])
			return tp
		}
		if len(tp.edits) > 0 && i.apply(tp.edits) == nil {
			p.focus(i, now, tp)
			return tp
		}
	}
	p.t.Fatal("nothing could be changed")
	return nil
}

// focus has what is changed be used more often.
func (p *play) focus(i *intruder, now map[rowPlace]dbRow, tp *tampering) {
	of := map[int64]string{}
	for place, row := range now {
		if place.table == "confirms" {
			table := i.tables["confirms"]
			of[table.column(row, "requested_seq").(int64)] = table.column(row, "confirm_id").(string)
		}
	}
	for place, e := range tp.edits {
		table := i.tables[place.table]
		for _, row := range []dbRow{e.was, e.is} {
			if row == nil {
				continue
			}
			id, isText := row[0].(string)
			switch place.table {
			case "confirms":
				p.confirms = append(p.confirms, id)
			case "confirm_contents", "decisions", "consumptions":
				if seq, ok := table.column(row, "requested_seq").(int64); ok && of[seq] != "" {
					p.confirms = append(p.confirms, of[seq])
				}
			case "plans", "plan_contents":
				p.plans = append(p.plans, id)
			case "users", "user_roles":
				p.people = append(p.people, domain.Ref{Kind: domain.KindUser, ID: id})
			case "keys", "key_roles":
				p.people = append(p.people, domain.Ref{Kind: domain.KindAgent, ID: id})
			}
			_ = isText
		}
	}
	p.confirms = slices.DeleteFunc(p.confirms, func(id string) bool { return p.stage.hashes[id] == "" })
	p.plans = slices.DeleteFunc(p.plans, func(id string) bool { return !slices.Contains(p.stage.plans, id) })
	p.people = slices.DeleteFunc(p.people, func(ref domain.Ref) bool { return !slices.Contains(p.stage.people, ref) })
}

// change makes up one change.
func (p *play) change(i *intruder, now map[rowPlace]dbRow, places []rowPlace, tp *tampering) {
	// Tables are chosen first: some have many rows.
	name := anyOf(p.random, slices.Sorted(maps.Keys(i.tables)))
	if p.random.IntN(3) > 0 {
		name = anyOf(p.random, []string{"confirms", "plans", "users", "keys", "roles", "decisions", "plan_contents", "confirm_contents"})
	}
	table := i.tables[name]
	var here []rowPlace
	for _, place := range places {
		if place.table == name {
			here = append(here, place)
		}
	}
	if len(here) == 0 {
		return
	}
	place := anyOf(p.random, here)
	row := now[place]
	column := p.random.IntN(len(table.columns))
	about := name + "." + table.columns[column]
	say := func(format string, args ...any) {
		tp.what = strings.TrimPrefix(tp.what+", "+fmt.Sprintf(format, args...), ", ")
	}
	switch kind := p.random.IntN(30); kind {
	default:
		say("change %s", about)
		changed := slices.Clone(row)
		changed[column] = p.value(now, here, place, column)
		if other := table.place(changed); other != place {
			if now[other] != nil {
				return
			}
			tp.edits.set(other, nil, changed)
			tp.edits.set(place, row, nil)
			tp.isMoved = true
			return
		}
		tp.edits.set(place, row, changed)
		tp.isMoved = tp.isMoved || isIndexed(table.columns[column])
	case 12, 13:
		say("delete of %s", name)
		tp.edits.set(place, row, nil)
		tp.isMoved = true
	case 14:
		say("copy of %s", name)
		copied := slices.Clone(row)
		copied[slices.Index(table.columns, table.keys[0])] = p.tweaked(table.column(row, table.keys[0]))
		if now[table.place(copied)] == nil {
			tp.edits.set(table.place(copied), nil, copied)
		}
		tp.isMoved = true
	case 15:
		other := anyOf(p.random, here)
		if other == place || slices.Contains(table.keys, table.columns[column]) {
			return
		}
		say("swap %s", about)
		a, b := slices.Clone(row), slices.Clone(now[other])
		a[column], b[column] = b[column], a[column]
		tp.edits.set(place, row, a)
		tp.edits.set(other, now[other], b)
		tp.isMoved = tp.isMoved || isIndexed(table.columns[column])
	case 16, 17, 18:
		say("older row of %s", name)
		tp.edits.set(place, row, anyOf(p.random, append(p.stage.past[place], row)))
		tp.isMoved = true
	case 19, 20, 21, 22:
		p.replay(i, now, tp, say)
	case 23:
		p.rewrite(i, now, here, tp, say)
	case 24:
		p.forgeHead(i, now, tp, say)
	case 25, 26:
		p.forgeSession(i, now, tp, say)
	case 27:
		if p.random.IntN(3) == 0 {
			say("rollback")
			then := anyOf(p.random, p.stage.states)
			for at, row := range now {
				tp.edits.set(at, row, then[at])
			}
			for at, row := range then {
				if now[at] == nil {
					tp.edits.set(at, nil, row)
				}
			}
			tp.isMoved = true
		}
	case 28:
		if len(p.triggers) > 0 {
			tp.trigger = anyOf(p.random, p.triggers)
			tp.what = tp.trigger[0]
			tp.edits = edits{}
		}
	}
}

// isIndexed reports whether lists are read along an index of the column.
func isIndexed(column string) bool {
	return slices.Contains([]string{"status", "imported", "requested_group", "required_role", "session_id", "plan_id", "trace_id", "target_id", "expires_at", "received_at", "decided_seq", "target_type",
		"step_id", "binding", "supersedes", "approval_key", "created_at", "name_folded", "requested_by_role", "type", "confirm_id", "object_id", "canonical_id", "owner_id", "role_id", "target_hash", "locked", "revoked_at", "words", "term", "context_id"}, column)
}

// value is another value for a column.
func (p *play) value(now map[rowPlace]dbRow, here []rowPlace, place rowPlace, column int) any {
	switch p.random.IntN(6) {
	case 0:
		return nil
	case 1, 2, 3:
		from := now[anyOf(p.random, here)]
		if past := p.stage.past[anyOf(p.random, here)]; len(past) > 0 && p.random.IntN(2) == 0 {
			from = anyOf(p.random, past)
		}
		return from[column]
	}
	v := now[place][column]
	if v == nil {
		for _, other := range here {
			if v = now[other][column]; v != nil {
				break
			}
		}
	}
	return p.tweaked(v)
}

func (p *play) tweaked(v any) any {
	switch v := v.(type) {
	case int64:
		return v + anyOf(p.random, []int64{1, -1, 1 - 2*v, 86_400_000_000, -86_400_000_000})
	case string:
		at := p.random.IntN(len(v) + 1)
		return v[:at] + string('a'+rune(p.random.IntN(26))) + v[min(len(v), at+p.random.IntN(2)):]
	case []byte:
		changed := append(slices.Clone(v), 0)
		changed[p.random.IntN(len(changed))] ^= byte(1 + p.random.IntN(255))
		return changed[:len(v)+p.random.IntN(2)]
	}
	return v
}

// replay puts an object's rows back as they once were, and may hide what came later.
func (p *play) replay(i *intruder, now map[rowPlace]dbRow, tp *tampering, say func(string, ...any)) {
	then := anyOf(p.random, p.stage.states)
	family := anyOf(p.random, [][]string{{"confirms", "confirm_contents", "decisions", "consumptions"}, {"plans", "plan_contents"}, {"users", "user_roles"}, {"keys", "key_roles"}, {"roles"}, {"contexts"},
		{"decisions"}, {"consumptions"}, {"confirms"}, {"user_roles"}, {"volatile_sessions"}, {"volatile_links"}})
	say("replay of %s", family)
	places := map[rowPlace]bool{}
	for at := range now {
		places[at] = true
	}
	for at := range then {
		places[at] = true
	}
	id := ""
	last := int64(-1)
	for at := range then {
		if at.table == "log" {
			last = max(last, then[at][slices.Index(i.tables["log"].columns, "seq")].(int64))
		}
	}
	ids := map[string]bool{}
	owner := func(at rowPlace) string { return strings.SplitN(at.key, "/", 2)[0] }
	for at := range places {
		if slices.Contains(family, at.table) && !now[at].equal(then[at]) {
			ids[owner(at)] = true
		}
	}
	if len(ids) == 0 {
		return
	}
	id = anyOf(p.random, slices.Sorted(maps.Keys(ids)))
	all := p.random.IntN(3) == 0
	for at := range places {
		if slices.Contains(family, at.table) && (all || owner(at) == id) {
			tp.edits.set(at, now[at], then[at])
		}
	}
	tp.isMoved = true
	if p.random.IntN(2) == 0 {
		say("hidden")
		tp.isHidden = true
		log := i.tables["log"]
		for at, row := range now {
			if at.table == "log" && log.column(row, "seq").(int64) > last {
				tp.edits.set(at, row, log.with(row, map[string]any{"type": nil, "confirm_id": nil, "plan_id": nil, "object_id": nil, "trace_id": nil}))
			}
		}
	}
}

// rewrite changes entries of the log, and what is stored of them in the tree.
func (p *play) rewrite(i *intruder, now map[rowPlace]dbRow, _ []rowPlace, tp *tampering, say func(string, ...any)) {
	log := i.tables["log"]
	var seqs []int64
	rows := map[int64]dbRow{}
	for at, row := range now {
		if at.table == "log" {
			seq := log.column(row, "seq").(int64)
			seqs, rows[seq] = append(seqs, seq), row
		}
	}
	slices.Sort(seqs)
	seq := anyOf(p.random, seqs)
	switch p.random.IntN(3) {
	case 0:
		say("an entry, and its hash")
		entry := []byte(strings.Replace(string(log.column(rows[seq], "entry").([]byte)), anyOf(p.random, []string{"rejected", "cancelled", "revoked", `"seq":`, "root"}), "approved", 1))
		leaf := evidence.LeafHash(entry)
		tp.edits.set(log.place(rows[seq]), rows[seq], log.with(rows[seq], map[string]any{"entry": entry, "hash": leaf[:]}))
	case 1:
		say("an entry in the place of another")
		other := rows[anyOf(p.random, seqs)]
		tp.edits.set(log.place(rows[seq]), rows[seq], log.with(rows[seq], map[string]any{"entry": log.column(other, "entry"), "hash": log.column(other, "hash")}))
	case 2:
		cut := 1 + p.random.IntN(10)
		say("the last %d entries cut", cut)
		for _, seq := range seqs[len(seqs)-cut:] {
			tp.edits.set(log.place(rows[seq]), rows[seq], nil)
		}
	}
	tp.isMoved, tp.isHidden = true, true
}

// forgeHead puts a checkpoint in place of the newest: an older one, or one that
// another key has signed.
func (p *play) forgeHead(i *intruder, now map[rowPlace]dbRow, tp *tampering, say func(string, ...any)) {
	head := i.tables["log_head"]
	for at, row := range now {
		if at.table != "log_head" {
			continue
		}
		if p.random.IntN(2) == 0 {
			say("an older checkpoint")
			tp.edits.set(at, row, anyOf(p.random, p.stage.states)[at])
			return
		}
		say("a checkpoint signed by another key")
		c, err := evidence.PeekCheckpoint(head.column(row, "checkpoint").(string))
		if err != nil {
			return // it was changed already
		}
		key := must[*evidence.SigningKey](p.t)(evidence.NewSigningKey(rand.Reader, c.Origin))
		tp.edits.set(at, row, head.with(row, map[string]any{"checkpoint": must[string](p.t)(c.Sign(key))}))
	}
}

// forgeSession makes a session or a link, or prolongs one.
func (p *play) forgeSession(i *intruder, now map[rowPlace]dbRow, tp *tampering, say func(string, ...any)) {
	name := anyOf(p.random, []string{"volatile_sessions", "volatile_links"})
	table := i.tables[name]
	of := anyOf(p.random, p.stage.people)
	for at, row := range now {
		if at.table != name {
			continue
		}
		values := map[string]any{}
		for _, column := range []string{"created_at", "seen_at", "expires_at"} {
			if slices.Contains(table.columns, column) {
				values[column] = p.stage.clock.Add(time.Hour).UnixMicro()
			}
		}
		if p.random.IntN(2) == 0 {
			say("%s prolonged", name)
			tp.edits.set(at, row, table.with(row, values))
			continue
		}
		say("%s forged", name)
		values["hash"], values["user_id"] = credential.HashToken("forged"), of.ID
		if name == "volatile_links" && p.random.IntN(3) == 0 {
			values["user_id"] = nil
		}
		forged := table.with(row, values)
		tp.edits.set(table.place(forged), nil, forged)
		return
	}
}
