package web_test

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/web/notify"
)

// receiver is a webhook on this machine, and what it got.
type receiver struct {
	*httptest.Server
	got    chan []byte
	status int
}

// newReceiver starts a receiver that the world may send to.
func (w *world) newReceiver() *receiver {
	w.t.Helper()
	r := &receiver{got: make(chan []byte, 64), status: http.StatusOK}
	r.Server = httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.got <- body
		rw.WriteHeader(r.status)
	}))
	w.t.Cleanup(r.Close)
	u, err := url.Parse(r.URL)
	if err != nil {
		w.t.Fatal(err)
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		w.t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(r.Certificate())
	w.sender = notify.New(notify.Options{
		BaseURL: &url.URL{Scheme: "https", Host: "countersign.example"}, RootCAs: roots,
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Ports: []uint16{uint16(port)},
	})
	return r
}

// deliver sends what is due, once.
func (w *world) deliver() {
	w.t.Helper()
	for more := true; more; {
		var err error
		if more, err = w.svc.QueueDeliveries(w.ctx); err != nil {
			w.t.Fatal(err)
		}
	}
	list, err := w.svc.Destinations(w.ctx, domain.System)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, d := range list {
		claimed, err := w.svc.ClaimDeliveries(w.ctx, d.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		var results []domain.DeliveryResult
		for _, dispatch := range claimed {
			results = append(results, w.sender.Send(w.ctx, dispatch))
		}
		if err := w.svc.RecordDeliveries(w.ctx, d.ID, results); err != nil {
			w.t.Fatal(err)
		}
	}
}

// An administrator connects Slack from the page alone, sees a test arrive, and then a
// request.
func TestDestination_SlackFromThePageAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.newReceiver()
	b := w.user("administrator", "admin")
	if link := b.get("/confirms").doc(t).Find(`nav a[href="/destinations"]`); link.Length() == 0 {
		t.Error("the navigation has no destinations")
	}
	page := b.want(b.get("/destinations/new"), http.StatusOK)
	refused := b.want(b.submit(page, "/destinations", "name", "Ops", "format", "slack", "type", "confirm.requested", "details", "names", "address", "http://10.0.0.1/x"), http.StatusUnprocessableEntity)
	if refused.doc(t).Find("#address-error").Length() != 1 || refused.doc(t).Find("#name").AttrOr("value", "") != "Ops" {
		t.Error("the form does not say what is wrong, or lost the name")
	}
	address := r.URL + "/services/T0/B0/secret"
	made := b.want(b.submit(page, "/destinations", "name", "Ops", "format", "slack", "type", "confirm.requested", "details", "names", "address", address), http.StatusSeeOther)
	own := b.want(b.get(made.Header.Get("Location")), http.StatusOK)
	if strings.Contains(own.text, "secret") || !strings.Contains(own.text, strings.TrimPrefix(r.URL, "https://")) {
		t.Error("the page shows the whole address, or no host")
	}
	id := strings.Split(strings.TrimPrefix(made.Header.Get("Location"), "/destinations/"), "?")[0]
	tested := b.want(b.submit(own, "/destinations/"+id+"/test"), http.StatusOK)
	if words := tested.doc(t).Find(".notice").Text(); !strings.Contains(words, "accepted") {
		t.Errorf("after the test the page says %q", words)
	}
	if got := string(<-r.got); !strings.Contains(got, "This is a test") {
		t.Errorf("the receiver got %s", got)
	}

	c := w.post(w.asker(), trade)
	w.deliver()
	var message struct{ Text string }
	if got := <-r.got; json.Unmarshal(got, &message) != nil || !strings.Contains(message.Text, "execute_trade") || !strings.Contains(string(got), "https://countersign.example/confirms/"+c.ID) {
		t.Errorf("the receiver got %s", got)
	}
	if told := b.open(c).doc(t).Find("dt:contains('Told') + dd").First().Text(); strings.TrimSpace(told) != "Ops" {
		t.Errorf("the request's page says that %q was told", told)
	}
	list := b.want(b.get("/deliveries"), http.StatusOK)
	if rows := list.doc(t).Find("#deliveries tbody tr"); rows.Length() != 2 {
		t.Errorf("%d deliveries are listed", rows.Length())
	}
}

