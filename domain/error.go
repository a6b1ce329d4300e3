package domain

import (
	"errors"
	"fmt"
	"time"

	"countersign/domain/mplp"
)

// Code is the kind of refusal. The JSON interface uses it as the problem's type.
type Code string

// The codes, in the order in which a request is checked.
const (
	CodeUnauthenticated     Code = "unauthenticated"      // the caller is not known
	CodeInvalidJSON         Code = "invalid-json"         // not readable as strict JSON
	CodeTooLarge            Code = "too-large"            // over a limit of size
	CodeInvalid             Code = "invalid"              // well-formed, but breaks a rule
	CodeNotFound            Code = "not-found"            // unknown, or not for the caller to see
	CodeMissingCapability   Code = "missing-capability"   // see Error.Capability
	CodeSelfApproval        Code = "self-approval"        // the caller's own group requested it, or made the key that did
	CodeHumanRequired       Code = "human-required"       // only people may decide it, not keys
	CodeRoleNotHeld         Code = "role-not-held"        // the role named is not the caller's
	CodeLocked              Code = "locked"               // governance.locked
	CodeAlreadyDecided      Code = "already-decided"      // see Error.Decision
	CodeAlreadyVoted        Code = "already-voted"        // the caller has rejected it
	CodeExpired             Code = "expired"              // see Error.Decision
	CodeContentChanged      Code = "content-changed"      // the hash is not that of the content
	CodeConsumed            Code = "consumed"             // the approval was used before
	CodeInvalidTransition   Code = "invalid-transition"   // no such edge from the current status
	CodeIDTaken             Code = "id-taken"             // the id names something else
	CodeRoleInUse           Code = "role-in-use"          // the role cannot be deleted
	CodeRateLimited         Code = "rate-limited"         // too many, try again later
	CodeEvidenceUnavailable Code = "evidence-unavailable" // not logged, so not done; or the outcome is unknown
	CodeInternal            Code = "internal"             // a fault of the server
)

// Error is a refusal that the caller may be told. Message is for the person or program
// that asked; Err is for the operator's log only.
type Error struct {
	Code       Code
	Message    string
	Problems   []mplp.Problem // with CodeInvalid and CodeInvalidJSON
	Capability Capability     // with CodeMissingCapability
	Decision   *Outcome       // with CodeAlreadyDecided and CodeExpired
	RetryAfter time.Duration  // with CodeRateLimited; zero: when a pending request ends
	Err        error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// AsError returns the Error inside err. Errors of package mplp are translated. Any
// other becomes an internal one, which keeps err for the log and tells the caller
// nothing.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	var syntax *mplp.SyntaxError
	var invalid *mplp.Invalid
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &syntax):
		return &Error{Code: CodeInvalidJSON, Message: "The body cannot be read: " + syntax.Summary() + ".",
			Problems: []mplp.Problem{{Path: syntax.Path, Code: "format", Message: syntax.Message}}}
	case errors.As(err, &invalid):
		message := "The request is not valid: " + invalid.Summary() + "."
		for _, note := range invalid.Notes {
			message += " " + note.Message
		}
		return &Error{Code: CodeInvalid, Message: message, Problems: invalid.Problems}
	}
	return &Error{Code: CodeInternal, Message: "Something went wrong on the server.", Err: err}
}

// ErrorCode returns the code of err, CodeInternal if it is not an Error, "" if it is
// nil.
func ErrorCode(err error) Code {
	if err == nil {
		return ""
	}
	return AsError(err).Code
}

func refuse(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid refuses one value: its path in the input, and the code of what is wrong with
// it.
func Invalid(path, code, format string, args ...any) *Error {
	message := fmt.Sprintf(format, args...)
	return &Error{Code: CodeInvalid, Message: message, Problems: []mplp.Problem{{Path: path, Code: code, Message: message}}}
}

func errMissingCapability(c Capability) *Error {
	return &Error{Code: CodeMissingCapability, Capability: c, Message: fmt.Sprintf("You need the capability %s.", c)}
}

func errNotFound(what string) *Error {
	return refuse(CodeNotFound, "There is no such %s, or you may not see it.", what)
}

// errUnproven refuses to use what is stored and is not what the log says.
func errUnproven(message string) *Error {
	return &Error{Code: CodeEvidenceUnavailable, Message: message, Err: ErrUnproven}
}

// conflictOr turns ErrConflict on an insert into a refusal: another object has the id,
// or the same id in canonical form.
func conflictOr(err error, what string) error {
	if errors.Is(err, ErrConflict) {
		return refuse(CodeIDTaken, "Another %s has this id, or one that is the same in canonical form.", what)
	}
	return err
}

// ignoreNotFound returns nil for what does not exist or is not visible to the reader:
// it is left out.
func ignoreNotFound(err error) error {
	if errors.Is(err, ErrNotFound) || ErrorCode(err) == CodeNotFound {
		return nil
	}
	return err
}

// notFoundOr turns ErrNotFound into the refusal that names what was asked for.
func notFoundOr(err error, what string) error {
	if errors.Is(err, ErrNotFound) {
		return errNotFound(what)
	}
	return err
}
