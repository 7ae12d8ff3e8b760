package millrace

import (
	"context"
	"errors"
	"math/rand"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"
)

const (
	firstDelay = 500 * time.Millisecond
	mostDelay  = 8 * time.Second
	// If Retry-After is longer, the call returns the error immediately.
	longestWait = time.Minute
)

// These can safely be repeated. A PATCH of this API sets the fields that it contains.
var idempotentVerbs = map[string]bool{"GET": true, "HEAD": true, "PUT": true, "DELETE": true, "PATCH": true}

// isRetryable is false if the server may have executed the request and a repetition would have another effect.
func isRetryable(harmless bool, failure error) bool {
	var refused *APIError
	if errors.As(failure, &refused) {
		if refused.RetryAfter != nil && *refused.RetryAfter > longestWait {
			return false
		}
		// The API returns these statuses before it executes a request.
		if refused.Status == http.StatusTooManyRequests || refused.Status == http.StatusServiceUnavailable {
			return true
		}
		return refused.Status >= 500 && harmless
	}
	return errors.Is(failure, ErrConnection) && (harmless || isUnsent(failure))
}

// isUnsent reports whether the connection was never established, so that no data was sent.
func isUnsent(failure error) bool {
	var lookup *net.DNSError
	var dial *net.OpError
	return errors.As(failure, &lookup) || errors.Is(failure, syscall.ECONNREFUSED) ||
		(errors.As(failure, &dial) && dial.Op == "dial")
}

// delayBefore returns the delay before the next attempt: 50 to 100 % of a limit that doubles, or slightly more than
// Retry-After. The randomness prevents rejected clients from retrying at the same time.
func delayBefore(attempt int, failure error) time.Duration {
	var refused *APIError
	if errors.As(failure, &refused) && refused.RetryAfter != nil {
		return *refused.RetryAfter + time.Duration(rand.Int63n(int64(250*time.Millisecond)))
	}
	limit := mostDelay
	if attempt < 6 {
		limit = firstDelay << (attempt - 1)
	}
	if limit > mostDelay {
		limit = mostDelay
	}
	return limit/2 + time.Duration(rand.Int63n(int64(limit/2)))
}

// retryAfterOf returns the value of a Retry-After header: seconds or a date (RFC 9110 section 10.2.3).
func retryAfterOf(header string, now time.Time) *time.Duration {
	if header == "" {
		return nil
	}
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return Ptr(time.Duration(seconds) * time.Second)
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return nil
	}
	if wait := at.Sub(now); wait > 0 {
		return &wait
	}
	return Ptr(time.Duration(0))
}

func pause(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
