package finding

import (
	"strings"

	"countersign/domain/reading"
)

// anybody are the names of members in which a star means everything or everybody.
var anybody = setOf(`action actions notaction resource resources notresource principal principals role roles
	recipient recipients to cc bcc scope scopes permission permissions verb verbs apigroups users groups members
	audience grantee grantees nonresourceurls aws`)

// findWildcard reports a star where it means every action, resource or person.
func findWildcard(r *Request, report func(Finding)) {
	for i := range r.Actions {
		say := func(pointer, name, here string) {
			report(Finding{Kind: "wildcard", Level: Look, Action: i, Pointer: pointer, Says: "A star stands for everything in " + quoted(name), Here: shortened(here)})
		}
		eachValue(r.Actions[i].Args, func(v reading.Value) {
			if v.Type != reading.String || len(v.Text) > maxText || !strings.Contains(v.Text, "*") {
				return
			}
			if inner, ok := documentIn(v.Text); ok {
				checkIn(inner, func(found reading.Value) { say(v.Pointer, memberName(found.Pointer), found.Text) })
				return
			}
			for line := range strings.Lines(v.Text) {
				if name, value, ok := settingIn(line); ok && anybody[strings.ToLower(name)] && isEverything(value, name) {
					say(v.Pointer, name, strings.TrimSpace(line))
					return
				}
			}
		})
		checkIn(r.Actions[i].Args, func(found reading.Value) { say(found.Pointer, memberName(found.Pointer), found.Text) })
	}
}

// checkIn calls found with the stars in v. A statement that denies, or that only allows
// to read, may be as wide as it likes.
func checkIn(v reading.Value, found func(reading.Value)) {
	if v.Type == reading.Object && (isDenied(v) || onlyReads(v)) {
		return
	}
	for _, item := range v.Items {
		checkIn(item, found)
	}
	if name := memberName(v.Pointer); v.Type == reading.String && anybody[strings.ToLower(name)] && isEverything(v.Text, name) {
		found(v)
	}
}

func isDenied(v reading.Value) bool {
	effect, _ := v.Member("Effect")
	return strings.EqualFold(effect.Text, "deny")
}

// onlyReads reports whether a statement names its actions and all of them read.
func onlyReads(v reading.Value) bool {
	for _, name := range []string{"Action", "actions", "verbs"} {
		actions, found := v.Member(name)
		if !found {
			continue
		}
		principal, _ := v.Member("Principal")
		list := actions.Items
		if actions.IsLeaf() {
			list = []reading.Value{actions}
		}
		for _, item := range list {
			_, action, isQualified := strings.Cut(item.Text, ":")
			if !isQualified {
				action = item.Text
			}
			words := settingWords(action)
			if len(words) == 0 || !readWords[words[0]] && words[0] != "head" {
				return false
			}
		}
		return principal.Type == ""
	}
	return false
}

// isEverything reports whether a text is a star, a service with a star, or everybody of
// a domain. A star in a path is a pattern of names.
func isEverything(text, name string) bool {
	text = strings.Trim(text, " ")
	isAction := strings.Contains(strings.ToLower(name), "action") || strings.Contains(strings.ToLower(name), "permission") || strings.Contains(strings.ToLower(name), "scope")
	switch {
	case text == "*", text == "*:*", text == "*/*":
		return true
	case strings.HasPrefix(text, "*@"), strings.HasPrefix(text, "arn:") && strings.HasSuffix(text, ":::*"), strings.HasSuffix(text, "::*"):
		return true
	case isAction && strings.HasSuffix(text, ":*"):
		return len(text) < 60 && !strings.ContainsAny(text, " /")
	case strings.HasPrefix(text, "arn:aws:iam::*:") && strings.HasSuffix(text, "/*"):
		return true
	}
	return false
}
