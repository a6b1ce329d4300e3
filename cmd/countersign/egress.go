package main

import (
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"countersign/web/notify"
)

// egress says where the server may send messages beside public addresses and port 443.
type egress struct {
	allow prefixes
	ports ports
}

func (e *egress) addFlags(f *flag.FlagSet) {
	f.Var(&e.allow, "egress-allow", "`CIDR` of further addresses that messages may be sent to; repeat for several. By default only public ones")
	f.Var(&e.ports, "egress-ports", "`PORTS` that messages may be sent to; by default 443")
}

// options returns the options of what sends messages. base is this server's own URL.
func (e *egress) options(base *url.URL) notify.Options {
	return notify.Options{BaseURL: base, Allow: e.allow, Ports: e.ports}
}

// prefixes is a flag for address ranges that may be repeated.
type prefixes []netip.Prefix

func (p *prefixes) String() string { return join(*p) }

func (p *prefixes) Set(value string) error {
	for text := range strings.SplitSeq(value, ",") {
		prefix, err := netip.ParsePrefix(text)
		if err != nil || prefix.Addr().Is4In6() {
			return errors.New("write it like 10.0.0.0/8 or fd00::/8")
		}
		*p = add(*p, prefix.Masked())
	}
	return nil
}

// ports is a flag for ports that may be repeated.
type ports []uint16

func (p *ports) String() string { return join(*p) }

func (p *ports) Set(value string) error {
	for text := range strings.SplitSeq(value, ",") {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return errors.New("write it like 443,8443")
		}
		*p = add(*p, uint16(port))
	}
	return nil
}

func add[T comparable](list []T, value T) []T {
	if slices.Contains(list, value) {
		return list
	}
	return append(list, value)
}

func join[T any](list []T) string {
	words := make([]string, len(list))
	for i, value := range list {
		words[i] = fmt.Sprint(value)
	}
	return strings.Join(words, ",")
}
