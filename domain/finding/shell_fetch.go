package finding

import (
	"path"
	"slices"
	"strings"
)

// runsDownload reports whether something downloaded is run, and by which words.
func runsDownload(commands []command) (here string, runs bool) {
	fetches := false // the pipeline so far begins with a download
	var files []string
	for _, c := range commands {
		name, args, _ := c.program()
		fetches = fetches && c.piped
		if fetches && readsProgram(name, args) {
			return "… | " + strings.Join(c.words, " "), true
		}
		if shells[name] || languages[name] && len(args) > 0 && isCommandFlag(args) {
			if slices.ContainsFunc(c.nested, command.fetches) {
				return strings.Join(c.words, " "), true
			}
		}
		if languages[name] && len(args) > 1 && isCommandFlag(args) && fetchesInCode(args[1]) {
			return strings.Join(c.words, " "), true
		}
		if slices.Contains(files, path.Base(name)) && len(c.words) > 0 && strings.Contains(c.words[0], "/") {
			return strings.Join(c.words, " "), true
		}
		if (shells[name] || languages[name]) && len(args) > 0 && slices.Contains(files, path.Base(args[0])) {
			return strings.Join(c.words, " "), true
		}
		if c.fetches() {
			fetches = true
			if file := c.savedAs(args); file != "" && len(files) < 16 {
				files = append(files, strings.ToLower(path.Base(file)), path.Base(file))
			}
		}
		if here, runs := runsDownload(c.nested); runs {
			return here, true
		}
	}
	return "", false
}

func (c command) fetches() bool {
	name, args, _ := c.program()
	return fetchers[name] && len(args) > 0
}

// readsProgram reports whether an interpreter takes its program from the pipe: it has no
// file and no text of its own to run.
func readsProgram(name string, args []string) bool {
	if name == "iex" || name == "invoke-expression" {
		return true
	}
	if !languages[name] && (!shells[name] || name == "eval" || name == "source" || name == ".") {
		return false
	}
	for _, arg := range args {
		switch {
		case arg == "-" || arg == "/dev/stdin" || shells[name] && arg == "-s":
			return true
		case !strings.HasPrefix(arg, "-"), len(arg) > 1 && strings.ContainsAny(arg[1:2], "cmenp") && arg != "-e" && !strings.HasPrefix(arg, "-ex"):
			return false
		case arg == "-e" && languages[name]:
			return false
		}
	}
	return true
}

// savedAs returns the file that a download is written to, or "".
func (c command) savedAs(args []string) string {
	address := ""
	for i, arg := range args {
		if strings.Contains(arg, "://") {
			address = arg
		}
		if (arg == "-o" || arg == "-O" || arg == "--output" || arg == "--output-document") && i+1 < len(args) && !strings.Contains(args[i+1], "://") {
			return args[i+1]
		}
	}
	if c.written != "" {
		return c.written
	}
	if name, _, _ := c.program(); name == "wget" || slices.ContainsFunc(args, func(arg string) bool {
		return arg == "--remote-name" || len(arg) < 8 && strings.HasPrefix(arg, "-") && strings.Contains(arg, "O")
	}) {
		return path.Base(address)
	}
	return ""
}

// fetchesInCode reports whether a program of one line downloads code and runs it.
func fetchesInCode(code string) bool {
	fetch := strings.Contains(code, "urlopen") || strings.Contains(code, "requests.get") || strings.Contains(code, "open-uri") || strings.Contains(code, "fetch(")
	return fetch && (strings.Contains(code, "exec(") || strings.Contains(code, "eval(") || strings.Contains(code, "eval "))
}
