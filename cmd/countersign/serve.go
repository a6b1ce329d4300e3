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
)

var serveCommand = command{
	name:  "serve",
	flags: "[--listen 127.0.0.1:8080] [--base-url URL] [--host NAME]… [--trusted-proxy CIDR]… [--allow-self-approval] [--metrics ADDR] [--verify-every 6h] [--limits k=v,…] [--signing-key F] [--head F] [--accept-restore] [--demo]",
	about: "Runs the server until it is interrupted. It prints its address when it is ready, and before there are users a link to set up the first administrator.",
	setup: func(f *flag.FlagSet) action {
		o := &serveOptions{limits: domain.DefaultLimits(), verifyEvery: interval(6 * time.Hour)}
		f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "`ADDRESS` and port to listen on")
		f.Var(&o.base, "base-url", "`URL` at which browsers and agents reach the server")
		f.Var(&o.hosts, "host", "a further host `NAME` to answer to; repeat for several")
		f.Var(&o.proxies, "trusted-proxy", "`CIDR` of proxies whose X-Forwarded-For is believed; repeat for several")
		f.BoolVar(&o.selfApproval, "allow-self-approval", false, "let users, never keys, decide what they, their keys or keys that they made requested")
		f.StringVar(&o.metrics, "metrics", "", "`ADDRESS` and port that answers /metrics for Prometheus, to whoever reaches it; else there are none")
		f.Var(&o.verifyEvery, "verify-every", "`INTERVAL` at which the server runs evidence verify on its database, first when it has started; 0: never")
		f.Func("limits", fmt.Sprintf("`k=v,…`, which limits to change: by default %v", o.limits), o.setLimits)
		f.StringVar(&o.signingKey, "signing-key", "", "`FILE` of the key that signs the log; else the database's name with .key, for PostgreSQL countersign.key")
		f.StringVar(&o.head, "head", "", "`FILE` that keeps the log's newest checkpoint, best on another disk; else the database's name with .head, for PostgreSQL countersign.head")
		f.BoolVar(&o.acceptRestore, "accept-restore", false, "go on with a database that was restored from a backup: it is verified first, and one that was changed is refused with exit code 4; what is pending is cancelled, and the log says so")
		f.BoolVar(&o.demo, "demo", false, "use a throwaway database, create accounts and run an agent that asks")
		return func(ctx context.Context, c *call) error {
			given := false
			f.Visit(func(f *flag.Flag) { given = given || f.Name == "db" })
			if o.demo && given && c.getenv(variable("db")) != c.db {
				return usage("--demo uses a throwaway database: leave --db out")
			}
			return o.run(ctx, c)
		}
	},
}

// hastyCommits is false but for the program with which tests show that they would
// see a loss.
var hastyCommits bool

// serveOptions is what the command line says about a server.
type serveOptions struct {
	listen       string
	base         address
	hosts        list
	proxies      networks
	selfApproval bool
	limits       domain.Limits
	metrics      string
	verifyEvery  interval
	demo         bool

	signingKey, head string
	acceptRestore    bool
}

func (o *serveOptions) setLimits(text string) (err error) {
	o.limits, err = o.limits.Parse(text)
	return err
}

