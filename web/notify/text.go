package notify

import (
	"fmt"
	"strings"
	"time"

	"countersign/domain"
)

// sentenceOf says in plain words what happened. All words are the server's but for the
// names of tool and requester, which are made inert.
func sentenceOf(m *domain.Message) string {
	text := entrySentence(m.Type)
	switch {
	case m.Type == domain.MessageTest:
		text = "This is a test. Messages of Countersign arrive here."
	case m.Confirm != nil:
		text = requestSentence(m)
	}
	if m.IsMissed {
		text += " Earlier messages were left out."
	}
	return text
}

// linkLabel says what the link of a message opens.
func linkLabel(m *domain.Message) string {
	switch {
	case m.Type == domain.MessageTest:
		return "Open Countersign"
	case m.Confirm != nil:
		return "Open the request"
	}
	return "Open the log"
}

// requestSentence says what happened to a request.
func requestSentence(m *domain.Message) string {
	happened, detail := requestEvent(m), requestDetail(m)
	text := happened.alone + "."
	if detail != "" {
		text = happened.before + ": " + detail + "."
	}
	if c := m.Confirm; c.Status == domain.Pending && !c.ExpiresAt.IsZero() {
		text += " It expires " + deadline(c.ExpiresAt, m.At) + "."
	}
	return text
}

// event is what happened to a request: as a sentence, and as words before its details.
type event struct{ alone, before string }

func requestEvent(m *domain.Message) event {
	switch {
	case m.Type == "confirm.requested":
		return event{"A request waits for a decision", "A request waits for a decision"}
	case m.Type == "confirm.escalated":
		return event{"A request waits, and others may vote on it now", "Others may vote now"}
	case m.Type == "confirm.voted":
		return event{"Somebody voted on a request, and others still have to", "Somebody voted, and others still have to"}
	case m.Type == "confirm.consumed":
		return event{"An approval was used", "An approval was used"}
	case m.Type == "confirm.imported":
		return event{"A request was imported", "Imported"}
	case m.Type == "confirm.rejected" && m.Confirm.Cause == domain.CauseTimeout:
		return event{"A request timed out: nobody decided in time", "Timed out, as nobody decided in time"}
	case m.Type == "confirm.approved":
		return event{"A request was approved", "Approved"}
	case m.Type == "confirm.rejected":
		return event{"A request was rejected", "Rejected"}
	case m.Type == "confirm.cancelled":
		return event{"A request was cancelled", "Cancelled"}
	}
	text := strings.TrimSuffix(entrySentence(m.Type), ".")
	return event{text, text}
}

// requestDetail says what is asked for and by whom, as far as the details allow.
func requestDetail(m *domain.Message) string {
	if m.Details != domain.DetailsNames && m.Details != domain.DetailsFull {
		return ""
	}
	text := whatIsAsked(m.Confirm)
	if requester := inert(m.Confirm.Requester); requester != "" {
		text += ", asked for by " + requester
	}
	return text
}

// whatIsAsked names the actions of a request, or what it is about if it has none.
func whatIsAsked(c *domain.MessageConfirm) string {
	tool := inert(c.Tool)
	switch {
	case c.Actions == 0 && c.TargetType == domain.TargetOther:
		return "a question without actions"
	case c.Actions == 0 && c.TargetType == domain.TargetExtension:
		return "an extension"
	case c.Actions == 0:
		return "a " + string(c.TargetType)
	case c.Actions == 1 && tool == "":
		return "an action"
	case c.Actions == 1:
		return tool
	case tool == "":
		return fmt.Sprintf("%d actions", c.Actions)
	case c.Actions == 2:
		return tool + " and 1 more action"
	}
	return fmt.Sprintf("%s and %d more actions", tool, c.Actions-1)
}

// deadline says when a request expires, with the date if that is not today.
func deadline(at, now time.Time) string {
	at = at.UTC()
	if now.UTC().Format(time.DateOnly) == at.Format(time.DateOnly) {
		return at.Format("at 15:04 UTC")
	}
	return at.Format("on 2 January 2006 at 15:04 UTC")
}

// entrySentences are those of types whose verbs alone do not say what happened.
var entrySentences = map[string]string{
	"plan.failed":         "A plan failed.",
	"step.failed":         "A step of a plan failed.",
	"user.roles_assigned": "The roles of a user were changed.",
	"user.reset":          "The access of a user was reset.",
	"user.password_set":   "The password of a user was changed.",
	"user.sessions_ended": "The sessions of a user were ended.",
	"user.signed_out":     "A user signed out.",
	"content.pruned":      "The content of an old request was deleted.",
	"log.key_rotated":     "The key that signs the log was changed.",
	"log.restored":        "The database was restored from a backup.",
}

// objects are the words for the first part of types, where they differ.
var objects = map[string]string{"confirm": "request", "step": "step of a plan", "key": "key of an agent"}

// entrySentence says in plain words what an entry of this type says.
func entrySentence(entryType string) string {
	if text := entrySentences[entryType]; text != "" {
		return text
	}
	object, verb, _ := strings.Cut(entryType, ".")
	if words := objects[object]; words != "" {
		object = words
	}
	return "A " + object + " was " + strings.ReplaceAll(verb, "_", " ") + "."
}
