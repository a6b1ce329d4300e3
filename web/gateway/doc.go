// Package gateway stands between an MCP client and an MCP server and holds calls of
// tools until they are approved.
//
// It passes messages, not features: whatever is no call of a tool goes on as it is, so
// that methods and revisions of the protocol that it does not know work. A call runs
// only after an approval was used for it, and only with the arguments that were
// approved. Every error ends in a result that says that the tool did not run.
package gateway
