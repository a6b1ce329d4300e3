package notify_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/web/notify"
)

// An answer is told by its status and by nothing else.
func TestSend_Answers(t *testing.T) {
	t.Parallel()
	const secret = "the answer's secret"
	soon := time.Now().Add(10 * time.Minute).UTC().Format(http.TimeFormat)
	for _, test := range []struct {
		name          string
		status        int
		retry         string
		want          domain.DeliveryFailure
		wantRetry     time.Duration
		wantRetryRest time.Duration // how much less the wait may be
	}{
		{"ok", 200, "60", "", 0, 0},
		{"accepted", 202, "", "", 0, 0},
		{"no content", 204, "", "", 0, 0},
		{"elsewhere", 302, "", domain.FailureRedirect, 0, 0},
		{"not modified", 304, "", domain.FailureRedirect, 0, 0},
		{"bad request", 400, "", domain.FailureStatus, 0, 0},
		{"forbidden", 403, "", domain.FailureStatus, 0, 0},
		{"gone", 410, "60", domain.FailureGone, 0, 0},
		{"too many", 429, "17", domain.FailureStatus, 17 * time.Second, 0},
		{"unavailable until", 503, soon, domain.FailureStatus, 10 * time.Minute, time.Minute},
		{"unavailable for years", 503, "999999999999", domain.FailureStatus, time.Hour, 0},
		{"more than a number", 503, "99999999999999999999999999", domain.FailureStatus, 0, 0},
		{"negative", 503, "-5", domain.FailureStatus, 0, 0},
		{"past", 503, "Mon, 02 Jan 2006 15:04:05 GMT", domain.FailureStatus, 0, 0},
		{"rubbish", 500, "soon", domain.FailureStatus, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t, true, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", test.retry)
				w.Header().Set("Set-Cookie", "a="+secret)
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(secret)) // some statuses have no body
			})
			s := notify.New(r.options())
			got := s.Send(t.Context(), dispatch(domain.FormatStandard, r.URL+"/hook"))
			if got.ID != "m1" || got.Failure != test.want || got.HTTPStatus != test.status {
				t.Errorf("got %+v", got)
			}
			if got.RetryAfter > test.wantRetry || got.RetryAfter < test.wantRetry-test.wantRetryRest {
				t.Errorf("wait %v, want %v", got.RetryAfter, test.wantRetry)
			}
		})
	}
}

// What is sent says who we are and keeps no cookies. Connections are used again.
func TestSend_Request(t *testing.T) {
	t.Parallel()
	for _, isHTTP2 := range []bool{false, true} {
		r := newReceiver(t, isHTTP2, func(w http.ResponseWriter, incoming *http.Request) {
			w.Header().Set("Set-Cookie", "a=b; Path=/")
			_, _ = w.Write([]byte(incoming.RemoteAddr))
		})
		s := notify.New(r.options())
		for range 3 {
			got := r.send(t, s, dispatch(domain.FormatStandard, r.URL+"/hook?token=t"))
			if got.path != "/hook?token=t" || (got.proto == 2) != isHTTP2 || got.header.Get("User-Agent") != "Countersign" ||
				got.header.Get("Content-Type") != "application/json" || got.header.Get("Cookie") != "" || got.header.Get("Accept-Encoding") != "" {
				t.Errorf("got %+v", got)
			}
		}
	}
}

// What cannot be sent fails before anything is dialled.
func TestSend_Refuses(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, true, nil)
	s := notify.New(r.options())
	for name, test := range map[string]struct {
		change func(d *domain.Dispatch)
		want   domain.DeliveryFailure
	}{
		"no secret":          {func(d *domain.Dispatch) { d.Secret = nil }, domain.FailureSecret},
		"no key":             {func(d *domain.Dispatch) { d.Secret.Key = "" }, domain.FailureSecret},
		"a broken key":       {func(d *domain.Dispatch) { d.Secret.Key = "whsec_?" }, domain.FailureSecret},
		"plain HTTP":         {func(d *domain.Dispatch) { d.Secret.URL = strings.Replace(r.URL, "https", "http", 1) }, domain.FailureAddress},
		"no address":         {func(d *domain.Dispatch) { d.Secret.URL = "" }, domain.FailureAddress},
		"a large checkpoint": {func(d *domain.Dispatch) { d.Message.Checkpoint = strings.Repeat("x", 8<<10) }, domain.FailureSize},
		"a large path": {func(d *domain.Dispatch) {
			d.Destination.Format, d.Message.Path = domain.FormatTeams, "/"+strings.Repeat("x", 8<<10)
		}, domain.FailureSize},
	} {
		t.Run(name, func(t *testing.T) {
			d := dispatch(domain.FormatStandard, r.URL)
			test.change(d)
			if got := s.Send(t.Context(), d); got != (domain.DeliveryResult{ID: "m1", Failure: test.want}) {
				t.Errorf("got %+v, want %s", got, test.want)
			}
		})
	}
	if n := len(r.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
