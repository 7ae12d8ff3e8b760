package millrace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const secret = "bt_live_secret"

func clientOf(t *testing.T, handle http.HandlerFunc, options ...Option) *Client {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	client, err := New(append([]Option{WithBaseURL(server.URL + "/v1/"), WithAPIKey(secret)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestOptionalFields(t *testing.T) {
	type body struct {
		Name Optional[string]   `json:"name,omitempty"`
		Tags Optional[[]string] `json:"tags,omitempty"`
	}
	for expected, one := range map[string]body{
		`{}`:                          {},
		`{"name":null,"tags":[]}`:     {Name: Null[string](), Tags: Some([]string{})},
		`{"name":"<ü>","tags":["a"]}`: {Name: Some("<ü>"), Tags: Some([]string{"a"})},
	} {
		written, err := encode(one)
		if err != nil || string(written) != expected {
			t.Errorf("%s instead of %s: %v", written, expected, err)
		}
		var again body
		if err := json.Unmarshal(written, &again); err != nil || again.Name.IsNull() != one.Name.IsNull() {
			t.Errorf("%s is read as %v: %v", written, again, err)
		}
	}
}

func TestHooksReceiveEachAttemptWithoutSecrets(t *testing.T) {
	requests := 0
	var seen []string
	note := func(one any) { seen = append(seen, fmt.Sprintf("%+v", one)) }
	hooks := Hooks{
		OnRequest:  func(info RequestInfo) { note(info) },
		OnResponse: func(info ResponseInfo) { note(info) },
		OnRetry:    func(info RetryInfo) { note(info) },
	}
	client := clientOf(t, func(response http.ResponseWriter, request *http.Request) {
		requests++
		response.Header().Set("x-request-id", fmt.Sprint("req-", requests))
		if requests == 1 {
			response.Header().Set("retry-after", "0")
			response.WriteHeader(503)
		}
		fmt.Fprint(response, `{"id": "one", "new_field": 1}`)
	}, WithHooks(hooks))
	var response *http.Response
	app, err := client.Push.GetApp(context.Background(), "one", WithResponse(&response))
	if err != nil || app.ID != "one" || response.Header.Get("x-request-id") != "req-2" || len(seen) != 5 {
		t.Fatal(app, err, seen)
	}
	if strings.Contains(strings.Join(seen, ""), secret) {
		t.Error("A hook received the key.")
	}
}

func TestInvalidSettingsAreRejectedWithoutTheKey(t *testing.T) {
	for _, url := range []string{"", "example.com", "ftp://example.com", "https://me:pw@example.com", "https://x/?a=1"} {
		if _, err := New(WithBaseURL(url)); err == nil {
			t.Error(url)
		}
	}
	_, err := New(WithBaseURL("https://x"), WithAPIKey(secret+"\n"))
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
}

func TestPathParametersStayInTheirSegment(t *testing.T) {
	var paths []string
	client := clientOf(t, func(response http.ResponseWriter, request *http.Request) {
		paths = append(paths, request.URL.EscapedPath())
		fmt.Fprint(response, `{}`)
	})
	_, _ = client.Push.GetApp(context.Background(), "a/b? ü")
	for _, wrong := range []string{"", ".", ".."} {
		if _, err := client.Push.GetApp(context.Background(), wrong); err == nil {
			t.Error(wrong)
		}
	}
	if len(paths) != 1 || paths[0] != "/push/v1/apps/a%2Fb%3F%20%C3%BC" {
		t.Error(paths)
	}
}

func TestAnEndedContextEndsTheCall(t *testing.T) {
	client := clientOf(t, func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("retry-after", "30")
		response.WriteHeader(503)
	})
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := client.Push.GetApp(ctx, "one"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestDelaysAreHalfToAllOfALimit(t *testing.T) {
	for attempt, most := range map[int]time.Duration{1: 500 * time.Millisecond, 2: time.Second, 50: 8 * time.Second} {
		for n := 0; n < 200; n++ {
			if delay := delayBefore(attempt, ErrConnection); delay < most/2 || delay > most {
				t.Fatal(attempt, delay)
			}
		}
	}
}

func TestRedirectsAreNotFollowedWithTheClientOfACall(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	client := clientOf(t, func(response http.ResponseWriter, request *http.Request) {
		http.Redirect(response, request, other.URL, http.StatusTemporaryRedirect)
	})
	err := client.Do(context.Background(), "GET", "/v1/x", nil, nil, WithHTTPClient(&http.Client{}))
	var refused *APIError
	if !errors.As(err, &refused) || refused.Status != http.StatusTemporaryRedirect || reached {
		t.Errorf("the redirect was followed: %v", err)
	}
}

func TestAListEndsIfAPageRepeats(t *testing.T) {
	requests, cursor := 0, "same"
	client := clientOf(t, func(response http.ResponseWriter, request *http.Request) {
		requests++
		response.Header().Set("content-type", "application/json")
		fmt.Fprintf(response, `{"data":[{"id":"a"}],"next_cursor":%q}`, cursor)
	})
	items, err := client.Push.ListApps(context.Background(), nil).All(10)
	if err == nil || !strings.Contains(err.Error(), "same page again") || len(items) != 1 || requests != 2 {
		t.Errorf("%d items after %d requests: %v", len(items), requests, err)
	}
	cursor = ""
	if items, err := client.Push.ListApps(context.Background(), nil).All(10); err != nil || len(items) != 1 {
		t.Errorf("%d items with an empty cursor: %v", len(items), err)
	}
}
