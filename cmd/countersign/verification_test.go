package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/domain/mplp"
)

// often is how often the servers of these tests verify their database.
const often = "300ms"

// resting is a database on which something rests: an approved plan, and a confirm
// that waits.
type resting struct {
	db, asker, decider string
	approved, waits    *domain.Confirm
}

func newResting(t *testing.T, db string) *resting {
	t.Helper()
	r := &resting{db: db}
	opened(t, db, func(h *house) {
		h.user("admin", "admin")
		owner := h.user("owner", "reviewer")
		r.decider, _ = h.key(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "owner", MayDecide: true})
		var agent domain.Ref
		r.asker, agent = h.key(domain.KeyInput{Name: "asker", Roles: []string{"planner", "executor"}})
		plan, err := mplp.ParsePlan([]byte(strings.ReplaceAll(aPlan, "ID", "p")), h.Limits().MPLP())
		if err == nil {
			_, err = h.PostPlan(t.Context(), agent, plan)
		}
		if err == nil {
			r.approved, err = h.ProposePlan(t.Context(), agent, "p", domain.ProposeInput{})
		}
		if err == nil {
			_, err = h.Decide(t.Context(), owner, r.approved.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: r.approved.ContentHash})
		}
		if err != nil {
			t.Fatal(err)
		}
		r.waits = h.post(agent, aCall)
	})
	return r
}

