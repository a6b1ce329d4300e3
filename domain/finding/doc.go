// Package finding points out what a reviewer should not overlook in a request: what
// hides in its arguments, and what contradicts the agent's words, the plan or the
// context. Each finding names both values and where they stand.
//
// It is deterministic and pure: rules over the text of the request, without a model, a
// score or a network. Finding nothing says nothing: no page may read it as "safe". What
// an agent wrote enters a finding only as a quoted value.
package finding
