package views_test

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/views"
)

// drawn renders an inbox of these rows as of a moment, with rows drawn before.
func drawn(t *testing.T, d *views.InboxDrawn, at time.Time, rows ...views.InboxRow) string {
	t.Helper()
	return markup(t, views.Inbox(views.InboxView{Rows: views.InboxRows(slices.Values(rows), at, d)}))
}

func listed() views.InboxRow {
	return views.InboxRow{Tools: []string{"execute_trade", "send_mail"}, InboxFacts: views.InboxFacts{
		ID: "c1", URL: "/confirms/c1", TargetType: "other", Target: "order-7781", Step: "step-1", Reason: "Buying 100 brings it <back>.",
		Requester: "trading-agent", RequestRole: "executor", RequiredRole: "architect", Requested: now.Add(-time.Minute), Deadline: now.Add(time.Minute),
		Status: "pending",
	}}
}

// A row that was drawn before is used again only for one that shows the same,
// whatever changes: the status, the plan's title, who may decide, a reason that
// was forgotten.
func TestInboxDrawn_EveryFactCounts(t *testing.T) {
	t.Parallel()
	for _, decided := range []bool{false, true} {
		base := listed()
		base.Decided = decided
		facts := reflect.TypeFor[views.InboxFacts]()
		for i := range facts.NumField() {
			other := base
			switch field := reflect.ValueOf(&other.InboxFacts).Elem().Field(i); v := field.Interface().(type) {
			case string:
				field.SetString(v + "x")
			case bool:
				field.SetBool(!v)
			case int:
				field.SetInt(int64(v + 1))
			case time.Time:
				field.Set(reflect.ValueOf(v.Add(time.Hour)))
			case time.Duration:
				field.SetInt(int64(v + time.Hour))
			default:
				t.Fatalf("the test cannot change %s", facts.Field(i).Name)
			}
			d := new(views.InboxDrawn)
			drawn(t, d, now, base)
			if diff := cmp.Diff(drawn(t, nil, now, other), drawn(t, d, now, other)); diff != "" {
				t.Errorf("%s has changed (-want +got):\n%s", facts.Field(i).Name, diff)
			}
		}
	}
}

func TestInboxDrawn_IsNeverStale(t *testing.T) {
	t.Parallel()
	forgotten, decided, edited, retold := listed(), listed(), listed(), listed()
	forgotten.Reason, forgotten.Tools = "", nil
	decided.Decided, decided.Status, decided.By, decided.DecidedAt = true, "rejected", "reviewer", now
	edited.Decided, edited.Status, edited.Outcome = true, "approved", "as edited"
	retold.Tools = []string{"execute_trade", "wire_transfer"}
	mine := listed()
	mine.Mine = true
	for _, tt := range []struct {
		name  string
		row   views.InboxRow
		later time.Duration
		want  []string
		gone  []string
	}{
		{"as it was", listed(), 0, []string{"1 min ago", "1 min left", "&lt;back&gt;"}, []string{"<back>"}},
		{"forgotten", forgotten, 0, nil, []string{"brings", "execute_trade"}},
		{"decided", decided, 0, []string{"Rejected", "reviewer"}, []string{"data-deadline"}},
		{"edited", edited, 0, []string{"as edited"}, []string{"data-deadline"}},
		{"other tools", retold, 0, []string{"wire_transfer"}, []string{"send_mail"}},
		{"another reader", mine, 0, []string{"Yours to decide"}, nil},
		{"later", listed(), 52 * time.Second, []string{"1 min 52 s ago", `class="countdown critical"`, "8 s left"}, []string{"1 min left", "calm"}},
		{"after the deadline", listed(), time.Hour, []string{`class="countdown expired"`, ">expired<"}, []string{" left"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := new(views.InboxDrawn)
			drawn(t, d, now, listed())
			for range 2 {
				got := drawn(t, d, now.Add(tt.later), tt.row)
				if diff := cmp.Diff(drawn(t, nil, now.Add(tt.later), tt.row), got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				for _, words := range tt.want {
					if !strings.Contains(got, words) {
						t.Errorf("%q is missing in\n%s", words, got)
					}
				}
				for _, words := range tt.gone {
					if strings.Contains(got, words) {
						t.Errorf("%q is still in\n%s", words, got)
					}
				}
			}
		})
	}
}

// However much is listed, what is kept of it stays bounded, and what is listed
// all the time stays kept.
func TestInboxDrawn_IsBounded(t *testing.T) {
	t.Parallel()
	d, always := new(views.InboxDrawn), listed()
	for i := range 1500 {
		other := listed()
		other.URL += strconv.Itoa(i)
		other.Reason = strings.Repeat("word ", i%500)
		drawn(t, d, now, always, other)
	}
	rows, bytes := d.Kept()
	if rows < 100 || bytes > views.DrawnLimit {
		t.Errorf("%d rows kept, of %d bytes", rows, bytes)
	}
	large := listed()
	large.Reason = strings.Repeat("\u202e", 4000)
	drawn(t, d, now, large)
	if after, _ := d.Kept(); after != rows {
		t.Errorf("%d rows before a large one, then %d", rows, after)
	}
}

// Readers ask at the same time, some with marks and some without.
func TestInboxDrawn_ManyReaders(t *testing.T) {
	t.Parallel()
	d := new(views.InboxDrawn)
	var rows [2][]views.InboxRow
	var want [2]string
	for i := range rows {
		for n := range 20 {
			row := listed()
			row.URL, row.ID, row.Mine = fmt.Sprint("/confirms/", n), strconv.Itoa(n), i == 1
			rows[i] = append(rows[i], row)
		}
		want[i] = drawn(t, nil, now, rows[i]...)
	}
	var readers sync.WaitGroup
	for reader := range 8 {
		readers.Go(func() {
			for range 20 {
				if got := drawn(t, d, now, rows[reader%2]...); got != want[reader%2] {
					t.Errorf("reader %d sees\n%s", reader, got)
				}
			}
		})
	}
	readers.Wait()
}
