package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"countersign/domain"
	"countersign/static"
	"countersign/store"
	"countersign/web"
	"countersign/web/notify"
)

var serveCommand = command{
	name:  "serve",
	flags: "[--listen 127.0.0.1:8080] [--base-url URL] [--host NAME]… [--trusted-proxy CIDR]… [--egress-allow CIDR]… [--egress-ports 443,8443]… [--allow-self-approval] [--metrics ADDR] [--verify-every 6h] [--limits k=v,…] [--signing-key F] [--head F] [--accept-restore] [--demo] [--demo-wait]",
	about: "Runs the server until it is interrupted. It prints its address when it is ready and, before there are users, a link to set up the first administrator.",
	setup: func(f *flag.FlagSet) action {
		o := &serveOptions{limits: domain.DefaultLimits(), verifyEvery: interval(6 * time.Hour)}
		f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "`ADDRESS` and port to listen on")
		f.Var(&o.base, "base-url", "`URL` at which browsers and agents reach the server")
		f.Var(&o.hosts, "host", "another host `NAME` to answer to; repeat for several")
		f.Var(&o.proxies, "trusted-proxy", "`CIDR` of proxies whose X-Forwarded-For is trusted; repeat for several")
		o.egress.addFlags(f)
		f.BoolVar(&o.selfApproval, "allow-self-approval", false, "let users, but never keys, decide their own requests and those of keys that they own or created")
		f.StringVar(&o.metrics, "metrics", "", "`ADDRESS` and port that serve /metrics for Prometheus to whoever reaches them; by default none")
		f.Var(&o.verifyEvery, "verify-every", "`INTERVAL` at which the server runs evidence verify on its database, first after its start; 0 for never")
		f.Func("limits", fmt.Sprintf("`k=v,…`, the limits to change; the defaults are %v", o.limits), o.setLimits)
		f.StringVar(&o.signingKey, "signing-key", "", "`FILE` of the key that signs the log; by default the database's name with .key, for PostgreSQL countersign.key")
		f.StringVar(&o.head, "head", "", "`FILE` that keeps the log's newest checkpoint, best on another disk; by default the database's name with .head, for PostgreSQL countersign.head")
		f.BoolVar(&o.acceptRestore, "accept-restore", false, "accept a database restored from a backup: it is verified first (exit code 4 if it was changed), pending requests are cancelled, and the log says so")
		f.BoolVar(&o.demo, "demo", false, "use a temporary database, create accounts and run an agent that sends requests")
		f.BoolVar(&o.demoWait, "demo-wait", false, "as --demo, but wait for your requests instead: it prints a command that sends one")
		return func(ctx context.Context, c *call) error {
			given := false
			f.Visit(func(f *flag.Flag) { given = given || f.Name == "db" })
			o.demo = o.demo || o.demoWait
			if o.demo && given && c.getenv(variable("db")) != c.db {
				return usageErrorf("--demo uses a temporary database: leave out --db")
			}
			return o.run(ctx, c)
		}
	},
}

// hastyCommits is false but for the program with which tests show that they would
// see a loss.
var hastyCommits bool

// serveOptions are the flags of serve.
type serveOptions struct {
	listen         string
	base           address
	hosts          list
	proxies        networks
	egress         egress
	selfApproval   bool
	limits         domain.Limits
	metrics        string
	verifyEvery    interval
	demo, demoWait bool

	signingKey, head string
	acceptRestore    bool
}

func (o *serveOptions) setLimits(text string) (err error) {
	o.limits, err = o.limits.Parse(text)
	return err
}

