package finding

import (
	"strings"

	"countersign/domain/reading"
)

var (
	guards = setOf(`verify verified verification check checks validate validation tls ssl https audit auditing
		logging backup backups encryption encrypt encrypted mfa 2fa totp auth authentication authorization
		protection protected firewall sandbox sandboxed confirm confirmation approval approvals require requires
		required signature signatures signed integrity versioning rollback quarantine antivirus csrf hsts secure
		unauthorized safeguard safeguards monitoring alerting strict rbac interlock failsafe`)
	negations = setOf("skip disable bypass ignore no without suppress omit not")
	// harmless are things that are skipped or disabled every day.
	harmless = setOf(`header headers row rows line lines empty blank blanks null nulls duplicate duplicates weekend weekends
		holidays whitespace cache existing first intro case preview previews animation animations telemetry comments
		autoplay ads unknown missing index indexing reply weekdays page pages images css fields columns notification
		notifications sound tracking download downloads in out out_of ins outs box list number date size`)
	opened   = setOf("public privileged insecure publicly unauthenticated anonymous unrestricted unsafe")
	trues    = setOf("true yes on 1 enabled")
	falses   = setOf("false no off 0 disabled none")
	policies = setOf("public-read public-read-write publicread publicreadwrite blobcontainer")
)

// findProtection reports settings that switch a protection off, or open what is closed.
func findProtection(r *Request, report func(Finding)) {
	for i := range r.Actions {
		odd := oddFlags(r.Actions[i].Args, 3)
		eachSetting(r.Actions[i].Args, func(s setting) {
			says := faultOfSetting(s.name, s.value)
			if says == "" {
				return
			}
			f := Finding{Kind: "protection", Level: Note, Action: i, Pointer: s.pointer, Says: says, Here: shortened(s.value)}
			if s.line != "" {
				f.Here = shortened(s.line)
			}
			if odd[s.pointer] != "" && s.line == "" {
				f.Level, f.There, f.Where = Look, odd[s.pointer], "the others of the list"
			} else if isUnasked(s.name, r.Reason) {
				f.Level = Look
				f.Says += ", and the reason does not say so"
			}
			report(f)
		})
	}
}

// strong are guards that nobody gives up in passing, with beginnings of words that speak
// of them.
var strong = map[string][]string{
	"mfa": {"mfa", "factor", "2fa", "faktor", "facteur"}, "2fa": {"2fa", "mfa", "factor"}, "totp": {"totp", "factor", "mfa"},
	"tls": {"tls", "ssl", "certif", "zertif", "https"}, "ssl": {"tls", "ssl", "certif", "zertif", "https"},
	"encryption": {"crypt", "verschl", "chiffr", "cifr"}, "encrypted": {"crypt", "verschl", "chiffr", "cifr"}, "encrypt": {"crypt", "verschl", "chiffr", "cifr"},
	"firewall": {"firewall", "pare-feu"}, "antivirus": {"virus"}, "csrf": {"csrf"}, "rbac": {"rbac", "role", "rolle"}, "hsts": {"hsts", "https"},
	"deletion": {"protect", "delet", "lösch", "remov"}, "unauthorized": {"certif", "tls", "ssl", "self-signed"},
	"privileged": {"privileg"}, "publicly": {"public", "öffentlich", "internet"}, "insecure": {"insecure", "certif", "tls", "ssl", "plain"},
	"unauthenticated": {"auth", "public", "anonym"}, "anonymous": {"anonym", "public"},
}

// isUnasked reports whether a setting is about a strong guard, which the reason does not
// speak of.
func isUnasked(name, reason string) bool {
	reason = strings.ToLower(cut(strings.TrimSpace(reason), maxProse))
	if reason == "" {
		return false
	}
	isStrong := false
	for _, word := range settingWords(name) {
		for _, start := range strong[word] {
			isStrong = true
			if strings.Contains(reason, start) {
				return false
			}
		}
	}
	return isStrong
}

// faultOfSetting says how a setting goes against its name, or "".
func faultOfSetting(name, value string) string {
	lower := strings.ToLower(value)
	isOn, isOff := trues[lower], falses[lower]
	if len(lower) > 20 || !isOn && !isOff && !policies[lower] && lower != "public" {
		return ""
	}
	words := settingWords(name)
	if len(words) == 0 || len(words) > 8 {
		return ""
	}
	last := words[len(words)-1]
	var negated, guarded, common, isOpen bool
	for i, word := range words {
		negated = negated || negations[word]
		common = common || harmless[word]
		guarded = guarded || guards[word] || i+1 < len(words) && guards[word+words[i+1]]
		isOpen = isOpen || opened[word]
	}
	negated = negated || last == "off" || last == "disabled" || last == "skipped"
	switch {
	case policies[lower], lower == "public" && (last == "acl" || last == "access" || last == "visibility"):
		return "Opens to the public: " + quoted(name)
	case common && !guardsTransport(words):
		return ""
	case isOn && isOpen:
		return "Opens what is closed: " + quoted(name) + " is on"
	case isOn && negated && len(words) > 1 && (guarded || words[0] == "skip" || words[0] == "disable" || words[0] == "bypass" || last == "off"):
		return "Switches a protection off: " + quoted(name) + " is on"
	case isOn && len(words) <= 2 && words[0] == "force":
		return "Goes on where it would stop: " + quoted(name) + " is on"
	case isOff && guarded && !negated && !isOpen && lower != "none" && !(isDigits(lower) && len(words) == 1):
		return "Switches a protection off: " + quoted(name) + " is off"
	}
	return ""
}

func guardsTransport(words []string) bool {
	for _, word := range words {
		if word == "ssl" || word == "tls" || word == "mfa" || word == "encryption" {
			return true
		}
	}
	return false
}

// oddFlags finds, in lists of at least so many like objects, the flags in which one
// differs. It returns the value of the others by the pointer of the one.
func oddFlags(v reading.Value, atLeast int) map[string]string {
	odd := map[string]string{}
	eachValue(v, func(list reading.Value) {
		if list.IsLeaf() || len(list.Items) < atLeast {
			return
		}
		type tally struct {
			on, off         int
			lastOn, lastOff string
		}
		flags := map[string]*tally{}
		for _, item := range list.Items {
			if item.Type != reading.Object {
				return
			}
			for _, flag := range item.Items {
				if flag.Type != reading.Bool {
					continue
				}
				t := flags[flag.Name]
				if t == nil {
					t = &tally{}
					flags[flag.Name] = t
				}
				if flag.Text == "true" {
					t.on, t.lastOn = t.on+1, flag.Pointer
				} else {
					t.off, t.lastOff = t.off+1, flag.Pointer
				}
			}
		}
		for _, t := range flags {
			switch {
			case t.on+t.off != len(list.Items):
			case t.on == 1:
				odd[t.lastOn] = "false"
			case t.off == 1:
				odd[t.lastOff] = "true"
			}
		}
	})
	return odd
}
