package reading

import (
	"net/netip"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// Address is where a URL or an e-mail address leads. Its texts are as sent.
type Address struct {
	Scheme    string // "" of an e-mail address or a host
	User      string // what stands before the @ that counts, with a password
	Host      string // without port and brackets
	Port      string
	HostStart int  // where Host begins in the text
	Disputed  bool // programs disagree where the host ends, because of a backslash
}

// ParseAddress reads a URL, an e-mail address or a host. Of "Name <a@b>" it reads what
// stands between the angle brackets.
func ParseAddress(text string) (Address, bool) {
	switch {
	case len(text) > maxKindLength:
		return Address{}, false
	case isURL(text):
		return parseURL(text), true
	case isEmail(text):
		return parseEmail(text), true
	}
	a := parseAuthority(text, 0)
	return a, a.Host != "" && strings.Trim(a.Port, "0123456789") == "" && (a.IsIP() || isHostName(a.Host))
}

// ASCII is the host in small letters with foreign labels in punycode, as DNS gets it.
func (a Address) ASCII() string {
	if host, err := idna.Lookup.ToASCII(a.Host); err == nil {
		return host
	}
	return strings.ToLower(a.Host)
}

// Unicode is the host with punycode decoded. It equals Host if there is none.
func (a Address) Unicode() string {
	if !strings.Contains(strings.ToLower(a.Host), "xn--") {
		return a.Host
	}
	host, err := idna.Punycode.ToUnicode(strings.ToLower(a.Host))
	if err != nil {
		return a.Host
	}
	return host
}

// IsIP reports whether the host is an IP address, in any form that programs accept for
// one: 2130706433 and 0x7f.1 are 127.0.0.1.
func (a Address) IsIP() bool { _, found := a.IP(); return found }

// IP returns the host as an IP address.
func (a Address) IP() (netip.Addr, bool) {
	host := strings.TrimSuffix(a.Host, ".")
	host, _, _ = strings.Cut(host, "%")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip, true
	}
	if a.Scheme == "" {
		return netip.Addr{}, false
	}
	return parseOldIP(host)
}

// parseOldIP reads the forms of inet_aton: one to four numbers, decimal, octal or
// hexadecimal, of which the last fills the rest.
func parseOldIP(host string) (netip.Addr, bool) {
	pieces := strings.Split(host, ".")
	if len(pieces) > 4 {
		return netip.Addr{}, false
	}
	var ip uint64
	for i, piece := range pieces {
		n, ok := parseOldNumber(piece)
		bits := 8
		if i == len(pieces)-1 {
			bits = 8 * (4 - i)
		}
		if !ok || n >= 1<<bits {
			return netip.Addr{}, false
		}
		ip = ip<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(ip >> 24), byte(ip >> 16), byte(ip >> 8), byte(ip)}), true
}

func parseOldNumber(text string) (n uint64, ok bool) {
	base := uint64(10)
	switch low := strings.ToLower(text); {
	case strings.HasPrefix(low, "0x"):
		base, text = 16, low[2:]
	case len(text) > 1 && text[0] == '0':
		base = 8
	}
	if text == "" || len(text) > 12 {
		return 0, false
	}
	for i := range len(text) {
		digit := strings.IndexByte("0123456789abcdef", text[i])
		if digit < 0 || uint64(digit) >= base {
			return 0, false
		}
		n = n*base + uint64(digit)
	}
	return n, true
}

