package domain_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/credential"
	"countersign/domain/evidence"
)

// attemptPolicy is what may differ while something is not as it should be.
type attemptPolicy struct {
	// deeds, by the beginning of their names, may be answered otherwise.
	deeds []string
	// lists may lack something, or have more.
	lists bool
}

// mayDiffer are the tables that the log does not cover. Whoever changes them gains no
// session, link, right or decision.
var mayDiffer = map[string]attemptPolicy{
	"volatile_sessions":    {deeds: []string{"users"}}, // which of their own sessions users are shown
	"volatile_links":       {},
	"volatile_counts":      {deeds: []string{"pending", "post", "search"}},                  // how many wait; whether a key has too many
	"volatile_throttles":   {deeds: []string{"sign in", "use link", "session"}},             // how long who failed has to wait
	"volatile_words":       {deeds: []string{"search", "what names the role"}, lists: true}, // what a search finds
	"volatile_search":      {deeds: []string{"search", "what names the role"}, lists: true},
	"volatile_key_used":    {deeds: []string{"keys"}},
	"volatile_preferences": {},
	"volatile_facts":       {}, // what a reviewer is told of earlier decisions
}

// Of what the log covers, two things are not noticed where it is only read: that a list
// lacks a row, or has an older one, and, while the columns along which entries are
// found are emptied, that there are later ones. Nothing is decided, used or moved on
// either that a verification would not find for ever. And what could not be settled at
// its deadline is listed and counted as pending for a minute.
var (
	always = attemptPolicy{deeds: []string{"pending", "list: inbox", "inbox objects", "frames", "search", "requests of plan"}}
	moved  = attemptPolicy{lists: true}
	unseen = attemptPolicy{lists: true, deeds: []string{"gate", "outcome", "approval", "page of", "object", "context", "trace", "proof", "session", "bundle", "time", "history"}}
)

func (al attemptPolicy) covers(d deed) bool {
	return al.lists && d.isList || slices.ContainsFunc(al.deeds, func(name string) bool { return strings.HasPrefix(d.name, name) })
}

// tampering is what somebody does to a database.
type tampering struct {
	what     string
	edits    edits
	trigger  [2]string // to make and to drop
	isMoved  bool      // rows are missing, or are older ones
	isHidden bool      // entries cannot be found
}

func (tp *tampering) covered() bool {
	return tp.trigger[0] != "" || slices.ContainsFunc(tp.edits.touched(), func(table string) bool { return !outOfTouch(table) })
}

// allows says what may differ.
func (tp *tampering) allows(d deed) bool {
	for _, table := range tp.edits.touched() {
		if al, known := mayDiffer[table]; known && al.covers(d) {
			return true
		}
	}
	return always.covers(d) || tp.isMoved && moved.covers(d) || tp.isHidden && unseen.covers(d)
}

// play is a sequence of deeds that two actors are asked for, one of whose databases
// somebody changes meanwhile.
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

// isIndexed says whether lists are found along a column.
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

// difference is an answer that nobody gets from a database that is as it should be.
type difference struct {
	deed      deed
	got, want string
	isRefused bool // both are, for other reasons
}

// both asks both actors for the deed, unless it is refused: then nothing came of it.
func (d deed) both(st *stage, changed, twin *actor) *difference {
	got, err := d.run(changed)
	switch domain.ErrorCode(err) {
	case "", domain.CodeInternal, domain.CodeAlreadyDecided, domain.CodeExpired, domain.CodeConsumed: // these tell something
	default:
		return nil
	}
	want, twinErr := d.run(twin)
	if domain.ErrorCode(err) != domain.ErrorCode(twinErr) {
		return &difference{d, fmt.Sprint(got, err), fmt.Sprint(want, twinErr), err != nil && twinErr != nil && domain.ErrorCode(err) != domain.CodeInternal}
	}
	if err != nil {
		return nil
	}
	got, want = st.named(got), st.named(want)
	if d.isList {
		for _, item := range got {
			if !slices.Contains(want, item) {
				return &difference{d, item, "none like it", false}
			}
		}
		return nil
	}
	if !slices.Equal(got, want) {
		return &difference{d, fmt.Sprint(got), fmt.Sprint(want), false}
	}
	return nil
}