// alter writes to the database as somebody who is no server.
func (r *resting) alter(t *testing.T, text string) {
	t.Helper()
	if strings.HasPrefix(r.db, "postgres") {
		c, err := pgx.Connect(t.Context(), r.db)
		if err == nil {
			_, err = c.Exec(t.Context(), text)
			err = errors.Join(err, c.Close(t.Context()))
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	db, err := sql.Open("sqlite", "file:"+r.db+"?_pragma=busy_timeout(10000)")
	if err == nil {
		_, err = db.Exec(text)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// node is a server that verifies its database, and what a test asks it.
type node struct {
	*process
	*resting
	metrics string
	admin   *http.Client
}

func (r *resting) node(t *testing.T, args ...string) *node {
	t.Helper()
	n := &node{process: spawn(t, r.db, append(args, "--verify-every", often, "--metrics", "127.0.0.1:0")...), resting: r}
	n.metrics = "http://" + n.stderr.await(t, 1, `"msg":"metrics are served","address":"([^"]+)"`)[1] + "/metrics"
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	n.admin = &http.Client{Jar: jar}
	form := formOf(t, n.admin, n.base+"/login")
	form.Set("username", "admin")
	form.Set("password", password)
	n.page(t, n.post(t, "/login", form.Encode()))
	return n
}

func (n *node) post(t *testing.T, path, form string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, n.base+path, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", n.base)
	return r
}

// page sends a request as the administrator and reads the page that comes of it.
func (n *node) page(t *testing.T, r *http.Request) *goquery.Document {
	t.Helper()
	answer, err := n.admin.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	doc, err := goquery.NewDocumentFromReader(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d (%v)", r.URL, answer.StatusCode, err)
	}
	return doc
}

func (n *node) open(t *testing.T, path string) *goquery.Document {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, n.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return n.page(t, r)
}

// call sends JSON and gives the status, and the code of a verdict or a problem.
func (n *node) call(t *testing.T, key, method, path string, body object) string {
	t.Helper()
	text := []byte(nil)
	if body != nil {
		text, _ = json.Marshal(body) // of plain values
	}
	var told struct{ Type, Verdict, Code string }
	status, answer, err := fetches(t.Context(), http.DefaultClient, key, method, n.base+"/api/v1"+path, string(text))
	if err == nil {
		err = json.Unmarshal(answer, &told)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(fmt.Sprint(status, " ", told.Verdict, told.Type, " ", told.Code))
}

// says checks what a node says of its database in every place where it does.
func (n *node) says(t *testing.T, ok bool) {
	t.Helper()
	ready, gate, one, alarms := http.StatusOK, "200 RESUME approved", "1", 0
	line := "verification: ok"
	if !ok {
		ready, gate, one, alarms = http.StatusServiceUnavailable, "200 BLOCK unproven", "0", 1
		line = "verification: failed"
	}
	for late := time.Now().Add(patience); ; { // it looks once a second
		status, text := get(t, n.base+"/readyz", "")
		if status == ready && strings.Contains(text, line+"\n") {
			break
		}
		if time.Now().After(late) {
			t.Fatalf("readyz: status %d: %s", status, text)
		}
	}
	if status, _ := get(t, n.base+"/healthz", ""); status != http.StatusOK {
		t.Errorf("healthz: status %d", status)
	}
	if got := n.call(t, n.asker, http.MethodGet, "/gate?plan_id=p&step_id=s1", nil); got != gate {
		t.Errorf("gate: %s, want %s", got, gate)
	}
	if got := n.open(t, "/confirms").Find("#alarm [role=alert]").Length(); got != alarms {
		t.Errorf("the page has %d alarms, want %d", got, alarms)
	}
	_, text := get(t, n.metrics, "")
	if !strings.Contains(text, "\ncountersign_verification_ok "+one+"\n") ||
		regexp.MustCompile(`(?m)^countersign_verification_timestamp_seconds 1\.\d+e\+09$`).FindString(text) == "" {
		t.Errorf("the metrics do not say %s: %s", one, regexp.MustCompile(`(?m)^countersign_verification.*$`).FindAllString(text, -1))
	}
}

// What somebody changes in the database while it is served is found by itself, on
// each node, and nothing rests on it until it is put back.
func TestVerify_FindsWhatIsChangedWhileItServes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		db    func(*testing.T) string
		nodes int
	}{
		"SQLite":                       {func(t *testing.T) string { return filepath.Join(t.TempDir(), "countersign.db") }, 1},
		"two nodes and one PostgreSQL": {func(t *testing.T) string { return tempPostgreSQL(t) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newResting(t, tt.db(t))
			var nodes []*node
			for range tt.nodes {
				nodes = append(nodes, r.node(t))
			}
			for _, n := range nodes {
				n.stderr.await(t, 1, `"msg":"the database was verified"`)
				n.says(t, true)
			}
			decision := object{"status": "approved", "content_hash": r.waits.ContentHash}
			use := object{"confirm_id": r.approved.ID, "execution_id": "e", "step_id": "s1"}
			r.alter(t, "UPDATE users SET name = 'somebody' WHERE name = 'owner'")
			for _, n := range nodes {
				line := n.stderr.await(t, 1, `(?m)^\{.*"level":"ERROR","msg":"the database was changed .*$`)[0]
				if !strings.Contains(line, `"findings":["users `) || !strings.Contains(line, `"count":1`) {
					t.Errorf("the log does not say what was found: %s", line)
				}
				n.says(t, false)
				if got := n.call(t, r.decider, http.MethodPost, "/confirms/"+r.waits.ID+"/decisions", decision); got != "503 /problems/evidence-unavailable" {
					t.Errorf("deciding: %s: %s", got, n.stderr)
				}
				if got := n.call(t, r.asker, http.MethodPost, "/gate/consume", use); got != "503 /problems/evidence-unavailable" {
					t.Errorf("consuming: %s", got)
				}
				if got := n.open(t, "/evidence").Find("section[aria-labelledby=verification]").Text(); !strings.Contains(got, "the row is not as it was logged") {
					t.Errorf("the evidence page does not say what was found: %s", got)
				}
			}
			r.alter(t, "UPDATE users SET name = 'owner' WHERE name = 'somebody'")
			for _, n := range nodes {
				n.stderr.await(t, 1, `(?s)"msg":"the database was changed .*"msg":"the database was verified"`)
				n.says(t, true)
			}
			n := nodes[len(nodes)-1]
			if got := n.call(t, r.decider, http.MethodPost, "/confirms/"+r.waits.ID+"/decisions", decision); got != "201" {
				t.Errorf("deciding afterwards: %s", got)
			}
			if got := n.call(t, r.asker, http.MethodPost, "/gate/consume", use); got != "200" {
				t.Errorf("consuming afterwards: %s", got)
			}
		})
	}
}

// processFacts are what the system knows of a process: its state, its parent and
// how nice the least nice of its threads is. They are empty for one that is not.
func processFacts(pid int) (state string, parent, nice int) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid)) // the pattern is one
	for i, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		own, _ := strconv.Atoi(fields[16])
		if i == 0 {
			nice = own
		}
		nice = min(nice, own)
		parent, _ = strconv.Atoi(fields[1])
		state = fields[0]
	}
	return state, parent, nice
}

