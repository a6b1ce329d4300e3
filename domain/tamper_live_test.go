package domain_test

import (
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
