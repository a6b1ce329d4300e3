package domain

import (
	"errors"
	"fmt"
	"time"

	"countersign/domain/mplp"
)

// Code says what kind of refusal an Error is. Its values are the problem slugs
// of the JSON interface.
type Code string

// The codes, in the order in which a request is answered.
const (
	CodeUnauthenticated     Code = "unauthenticated"      // nobody known is asking
	CodeInvalidJSON         Code = "invalid-json"         // not acceptable as JSON at all
	CodeTooLarge            Code = "too-large"            // over a limit of size
	CodeInvalid             Code = "invalid"              // well-formed, but breaks a rule
	CodeNotFound            Code = "not-found"            // unknown, or not for the caller to see
	CodeMissingCapability   Code = "missing-capability"   // Error.Capability names it
	CodeSelfApproval        Code = "self-approval"        // the caller's own group requested it, or made the key that did
	CodeRoleNotHeld         Code = "role-not-held"        // the role named is not the caller's
	CodeLocked              Code = "locked"               // governance.locked
	CodeAlreadyDecided      Code = "already-decided"      // Error.Decision is the winner's
	CodeExpired             Code = "expired"              // Error.Decision is the timeout
	CodeContentChanged      Code = "content-changed"      // the hash is not that of the content
	CodeConsumed            Code = "consumed"             // the approval was used before
	CodeInvalidTransition   Code = "invalid-transition"   // no such edge from the current status
	CodeIDTaken             Code = "id-taken"             // the id names something else
	CodeRoleInUse           Code = "role-in-use"          // the role cannot go yet
	CodeRateLimited         Code = "rate-limited"         // too many, try again later
	CodeEvidenceUnavailable Code = "evidence-unavailable" // not logged, so not done; or unknown
	CodeInternal            Code = "internal"             // a fault of the server
)

// Error is every refusal that a caller may be told. Message is fit for the
// person or program that asked; Err is for the operator's log only.
type Error struct {
	Code       Code
	Message    string
	Problems   []mplp.Problem // with CodeInvalid and CodeInvalidJSON
	Capability Capability     // with CodeMissingCapability
	Decision   *Outcome       // with CodeAlreadyDecided and CodeExpired
	RetryAfter time.Duration  // with CodeRateLimited; zero: when something ends
	Err        error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// AsError gives the Error inside err. Whatever is none becomes an internal one
// that keeps err for the log and tells the caller nothing. Errors of the wire
// forms are translated.
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
		message := "The request breaks a rule: " + invalid.Summary() + "."
		for _, note := range invalid.Notes {
			message += " " + note.Message
		}
		return &Error{Code: CodeInvalid, Message: message, Problems: invalid.Problems}
	}
	return &Error{Code: CodeInternal, Message: "Something went wrong on the server.", Err: err}
}

// ErrorCode gives the code of err, CodeInternal for whatever is no Error.
func ErrorCode(err error) Code {
	if err == nil {
		return ""
	}
	return AsError(err).Code
}

// Errors that a Store returns. Anything else it returns is a fault.
var (
	// ErrNotFound says that no row has the key asked for.
	ErrNotFound = errors.New("not found")
	// ErrUnproven says that what is stored is not what the log says.
	ErrUnproven = errors.New("the log does not prove it")
	// ErrConflict says that the row was no longer in the state expected.
	ErrConflict = errors.New("changed by another")
)

func refuse(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid refuses one value of a request: where it stands, and the code of what
// is wrong with it.
func Invalid(path, code, format string, args ...any) *Error {
	message := fmt.Sprintf(format, args...)
	return &Error{Code: CodeInvalid, Message: message, Problems: []mplp.Problem{{Path: path, Code: code, Message: message}}}
}

func missing(c Capability) *Error {
	return &Error{Code: CodeMissingCapability, Capability: c, Message: fmt.Sprintf("This needs the capability %s.", c)}
}

func notFound(what string) *Error {
	return refuse(CodeNotFound, "There is no such %s, or you may not see it.", what)
}

// unproven refuses what is stored and is not what the log says.
func unproven(message string) *Error {
	return &Error{Code: CodeEvidenceUnavailable, Message: message, Err: ErrUnproven}
}

// taken turns a Store's ErrConflict on an insert into a refusal: the id, or the
// id it has in canonical form, is another's.
func taken(err error, what string) error {
	if errors.Is(err, ErrConflict) {
		return refuse(CodeIDTaken, "There is another %s with this id, or with one that is the same in canonical form.", what)
	}
	return err
}

// orGone is nil also for what there is not, or not for this reader: what is shown of it
// is left out.
func orGone(err error) error {
	if errors.Is(err, ErrNotFound) || ErrorCode(err) == CodeNotFound {
		return nil
	}
	return err
}

// found turns a Store's ErrNotFound into the refusal that names what was asked.
func found(err error, what string) error {
	if errors.Is(err, ErrNotFound) {
		return notFound(what)
	}
	return err
}
