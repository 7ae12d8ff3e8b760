package millrace

import (
	"net/http"
	"time"
)

// Hooks are functions that the client calls for each attempt. They must return quickly.
type Hooks struct {
	OnRequest  func(RequestInfo)
	OnResponse func(ResponseInfo)
	OnRetry    func(RetryInfo)
}

// RequestInfo describes one attempt. Secrets in its headers are masked.
type RequestInfo struct {
	Method string
	// Path is the path without the query.
	Path string
	// Attempt is 1 for the first attempt.
	Attempt int
	Header  http.Header
}

// ResponseInfo describes the response to one attempt.
type ResponseInfo struct {
	RequestInfo
	Status    int
	RequestID string
	Duration  time.Duration
	// ResponseHeader contains the headers of the response. Cookies are masked.
	ResponseHeader http.Header
}

// RetryInfo describes a retry before its delay.
type RetryInfo struct {
	RequestInfo
	// Err is the error of the attempt.
	Err   error
	Delay time.Duration
}

func masked(header http.Header) http.Header {
	copied := header.Clone()
	for _, name := range []string{"Authorization", "Cookie", "Set-Cookie", "Proxy-Authorization"} {
		if copied.Get(name) != "" {
			copied.Set(name, "[masked]")
		}
	}
	return copied
}
