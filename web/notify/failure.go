package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
	"time"

	"code.dny.dev/ssrf"

	"countersign/domain"
)

// What fails before anything is dialled.
var (
	errNoSecret = errors.New("no address, or no key to sign with")
	errAddress  = errors.New("the address is not allowed")
	errSize     = errors.New("the message is too large")
)

// failureOf returns the fixed word for why an attempt got no answer. Texts of errors
// may hold what a receiver sent, so they are dropped here.
func failureOf(err error) domain.DeliveryFailure {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var network net.Error
	switch {
	case errors.Is(err, errNoSecret):
		return domain.FailureSecret
	case errors.Is(err, errSize):
		return domain.FailureSize
	case errors.Is(err, errAddress), errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedPort),
		errors.Is(err, ssrf.ErrProhibitedNetwork), errors.Is(err, ssrf.ErrInvalidHostPort):
		return domain.FailureAddress
	case errors.As(err, &certificate):
		return domain.FailureCertificate
	case errors.As(err, &name):
		return domain.FailureName
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return domain.FailureTimeout
	}
	return domain.FailureConnection
}

// statusFailure returns the fixed word for an answer, or "" for success.
func statusFailure(status int) domain.DeliveryFailure {
	switch {
	case status >= 200 && status <= 299:
		return ""
	case status >= 300 && status <= 399:
		return domain.FailureRedirect
	case status == http.StatusGone:
		return domain.FailureGone
	}
	return domain.FailureStatus
}

// maxRetryAfter bounds how long a receiver may ask for rest.
const maxRetryAfter = time.Hour

// retryAfter reads a Retry-After, which is seconds or a date. It returns 0 for none.
func retryAfter(header string, now time.Time) time.Duration {
	var wait time.Duration
	if seconds, err := strconv.ParseUint(header, 10, 64); err == nil {
		wait = time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	} else if date, err := http.ParseTime(header); err == nil {
		wait = date.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}