// tally counts what came of many plays.
type tally struct {
	mu         sync.Mutex
	cases      int
	violations map[string]int
	allowed    int
	refused    int // plays in which nothing but refusals differed
	found      int // by a verification, although all was put back
}

func newTally() *tally { return &tally{violations: map[string]int{}} }

// run plays once. Copies are the database that is changed and its twin.
func (p *play) run(changed, twin *world, i *intruder, report func() *evidence.Report, sum *tally) {
	a := &actor{world: changed, tokens: map[string]string{}, hashes: map[string]string{}}
	b := &actor{world: twin, tokens: map[string]string{}, hashes: map[string]string{}}
	a.t, b.t = nil, nil
	length := 10 + p.random.IntN(12)
	at, isPutBack := p.random.IntN(3), p.random.IntN(4) > 0
	back := at + 4 + p.random.IntN(length-at-3)
	var tp *tampering
	var differences []*difference
	undo := func() {
		if tp.trigger[1] != "" {
			i.change(tp.trigger[1])
		}
		i.undo(tp.edits)
	}
	for n := range length {
		if n == at {
			tp = p.tamper(i)
		}
		if n == back && isPutBack {
			undo()
		}
		deeds := []deed{p.deed()}
		if n == at || n == back-1 { // what is changed is looked at
			for _, r := range p.about() {
				deeds = append(deeds, deed{r.name, false, r.isList, func(a *actor) ([]string, error) { return r.read(a.world) }})
			}
			p.random.Shuffle(len(deeds), func(i, j int) { deeds[i], deeds[j] = deeds[j], deeds[i] })
		}
		for _, d := range deeds[:min(len(deeds), 8)] {
			if d := d.both(p.stage, a, b); d != nil {
				differences = append(differences, d)
			}
			b.pass(a.now().Sub(b.now())) // time goes on in both, whatever was refused
		}
	}
	if back >= length && isPutBack {
		undo()
	}
	isLeft := !isPutBack && tp.covered() && (tp.trigger[0] != "" || i.left(tp.edits))
	if !isPutBack && tp.trigger[0] == "" {
		covered := edits{}
		for place, e := range tp.edits {
			if !outOfTouch(place.table) {
				covered[place] = e
			}
		}
		isLeft = len(covered) > 0 && i.left(covered)
	}
	changed.closeQuietly()
	twin.closeQuietly()
	tampered := report().IsTampered()
	sum.mu.Lock()
	defer sum.mu.Unlock()
	sum.cases++
	if isLeft && !tampered {
		sum.violations[fmt.Sprintf("play %d: not found: %s", p.number, tp.what)]++
	}
	if tampered {
		if isPutBack {
			sum.found++
		}
		if tp.covered() {
			return
		}
	}
	if len(differences) == 0 {
		sum.refused++
		return
	}
	d := differences[0] // what comes after it may follow from it
	if tp.allows(d.deed) || tp.isHidden && d.isRefused {
		sum.allowed++
		return
	}
	sum.violations[fmt.Sprintf("play %d: %s: %s: %.400s, want %.400s", p.number, tp.what, d.deed.name, d.got, d.want)]++
}

// closeQuietly ends the use of a database.
func (w *world) closeQuietly() {
	w.feed.Close()
	if err := w.db.Close(); err != nil {
		panic(err)
	}
}

// end reports what came of the plays.
func (sum *tally) end(t *testing.T, bar string, seed uint64, began time.Time) {
	t.Helper()
	for _, what := range slices.Sorted(maps.Keys(sum.violations)) {
		t.Errorf("%d: %s", sum.violations[what], what)
	}
	figures, err := json.Marshal(map[string]any{"bar": bar, "n": sum.cases, "violations": len(sum.violations), "seed": seed, "found": sum.found,
		"same_or_refused": sum.refused, "allowed": sum.allowed, "wall_s": time.Since(began).Seconds()})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(string(figures))
}

