package finding

import (
	"slices"
	"strings"
)

// unguarded are programs with options by which they no longer check what they talk to or
// do, and what that is.
var unguarded = []struct{ programs, option, says string }{
	{"curl", "--insecure", "certificates"}, {"curl", "-k", "certificates"}, {"wget", "--no-check-certificate", "certificates"},
	{"git", "http.sslverify=false", "certificates"}, {"git", "--no-verify", "hooks"}, {"npm yarn pnpm", "strict-ssl", "certificates"},
	{"pip pip3 uv", "--trusted-host", "certificates"}, {"ssh scp sftp rsync", "stricthostkeychecking=no", "host keys"},
	{"apt apt-get", "--allow-unauthenticated", "signatures"}, {"yum dnf", "--nogpgcheck", "signatures"}, {"rpm", "--nosignature", "signatures"},
	{"helm kubectl", "--insecure-skip-tls-verify", "certificates"}, {"docker podman", "--privileged", "isolation"}, {"docker podman", "--tls-verify=false", "certificates"},
	{"setenforce", "0", "SELinux"}, {"ufw", "disable", "the firewall"}, {"chmod", "777", "permissions"}, {"chmod", "0777", "permissions"}, {"chmod", "a+rwx", "permissions"},
}

// givesUp says which check one of the commands gives up, or "", and by which words. It is
// a note where the reason speaks of it.
func givesUp(commands []command, reason string) (says, here string, level Level) {
	for _, c := range commands {
		if what := c.unguards(); what != "" {
			reason, level = strings.ToLower(cut(reason, maxProse)), Look
			if slices.ContainsFunc(reasonsFor[what], func(start string) bool { return strings.Contains(reason, start) }) {
				level = Note
			}
			return "A command gives up a check: " + what, strings.Join(c.words, " "), level
		}
	}
	return "", "", ""
}

// reasonsFor are beginnings of words that speak of a check which is given up.
var reasonsFor = map[string][]string{
	"certificates": {"certif", "zertif", "tls", "ssl", "self-signed"}, "hooks": {"hook"}, "host keys": {"host key", "known_hosts", "fingerprint"},
	"signatures": {"signat", "signed", "gpg"}, "isolation": {"privileg"}, "SELinux": {"selinux"}, "the firewall": {"firewall"},
	"permissions": {"permission", "writable", "rechte", "chmod"},
}

// unguards says which check a command gives up, or "".
func (c command) unguards() string {
	for _, word := range c.words {
		if word == "NODE_TLS_REJECT_UNAUTHORIZED=0" || strings.HasPrefix(word, "GIT_SSL_NO_VERIFY=") {
			return "certificates"
		}
	}
	name, args, _ := c.program()
	for _, u := range unguarded {
		if !slices.Contains(strings.Fields(u.programs), name) {
			continue
		}
		if slices.ContainsFunc(args, func(arg string) bool { return hasOption(arg, u.option) }) {
			return u.says
		}
	}
	return ""
}

// hasOption reports whether a word is an option. Short ones stand together: -fsSk.
func hasOption(word, option string) bool {
	lower := strings.ToLower(word)
	if len(option) == 2 && option[0] == '-' {
		flags, _, found := strings.Cut(word, option[1:])
		return found && len(flags) > 0 && flags[0] == '-' && strings.Trim(flags[1:], "fsSLOgijlnNqvVaIGRp") == ""
	}
	return lower == option || strings.HasPrefix(lower, option+"=") && lower != option+"=false" || strings.HasSuffix(lower, option) && strings.HasPrefix(lower, "-o")
}
