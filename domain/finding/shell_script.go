package finding

import (
	"strings"

	"countersign/domain/reading"
)

var (
	commandNames = setOf(`command commands cmd cmds script run shell bash sh exec code args argv commandline entrypoint
		userdata hook hooks crontab`)
	scriptLines = setOf("run command script cmd before_script after_script")
	shellTools  = setOf("bash sh shell exec execute terminal command cmd script ssh run")
)

// script is a text or a list of words that is a shell command.
type script struct {
	action   int
	value    reading.Value
	commands []command
}

// eachScript calls visit with every script.
func eachScript(r *Request, visit func(action int, v reading.Value, commands []command)) {
	scripts := r.scripts
	if scripts == nil {
		scripts = scriptsOf(r)
	}
	for _, s := range scripts {
		visit(s.action, s.value, s.commands)
	}
}

// scriptsOf reads all scripts. Several rules need them, so that Of calls it once.
func scriptsOf(r *Request) []script {
	scripts := []script{}
	visit := func(action int, v reading.Value, commands []command) {
		scripts = append(scripts, script{action, v, commands})
	}
	for i, a := range r.Actions {
		isShell := hasWord(a.Name, shellTools)
		argv := "" // the list of words that was visited last
		eachValue(a.Args, func(v reading.Value) {
			if argv != "" && strings.HasPrefix(v.Pointer, argv+"/") {
				return
			}
			isNamed := func() bool { return isCommandName(memberName(v.Pointer)) || isShell && v.Name == "input" }
			switch {
			case v.Type == reading.String && len(v.Text) <= maxText:
				if isNamed() || strings.HasPrefix(v.Text, "#!") {
					visit(i, v, expand(commandsOf(v.Text, 0)))
				} else if lines := linesToRun(v.Text); lines != "" {
					visit(i, v, expand(commandsOf(lines, 0)))
				}
			case v.Type == reading.Array && isNamed():
				if words := stringsOf(v); len(words) > 1 {
					commands := expand([]command{{words: words, quoted: make([]bool, len(words))}})
					if len(commands) > 1 {
						argv = v.Pointer
					}
					visit(i, v, commands)
				}
			case v.Type == reading.Object:
				if text, found := textOfScript(v); found {
					visit(i, text, expand(commandsOf(text.Text, 0)))
				}
				program, _ := v.Member("command")
				args, _ := v.Member("args")
				if words := stringsOf(args); program.Type == reading.String && len(words) > 0 {
					words = append(strings.Fields(program.Text), words...)
					visit(i, args, expand([]command{{words: words, quoted: make([]bool, len(words))}}))
				}
			}
		})
	}
	return scripts
}

// isCommandName reports whether a member's name says that it holds a command.
func isCommandName(name string) bool {
	if len(name) > 100 {
		return false
	}
	if commandNames[strings.ToLower(name)] {
		return true
	}
	words := wordsOf(name)
	return len(words) > 1 && (commandNames[words[len(words)-1]] || words[0]+words[1] == "userdata")
}

// linesToRun returns the commands of one line in a YAML text, such as a CI job.
func linesToRun(text string) string {
	if !strings.Contains(text, "\n") {
		return ""
	}
	var lines strings.Builder
	for line := range strings.Lines(text) {
		name, command, found := strings.Cut(strings.TrimLeft(line, " -"), ": ")
		if found && scriptLines[name] {
			lines.WriteString(command)
		}
	}
	return lines.String()
}

// textOfScript returns the text of a shell script that an object gives with its path.
func textOfScript(v reading.Value) (text reading.Value, found bool) {
	isScript := false
	for _, member := range v.Items {
		name := strings.ToLower(member.Name)
		isPath := strings.HasSuffix(name, "path") || strings.HasSuffix(name, "file") || strings.HasSuffix(name, "name")
		isScript = isScript || isPath && hasSuffix(member.Text, ".sh", ".bash", ".zsh")
		if (name == "content" || name == "contents" || name == "text" || name == "body") && member.Type == reading.String && len(member.Text) <= maxText {
			text = member
		}
	}
	return text, isScript && text.Text != "" && !strings.HasPrefix(text.Text, "#!")
}

// stringsOf returns the items of an array of strings, or nil.
func stringsOf(v reading.Value) []string {
	var items []string
	size := 0
	for _, item := range v.Items {
		if size += len(item.Text); v.Type != reading.Array || item.Type != reading.String || size > maxText {
			return nil
		}
		items = append(items, item.Text)
	}
	return items
}
