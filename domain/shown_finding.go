package domain

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"countersign/domain/evidence"
	"countersign/domain/finding"
)

// ShownFinding is a finding that the page showed to who decided. The log has it without
// what an agent wrote: of the value there is only a digest of its place.
type ShownFinding struct {
	Kind    finding.Kind  `json:"kind"`
	Level   finding.Level `json:"level"`
	Action  int           `json:"action"` // -1: the request as a whole
	Pointer string        `json:"-"`      // names members, which are forgotten with the content
	Place   string        `json:"place,omitempty"`
}

// Limits of what an entry says of findings. The bytes are of its JSON.
const (
	maxShownFindings = 50
	maxShownBytes    = 2 << 10
)

// PlaceDigest returns what the log has of a pointer into the arguments of a confirm. It
// can be compared while the content is kept, and not be guessed without its salt.
func PlaceDigest(salt []byte, pointer string) string {
	if pointer == "" {
		return ""
	}
	sum := sha256.Sum256(slices.Concat([]byte("countersign/place/v1\n"), salt, []byte(pointer)))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// withPlaces returns the findings with the digests of their pointers.
func withPlaces(shown []ShownFinding, salt []byte) []ShownFinding {
	placed := slices.Clone(shown)
	for i := range placed {
		placed[i].Place = PlaceDigest(salt, placed[i].Pointer)
	}
	return placed
}

// loggedFindings returns the findings that fit in an entry, and how many more there are.
func loggedFindings(shown []ShownFinding) (logged []ShownFinding, more int) {
	bytes := 0
	for i, f := range shown {
		raw, err := json.Marshal(f)
		if bytes += len(raw); err != nil || bytes > maxShownBytes || i == maxShownFindings {
			return logged, len(shown) - i
		}
		logged = append(logged, f)
	}
	return logged, 0
}

// findingFacts returns what the entry of a decision says of the findings that were shown,
// nothing if there were none.
func findingFacts(d *Decision) []any {
	shown := slices.DeleteFunc(slices.Clone(d.Findings), func(f ShownFinding) bool { return !f.isPossible(len(d.Actions)) })
	if len(shown) == 0 {
		return nil
	}
	logged, more := loggedFindings(shown)
	facts := []any{"findings", logged, "findings_version", finding.Version}
	if more > 0 {
		facts = append(facts, "more_findings", more)
	}
	return facts
}

// forgetFindings removes the findings from what an agent reads of a decision: it could
// learn from them what is not noticed.
func forgetFindings(facts map[string]any) {
	for _, name := range []string{"findings", "findings_version", "more_findings"} {
		delete(facts, name)
	}
}

// ShownFindings returns the findings that the entry of a decision has, with the digests of
// their places.
func ShownFindings(e *evidence.Entry) []ShownFinding {
	return factsOf(e).Findings
}

// DecisionOn returns what became of the part of a request that a finding is about:
// approved, edited or rejected. Without such an action it is the status.
func (f ShownFinding) DecisionOn(e *evidence.Entry) string {
	if f.Action < 0 || f.Action >= len(e.Decisions) {
		if _, status, ok := strings.Cut(e.Type, "."); ok {
			return status
		}
		return ""
	}
	return decisionWords[e.Decisions[f.Action].Type]
}

// decisionWords name what became of an action.
var decisionWords = map[string]string{ActionApprove: "approved", ActionEdit: "edited", ActionReject: "rejected"}

// isPossible reports whether a request with so many actions can have the finding.
func (f ShownFinding) isPossible(actions int) bool {
	return f.Action >= -1 && f.Action < max(actions, 1) && f.Level.IsKnown()
}

// checkFindings reports findings that no page shows: to nobody, or of unknown levels.
func (h *History) checkFindings(e *evidence.Entry, f facts) {
	if len(f.Findings) == 0 {
		return
	}
	if Cause(e.Cause) != CauseHuman {
		h.report("request %s was decided with findings that were shown to nobody", e.ConfirmID)
	}
	if len(f.Findings) > maxShownFindings || slices.ContainsFunc(f.Findings, func(s ShownFinding) bool { return !s.isPossible(len(e.Decisions)) }) {
		h.report("request %s was decided with findings that no page shows", e.ConfirmID)
	}
}
