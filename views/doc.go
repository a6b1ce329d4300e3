// Package views is what a person sees: templ components and the view models
// they are given. It does no I/O and takes no decisions; whoever calls it has
// already checked what the reader may see and do.
//
// # How a handler uses it
//
// Every page is one component made from one view model, for example
// [Inbox] from [InboxView]. The handler wraps it with [Page] for a browser
// navigation and with [Fragment] for a request whose HX-Request-Type header
// says partial. There is never a second template for the fragment.
//
// The form token travels in the context: see [WithToken].
//
// Text from agents goes through [AgentText], which makes invisible characters
// visible and cuts nothing.
package views
