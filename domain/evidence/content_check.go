package evidence

import (
	"bytes"
	"encoding/json"
)

// checkContent checks a content against the hash that was logged.
func checkContent(r *Report, confirmID []byte, want Hash, salt, content []byte) {
	if want == (Hash{}) {
		r.addFinding("request %s: its content was never logged", confirmID)
		return
	}
	if contentDigest(salt, content) != want {
		r.addFinding("request %s: its content is not what was logged", confirmID)
		return
	}
	if !isContentOf(confirmID, content) {
		r.addFinding("request %s: its content is that of another request", confirmID)
	}
}

// isContentOf reports whether a content with the logged hash is that of the confirm.
// Mostly its first bytes, as Marshal writes them, suffice.
func isContentOf(confirmID, content []byte) bool {
	if rest, begins := bytes.CutPrefix(content, []byte(`{"v":1,"confirm_id":"`)); begins {
		if rest, begins = bytes.CutPrefix(rest, confirmID); begins && bytes.HasPrefix(rest, []byte(`",`)) {
			return true
		}
	}
	c, err := ParseContent(content)
	return err == nil && c.ConfirmID == string(confirmID)
}

// checkDecision checks a decision against its entry, and recomputes the effective hash.
func checkDecision(r *Report, e *Entry, d StoredDecision) {
	if len(d.Actions) != len(e.Decisions) {
		r.addFinding("request %s: %d actions were decided, and the log has %d", d.ConfirmID, len(d.Actions), len(e.Decisions))
		return
	}
	for i, action := range d.Actions {
		if logged := e.Decisions[i]; logged.Type != action.Type || logged.ArgsHash != action.ArgsHash || logged.Filled != action.Filled {
			r.addFinding("request %s: the decision on action %d is not the one that was logged", d.ConfirmID, i)
			return
		}
	}
	if d.Content == nil {
		return // pruned: the hashes remain
	}
	content, err := ParseContent(d.Content)
	if err != nil || len(content.Actions) != len(d.Actions) && len(d.Actions) > 0 {
		r.addFinding("request %s: its content is not that of its decision", d.ConfirmID)
		return
	}
	args, edited := make([]json.RawMessage, len(d.Actions)), false
	for i, action := range d.Actions {
		allowed := content.Actions[i].Args
		if len(action.Args) > 0 {
			args[i], allowed, edited = action.Args, action.Args, true
		}
		if ArgsHash(allowed) != action.ArgsHash {
			r.addFinding("request %s: the arguments of action %d are not those that were decided on", d.ConfirmID, i)
			return
		}
	}
	if e.EffectiveHash == "" || !edited && ContentHash(d.Salt, d.Content) == e.EffectiveHash {
		return
	}
	if ContentHash(d.Salt, content.WithArgs(args).Marshal()) != e.EffectiveHash {
		r.addFinding("request %s: what was approved is not what was logged", d.ConfirmID)
	}
}
