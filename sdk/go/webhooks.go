package millrace

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// WebhookTolerance is the maximum difference between the time of the signature and this clock.
const WebhookTolerance = 5 * time.Minute

// WebhookEvent is an event that Millrace sends. Data has the type of the event: decode it, for example
// into an EventsEmailDelivered.
type WebhookEvent struct {
	Type      string          `json:"type"`
	Timestamp string          `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// IsKnown reports whether this version of the client knows the event type.
func (e *WebhookEvent) IsKnown() bool { return knownEventTypes[e.Type] }

// VerifyWebhook returns the event of a request. It returns an error unless the unchanged body was signed with the
// secret (whsec_…), or with one of several during a rotation (Standard Webhooks 1.0).
func VerifyWebhook(body []byte, header http.Header, secrets ...string) (*WebhookEvent, error) {
	return VerifyWebhookAt(time.Now(), body, header, secrets...)
}

// VerifyWebhookAt is VerifyWebhook with another time than now, for tests.
func VerifyWebhookAt(now time.Time, body []byte, header http.Header, secrets ...string) (*WebhookEvent, error) {
	id, at, given := header.Get("webhook-id"), header.Get("webhook-timestamp"), header.Get("webhook-signature")
	if id == "" || at == "" || given == "" {
		return nil, fmt.Errorf("%w: a webhook header is missing", ErrSignature)
	}
	seconds, err := strconv.ParseUint(at, 10, 40)
	if err != nil {
		return nil, fmt.Errorf("%w: the header webhook-timestamp is not a valid time", ErrSignature)
	}
	age := now.Sub(time.Unix(int64(seconds), 0))
	if age > WebhookTolerance || age < -WebhookTolerance {
		return nil, fmt.Errorf("%w: the signature is too old or in the future", ErrSignature)
	}
	signed := append([]byte(id+"."+at+"."), body...)
	for _, secret := range secrets {
		isSigned, err := hasSignature(secret, signed, given)
		if err != nil {
			return nil, err
		}
		if isSigned {
			event := new(WebhookEvent)
			return event, decode(body, event)
		}
	}
	return nil, fmt.Errorf("%w: the request has no signature for this secret", ErrSignature)
}

func hasSignature(secret string, signed []byte, given string) (bool, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return false, errors.New("millrace: the webhook secret must be whsec_ followed by base64")
	}
	sum := hmac.New(sha256.New, key)
	sum.Write(signed)
	expected := sum.Sum(nil)
	for _, one := range strings.Split(given, " ") {
		if !strings.HasPrefix(one, "v1,") {
			continue
		}
		signature, err := base64.StdEncoding.DecodeString(one[len("v1,"):])
		if err == nil && hmac.Equal(signature, expected) {
			return true, nil
		}
	}
	return false, nil
}
