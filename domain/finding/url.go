package finding

import (
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"countersign/domain/reading"
)

const maxURLs = 500 // addresses of one string

// findURL reports web addresses that lead elsewhere than they seem to.
func findURL(r *Request, report func(Finding)) {
	eachString(r, func(action int, v reading.Value) {
		rest := v.Text
		for range maxURLs {
			at := strings.Index(rest, "://")
			if at < 0 {
				return
			}
			scheme := schemeBefore(rest[:at])
			authority := rest[at+3:]
			if end := strings.IndexAny(authority, "/?#\"'<>`()[]{}|,; \t\r\n"); end >= 0 && authority[end] != '[' {
				authority = authority[:end]
			} else if end >= 0 {
				authority = authority[:strings.IndexByte(authority, ']')+1]
			}
			if says, level := faultOfAuthority(scheme, strings.TrimRight(authority, `\.`)); says != "" && len(authority) < 2000 {
				report(Finding{Kind: "url", Level: level, Action: action, Pointer: v.Pointer, Says: says, Here: shortened(scheme + "://" + authority)})
				if level != Note {
					return
				}
			}
			rest = rest[at+3:]
		}
	})
}

func schemeBefore(text string) string {
	start := len(text)
	for start > 0 && len(text)-start < 12 && isAlphanumeric(text[start-1]) {
		start--
	}
	return strings.ToLower(text[start:])
}

// faultOfAuthority says what to notice in the part of an address that names the host.
func faultOfAuthority(scheme, authority string) (says string, level Level) {
	isWeb := scheme == "http" || scheme == "https" || scheme == "ws" || scheme == "wss"
	user, host := "", authority
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user, host = authority[:at], authority[at+1:]
	}
	switch {
	case !isWeb || host == "" || strings.ContainsAny(user, "$*"):
	case strings.HasSuffix(user, `\`):
		return "Programs disagree on the host: " + quoted(host) + " or what stands before @", Stop
	case strings.ContainsAny(user, ".%") && !strings.Contains(user, ":"):
		return "Goes to " + quoted(host) + "; " + quoted(user) + " is a user name", Stop
	case strings.Contains(beforePassword(user), "."):
		return "Goes to " + quoted(host) + "; " + quoted(beforePassword(user)) + " is a user name", Stop
	case user != "":
		return "Goes to " + quoted(host) + "; what stands before @ is a user name", Look
	}
	if !isWeb {
		return "", ""
	}
	return faultOfHost(host)
}

func beforePassword(user string) string {
	name, _, _ := strings.Cut(user, ":")
	return name
}

func faultOfHost(host string) (says string, level Level) {
	host = strings.ToLower(host)
	name := host
	if at := strings.LastIndexByte(host, ':'); at >= 0 && !strings.HasSuffix(host, "]") {
		name = host[:at]
	}
	if strings.HasPrefix(name, "xn--") || strings.Contains(name, ".xn--") {
		decoded, err := idna.Punycode.ToUnicode(name)
		if err != nil || decoded == name || passesInHost(decoded) {
			return "The host is written in Punycode and looks like another one", Stop
		}
		return "The host is written in Punycode: " + quoted(decoded), Look
	}
	if ip, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		switch ip = ip.Unmap(); {
		case ip == netip.AddrFrom4([4]byte{169, 254, 169, 254}):
			return "The host is the address where clouds hand out credentials", Look
		case ip.IsPrivate(), ip.IsLoopback(), ip.IsLinkLocalUnicast(), ip.IsUnspecified():
			return "The host is a private IP address", Note
		}
		return "The host is an IP address without a name", Look
	}
	if isNumericHost(name) {
		return "The host is an IP address in an unusual form", Look
	}
	return "", ""
}

// isNumericHost reports whether browsers read a host as an IPv4 address: 2130706433,
// 0x7f.1 or 0177.0.0.1.
func isNumericHost(name string) bool {
	parts := strings.Split(name, ".")
	for _, part := range parts {
		if _, err := strconv.ParseUint(part, 0, 32); err != nil && !isDigits(part) {
			return false
		}
	}
	return len(parts) <= 4
}
