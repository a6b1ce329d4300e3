package finding

import (
	"net/netip"
	"slices"
	"strings"
)

// compareNetworks finds an address or a network in prose that no argument has, while one
// has a network around it, or an address of which one number differs.
func compareNetworks(c *comparing) {
	for _, p := range c.passages {
		stated := networksIn(string(p.text))
		if len(stated) == 0 || !p.isNear() {
			continue
		}
		var named []networkOf
		for _, a := range c.arguments(p) {
			for _, n := range networksIn(string(firstRunes(a.Text, maxArgument))) {
				named = append(named, networkOf{n, a})
			}
			if len(named) > maxHosts {
				break
			}
		}
		// Where one of the addresses is as stated, one beside it is another machine.
		isNamed := slices.ContainsFunc(named, func(n networkOf) bool { return slices.Contains(stated, n.network) })
		for _, want := range stated {
			var odd *networkOf
			isThere := false
			for _, n := range named {
				isThere = isThere || n.network == want
				if odd == nil && !slices.Contains(stated, n.network) && (isAround(n.network, want) || !isNamed && isOneNumberAway(n.network, want)) {
					odd = &n
				}
			}
			if odd == nil || isThere {
				continue
			}
			a := odd.argument
			a.Text = lineWith(a.Text, written(odd.network))
			// Of several that can be meant none is pointed at, but the list that they are in.
			for _, n := range named {
				for n.network == odd.network && n.argument.action == a.action && !isBeneath(n.argument.Pointer, a.Pointer) {
					a.Pointer = a.Pointer[:strings.LastIndexByte(a.Pointer, '/')]
				}
			}
			c.say("network", Stop, p, a, differs(a, p), written(want))
		}
	}
}

// isBeneath reports whether a pointer leads to a value or into it.
func isBeneath(pointer, above string) bool {
	return above == "" || pointer == above || strings.HasPrefix(pointer, above+"/")
}

// networkOf is a network, and the argument that has it.
type networkOf struct {
	network  netip.Prefix
	argument argument
}

// networksIn returns the addresses and networks in a text. An address is a network of
// one.
func networksIn(text string) []netip.Prefix {
	var found []netip.Prefix
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'<>(),;|=", r) }) {
		network, ok := parseNetwork(word)
		if !ok {
			network, ok = parseNetwork(trimEnd(word))
		}
		if ok && len(found) < maxMentions {
			found = append(found, network)
		}
	}
	return found
}

func parseNetwork(word string) (netip.Prefix, bool) {
	if len(word) < 3 || len(word) > 50 {
		return netip.Prefix{}, false
	}
	if network, err := netip.ParsePrefix(word); err == nil {
		return network, true
	}
	ip, err := netip.ParseAddr(word)
	return netip.PrefixFrom(ip, ip.BitLen()), err == nil
}

// isAround reports whether a network has all of another, and more.
func isAround(network, inner netip.Prefix) bool {
	return network.Bits() < inner.Bits() && network.Contains(inner.Addr())
}

// isOneNumberAway reports whether one of four numbers of an address differs, or how much
// of it counts.
func isOneNumberAway(a, b netip.Prefix) bool {
	if !a.Addr().Is4() || !b.Addr().Is4() {
		return false
	}
	x, y := a.Addr().As4(), b.Addr().As4()
	differing := 0
	for i := range x {
		if x[i] != y[i] {
			differing++
		}
	}
	return differing == 1 && a.Bits() == b.Bits() || differing == 0 && a.Bits() != b.Bits()
}

// written returns a network as people write it.
func written(network netip.Prefix) string {
	if network.IsSingleIP() {
		return network.Addr().String()
	}
	return network.String()
}
