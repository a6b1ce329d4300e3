package domain

import "errors"

// MaxSearchWords is how many words a search has at most.
const MaxSearchWords = 16

// Errors of a Store that use cases handle.
var (
	// ErrNotFound says that no row has this key.
	ErrNotFound = errors.New("not found")
	// ErrUnproven says that what is stored is not what the log says.
	ErrUnproven = errors.New("the log does not prove it")
	// ErrConflict says that the row was not in the expected state.
	ErrConflict = errors.New("changed by another")
)

// Refusals of a Store, without their cause. Anything else that it returns is a fault.
var (
	// ErrStoreClosed says that the store was closed before the transaction began.
	ErrStoreClosed = unavailable("The server is stopping. The change did not happen.")
	// ErrStoreFailed says that the store writes nothing any more.
	ErrStoreFailed = unavailable("The storage failed and the server is stopping. The change did not happen.")
	// ErrNotStored says that the transaction was undone.
	ErrNotStored = unavailable("The change could not be logged, so it did not happen.")
	// ErrOutcomeUnknown says that the transaction may have been committed.
	ErrOutcomeUnknown = unavailable("The storage failed while saving. The outcome is unknown: check whether the change was saved.")
	// ErrStoreUnreachable says that there is no connection to the database.
	ErrStoreUnreachable = unavailable("The database cannot be reached. Until it is back nothing can be read or decided.")
	// ErrRowUnproven says that a row is not as the log says. Its cause is an ErrUnproven.
	ErrRowUnproven = unavailable("What is stored differs from the log, so nothing is done with it. Ask an administrator to verify the database.")
	// ErrLogUnproven says that the log is not as it was signed. Its cause is an ErrUnproven.
	ErrLogUnproven = unavailable("The log differs from what was signed. Nothing can be done until it is restored.")
	// ErrNoSigningKey says that no MAC can be made.
	ErrNoSigningKey = unavailable("The server cannot read its signing key, so nobody can sign in.")
	// ErrBadCursor refuses the cursor of another list.
	ErrBadCursor = Invalid("cursor", "format", "Invalid cursor. Start again from the first page.")
	// ErrTooManyWords refuses a search of more than MaxSearchWords.
	ErrTooManyWords = Invalid("q", "limit", "A search has at most %d words.", MaxSearchWords)
)

func unavailable(message string) *Error {
	return &Error{Code: CodeEvidenceUnavailable, Message: message}
}

// Because returns the refusal with its cause, for the operator's log.
func (e *Error) Because(cause error) *Error {
	because := *e
	because.Err = cause
	return &because
}

// Is reports whether target is the same refusal, whatever its cause.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && e.Code == t.Code && e.Message == t.Message
}
