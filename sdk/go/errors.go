package millrace

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"time"
)

// Errors to use with errors.Is.
var (
	ErrBadRequest   = errors.New("millrace: bad request")
	ErrUnauthorized = errors.New("millrace: unauthorized")
	ErrForbidden    = errors.New("millrace: forbidden")
	ErrNotFound     = errors.New("millrace: not found")
	ErrConflict     = errors.New("millrace: conflict")
	ErrRateLimited  = errors.New("millrace: rate limited")
	ErrServer       = errors.New("millrace: server error")
	// ErrConnection is the error of a call without a complete response.
	ErrConnection = errors.New("millrace: connection failed")
	// ErrTimeout is the error of a call without a response in time. It is also an ErrConnection.
	ErrTimeout = errors.New("millrace: timeout")
	// ErrSignature is the error of a webhook that is not signed with the secret.
	ErrSignature = errors.New("millrace: invalid webhook signature")
)

// APIError is an error that the API returned.
type APIError struct {
	// Status is the HTTP status.
	Status int
	// Code is the error code. Use it in code instead of the message. The constants Code… are the known codes.
	Code string
	// Message is for people.
	Message string
	// Details are machine-readable. For status 400, they contain every invalid field.
	Details json.RawMessage
	// RequestID is the ID of the request in the request log.
	RequestID string
	// RetryAfter is the time to wait before a retry. Nil if the API did not return it.
	RetryAfter *time.Duration
}

// FieldIssue is one invalid field.
type FieldIssue struct {
	// Field is the name of the field, for example body.title.
	Field string `json:"field"`
	// Issue continues the name of the field, for example "must be an email address".
	Issue string `json:"issue"`
}

// Error returns status, code and message.
func (e *APIError) Error() string {
	text := fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message)
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// Is reports whether the status belongs to one of the errors of this package.
func (e *APIError) Is(target error) bool { return target == e.kind() }

func (e *APIError) kind() error {
	kinds := map[int]error{400: ErrBadRequest, 401: ErrUnauthorized, 403: ErrForbidden, 404: ErrNotFound,
		409: ErrConflict, 429: ErrRateLimited}
	if kind, ok := kinds[e.Status]; ok {
		return kind
	}
	if e.Status >= 500 {
		return ErrServer
	}
	return nil
}

// Fields returns every invalid field of a status 400, sorted by name.
func (e *APIError) Fields() []FieldIssue {
	var issues []FieldIssue
	if e.Status != http.StatusBadRequest || json.Unmarshal(e.Details, &issues) != nil {
		return nil
	}
	named := issues[:0]
	for _, issue := range issues {
		if issue.Field != "" {
			named = append(named, issue)
		}
	}
	sort.Slice(named, func(i, j int) bool { return named[i].Field < named[j].Field })
	return named
}

// ConnectionError means that no complete response was received.
type ConnectionError struct {
	// Late is true if the timeout of the attempt ended.
	Late  bool
	cause error
	text  string
}

// Error returns the reason. It does not contain the URL.
func (e *ConnectionError) Error() string { return e.text }

// Unwrap returns the error of the transport.
func (e *ConnectionError) Unwrap() error { return e.cause }

// Is reports whether the target is ErrConnection, or ErrTimeout for a timeout.
func (e *ConnectionError) Is(target error) bool {
	return target == ErrConnection || (e.Late && target == ErrTimeout)
}

func toAPIError(response *http.Response, body []byte) *APIError {
	var said struct {
		Error struct {
			Code      string          `json:"code"`
			Message   string          `json:"message"`
			Details   json.RawMessage `json:"details"`
			RequestID string          `json:"request_id"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &said)
	failure := &APIError{
		Status:     response.StatusCode,
		Code:       said.Error.Code,
		Message:    said.Error.Message,
		Details:    said.Error.Details,
		RequestID:  said.Error.RequestID,
		RetryAfter: retryAfterOf(response.Header.Get("retry-after"), time.Now()),
	}
	if failure.RequestID == "" {
		failure.RequestID = response.Header.Get("x-request-id")
	}
	if failure.Code == "" {
		failure.Code = "http_" + strconv.Itoa(failure.Status)
		if failure.Status >= 500 {
			failure.Code = "server_error"
		}
	}
	if failure.Message == "" {
		failure.Message = fmt.Sprintf("The server returned %d.", failure.Status)
	}
	return failure
}