func TestDestination_FailuresAreNamedAndSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.newReceiver()
	b := w.user("administrator", "admin")
	page := b.get("/destinations/new")
	made := b.want(b.submit(page, "/destinations", "name", "Hook", "format", "standard", "type", "confirm.requested", "details", "names", "address", r.URL+"/hook"), http.StatusOK)
	secret := strings.TrimSpace(made.doc(t).Find("#secret").Text())
	if !strings.HasPrefix(secret, "whsec_") {
		t.Fatalf("the key is %q", secret)
	}
	if list := b.get("/destinations"); strings.Contains(list.text, secret) {
		t.Error("the key is shown again")
	}
	own := made.doc(t).Find(`form[action$="/test"]`).AttrOr("action", "")
	id := strings.Split(own, "/")[2]
	r.status = http.StatusServiceUnavailable
	tested := b.want(b.submit(made, own), http.StatusOK)
	if words := tested.doc(t).Find(".notice").Text(); !strings.Contains(words, "did not arrive") || !strings.Contains(words, "answered 503") {
		t.Errorf("after the test the page says %q", words)
	}
	<-r.got
	c := w.post(w.asker(), trade)
	w.deliver()
	<-r.got
	w.pass(tellingTime)
	if red := b.open(c).doc(t).Find(".told").Text(); !strings.Contains(red, "Nobody was told") {
		t.Errorf("the request's page says %q", red)
	}
	waiting := b.want(b.get("/deliveries?state=waiting"), http.StatusOK).doc(t)
	if row := waiting.Find("tbody tr"); row.Length() != 1 || !strings.Contains(row.Text(), "answered 503") || !strings.Contains(row.Text(), "try 2 at") {
		t.Errorf("waiting: %s", row.Text())
	}
	for _, pause := range []time.Duration{
		10 * time.Second, time.Minute, 3 * time.Minute, 13 * time.Minute, 40 * time.Minute, 80 * time.Minute, 4 * time.Hour, 8 * time.Hour, 15 * time.Hour,
	} {
		w.pass(pause)
		w.deliver()
		<-r.got
	}
	b = w.user("second", "admin") // the session is over
	dead := b.want(b.get("/deliveries?state=dead&destination="+id), http.StatusOK)
	again := dead.doc(t).Find(`form[action$="/retry"]`).AttrOr("action", "")
	r.status = http.StatusNoContent
	b.want(b.submit(dead, again), http.StatusSeeOther)
	w.deliver()
	if body := <-r.got; !strings.Contains(string(body), c.ID) {
		t.Errorf("sent again: %s", body)
	}
	if sent := b.get("/deliveries?state=sent").doc(t).Find("tbody tr"); sent.Length() != 1 {
		t.Errorf("%d are sent", sent.Length())
	}
	rotated := b.want(b.submit(b.get("/destinations/"+id), "/destinations/"+id+"/key"), http.StatusOK)
	if second := strings.TrimSpace(rotated.doc(t).Find("#secret").Text()); second == secret || !strings.HasPrefix(second, "whsec_") {
		t.Errorf("the new key is %q", second)
	}
	for _, act := range []string{"disable", "enable", "delete"} {
		b.want(b.submit(b.get("/destinations/"+id), "/destinations/"+id+"/"+act), http.StatusSeeOther)
	}
	b.want(b.get("/destinations/"+id), http.StatusNotFound)
}

const tellingTime = 31 * time.Second

// Who may only read sees what is there and changes nothing.
func TestDestination_ReadersChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.newDestination()
	b := w.user("reader", w.role("reader", "destination.read"))
	page := b.want(b.get("/destinations/"+id), http.StatusOK)
	if forms := page.doc(t).Find(`#destination form:not(:has(fieldset[disabled]))`); forms.Length() != 0 {
		t.Errorf("there are %d forms", forms.Length())
	}
	b.want(b.get("/destinations/new"), http.StatusForbidden)
}