// run serves until ctx ends or the database fails. What it opened first it
// closes last.
func (o *serveOptions) run(ctx context.Context, c *call) (err error) {
	if err := o.checkListen(); err != nil {
		return err
	}
	assets, err := static.Load()
	if err != nil {
		return err
	}
	if missing := assets.Missing(); len(missing) > 0 {
		return fmt.Errorf("this program was built without %s: run make assets, then build it again", strings.Join(missing, " and "))
	}
	if o.acceptRestore && !o.demo {
		if err := o.verifyRestored(ctx, c); err != nil {
			return err
		}
	}
	// Who reads the log may end before the server does: that must not end it, and
	// least of all in a way that systemd takes for a good one.
	signal.Ignore(syscall.SIGPIPE)
	log := newBacklog(c.stderr, maxBacklog)
	defer log.Close()
	c.stderr = log
	level := slog.LevelInfo
	if o.demo {
		remove, err := throwaway(c)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, remove()) }()
		level = slog.LevelWarn // the terminal belongs to what the agent is told
	}
	s := &server{
		feed: domain.NewFeed(), failed: make(chan error, 1),
		logger: newLogger(c.stderr, level),
	}
	if o.metrics != "" {
		s.metrics = newMetrics(log)
	}
	db, err := store.Open(ctx, c.db, store.Options{
		Now: time.Now, Committed: s.feed.Publish, Observed: s.observed, Fatal: s.databaseFailed, Logger: s.logger,
		SigningKey: o.signingKey, Head: o.head, AcceptRestore: o.acceptRestore, Hasty: hastyCommits,
	})
	if errors.Is(err, store.ErrRollback) {
		return fmt.Errorf("%w\nIf you restored it from a backup, start once with --accept-restore: what is pending is cancelled, and the log says so", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s.svc = domain.NewService(db, domain.Config{Feed: s.feed, Limits: o.limits, AllowSelfApproval: o.selfApproval, Logger: s.logger})
	if err := s.prepare(ctx, o.acceptRestore); err != nil {
		return err
	}
	s.verifier = s.newVerifier(c, o)
	if s.metrics != nil {
		s.metrics.tellVerification(s.svc)
		stop, err := s.measure(o.metrics, newStored(db, c.db))
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
	config := web.Config{
		Service: s.svc, Assets: assets, Logger: s.logger, BaseURL: base, Hosts: o.hosts,
		TrustedProxies: o.proxies, Checks: checks(db),
	}
	if s.verifier != nil {
		config.Checks = append(config.Checks, verificationCheck(s.svc))
	}
	s.answer(config)
	agent, err := o.welcome(ctx, c, s.svc, base)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	return s.serve(ctx, listener, agent)
}

// verifyRestored refuses a copy that was changed: what is written when a restore
// is accepted would be signed as it is. That the copy is older than the head file
// makes it a restore, and is no change. A copy of an older schema is verified before
// it is migrated.
func (o *serveOptions) verifyRestored(ctx context.Context, c *call) error {
	vkey, file := "", store.KeyFile(c.db, o.signingKey)
	if _, err := os.Stat(file); err == nil {
		if vkey, err = store.VKey(file); err != nil {
			return err
		}
	}
	tuneCollector()
	audit, signed, err := audited(ctx, c.db)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrSchema) {
		return nil
	}
	if err != nil {
		return err
	}
	report := audit.Finish(signed, vkey)
	if !report.Tampered() {
		return nil
	}
	found := c.conclude(report)
	fmt.Fprintf(c.stderr, "countersign: %s is not what was signed with the key in %s, so it is not served. Put another backup in its place. "+
		"If all that was found is another key, and the backup is from before the key was changed, put the key of that time there; "+
		"without any key file it is served, and nothing vouches for what is in it\n", store.Label(c.db), file)
	return found
}

// welcome prints where the server is and how to get in. The address comes
// last of what must be ready: whoever reads it may connect at once.
func (o *serveOptions) welcome(ctx context.Context, c *call, svc *domain.Service, base *url.URL) (agent func(context.Context), err error) {
	agent = func(context.Context) {}
	if o.demo {
		if agent, err = prepareDemo(ctx, c, svc, base); err != nil {
			return nil, err
		}
	}
	token, err := svc.SetupToken(ctx)
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

// checkListen refuses to speak plain HTTP to other machines by accident.
func (o *serveOptions) checkListen() error {
	host, err := checkAddress("listen", o.listen)
	if err == nil && o.metrics != "" {
		_, err = checkAddress("metrics", o.metrics)
	}
	if err != nil {
		return err
	}
	if o.base.url == nil && !loopback(host) {
		return usage("--listen %s would serve plain HTTP to other machines: say with --base-url how they reach it", o.listen)
	}
	return nil
}

// checkAddress refuses what can never be listened on.
func checkAddress(flag, address string) (host string, err error) {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return "", usage("--%s %q: write it like 127.0.0.1:8080", flag, address)
	}
	return host, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// baseURL is where the server says that it is.
func (o *serveOptions) baseURL(listening net.Addr) *url.URL {
	if o.base.url != nil {
		return o.base.url
	}
	return &url.URL{Scheme: "http", Host: listening.String()}
}
