package main

import (
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/finding"
	"countersign/store"
	"countersign/web"
)

// metrics are the server's Prometheus metrics. No label has a value that a client
// chose: no ids, addresses or agents' texts.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.HistogramVec
	waits     *prometheus.GaugeVec
	commits   prometheus.Histogram
	turns     prometheus.Histogram
	groups    prometheus.Histogram
	failed    prometheus.Counter
	requested prometheus.Counter
	decisions *prometheus.CounterVec
	findings  *prometheus.CounterVec
	delivered *prometheus.CounterVec
}

func newMetrics(log *logBuffer) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "countersign_request_seconds", Help: "HTTP requests by route, until the end of the response.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60},
		}, []string{"method", "route", "status"}),
		waits: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "countersign_waits", Help: "Clients that wait or listen now.",
		}, []string{"kind"}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "countersign_commit_seconds", Help: "Commit groups, from the start of the transaction to the end of the commit.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5},
		}),
		turns: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "countersign_commit_wait_seconds", Help: "How long the first transaction of a commit group waited for its turn.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5},
		}),
		groups: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "countersign_commit_group_size", Help: "Transactions that shared a commit.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 10),
		}),
		failed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "countersign_commits_failed_total", Help: "Commit groups that the database refused or lost.",
		}),
		requested: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "countersign_confirms_requested_total", Help: "Requests that were posted here.",
		}),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_decisions_total", Help: "Requests that ended here. Missed deadlines are rejected by timeout.",
		}, []string{"status", "cause"}),
		findings: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_findings_total", Help: "Findings that people were shown with what they decided here.",
		}, []string{"kind", "level", "decision"}),
		delivered: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_deliveries_total", Help: "Attempts from here to tell a destination something.",
		}, []string{"format", "result"}),
	}
	m.registry.MustRegister(m.requests, m.waits, m.commits, m.turns, m.groups, m.failed, m.requested, m.decisions, m.findings, m.delivered,
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "countersign_log_lines_lost_total", Help: "Log lines that could not be written, or were not read in time.",
		}, func() float64 { return float64(log.lost.Load()) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	// Start every series at 0, or its first increment would not show as an
	// increase.
	for _, kind := range []string{"long-poll", "sse", "websocket", "page"} {
		m.waits.WithLabelValues(kind)
	}
	for status, causes := range map[domain.Status][]domain.Cause{
		domain.Approved:  {domain.CauseHuman, domain.CauseAgent},
		domain.Rejected:  {domain.CauseHuman, domain.CauseAgent, domain.CauseTimeout, domain.CausePolicy},
		domain.Cancelled: {domain.CauseCancelled},
	} {
		for _, cause := range causes {
			m.decisions.WithLabelValues(string(status), string(cause))
		}
	}
	for _, kind := range append([]finding.Kind{otherKind}, finding.Kinds...) {
		for _, level := range finding.Levels {
			for _, decision := range []string{"approved", "edited", "rejected"} {
				m.findings.WithLabelValues(string(kind), string(level), decision)
			}
		}
	}
	for _, format := range formats {
		m.delivered.WithLabelValues(string(format), "sent")
		m.delivered.WithLabelValues(string(format), "failed")
	}
	return m
}

// formats are those of destinations.
var formats = []domain.Format{domain.FormatStandard, domain.FormatSlack, domain.FormatTeams}

// delivery is called after every attempt to tell a destination something.
func (m *metrics) delivery(format domain.Format, result domain.DeliveryResult) {
	became := "sent"
	if result.Failure != "" {
		became = "failed"
	}
	m.delivered.WithLabelValues(string(format), became).Inc()
}

// addVerification adds the metrics of the server's own verifications.
func (m *metrics) addVerification(svc *domain.Service) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "countersign_verification_timestamp_seconds", Help: "When the last verification of the database with a result ended, or 0.",
	}, func() float64 {
		if v := svc.Verification(); !v.Ended.IsZero() {
			return float64(v.Ended.UnixMilli()) / 1000
		}
		return 0
	}), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "countersign_verification_ok", Help: "0 if that verification found that the database was changed, otherwise 1.",
	}, func() float64 {
		if svc.Verification().IsTampered() {
			return 0
		}
		return 1
	}))
}

// request is called after every answered request.
func (m *metrics) request(r web.Request) {
	m.requests.WithLabelValues(r.Method, r.Route, strconv.Itoa(r.Status/100)+"xx").Observe(r.Took.Seconds())
}

// waiting is called when a client starts or stops waiting.
func (m *metrics) waiting(kind string, by int) { m.waits.WithLabelValues(kind).Add(float64(by)) }

// group is called after every commit group.
func (m *metrics) group(g store.Group) {
	m.commits.Observe(g.Took.Seconds())
	m.turns.Observe(g.Waited.Seconds())
	m.groups.Observe(float64(g.Members))
	if g.Err != nil {
		m.failed.Inc()
	}
	for _, e := range g.Entries {
		switch e.Type {
		case "confirm.requested":
			m.requested.Inc()
		case "confirm.approved", "confirm.rejected", "confirm.cancelled":
			m.decisions.WithLabelValues(e.Type[len("confirm."):], e.Cause).Inc()
			m.countFindings(e)
		}
	}
}

// otherKind counts the findings whose kind this program does not know.
const otherKind finding.Kind = "other"

// countFindings counts what a person was shown with a decision.
func (m *metrics) countFindings(e *evidence.Entry) {
	if domain.Cause(e.Cause) != domain.CauseHuman {
		return
	}
	for _, f := range domain.ShownFindings(e) {
		if !slices.Contains(finding.Kinds, f.Kind) {
			f.Kind = otherKind
		}
		if f.Level.IsKnown() {
			m.findings.WithLabelValues(string(f.Kind), string(f.Level), f.DecisionOn(e)).Inc()
		}
	}
}

// Limits of a scrape.
const (
	scrapeTimeout = 5 * time.Second
	scrapesAtOnce = 4
)

// serveMetrics answers /metrics on its own address until stop is called. Metrics
// that cannot be read, because the database is away, are left out.
func (s *server) serveMetrics(address string, of *stored) (stop func(), err error) {
	if err := s.metrics.registry.Register(of); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	scrapes := s.newHTTPServer(mux)
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{
		ErrorLog: scrapes.ErrorLog, ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: scrapesAtOnce, Timeout: 2 * scrapeTimeout,
	}))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := scrapes.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.logger.Error("metrics are no longer served", "error", err)
		}
	}()
	s.logger.Info("metrics are served", "address", listener.Addr())
	return func() {
		_ = scrapes.Close() // nobody needs an answer any more
		<-ended
	}, nil
}
