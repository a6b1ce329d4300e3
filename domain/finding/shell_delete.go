package finding

import (
	"path"
	"slices"
	"strings"
)

// tops are directories that hold a whole system or everything of a person.
var tops = setOf("/ ~ $HOME ${HOME} . .. * /. /.. .* /bin /boot /dev /etc /home /lib /opt /root /sbin /srv /usr /var /Users /System /Library /mnt /data")

// deletesWidely says what is wrong with the first deletion that goes too far, or "".
func deletesWidely(commands []command) (says, here string) {
	assigned := map[string]bool{} // variables that the script gives a value
	strict := false               // the script stops at a variable without a value
	inside := false               // the command before entered a directory
	for _, c := range commands {
		name, args, quoted := c.program()
		strict = strict || name == "set" && setsStrict(args)
		for _, variable := range assignedBy(c.words) {
			assigned[variable] = true
		}
		if len(assigned) > 1000 {
			return "", ""
		}
		isEmpty := func(target string) bool { return !strict && mayBeEmpty(target, assigned) }
		switch {
		case name == "rm" && isRecursive(args):
			says = widest(args, quoted, c.after && inside, isEmpty)
		case name == "find" && len(args) > 0 && findsAll(args):
			if isTop(args[0]) && !(c.after && inside) {
				says = "Deletes everything below " + topName(args[0])
			} else if isEmpty(args[0]) {
				says = "Deletes from the root if the variable is empty"
			}
		case name == "rsync" && deletesBySync(args):
			if from := sources(args); slices.ContainsFunc(from, isEmpty) || slices.ContainsFunc(from, isEmptySource) {
				says = "Copies nothing over the target and deletes the rest of it"
			}
		}
		if says != "" {
			return says, strings.Join(c.words, " ")
		}
		if says, here := deletesWidely(c.nested); says != "" {
			return says, here
		}
		inside = name == "cd" && len(args) > 0 && !strings.HasPrefix(args[0], "$") && !isTop(args[0]) || inside && c.after
	}
	return "", ""
}

func isRecursive(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return arg == "--recursive" || strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.ContainsAny(arg, "rR")
	})
}

// widest says what is wrong with the targets of a recursive rm, or "".
func widest(args []string, quoted []bool, inside bool, isEmpty func(string) bool) string {
	var absolute []string
	relative, strayed := 0, false
	for i, arg := range args {
		switch {
		case strings.HasPrefix(arg, "-"):
			continue
		case isTop(arg) && !(quoted[i] && strings.ContainsAny(arg[:1], "*~")) && !(inside && strings.Trim(arg, "./*") == "" && arg[0] != '/'):
			return "Deletes all of " + topName(arg)
		case isEmpty(arg):
			return "Deletes from the root if the variable is empty"
		case arg[:min(1, len(arg))] == "/":
			absolute = append(absolute, arg)
		case arg != "" && !strings.ContainsAny(arg[:1], "~$*"):
			relative++
			strayed = strayed || i > 0 && strings.HasPrefix(args[i-1], "/") && strings.HasSuffix(args[i-1], "/")
		}
	}
	if relative > 0 && strayed || relative == 1 && len(absolute) >= 2 {
		return "A relative path stands among absolute ones"
	}
	return parentAmong(absolute)
}

// parentAmong reports a target that contains another target. Sorted, a parent stands
// right before what is below it.
func parentAmong(paths []string) string {
	var clean []string
	for _, p := range paths {
		if !strings.ContainsAny(p, "*?[$") {
			clean = append(clean, path.Clean(p)+"/")
		}
	}
	slices.Sort(clean)
	clean = slices.Compact(clean)
	for i := 1; i < len(clean); i++ {
		if strings.HasPrefix(clean[i], clean[i-1]) {
			return "One target of the deletion contains another"
		}
	}
	return ""
}

// isTop reports whether a path is a top directory, or all that is in it.
func isTop(target string) bool {
	if tops[target] {
		return true
	}
	short := strings.TrimSuffix(strings.TrimSuffix(target, "*"), "/")
	return target != "" && (tops[short] || short == "")
}

// topName names what isTop knows, in the server's words.
func topName(target string) string {
	short := strings.TrimSuffix(strings.TrimSuffix(target, "*"), "/")
	switch {
	case short == "" && target[0] == '/' || short == "/." || short == "/..":
		return "the root directory"
	case strings.HasSuffix(short, "HOME") || short == "${HOME}" || short == "~":
		return "the home directory"
	case short == "" || strings.Trim(short, ".*") == "":
		return "the directory it happens to run in"
	}
	return short // one of tops
}

// mayBeEmpty reports whether a target is the root when a variable has no value.
func mayBeEmpty(target string, assigned map[string]bool) bool {
	if !strings.HasPrefix(target, "$") {
		return false
	}
	name, rest := target[1:], ""
	if at := strings.IndexByte(name, '/'); at >= 0 {
		name, rest = name[:at], name[at:]
	}
	if strings.HasPrefix(name, "{") && strings.HasSuffix(name, "}") {
		name = name[1 : len(name)-1]
	}
	return strings.Trim(rest, "/*.") == "" && rest != "" && isVariable(name) && !assigned[name]
}

func isVariable(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r != '_' && (r > 'z' || !isAlphanumeric(byte(r))) }) < 0
}

// assignedBy returns the variables that a command gives a value.
func assignedBy(words []string) []string {
	var names []string
	for i, word := range words {
		name, value, found := strings.Cut(word, "=")
		switch {
		case found && value != "" && isVariable(name):
			names = append(names, name)
		case i > 0 && (words[i-1] == "for" || words[0] == "read") && isVariable(word):
			names = append(names, word)
		}
	}
	return names
}

// setsStrict reports whether set has -u, alone or among other letters.
func setsStrict(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return arg == "nounset" || strings.HasPrefix(arg, "-") && strings.Contains(arg, "u")
	})
}

// findsAll reports whether find deletes without a test before that narrows it.
func findsAll(args []string) bool {
	for i, arg := range args {
		switch {
		case arg == "-delete", arg == "-exec" && i+1 < len(args) && path.Base(args[i+1]) == "rm":
			return true
		case strings.HasPrefix(arg, "-") && !findOptions[arg]:
			return false
		}
	}
	return false
}

var findOptions = setOf("-type -mindepth -xdev -mount -depth -L -H -P -print -ignore_readdir_race")

func deletesBySync(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--del") && arg != "--delay-updates" })
}

// sources returns what rsync reads from: all but the last of its paths.
func sources(args []string) []string {
	var paths []string
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			paths = append(paths, arg)
		}
	}
	return paths[:max(len(paths)-1, 0)]
}

func isEmptySource(source string) bool {
	base := path.Base(source)
	return source == "" || source == "/dev/null/" || base == "empty" || base == "blank" || base == "empty_dir" || base == "empty-dir"
}