// isURL reports whether a text is one URL with a host, or a mailto: address.
func isURL(text string) bool {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r < ' ' }) {
		return false
	}
	scheme, rest, found := strings.Cut(text, ":")
	if !found || !isScheme(scheme) {
		return false
	}
	if strings.EqualFold(scheme, "mailto") {
		return isEmail(rest)
	}
	return len(rest) > 2 && (strings.HasPrefix(rest, "//") || isWeb(scheme) && strings.Trim(rest[:2], `/\`) == "")
}

func isScheme(s string) bool {
	if len(s) < 2 || len(s) > 20 || !isLetter(s[0]) {
		return false
	}
	for i := range len(s) {
		if !isLetter(s[i]) && (s[i] < '0' || s[i] > '9') && strings.IndexByte("+-.", s[i]) < 0 {
			return false
		}
	}
	return true
}

// isWeb reports whether browsers read addresses of this scheme: a backslash is a slash.
func isWeb(scheme string) bool {
	return slices.Contains([]string{"http", "https", "ftp", "ws", "wss"}, strings.ToLower(scheme))
}

func parseURL(text string) Address {
	scheme, rest, _ := strings.Cut(text, ":")
	if strings.EqualFold(scheme, "mailto") {
		a := parseEmail(rest)
		a.Scheme = scheme
		a.HostStart += len(text) - len(rest)
		return a
	}
	rest = rest[2:]
	start := len(text) - len(rest)
	if isWeb(scheme) { // browsers skip further slashes
		rest = strings.TrimLeft(rest, `/\`)
		start = len(text) - len(rest)
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	cut := strings.IndexByte(rest, '\\')
	if cut >= 0 && isWeb(scheme) {
		rest = rest[:cut]
	}
	a := parseAuthority(rest, start)
	a.Scheme, a.Disputed = scheme, cut >= 0
	return a
}

// parseAuthority reads user@host:port, which begins at a place in the text.
func parseAuthority(text string, start int) (a Address) {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		a.User, text, start = text[:at], text[at+1:], start+at+1
	}
	if strings.HasPrefix(text, "[") {
		if end := strings.IndexByte(text, ']'); end > 0 {
			a.Host, a.HostStart = text[1:end], start+1
			a.Port = strings.TrimPrefix(text[end+1:], ":")
			return a
		}
	}
	a.Host, a.HostStart = text, start
	if strings.Count(text, ":") == 1 {
		a.Host, a.Port, _ = strings.Cut(text, ":")
	}
	return a
}

// isEmail reports whether a text is an e-mail address, or a name with one in angle
// brackets.
func isEmail(text string) bool {
	a := parseEmail(text)
	return a.User != "" && len(a.User) <= 128 && !strings.ContainsAny(a.User, " \t\n<>(),;:/\\\"") && strings.Contains(a.Host, ".") && isHostName(a.Host)
}

func parseEmail(text string) Address {
	start := 0
	if open := strings.LastIndexByte(text, '<'); open >= 0 && strings.HasSuffix(text, ">") {
		text, start = text[open+1:len(text)-1], open+1
	}
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return Address{}
	}
	return Address{User: text[:at], Host: text[at+1:], HostStart: start + at + 1}
}

// isHostName reports whether a text may be the name of a host: labels of letters, digits
// and dashes, of any alphabet.
func isHostName(text string) bool {
	text = strings.TrimSuffix(text, ".")
	if text == "" || len(text) > 253 {
		return false
	}
	for label := range strings.SplitSeq(text, ".") {
		if label == "" || label[0] == '-' {
			return false
		}
		for _, r := range label {
			if r < 0x80 && !isLetter(byte(r)) && (r < '0' || r > '9') && r != '-' && r != '_' || unicode.IsSpace(r) {
				return false
			}
		}
	}
	return true
}

// isHost reports whether a text is a host without anything around it but a port. A name
// that may as well be a file needs a member's name that says so.
func isHost(text string, name []string) bool {
	a := parseAuthority(text, 0)
	if a.User != "" || strings.Trim(a.Port, "0123456789") != "" {
		return false
	}
	if a.IsIP() {
		return true
	}
	if !isHostName(a.Host) || !strings.ContainsFunc(a.Host, unicode.IsLetter) {
		return false
	}
	labels := strings.Split(strings.TrimSuffix(strings.ToLower(a.Host), "."), ".")
	if hasWord(name, hostNames) {
		return len(labels) > 1 || slices.Contains(hostNames, last(name))
	}
	top := last(labels)
	return len(labels) > 1 && (slices.Contains(topDomains, top) || strings.HasPrefix(top, "xn--")) && !hasWord(name, pathNames)
}

// topDomains are those that end no usual name of a file.
var topDomains = []string{"com", "net", "org", "io", "dev", "app", "edu", "gov", "int", "mil", "info", "biz", "example", "internal", "local", "localhost", "test", "invalid", "cloud", "eu", "de", "uk", "fr", "ch", "at", "nl", "it", "es", "pl", "se", "no", "fi", "dk", "cz", "jp", "cn", "kr", "in", "au", "nz", "br", "mx", "ru", "us", "ca"}
