package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// list is a flag that may be repeated.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(value string) error {
	if value == "" {
		return errEmpty
	}
	*l = append(*l, value)
	return nil
}

// nonEmpty is a flag that refuses an empty value. A script whose variable is not
// set would otherwise seem to have checked something.
type nonEmpty string

func (f *nonEmpty) String() string { return string(*f) }

func (f *nonEmpty) Set(value string) error {
	if value == "" {
		return errEmpty
	}
	*f = nonEmpty(value)
	return nil
}

var errEmpty = errors.New("it is empty")

// lifetime is a flag for how long something is valid: 90d, or hours and minutes
// as in 12h30m. Zero means forever.
type lifetime time.Duration

func (l *lifetime) String() string {
	if *l == 0 {
		return ""
	}
	return time.Duration(*l).String()
}

// maxLifetimeDays keeps a lifetime from overflowing: a hundred years.
const maxLifetimeDays = 36_500

func (l *lifetime) Set(value string) error {
	bad := fmt.Errorf("write it like 90d or 12h, at most %dd", maxLifetimeDays)
	if number, ok := strings.CutSuffix(value, "d"); ok {
		days, err := strconv.Atoi(number)
		if err != nil || days < 1 || days > maxLifetimeDays {
			return bad
		}
		*l = lifetime(time.Duration(days) * 24 * time.Hour)
		return nil
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 || d > maxLifetimeDays*24*time.Hour {
		return bad
	}
	*l = lifetime(d)
	return nil
}

// interval is a flag for how often something happens: 6h, or 0 for never.
type interval time.Duration

func (i *interval) String() string { return time.Duration(*i).String() }

func (i *interval) Set(value string) error {
	if value == "0" {
		*i = 0
		return nil
	}
	if err := (*lifetime)(i).Set(value); err != nil {
		return fmt.Errorf("%w, or 0 for never", err)
	}
	return nil
}

// address is a flag for the server's own URL: a scheme and a host, no path.
type address struct{ url *url.URL }

func (a *address) String() string {
	if a.url == nil {
		return ""
	}
	return a.url.String()
}

func (a *address) Set(value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("write it like https://countersign.example.org, without a path")
	}
	a.url = &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}
	return nil
}

// networks is a flag for address ranges that may be repeated.
type networks []*net.IPNet

func (n *networks) String() string {
	words := make([]string, len(*n))
	for i, network := range *n {
		words[i] = network.String()
	}
	return strings.Join(words, ",")
}

func (n *networks) Set(value string) error {
	for text := range strings.SplitSeq(value, ",") {
		_, network, err := net.ParseCIDR(text)
		if err != nil {
			return errors.New("write it like 10.0.0.0/8")
		}
		if !slices.ContainsFunc(*n, func(other *net.IPNet) bool { return other.String() == network.String() }) {
			*n = append(*n, network)
		}
	}
	return nil
}
