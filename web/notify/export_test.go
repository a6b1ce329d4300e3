package notify

// NewWithResolver is New for tests that answer for names.
var NewWithResolver = newSender