// sneaks are triggers that change what the program writes.
var sneaks = [][2]string{
	{"CREATE TRIGGER sneak AFTER INSERT ON decisions BEGIN UPDATE confirms SET status = 'approved' WHERE requested_seq = NEW.requested_seq; END", "DROP TRIGGER sneak"},
	{"CREATE TRIGGER sneak BEFORE UPDATE ON confirms BEGIN UPDATE confirms SET requested_group = 'keys', required_role = NULL WHERE confirm_id = NEW.confirm_id; END", "DROP TRIGGER sneak"},
	{"CREATE TRIGGER sneak BEFORE UPDATE ON users BEGIN UPDATE users SET password = (SELECT password FROM users WHERE name = 'payer') WHERE user_id = NEW.user_id; END", "DROP TRIGGER sneak"},
	{"CREATE TRIGGER sneak AFTER UPDATE ON users BEGIN UPDATE users SET disabled = 0; END", "DROP TRIGGER sneak"},
	{"CREATE TRIGGER sneak AFTER UPDATE ON keys BEGIN UPDATE keys SET revoked_at = NULL; END", "DROP TRIGGER sneak"},
	{"CREATE TRIGGER sneak BEFORE DELETE ON user_roles BEGIN SELECT RAISE(IGNORE); END", "DROP TRIGGER sneak"},
	{"CREATE TRIGGER sneak BEFORE DELETE ON roles BEGIN SELECT RAISE(IGNORE); END", "DROP TRIGGER sneak"},
	{"CREATE TRIGGER sneak BEFORE INSERT ON consumptions BEGIN SELECT RAISE(IGNORE); END", "DROP TRIGGER sneak"},
	{"CREATE TRIGGER sneak BEFORE INSERT ON decisions BEGIN SELECT RAISE(IGNORE); END", "DROP TRIGGER sneak"},
	{"CREATE TRIGGER sneak BEFORE INSERT ON log BEGIN SELECT RAISE(IGNORE); END", "DROP TRIGGER sneak"},
	{"CREATE TRIGGER sneak AFTER INSERT ON confirm_contents BEGIN DELETE FROM confirm_contents WHERE requested_seq = NEW.requested_seq; END", "DROP TRIGGER sneak"},
	{"CREATE TRIGGER sneak AFTER UPDATE ON plans BEGIN UPDATE plans SET status = 'approved'; END", "DROP TRIGGER sneak"},
}

// TestBarR4b_TamperingWhileItRuns: whatever of the database somebody changes who has
// no signing key, and whether they put it back or not, either a verification finds it,
// also later, or everybody is answered as from a database that nobody has changed, or
// refused. COUNTERSIGN_SOAK=1 plays 10,000 times.
func TestBarR4b_TamperingWhileItRuns(t *testing.T) {
	t.Parallel()
	const seed = 20260103
	plays := 20
	if os.Getenv("COUNTERSIGN_SOAK") == "1" {
		plays = 10_000
	}
	first, last := 0, plays
	if only := os.Getenv("R4B_ONLY"); only != "" {
		_, _ = fmt.Sscan(only, &first)
		last = first + 1
	}
	began := time.Now()
	w := newWorld(t)
	watcher := openIntruder(t, w.file)
	st := set(t, w, w.file, watcher)
	readers := w.readers()
	must[any](t)(nil, watcher.conn.close()) // before the program's, which folds the journal into the file
	w.close()
	sum := newTally()
	t.Run("plays", func(t *testing.T) {
		const workers = 2
		for worker := range workers {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				for n := first + worker; n < last; n += workers {
					files := [2]string{filepath.Join(folder, "changed.db"), filepath.Join(folder, "twin.db")}
					for _, file := range files {
						copyFiles(t, file, w.file, "", ".key", ".head")
						_, _ = os.Remove(file+"-wal"), os.Remove(file+"-shm")
					}
					p := &play{t: t, number: n, random: mathrand.New(mathrand.NewPCG(seed, uint64(n))), stage: st, readers: readers, triggers: sneaks, root: st.root, tokens: st.tokens, links: st.links}
					i := openIntruder(t, files[0])
					p.run(st.open(t, files[0], files[0]), st.open(t, files[1], files[1]), i, func() *evidence.Report {
						must[any](t)(nil, i.conn.close())
						return verify(t, files[0], "")
					}, sum)
				}
			})
		}
	})
	sum.end(t, "R4b", seed, began)
}