// run serves until ctx ends or the database fails.
func (o *serveOptions) run(ctx context.Context, c *call) (err error) {
	if err := o.checkListen(); err != nil {
		return err
	}
	assets, err := loadAssets()
	if err != nil {
		return err
	}
	if o.acceptRestore && !o.demo {
		if err := o.verifyRestored(ctx, c); err != nil {
			return err
		}
	}
	// The reader of the log may end first. That must not end the server, least of
	// all with a signal that systemd takes for a clean exit.
	signal.Ignore(syscall.SIGPIPE)
	log := newLogBuffer(c.stderr, maxBufferedLog)
	defer log.Close()
	c.stderr = log
	level := slog.LevelInfo
	if o.demo {
		remove, err := useTemporaryDatabase(c)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, remove()) }()
		level = slog.LevelWarn // the terminal shows what the agent is told
	}
	s := &server{
		feed: domain.NewFeed(), failed: make(chan error, 1),
		logger: newLogger(c.stderr, level),
	}
	if o.metrics != "" {
		s.metrics = newMetrics(log)
	}
	db, err := o.openStore(ctx, c, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s.svc = domain.NewService(db, domain.Config{Feed: s.feed, Limits: o.limits, AllowSelfApproval: o.selfApproval, Logger: s.logger,
		CheckAddress: func(address string) error { return s.sender.CheckURL(address) }})
	if err := s.prepare(ctx, o.acceptRestore); err != nil {
		return err
	}
	s.verifier = s.newVerifier(c, o)
	if s.metrics != nil {
		s.metrics.addVerification(s.svc)
		s.metrics.addPolicies(s.svc)
		stop, err := s.serveMetrics(o.metrics, newStored(db, c.db))
		if err != nil {
			return err
		}
		defer stop()
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	base := o.baseURL(listener.Addr())
	s.sender = notify.New(o.egress.options(base))
	s.setHandler(o.webConfig(s, db, assets, base))
	agent, err := o.printWelcome(ctx, c, s.svc, base)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	return s.serve(ctx, listener, agent)
}

// loadAssets returns the browser files, which make assets must have installed.
func loadAssets() (*static.Assets, error) {
	assets, err := static.Load()
	if err != nil {
		return nil, err
	}
	if missing := assets.Missing(); len(missing) > 0 {
		return nil, fmt.Errorf("this program was built without %s: run make assets, then build it again", strings.Join(missing, " and "))
	}
	return assets, nil
}

// openStore opens the database for a server.
func (o *serveOptions) openStore(ctx context.Context, c *call, s *server) (*store.DB, error) {
	db, err := store.Open(ctx, c.db, store.Options{
		Now: time.Now, Committed: s.feed.Publish, Observed: s.onCommit, Fatal: s.databaseFailed, Logger: s.logger,
		SigningKey: o.signingKey, Head: o.head, AcceptRestore: o.acceptRestore, RelaxedSync: hastyCommits,
	})
	if errors.Is(err, store.ErrRollback) {
		return nil, fmt.Errorf("%w\nIf you restored it from a backup, start once with --accept-restore: pending requests are cancelled, and the log says so", err)
	}
	return db, err
}

// webConfig configures the pages and the API.
func (o *serveOptions) webConfig(s *server, db *store.DB, assets *static.Assets, base *url.URL) web.Config {
	config := web.Config{
		Service: s.svc, Assets: assets, Logger: s.logger, BaseURL: base, Hosts: o.hosts,
		TrustedProxies: o.proxies, Checks: checks(db), Send: s.send,
	}
	if s.verifier != nil {
		config.Checks = append(config.Checks, verificationCheck(s.svc))
	}
	return config
}

// verifyRestored refuses a backup that was changed, because accepting a restore
// signs its rows. A backup may be older than the head file. One with an older schema is
// verified before it is migrated.
func (o *serveOptions) verifyRestored(ctx context.Context, c *call) error {
	vkey, file := "", store.KeyFile(c.db, o.signingKey)
	if _, err := os.Stat(file); err == nil {
		if vkey, err = store.VKey(file); err != nil {
			return err
		}
	}
	audit, signed, err := audited(ctx, c.db)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrSchema) {
		return nil
	}
	if err != nil {
		return err
	}
	report := audit.Finish(signed, vkey)
	if !report.IsTampered() {
		return nil
	}
	found := c.printReport(report)
	fmt.Fprintf(c.stderr, "countersign: %s is not what was signed with the key in %s, so it is not served. Restore another backup. "+
		"If all that was found is another key, and the backup is from before the key was changed, put the key of that time there; "+
		"without any key file it is served, and nothing vouches for what is in it\n", store.Label(c.db), file)
	return found
}

// printWelcome prints the server's address and how to sign in. It comes last,
// because a program that reads the address may connect at once.
func (o *serveOptions) printWelcome(ctx context.Context, c *call, svc *domain.Service, base *url.URL) (agent func(context.Context), err error) {
	agent = func(context.Context) {}
	if o.demo {
		if agent, err = prepareDemo(ctx, c, svc, base, o.demoWait); err != nil {
			return nil, err
		}
	}
	token, err := svc.CreateSetupLink(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(c.stdout, "listening on %s\n", base); err != nil {
		return nil, err
	}
	if token != "" {
		_, err = fmt.Fprintf(c.stdout, "set up the first administrator: %s/setup?token=%s\n", base, token)
	}
	return agent, err
}

// checkListen refuses to serve plain HTTP to other machines by accident.
func (o *serveOptions) checkListen() error {
	host, err := checkAddress("listen", o.listen)
	if err == nil && o.metrics != "" {
		_, err = checkAddress("metrics", o.metrics)
	}
	if err != nil {
		return err
	}
	if o.base.url == nil && !isLoopback(host) {
		return usageErrorf("--listen %s would serve plain HTTP to other machines: give the address that they use with --base-url", o.listen)
	}
	return nil
}

// checkAddress refuses an address that is not HOST:PORT.
func checkAddress(flag, address string) (host string, err error) {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return "", usageErrorf("--%s %q: write it like 127.0.0.1:8080", flag, address)
	}
	return host, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// baseURL returns the URL that browsers and agents use.
func (o *serveOptions) baseURL(listening net.Addr) *url.URL {
	if o.base.url != nil {
		return o.base.url
	}
	return &url.URL{Scheme: "http", Host: listening.String()}
}
