// Package views renders what a person sees: templ components and their view
// models. It does no I/O and makes no decisions. The caller has already checked
// what the user may see and do.
//
// # How a handler uses it
//
// Every page is one component made from one view model, for example
// [Inbox] from [InboxView]. The handler wraps it with [Page] for a browser
// navigation and with [Fragment] for a request whose HX-Request-Type header
// says partial. There is never a second template for the fragment.
//
// The CSRF token is passed in the context: see [WithToken].
//
// Text from agents goes through [AgentText], which makes invisible characters
// visible and shortens nothing.
//
// Pages say "request" for what code and addresses call a confirm. Texts tell what
// happened and what to do next, in at most 20 words a sentence.
package views