// T54: whatever a request has in its members, nothing of it leaves with the usual details.
func TestT54_CanariesNeverLeave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.newReceiver()
	formats := []domain.Format{domain.FormatStandard, domain.FormatSlack, domain.FormatTeams}
	for _, format := range formats {
		_, _, err := w.svc.CreateDestination(w.ctx, domain.System, domain.DestinationInput{Name: string(format), Format: format, Address: r.URL,
			Types: []string{"confirm.requested", "confirm.approved", "confirm.rejected", "confirm.cancelled", "plan.*"}, Details: domain.DetailsNames})
		if err != nil {
			t.Fatal(err)
		}
	}
	asker := w.asker()
	u, _, err := w.svc.AddUser(w.ctx, domain.System, "reviewer", []string{"reviewer"}, "")
	if err != nil {
		t.Fatal(err)
	}
	reviewer := domain.Ref{Kind: domain.KindUser, ID: u.ID}
	canaries := 0
	canary := func() string {
		canaries++
		return fmt.Sprintf("canary%05d", canaries)
	}
	for i := range 8 {
		args := map[string]any{}
		for range 20 {
			args[canary()] = []any{canary(), map[string]any{"x": canary()}}
		}
		request := map[string]any{
			"target_type": "other", "reason": canary(), "session_id": canary(), "requested_by_role": canary(),
			"trace":   map[string]any{"trace_id": canary(), "span_id": canary()},
			"actions": []any{map[string]any{"name": "pay " + canary(), "args": args, "description": canary(), "tool_use_id": canary()}},
		}
		text, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		c := w.post(asker, string(text))
		if i%2 == 0 {
			if _, err := w.svc.Decide(w.ctx, reviewer, c.ID, domain.DecisionInput{Status: domain.Rejected, ContentHash: c.ContentHash, Reason: canary()}); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.deliver()
	messages := len(r.got)
	for range messages {
		if body := <-r.got; strings.Contains(string(body), "canary") {
			t.Errorf("a canary left: %s", body)
		}
	}
	if messages != 12*len(formats) || canaries < 200 {
		t.Errorf("%d messages, %d canaries", messages, canaries)
	}
}

// T58: whoever opens the links of messages, signed in or not, changes nothing.
func TestT58_LinksOfMessagesChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.newReceiver()
	_, _, err := w.svc.CreateDestination(w.ctx, domain.System, domain.DestinationInput{Name: "hook", Format: domain.FormatStandard, Address: r.URL,
		Types: []string{"confirm.requested", "confirm.approved", "plan.*", "role.*", "user.*", "key.*"}, Details: domain.DetailsNames})
	if err != nil {
		t.Fatal(err)
	}
	b, stranger := w.user("administrator", "admin"), w.browser()
	agent := w.asker()
	w.post(agent, trade)
	w.plan(agent, "plan-1")
	w.role("night", "plan.create")
	w.deliver()
	before := w.rows()
	opened := 0
	for len(r.got) > 0 {
		var message struct{ Data struct{ URL string } }
		if err := json.Unmarshal(<-r.got, &message); err != nil {
			t.Fatal(err)
		}
		path := strings.TrimPrefix(message.Data.URL, "https://countersign.example")
		b.want(b.get(path), http.StatusOK)
		stranger.want(stranger.get(path), http.StatusSeeOther)
		opened++
	}
	if opened < 5 {
		t.Errorf("%d links were opened", opened)
	}
	if diff := cmp.Diff(before, w.rows()); diff != "" {
		t.Errorf("rows (-before +after):\n%s", diff)
	}
}

// rows are the digests of all rows that the log covers, and the size of the log.
func (w *world) rows() map[string]string {
	w.t.Helper()
	rows := map[string]string{"log": fmt.Sprint(w.head())}
	err := w.db.Rows(w.ctx, func(table, key string, digest []byte) error {
		rows[table+" "+key] = fmt.Sprintf("%x", digest)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return rows
}
