package finding

import (
	"path"
	"strings"

	"countersign/domain/reading"
)

var (
	fetchers  = setOf("curl wget fetch http https aria2c iwr irm invoke-webrequest invoke-restmethod")
	shells    = setOf("sh bash zsh dash ksh ash fish pwsh powershell source . eval iex invoke-expression")
	languages = setOf("python python2 python3 perl ruby node php deno bun")
	prefixes  = setOf("sudo doas env nice nohup time command exec builtin then do else xargs busybox ! {")
	remotes   = setOf("ssh docker podman kubectl nerdctl chroot nsenter timeout vagrant lxc")
)

// findShell reports commands that run what they download, and deletions that go further
// than their author may know.
func findShell(r *Request, report func(Finding)) {
	eachScript(r, func(action int, v reading.Value, commands []command) {
		say := func(says, here string) {
			report(Finding{Kind: "shell", Level: Stop, Action: action, Pointer: v.Pointer, Says: says, Here: shortened(here)})
		}
		if says, here, level := givesUp(commands, r.Reason); says != "" {
			report(Finding{Kind: "protection", Level: level, Action: action, Pointer: v.Pointer, Says: says, Here: shortened(here)})
		}
		if here, runs := runsDownload(commands); runs {
			say("Runs a download without a look at it", here)
			return
		}
		if says, here := deletesWidely(commands); says != "" {
			say(says, here)
		}
	})
}

// program returns the name of the program of a command, and its arguments.
func (c command) program() (string, []string, []bool) {
	words, quoted := c.words, c.quoted
	for len(words) > 0 {
		name := strings.ToLower(words[0])
		if at := strings.IndexByte(name, '='); at > 0 && !strings.ContainsAny(name[:at], "/-.") {
			words, quoted = words[1:], quoted[1:]
			continue
		}
		if name = path.Base(name); !prefixes[name] {
			return name, words[1:], quoted[1:]
		}
		words, quoted = words[1:], quoted[1:]
		for len(words) > 0 && strings.HasPrefix(words[0], "-") && name != "command" {
			skip := 1
			if len(words) > 1 && (words[0] == "-u" || words[0] == "-g") {
				skip = 2 // the user or the group
			}
			words, quoted = words[skip:], quoted[skip:]
		}
	}
	return "", nil, nil
}

// expand adds the commands that a command hands to another shell: sh -c, eval and ssh.
func expand(commands []command) []command {
	all := make([]command, 0, len(commands))
	for _, c := range commands {
		all = append(all, c)
		all = append(all, expandOne(c, maxNested)...)
	}
	return all
}

func expandOne(c command, depth int) []command {
	if depth == 0 || len(c.words) == 0 {
		return nil
	}
	var all []command
	program := path.Base(c.words[0])
	isRemote := remotes[program]
	for i, word := range c.words {
		base := path.Base(word)
		switch {
		case i > 0 && isCommandFlag(c.words[i-1:i]) && i > 1 && shells[path.Base(c.words[i-2])], i == 1 && c.words[0] == "eval",
			i > 1 && program == "ssh" && strings.ContainsAny(word, " |;"):
			for _, inner := range commandsOf(word, 0) {
				all = append(append(all, inner), expandOne(inner, depth-1)...)
			}
		case i > 0 && isRemote && (base == "rm" || base == "find"):
			return append(all, command{words: c.words[i:], quoted: c.quoted[i:]})
		}
	}
	return all
}

// isCommandFlag reports whether the word is a flag such as -c or -lc.
func isCommandFlag(words []string) bool {
	w := words[0]
	return len(w) >= 2 && len(w) <= 6 && w[0] == '-' && w[1] != '-' && w[len(w)-1] == 'c'
}
