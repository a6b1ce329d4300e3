package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/domain"
	"countersign/store"
)

// stored are the metrics that a scrape reads from the database: each from an
// index or a counter, at a cost that does not grow with the log.
type stored struct {
	view  func(context.Context, func(domain.Reader) error) error
	now   func() time.Time
	files map[string]string // paths by what they hold; none if the database is elsewhere
}

var (
	pendingConfirms   = prometheus.NewDesc("countersign_pending_confirms", "Requests that wait for a decision.", []string{"target_type"}, nil)
	clockLag          = prometheus.NewDesc("countersign_clock_lag_seconds", "How long ago the oldest deadline passed that is not settled yet.", nil, nil)
	logEntries        = prometheus.NewDesc("countersign_log_entries", "Entries of the log.", nil, nil)
	waitingDeliveries = prometheus.NewDesc("countersign_deliveries_waiting", "Messages to destinations that are not sent yet.", []string{"format"}, nil)
	deliveryLag       = prometheus.NewDesc("countersign_delivery_lag_seconds", "How long the oldest message that is due has been due.", nil, nil)
	queueLag          = prometheus.NewDesc("countersign_delivery_queue_lag", "Entries of the log that were not looked at yet for destinations.", nil, nil)
	databaseBytes     = prometheus.NewDesc("countersign_database_bytes", "Size of the database's files.", []string{"file"}, nil)
)

// newStored returns the metrics of a database. name is its path or URL.
func newStored(db *store.DB, name string) *stored {
	s := &stored{view: db.View, now: time.Now}
	if !strings.Contains(name, "://") {
		s.files = map[string]string{"database": name, "journal": name + "-wal"}
	}
	return s
}

// Describe implements prometheus.Collector.
func (s *stored) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{pendingConfirms, clockLag, logEntries, waitingDeliveries, deliveryLag, queueLag, databaseBytes} {
		descs <- desc
	}
}

// Collect implements prometheus.Collector.
func (s *stored) Collect(out chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	err := s.view(ctx, func(r domain.Reader) error {
		pending, err := r.PendingByType()
		if err != nil {
			return err
		}
		next, err := r.NextDeadline()
		if err != nil {
			return err
		}
		entries, err := r.NextSeq()
		if err != nil {
			return err
		}
		backlog, err := domain.LoadDeliveryBacklog(r)
		if err != nil {
			return err
		}
		for _, format := range formats {
			gauge(waitingDeliveries, float64(backlog.Waiting[format]), string(format))
		}
		gauge(deliveryLag, s.lag(backlog.Due))
		gauge(queueLag, float64(backlog.Unqueued))
		for _, target := range domain.TargetTypes {
			gauge(pendingConfirms, float64(pending[target]), string(target))
		}
		gauge(clockLag, s.lag(next))
		gauge(logEntries, float64(entries))
		return nil
	})
	if err != nil {
		out <- prometheus.NewInvalidMetric(logEntries, err)
	}
	for file, path := range s.files {
		info, err := os.Stat(path)
		switch {
		case err == nil:
			gauge(databaseBytes, float64(info.Size()), file)
		case errors.Is(err, fs.ErrNotExist): // there is no journal
			gauge(databaseBytes, 0, file)
		default:
			out <- prometheus.NewInvalidMetric(databaseBytes, err)
		}
	}
}

// lag returns how long ago a deadline passed, in seconds.
func (s *stored) lag(deadline time.Time) float64 {
	if deadline.IsZero() {
		return 0
	}
	return max(0, s.now().Sub(deadline).Seconds())
}
