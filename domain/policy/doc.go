// Package policy holds rules that say who must decide a request, how many, and until
// when: documents, their conditions, and what they require together. Package quorum
// counts the votes.
//
// It is deterministic and pure: no storage, no network, no clock. [Resolve] is called
// once, when a request is posted. Its result becomes part of the content, so that later
// changes of a policy touch nothing that is pending.
//
// # Conditions
//
// A condition is CEL (cel.dev) over these variables:
//
//	tool          name of the action; missing if the request has no actions
//	args          arguments of the action
//	actions       all actions, each with name and args
//	target_type   what the request is about
//	target_id     its id
//	step_id       id of the step that it gates, or ""
//	plan          title, context_id, steps (each id, description, role); may be missing
//	requester     name, roles (ids), owner (missing for a key without one)
//	reason        the agent's words, or ""
//	now           time of receipt
//
// It is true, false or unknown, and unknown counts as true. Unlike in CEL, values of
// different kinds are not simply unequal: args.count == 5 is unknown if the count is
// "5". So are loops over an object where a list belongs. false && unknown is false, as
// in CEL.
//
// The functions replace, join, format, indexOf and lastIndexOf are left out, since
// their time or result grows with the product of two texts. So are patterns of matches
// that are not written out. The sum of two lists has no value.
//
// CEL does not mix 2 and 2.5 in arithmetic: write double(args.count) * args.price.
package policy
