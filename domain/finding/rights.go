package finding

import (
	"strings"

	"countersign/domain/reading"
)

var (
	// readings are how prose asks for no more than to read.
	readings = []string{"read-only", "read only", "readonly", "read access", "view only", "view-only", "viewer", "nur lesen", "leserecht", "lesezugriff", "lesend",
		"lecture seule", "accès en lecture", "solo lectura", "sólo lectura", "acceso de lectura", "sola lettura", "somente leitura", "tylko do odczytu", "только чтение", "для чтения"}
	// rightNames are names of members that hold rights.
	rightNames = setOf("role roles permission permissions access scope scopes right rights privilege privileges level grant grants recht rechte rolle rôle droits rol permiso permisos ruolo permessi rola")
	// moreWords are words of prose that ask for more than to read.
	moreWords = setOf("write admin owner editor edit manage change delete schreiben ändern écrire modifier escribir editar scrivere modificare")
)

// findRights reports a right to do more where the reason asks to read.
func findRights(r *Request, report func(Finding)) {
	reason := strings.ToLower(cut(r.Reason, maxProse))
	there := ""
	for _, words := range readings {
		if there == "" && strings.Contains(reason, words) {
			there = words
		}
	}
	if there == "" || hasAny(wordsOfProse(reason), moreWords) {
		return
	}
	eachString(r, func(action int, v reading.Value) {
		if hasAny(wordsOf(memberName(v.Pointer)), rightNames) && rightOf(v) == "write" {
			report(Finding{Kind: "rights", Level: Look, Action: action, Pointer: v.Pointer,
				Says: quotedName(v.Pointer) + " gives more than the reason asks for", Here: shortened(v.Text), There: there, Where: "reason"})
		}
	})
}

// wordsOfProse returns the words of a text in small letters.
func wordsOfProse(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n.,;:!?()\"'/-", r) })
}
