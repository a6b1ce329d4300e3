package notify

import "time"

// NewWithResolver is New for tests that answer for names.
var NewWithResolver = newSender

// SetTimeout shortens attempts.
func (s *Sender) SetTimeout(timeout time.Duration) { s.timeout = timeout }
