package store

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgres is a database on a PostgreSQL server, which several nodes share.
type postgres struct {
	config *pgx.ConnConfig
	steps  []Migration     // for tests; nil: this program's
	node   string          // tells this process's notifications from others'
	life   context.Context // of its connections
	end    context.CancelFunc
}

//go:embed migrations/postgres/*.sql
var postgresFiles embed.FS

var postgresMigrations = loadMigrations(postgresFiles, "migrations/postgres")

const (
	// channel is what nodes listen to.
	channel = "countersign"
	// connectTimeout bounds an attempt to connect, unless the URL says otherwise.
	connectTimeout = 5 * time.Second
	// statementTimeout bounds a statement on the client's side.
	statementTimeout = 15 * time.Second
	// listenPause is what passes before the listener connects again, at first and
	// at most.
	listenPause, listenPauseMost = 100 * time.Millisecond, 5 * time.Second
)

// Whoever writes takes the lock first: the log is appended to by one
// transaction at a time, and each sees what the ones before it have committed,
// because every statement looks anew. The number is as good as any other.
var postgresWords = words{
	begin:     `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT pg_advisory_xact_lock(7306375027381662067)`,
	beginRead: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`,
	version:   `SELECT pg_current_snapshot()::text`,
	record: `CREATE TABLE IF NOT EXISTS schema_migrations (
	number     BIGINT PRIMARY KEY,
	name       TEXT NOT NULL,
	checksum   TEXT NOT NULL,
	applied_at BIGINT
)`,
	tables: `SELECT COUNT(*) FROM pg_catalog.pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = $1::text`,
	columns: `SELECT a.attname::text FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = $1::text AND a.attnum > 0 AND NOT a.attisdropped`,
}

// newPostgres reads a URL. What the driver says of a bad one may repeat the
// password, so it is not told.
func newPostgres(url string) (dialect, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the URL of the PostgreSQL database cannot be read: write it like postgres://user@host:5432/database")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	d := &postgres{config: config, node: rand.Text()}
	d.life, d.end = context.WithCancel(context.Background())
	return d, nil
}

func (d *postgres) label() string {
	return "postgres://" + net.JoinHostPort(d.config.Host, strconv.Itoa(int(d.config.Port))) + "/" + d.config.Database
}

func (d *postgres) words() *words { return &postgresWords }

func (d *postgres) migrations() []Migration {
	if d.steps != nil {
		return d.steps
	}
	return postgresMigrations
}

func (d *postgres) readers() int { return 8 }

func (d *postgres) outlives() bool { return true }

func (d *postgres) abort() { d.end() }

// create leaves it to the operator to make a database.
func (d *postgres) create() error { return nil }

// moved is true: notifications may have been missed, so it is looked in any
// case.
func (d *postgres) moved(*conn) (bool, error) { return true, nil }

// parameters are settings of a connection by its use. A node that is frozen, or
// cut off from the server, must not keep the lock: the server ends its
// connection, and the transaction with it.
func parameters(u use) (settings map[string]string, timeout time.Duration) {
	settings = map[string]string{
		"application_name": "countersign",
		"jit":              "off", // it costs more than these statements take
		"tcp_user_timeout": "15000", "tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "2",
	}
	switch u {
	case writes:
		settings["lock_timeout"] = "10s"
		settings["idle_in_transaction_session_timeout"] = "5s" // before who waits for the lock gives up
	case reads:
		settings["idle_in_transaction_session_timeout"] = "60s"
	case audits: // which take what they take, and make a schema to compare with, whatever the role's own settings
		settings["statement_timeout"], settings["idle_in_transaction_session_timeout"] = "0", "0"
		settings["default_transaction_read_only"] = "off"
		return settings, 0
	}
	return settings, statementTimeout
}

func (d *postgres) connect(ctx context.Context, u use) (session, error) { return d.open(ctx, u) }

func (d *postgres) open(ctx context.Context, u use) (*postgresSession, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.life, cancel)()
	config := d.config.Copy()
	settings, timeout := parameters(u)
	for name, value := range settings {
		if _, given := config.RuntimeParams[name]; !given {
			config.RuntimeParams[name] = value
		}
	}
	config.RuntimeParams["client_encoding"] = "UTF8" // in another, text would be stored as other text
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := newPostgresSession(d.life, conn, timeout, d.node)
	if err := d.inspect(s, u); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// inspect refuses a database that could not keep what it is given, and has a
// commit be on the disk when it is acknowledged. That holds for the connection:
// nobody turns it off for the server meanwhile.
func (d *postgres) inspect(s *postgresSession, u use) error {
	if encoding := s.conn.PgConn().ParameterStatus("server_encoding"); encoding != "UTF8" {
		return fmt.Errorf("its encoding is %s: make a database with ENCODING 'UTF8'", encoding)
	}
	if u != writes {
		return nil
	}
	if fsync, err := s.setting("fsync"); err != nil {
		return err
	} else if fsync == "off" {
		return errors.New("its fsync is off: what is decided would not be on the disk, and could be gone after it was done. Turn it on: ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()")
	}
	return s.script(`SELECT set_config('synchronous_commit', COALESCE(NULLIF(current_setting('synchronous_commit'), 'off'), 'on'), false)`)
}

// caution tells the operator of what is safe with some file systems only.
func (d *postgres) caution(c *conn, logger *slog.Logger) error {
	pages, err := c.session.(*postgresSession).setting("full_page_writes")
	if err == nil && pages == "off" {
		logger.Warn("the server's full_page_writes is off: where its file system can write half a page, a power cut destroys what was there before")
	}
	return err
}

func (d *postgres) empty(*writer) error { return nil }

func (d *postgres) tend(context.Context, *writer) {}

// listen hears of what other nodes commit. Its own notifications come back too,
// and are passed over.
func (d *postgres) listen(ctx context.Context, wake func()) {
	for pause := listenPause; ; pause = min(2*pause, listenPauseMost) {
		if d.hear(ctx, wake) {
			pause = listenPause
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// hear listens as long as its connection lasts, and says whether there was one.
func (d *postgres) hear(ctx context.Context, wake func()) (connected bool) {
	s, err := d.open(ctx, audits)
	if err != nil {
		return false
	}
	defer func() { _ = s.close() }() // nothing is lost with it
	if err := s.script("LISTEN " + channel); err != nil {
		return false
	}
	wake() // for what was missed
	for {
		n, err := s.conn.WaitForNotification(ctx)
		if err != nil {
			return true
		}
		if n.Payload != d.node {
			wake()
		}
	}
}

// ErrBackup says that the database's own tools make its backups.
var ErrBackup = errors.New("a PostgreSQL database is backed up with its own tools, such as pg_dump; after a restore start serve once with --accept-restore")

func (d *postgres) backup(context.Context, string) error { return ErrBackup }
