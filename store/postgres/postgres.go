// Package postgres is the driver of a database on a PostgreSQL server, which several
// nodes share.
package postgres

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

	"countersign/store/driver"
)

// Driver is a database on a server.
type Driver struct {
	// Steps are other migrations, for tests; nil: this program's.
	Steps []driver.Migration

	config *pgx.ConnConfig
	node   string          // tells this process's notifications from others'
	life   context.Context // of its connections
	end    context.CancelFunc
}

//go:embed migrations/*.sql
var files embed.FS

var migrations = driver.LoadMigrations(files)

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

// Time-outs on the server's side, in its words.
const (
	// lockTimeout bounds the wait for the node that writes.
	lockTimeout = "10s"
	// idleWriteTimeout ends a writing transaction that does nothing. It is shorter than
	// lockTimeout, so that nodes that wait go on.
	idleWriteTimeout = "5s"
	// idleReadTimeout ends a snapshot that does nothing.
	idleReadTimeout = "60s"
	// deadNodeTimeout ends the connection of a node that acknowledges nothing.
	deadNodeTimeout = "15s"
	// A connection that says nothing is probed after keepaliveIdle, and ended after
	// keepaliveCount probes without an answer.
	keepaliveIdle, keepaliveInterval, keepaliveCount = "10s", "5s", "2"
)

// Whoever writes takes the lock first: the log is appended to by one
// transaction at a time, and each sees what the ones before it have committed,
// because every statement looks anew. The number is as good as any other.
var statements = driver.SQL{
	Begin:     `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT pg_advisory_xact_lock(7306375027381662067)`,
	BeginRead: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`,
	Record: `CREATE TABLE IF NOT EXISTS schema_migrations (
	number     BIGINT PRIMARY KEY,
	name       TEXT NOT NULL,
	checksum   TEXT NOT NULL,
	applied_at BIGINT
)`,
	Tables: `SELECT COUNT(*) FROM pg_catalog.pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = $1::text`,
	Columns: `SELECT a.attname::text FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = $1::text AND a.attnum > 0 AND NOT a.attisdropped`,
}

// New reads a URL. What the driver says of a bad one may repeat the
// password, so it is not told.
func New(url string) (*Driver, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the URL of the PostgreSQL database cannot be read: write it like postgres://user@host:5432/database")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	d := &Driver{config: config, node: rand.Text()}
	d.life, d.end = context.WithCancel(context.Background())
	return d, nil
}

func (d *Driver) Name() string {
	return "postgres://" + net.JoinHostPort(d.config.Host, strconv.Itoa(int(d.config.Port))) + "/" + d.config.Database
}

func (d *Driver) SQL() *driver.SQL { return &statements }

func (d *Driver) Migrations() []driver.Migration {
	if d.Steps != nil {
		return d.Steps
	}
	return migrations
}

func (d *Driver) Readers() int { return 8 }

func (d *Driver) SurvivesLostConn() bool { return true }

func (d *Driver) Interrupt() { d.end() }

// Create leaves it to the operator to make a database.
func (d *Driver) Create() error { return nil }

// HasForeignCommits is true: notifications may have been missed, so it is looked in any
// case.
func (d *Driver) HasForeignCommits(driver.Conn) (bool, error) { return true, nil }

// parameters are settings of a connection by its use. A node that is frozen, or
// cut off from the server, must not keep the lock: the server ends its
// connection, and the transaction with it.
func parameters(mode driver.Mode) (settings map[string]string, timeout time.Duration) {
	settings = map[string]string{
		"application_name": "countersign",
		"jit":              "off", // it costs more than these statements take
		"tcp_user_timeout": deadNodeTimeout, "tcp_keepalives_idle": keepaliveIdle, "tcp_keepalives_interval": keepaliveInterval, "tcp_keepalives_count": keepaliveCount,
	}
	switch mode {
	case driver.ReadWrite:
		settings["lock_timeout"] = lockTimeout
		settings["idle_in_transaction_session_timeout"] = idleWriteTimeout
	case driver.ReadOnly:
		settings["idle_in_transaction_session_timeout"] = idleReadTimeout
	case driver.Admin: // which take what they take, and make a schema to compare with, whatever the role's own settings
		settings["statement_timeout"], settings["idle_in_transaction_session_timeout"] = "0", "0"
		settings["default_transaction_read_only"] = "off"
		return settings, 0
	}
	return settings, statementTimeout
}

func (d *Driver) Connect(ctx context.Context, mode driver.Mode) (driver.Conn, error) {
	c, err := d.open(ctx, mode)
	if err != nil {
		return nil, classified(err)
	}
	return c, nil
}

func (d *Driver) open(ctx context.Context, mode driver.Mode) (*Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.life, cancel)()
	config := d.config.Copy()
	settings, timeout := parameters(mode)
	for name, value := range settings {
		if _, given := config.RuntimeParams[name]; !given {
			config.RuntimeParams[name] = value
		}
	}
	config.RuntimeParams["client_encoding"] = "UTF8" // in another, text would be stored as other text
	server, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	c := newConn(d.life, server, timeout, d.node)
	if err := c.Inspect(mode); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Inspect refuses a database that could not keep what it is given, and has a
// commit be on the disk when it is acknowledged. That holds for the connection:
// nobody turns it off for the server meanwhile.
func (c *Conn) Inspect(mode driver.Mode) error {
	if encoding := c.conn.PgConn().ParameterStatus("server_encoding"); encoding != "UTF8" {
		return fmt.Errorf("its encoding is %s: make a database with ENCODING 'UTF8'", encoding)
	}
	if mode != driver.ReadWrite {
		return nil
	}
	if fsync, err := c.setting("fsync"); err != nil {
		return err
	} else if fsync == "off" {
		return errors.New("its fsync is off: what is decided would not be on the disk, and could be gone after it was done. Turn it on: ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()")
	}
	return c.Script(`SELECT set_config('synchronous_commit', COALESCE(NULLIF(current_setting('synchronous_commit'), 'off'), 'on'), false)`)
}

// Warn tells the operator of what is safe with some file systems only.
func (d *Driver) Warn(c driver.Conn, logger *slog.Logger) error {
	var pages string
	err := c.Query("SELECT current_setting('full_page_writes')", nil, func(r driver.Row) error { return r.Scan(&pages) })
	if err == nil && pages == "off" {
		logger.Warn("the server's full_page_writes is off: where its file system can write half a page, a power cut destroys what was there before")
	}
	return err
}

func (d *Driver) TruncateWAL(driver.Conn) error { return nil }

// Maintain hears of what other nodes commit. Its own notifications come back too,
// and are passed over.
func (d *Driver) Maintain(ctx context.Context, host driver.Host) {
	for pause := listenPause; ; pause = min(2*pause, listenPauseMost) {
		if d.listen(ctx, host.Wake) {
			pause = listenPause
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// listen listens as long as its connection lasts, and reports whether there was one.
func (d *Driver) listen(ctx context.Context, wake func()) (connected bool) {
	c, err := d.open(ctx, driver.Admin)
	if err != nil {
		return false
	}
	defer func() { _ = c.Close() }() // nothing is lost with it
	if err := c.Script("LISTEN " + channel); err != nil {
		return false
	}
	wake() // for what was missed
	for {
		n, err := c.conn.WaitForNotification(ctx)
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

func (d *Driver) Backup(context.Context, string) error { return ErrBackup }
