package finding

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf16"

	"countersign/domain/reading"
)

var (
	decodesInCode = []string{"b64decode(", "atob(", "base64_decode(", "frombase64string(", "fromhex(", "decode64(", "unhexlify("}
	runsInCode    = []string{"exec(", "eval(", "system(", "invoke-expression", "iex", "popen(", "subprocess", "function("}
	acts          = []string{"curl ", "wget ", "http://", "https://", "/dev/tcp/", "nc ", "ncat ", "socket", "rm -r", "rm -f", "invoke-webrequest", "downloadstring", "webclient", "connect(", "urlopen", "requests.", "drop table", "mkfs", "dd if=", "unlink(", "rmtree", "remove-item"}
)

// findEncoded reports encoded text that is decoded to be run.
func findEncoded(r *Request, report func(Finding)) {
	eachScript(r, func(action int, v reading.Value, commands []command) {
		text, found := encodedToRun(commands, v.Text)
		if !found {
			return
		}
		f := Finding{Kind: "encoded", Action: action, Pointer: v.Pointer, Level: Look, Says: "Runs text that is encoded here", Here: shortened(text)}
		if decoded := decode(text); contains(strings.ToLower(decoded), acts) {
			f.Level, f.Says = Stop, "Runs encoded text; decoded, it fetches, connects or deletes"
			f.There, f.Where = shortened(decoded), "decoded"
		}
		report(f)
	})
}

// encodedToRun returns the text that a script decodes and runs, and reports whether it
// does. The text is "" if it comes from elsewhere.
func encodedToRun(commands []command, script string) (text string, found bool) {
	literal, decodes := "", false // of the pipeline so far
	for _, c := range commands {
		name, args, _ := c.program()
		if !c.piped {
			literal, decodes = "", false
		}
		for _, word := range c.words {
			if isEncoded(word) {
				literal = word
			}
		}
		isInterpreter := shells[name] || languages[name]
		switch {
		case decodes && readsProgram(name, args):
			return literal, true
		case isInterpreter && len(c.nested) > 0 && decodesLast(c.nested):
			return literalIn(c.nested), true
		case name == "powershell" || name == "pwsh" || name == "powershell.exe":
			for i, arg := range args[:max(len(args)-1, 0)] {
				if flag := strings.ToLower(arg); len(flag) > 1 && strings.HasPrefix("-encodedcommand", flag) && (flag[1] == 'e') {
					return args[i+1], true
				}
			}
		}
		decodes = decodes || decodesPipe(name, args)
		if inner, found := encodedToRun(c.nested, ""); found {
			return inner, true
		}
	}
	lower := strings.ToLower(script)
	if contains(lower, decodesInCode) && contains(lower, runsInCode) {
		for _, word := range strings.FieldsFunc(script, func(r rune) bool { return strings.ContainsRune("\"'`() \n\t,;", r) }) {
			if isEncoded(word) {
				return word, true
			}
		}
	}
	return "", false
}

// decodesPipe reports whether a command decodes what it reads.
func decodesPipe(name string, args []string) bool {
	all := " " + strings.Join(args, " ") + " "
	switch name {
	case "base64", "base32", "gbase64":
		return strings.Contains(all, " -d") || strings.Contains(all, " -D") || strings.Contains(all, " --d")
	case "xxd":
		return strings.Contains(all, " -r")
	case "openssl":
		return strings.Contains(all, " -d ")
	}
	return false
}

func decodesLast(commands []command) bool {
	name, args, _ := commands[len(commands)-1].program()
	return decodesPipe(name, args)
}

func literalIn(commands []command) string {
	for _, c := range commands {
		for _, word := range c.words {
			if isEncoded(word) {
				return word
			}
		}
	}
	return ""
}

// isEncoded reports whether a word may be text in base64 or hexadecimal digits.
func isEncoded(word string) bool {
	return len(word) >= 16 && strings.IndexFunc(word, func(r rune) bool {
		return r >= 0x80 || !isAlphanumeric(byte(r)) && !strings.ContainsRune("+/=-_\n", r)
	}) < 0
}

// decode returns what a text in base64 or hexadecimal digits says, or "".
func decode(text string) string {
	text = strings.NewReplacer("\n", "", "-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	if plain, err := hex.DecodeString(text); err == nil {
		return string(plain)
	}
	plain, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	if len(plain) > 3 && plain[1] == 0 && plain[3] == 0 { // as PowerShell has it
		var units []uint16
		for i := 0; i+1 < len(plain); i += 2 {
			units = append(units, uint16(plain[i])|uint16(plain[i+1])<<8)
		}
		return string(utf16.Decode(units))
	}
	return string(plain)
}

func contains(text string, any []string) bool {
	for _, s := range any {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}