// catch halts a verification of a server in the middle and gives its process.
func catch(t *testing.T, p *process) int {
	t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); {
		all, err := filepath.Glob("/proc/[0-9]*")
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range all {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			words, _ := os.ReadFile(dir + "/cmdline")
			if _, parent, _ := processFacts(pid); parent != p.cmd.Process.Pid || string(words) != "countersign\x00evidence\x00verify\x00--json\x00" {
				continue
			}
			_ = syscall.Kill(pid, syscall.SIGSTOP) // of what has ended, nothing
			for {
				state, _, _ := processFacts(pid)
				if state == "T" {
					return pid
				}
				if state == "Z" || state == "" {
					break
				}
			}
		}
	}
	t.Fatalf("no verification runs:\n%s", p.stderr)
	return 0
}

// A verification that is killed says nothing of the database, and the next one
// does.
func TestVerify_KilledIsNoFinding(t *testing.T) {
	t.Parallel()
	n := newResting(t, filepath.Join(t.TempDir(), "countersign.db")).node(t)
	pid := catch(t, n.process)
	for late := time.Now().Add(patience); ; {
		_, _, nice := processFacts(pid)
		adjusted, _ := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid))
		if nice == 19 && string(adjusted) == "1000\n" {
			break
		}
		if time.Now().After(late) {
			t.Fatalf("it is as important as the server: nice %d, for the killer %s", nice, adjusted)
		}
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	n.stderr.await(t, 1, `"level":"ERROR","msg":"the database could not be verified","error":"signal: killed"`)
	if got := n.call(t, n.asker, http.MethodGet, "/gate?plan_id=p&step_id=s1", nil); got != "200 RESUME approved" {
		t.Errorf("gate: %s", got)
	}
	n.stderr.await(t, 1, `(?s)"error":"signal: killed".*"msg":"the database was verified"`)
	n.says(t, true)
}

// A verification ends with its server, however that ends.
func TestVerify_EndsWithItsServer(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"stopped": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := spawn(t, filepath.Join(t.TempDir(), "countersign.db"), "--verify-every", often)
			pid := catch(t, p)
			began := time.Now()
			err := p.signal(t, signal)
			if took := time.Since(began); took > 5*time.Second || signal == syscall.SIGTERM && err != nil {
				t.Errorf("the server ended after %v: %v", took, err)
			}
			if strings.Contains(p.stderr.String(), "could not be run") {
				t.Errorf("what the server ended itself, it complains about: %s", p.stderr)
			}
			for late := time.Now().Add(patience); ; {
				if state, _, _ := processFacts(pid); state == "" || state == "Z" {
					break
				}
				if time.Now().After(late) {
					t.Fatal("the verification goes on")
				}
			}
		})
	}
}

