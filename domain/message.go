package domain

import (
	"time"

	"countersign/domain/evidence"
)

// MessageTest is the type of a message that an administrator sends to see it arrive.
const MessageTest = "test"

// Message is what a destination is told: that something happened, and where it is to be
// seen. What it says comes from the log. It never decides.
type Message struct {
	ID         string // of the delivery; the same at each attempt
	Type       string // of the entry, or MessageTest
	At         time.Time
	Path       string // of the page, such as /confirms/<id>
	LogIndex   int64  // number of the entry
	ObjectID   string // what the entry is about, if it is no request
	IsMissed   bool   // earlier entries were left out
	Checkpoint string // the newest one, signed
	Details    Details

	Confirm *MessageConfirm // nil: the entry is about no request
}

// MessageConfirm is a request in a message.
type MessageConfirm struct {
	ID            string
	Status        Status // after the entry
	Cause         Cause  // empty while it is pending
	TargetType    TargetType
	ContentHash   string
	EffectiveHash string
	ExpiresAt     time.Time // zero: it does not expire

	// From DetailsNames on.
	Tool      string // the first action's, if it is a plain name; else empty
	Actions   int    // how many there are
	Requester string // the name of who asks, which an administrator gave

	// With DetailsFull. Content is nil if it was pruned.
	Content *evidence.Content
	Outcome *Outcome // with Destination.KeyID, once it is final
}

// Dispatch is a delivery that is to be sent now.
type Dispatch struct {
	Destination *Destination
	Secret      *DestinationSecret
	Message     *Message
}

// DeliveryResult is what became of an attempt to send.
type DeliveryResult struct {
	ID         string          // of the delivery
	Failure    DeliveryFailure // empty: it was sent
	HTTPStatus int             // that was answered, 0 for none
	RetryAfter time.Duration   // the receiver asks for, 0 for nothing
}

// DeliveryFailure says in a fixed word why an attempt failed. What a receiver answers is
// repeated nowhere.
type DeliveryFailure string

// The failures.
const (
	FailureStatus      DeliveryFailure = "status"      // an answer that is no success
	FailureRedirect    DeliveryFailure = "redirect"    // an answer that leads elsewhere
	FailureGone        DeliveryFailure = "gone"        // 410
	FailureTimeout     DeliveryFailure = "timeout"     // no answer in time
	FailureName        DeliveryFailure = "name"        // the host's name is not known
	FailureAddress     DeliveryFailure = "address"     // the host's address is not allowed
	FailureConnection  DeliveryFailure = "connection"  // refused, or broken
	FailureCertificate DeliveryFailure = "certificate" // it is not trusted
	FailureSecret      DeliveryFailure = "secret"      // the address or the key cannot be opened
	FailureSize        DeliveryFailure = "size"        // the message would be too large
	FailureUnproven    DeliveryFailure = "unproven"    // the log does not prove what it would say
)
