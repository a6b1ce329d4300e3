package evidence

import (
	"bytes"
	"encoding/json"
)

// checkContent recomputes what a content was promised to be.
func checkContent(r *Report, confirmID []byte, want Hash, salt, content []byte) {
	if want == (Hash{}) {
		r.found("confirm %s: its content was never logged", confirmID)
		return
	}
	if contentDigest(salt, content) != want {
		r.found("confirm %s: its content is not what was logged", confirmID)
		return
	}
	if !isOf(confirmID, content) {
		r.found("confirm %s: its content is that of another confirm", confirmID)
	}
}

// isOf says whether a content is that of the confirm. It is as it was logged, and
// how that begins is how Marshal writes it: what follows need not be read.
func isOf(confirmID, content []byte) bool {
	if rest, begins := bytes.CutPrefix(content, []byte(`{"v":1,"confirm_id":"`)); begins {
		if rest, begins = bytes.CutPrefix(rest, confirmID); begins && bytes.HasPrefix(rest, []byte(`",`)) {
			return true
		}
	}
	c, err := ParseContent(content)
	return err == nil && c.ConfirmID == string(confirmID)
}

// checkDecision recomputes what a decision was logged to approve or refuse.
func checkDecision(r *Report, e *Entry, d Decided) {
	if len(d.Actions) != len(e.Decisions) {
		r.found("confirm %s: %d actions were decided, and the log has %d", d.ConfirmID, len(d.Actions), len(e.Decisions))
		return
	}
	for i, action := range d.Actions {
		if logged := e.Decisions[i]; logged.Type != action.Type || logged.ArgsHash != action.ArgsHash || logged.Filled != action.Filled {
			r.found("confirm %s: the decision on action %d is not the one that was logged", d.ConfirmID, i)
			return
		}
	}
	if d.Content == nil {
		return // forgotten: the hashes remain
	}
	content, err := ParseContent(d.Content)
	if err != nil || len(content.Actions) != len(d.Actions) && len(d.Actions) > 0 {
		r.found("confirm %s: its content is not that of its decision", d.ConfirmID)
		return
	}
	args, edited := make([]json.RawMessage, len(d.Actions)), false
	for i, action := range d.Actions {
		allowed := content.Actions[i].Args
		if len(action.Args) > 0 {
			args[i], allowed, edited = action.Args, action.Args, true
		}
		if ArgsHash(allowed) != action.ArgsHash {
			r.found("confirm %s: the arguments of action %d are not those that were decided on", d.ConfirmID, i)
			return
		}
	}
	if e.EffectiveHash == "" || !edited && ContentHash(d.Salt, d.Content) == e.EffectiveHash {
		return
	}
	if ContentHash(d.Salt, content.WithArgs(args).Marshal()) != e.EffectiveHash {
		r.found("confirm %s: what was approved is not what was logged", d.ConfirmID)
	}
}