// An administrator who has repaired something need not wait, and one who presses
// again and again gets no more than one a minute.
func TestVerify_Now(t *testing.T) {
	t.Parallel()
	h, logged := newHouse(t, tempDB(t)), newTranscript()
	s := &server{svc: h.Service, logger: newLogger(logged, slog.LevelInfo)}
	v := s.newVerifier(&call{db: h.file}, &serveOptions{verifyEvery: interval(6 * time.Hour)})
	v.schedule(time.Hour)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		v.run(ctx)
		close(ended)
	}()
	for n := range 2 {
		if err := h.VerifyNow(t.Context(), domain.System); err != nil {
			t.Fatal(err)
		}
		logged.await(t, n+1, `"msg":"the database was verified"`)
		if err := h.VerifyNow(t.Context(), domain.System); domain.ErrorCode(err) != domain.CodeRateLimited {
			t.Errorf("once more at once: %v", err)
		}
		h.ahead.Add(int64(time.Minute))
	}
	for late := time.Now().Add(patience); h.Verification().Next.Before(h.now().Add(5 * time.Hour)); {
		if time.Now().After(late) {
			t.Fatalf("the next is due at %v", h.Verification().Next)
		}
	}
	stop()
	<-ended
}

// One that cannot be run is tried again soon, and then not as soon.
func TestVerify_TriesAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		svc := domain.NewService(nil, domain.Config{})
		v := (&server{svc: svc, logger: slog.New(slog.DiscardHandler)}).newVerifier(&call{}, &serveOptions{verifyEvery: interval(6 * time.Hour)})
		began := time.Now()
		var after []time.Duration
		ctx, stop := context.WithCancel(t.Context())
		v.verify = func(context.Context) (*verifyReport, error) {
			after = append(after, time.Since(began).Round(time.Minute))
			if len(after) == 40 {
				stop()
			}
			return nil, errors.New("no memory")
		}
		v.run(ctx)
		for i, want := range []time.Duration{0, time.Minute, 3 * time.Minute, 7 * time.Minute} {
			if got := after[i]; got != want {
				t.Errorf("try %d was after %v, want %v", i+1, got, want)
			}
		}
		if last := after[39] - after[38]; last < 5*time.Hour || last > 7*time.Hour {
			t.Errorf("the last was after %v, want about 6h", last)
		}
		if got := svc.Verification(); got.Failure != "no memory" || got.IsTampered() || !got.Ended.IsZero() {
			t.Errorf("%+v", got)
		}
	})
}

func TestReadVerification(t *testing.T) {
	t.Parallel()
	broken := errors.New("exit status")
	for name, tt := range map[string]struct {
		code            int
		printed, stderr string
		failed          error
		want, wantError string
	}{
		"verified":                    {0, `{"result":"verified","entries":7}`, "", nil, "", ""},
		"tampered":                    {4, `{"result":"tampered","findings":["a","b"],"more":3}`, "", broken, "a b", ""},
		"tampered, and no list":       {4, `{"result":"tamp`, "", broken, "the list of what was found could not be read", ""},
		"tampered, and nothing on it": {4, `{"result":"tampered"}`, "", broken, "the list of what was found could not be read", ""},
		"cannot tell":                 {3, `{"result":"unknown","unknown":["no key","no head"]}`, "", broken, "", "no key; no head"},
		"killed":                      {-1, "", "", errors.New("signal: killed"), "", "signal: killed"},
		"out of memory":               {2, "", "fatal error: out of memory", errors.New("exit status 2"), "", "exit status 2: fatal error: out of memory"},
		"another program":             {0, "hello", "", nil, "", "its report cannot be read: invalid character 'h' looking for beginning of value"},
		"nothing that counts":         {0, `{"result":"unknown"}`, "", nil, "", `it succeeded, but its result is "unknown"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := readVerification(tt.code, []byte(tt.printed), tt.failed, tt.stderr)
			if got := fmt.Sprint(err); tt.wantError != "" && got != tt.wantError || tt.wantError == "" && err != nil {
				t.Errorf("error %s, want %q", got, tt.wantError)
			}
			if err == nil && strings.Join(r.Findings, " ") != tt.want {
				t.Errorf("findings %q, want %q", r.Findings, tt.want)
			}
		})
	}
}
