package millrace

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

type caller struct{ settings settings }

// operation is an operation of the API. Names in braces in its path are parameters.
type operation struct {
	verb, path string
	// keyed operations accept an idempotency key.
	keyed bool
	// repeatable operations can be repeated safely, regardless of their verb.
	repeatable bool
	// open operations need no API key, and none is sent.
	open bool
}

// prepared is a request that can be sent several times.
type prepared struct {
	settings settings
	verb     string
	path     string
	url      string
	header   http.Header
	body     []byte
	harmless bool
}

func (c *caller) prepare(op operation, path []string, query, body any, options []Option) (*prepared, error) {
	own := c.settings
	for _, option := range options {
		option(&own)
	}
	if own.idempotencyKey != "" && !op.keyed {
		return nil, fmt.Errorf("millrace: %s %s does not accept an idempotency key", op.verb, op.path)
	}
	filled, err := fillPath(op.path, path)
	if err != nil {
		return nil, err
	}
	search, err := queryOf(query)
	if err != nil {
		return nil, err
	}
	one := &prepared{settings: own, verb: op.verb, path: filled, url: c.settings.baseURL + filled + search,
		header: http.Header{}, harmless: op.keyed || op.repeatable || idempotentVerbs[op.verb]}
	if body != nil {
		if one.body, err = bodyOf(body); err != nil {
			return nil, err
		}
		one.header.Set("Content-Type", "application/json")
	}
	one.header.Set("Accept", "application/json")
	one.header.Set("User-Agent", "millrace-go/"+Version)
	if c.settings.apiKey != "" && !op.open {
		one.header.Set("Authorization", "Bearer "+c.settings.apiKey)
	}
	if op.keyed && (own.idempotencyKey != "" || !namesItself(one.body)) {
		one.header.Set("Idempotency-Key", own.idempotencyKey)
		if own.idempotencyKey == "" {
			one.header.Set("Idempotency-Key", newKey())
		}
	}
	for name, values := range own.header {
		one.header[name] = values
	}
	return one, nil
}

// send sends a request until it succeeds or a retry cannot help. It returns the open response.
func (p *prepared) send(ctx context.Context) (*answer, error) {
	for attempt := 1; ; attempt++ {
		info := RequestInfo{Method: p.verb, Path: p.path, Attempt: attempt, Header: masked(p.header)}
		got, err := p.once(ctx, info)
		if err == nil || ctx.Err() != nil {
			return got, err
		}
		if attempt > p.settings.maxRetries || !isRetryable(p.harmless, err) {
			return nil, err
		}
		delay := delayBefore(attempt, err)
		if p.settings.hooks.OnRetry != nil {
			p.settings.hooks.OnRetry(RetryInfo{RequestInfo: info, Err: err, Delay: delay})
		}
		if err := pause(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// answer is a successful response. For a stream, body is nil and the response is open until close.
type answer struct {
	response *http.Response
	body     []byte
	close    func()
}

func (p *prepared) once(ctx context.Context, info RequestInfo) (*answer, error) {
	within, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(p.settings.timeout, cancel)
	failed := func(err error) (*answer, error) {
		late := !timer.Stop() && ctx.Err() == nil
		cancel()
		return nil, p.failure(ctx, err, late)
	}
	request, err := http.NewRequestWithContext(within, p.verb, p.url, bytes.NewReader(p.body))
	if err != nil {
		return failed(err)
	}
	request.Header = p.header.Clone()
	if p.settings.hooks.OnRequest != nil {
		p.settings.hooks.OnRequest(info)
	}
	begun := time.Now()
	response, err := p.settings.httpClient.Do(request)
	if err != nil {
		return failed(err)
	}
	if p.settings.response != nil {
		*p.settings.response = response
	}
	if p.settings.hooks.OnResponse != nil {
		p.settings.hooks.OnResponse(ResponseInfo{RequestInfo: info, Status: response.StatusCode,
			RequestID: response.Header.Get("x-request-id"), Duration: time.Since(begun),
			ResponseHeader: masked(response.Header)})
	}
	isOK := response.StatusCode >= 200 && response.StatusCode < 300
	isStream := strings.HasPrefix(response.Header.Get("content-type"), "text/event-stream")
	if isOK && isStream && p.header.Get("accept") == "text/event-stream" {
		timer.Stop()
		return &answer{response: response, close: func() { cancel(); response.Body.Close() }}, nil
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return failed(err)
	}
	timer.Stop()
	cancel()
	if !isOK {
		return nil, p.refusal(response, body)
	}
	return &answer{response: response, body: body, close: func() {}}, nil
}

func (p *prepared) refusal(response *http.Response, body []byte) error {
	refused := toAPIError(response, body)
	if response.StatusCode == http.StatusUnauthorized && p.header.Get("authorization") == "" {
		refused.Message = p.verb + " " + p.path + " needs an API key. Pass WithAPIKey, or set MILLRACE_API_KEY."
	}
	return refused
}

func (p *prepared) failure(ctx context.Context, err error, late bool) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// The URL can contain a token.
	var withURL *url.Error
	if errors.As(err, &withURL) {
		err = withURL.Err
	}
	if late {
		text := fmt.Sprintf("%s %s received no response within %s", p.verb, p.path, p.settings.timeout)
		return &ConnectionError{Late: true, text: text, cause: err}
	}
	return &ConnectionError{text: p.verb + " " + p.path + " received no response: " + err.Error(), cause: err}
}

func (c *caller) call(ctx context.Context, op operation, path []string, query, body any, options []Option) (*answer, error) {
	one, err := c.prepare(op, path, query, body, options)
	if err != nil {
		return nil, err
	}
	return one.send(ctx)
}

func callJSON[T any](ctx context.Context, c *caller, op operation, path []string, query, body any, options []Option) (*T, error) {
	got, err := c.call(ctx, op, path, query, body, options)
	if err != nil {
		return nil, err
	}
	into := new(T)
	if err := decode(got.body, into); err != nil {
		return nil, fmt.Errorf("millrace: the response (%d) does not have the expected JSON: %w", got.response.StatusCode, err)
	}
	return into, nil
}

func callText(ctx context.Context, c *caller, op operation, path []string, query, body any, options []Option) (string, error) {
	got, err := c.call(ctx, op, path, query, body, options)
	if err != nil {
		return "", err
	}
	return string(got.body), nil
}

func callNothing(ctx context.Context, c *caller, op operation, path []string, query, body any, options []Option) error {
	_, err := c.call(ctx, op, path, query, body, options)
	return err
}

// Do calls any operation, for example one that this version of the client does not know. The path starts with /v1.
// The body is sent as JSON unless it is nil. The JSON response is stored in reply unless reply is nil. A POST is
// retried only if it has an idempotency key.
func (c *Client) Do(ctx context.Context, verb, path string, body, reply any, options ...Option) error {
	own := c.caller.settings
	for _, option := range options {
		option(&own)
	}
	bare, search, _ := strings.Cut(path, "?")
	one, err := c.caller.prepare(operation{verb: verb, path: bare, keyed: own.idempotencyKey != ""}, nil, nil, body, options)
	if err != nil {
		return err
	}
	if search != "" {
		one.url += "?" + search
	}
	got, err := one.send(ctx)
	if err != nil || reply == nil || len(got.body) == 0 {
		return err
	}
	return decode(got.body, reply)
}

func fillPath(path string, values []string) (string, error) {
	var filled strings.Builder
	for _, value := range values {
		start, end := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		// An empty value, . or .. would change the path.
		if value == "" || value == "." || value == ".." {
			return "", fmt.Errorf("millrace: the path parameter %s is invalid: %q", path[start+1:end], value)
		}
		filled.WriteString(path[:start])
		filled.WriteString(strings.ReplaceAll(url.QueryEscape(value), "+", "%20"))
		path = path[end+1:]
	}
	return filled.String() + path, nil
}

func queryOf(query any) (string, error) {
	if query == nil {
		return "", nil
	}
	text, err := encode(query)
	if err != nil {
		return "", err
	}
	var fields map[string]any
	if err := decode(text, &fields); err != nil || len(fields) == 0 {
		return "", err
	}
	values := url.Values{}
	for name, value := range fields {
		addValue(values, name, value)
	}
	if len(values) == 0 {
		return "", nil
	}
	return "?" + values.Encode(), nil
}

func addValue(values url.Values, name string, value any) {
	if many, ok := value.([]any); ok {
		for _, one := range many {
			addValue(values, name, one)
		}
	} else if value != nil {
		values.Add(name, fmt.Sprint(value))
	}
}

func bodyOf(body any) ([]byte, error) {
	text, err := encode(body)
	if err != nil {
		return nil, fmt.Errorf("millrace: the body cannot be sent as JSON: %w", err)
	}
	// A nil pointer means a body without fields.
	if string(text) == "null" {
		return []byte("{}"), nil
	}
	return text, nil
}

// namesItself reports whether a body contains its own idempotency key.
func namesItself(body []byte) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return false
	}
	return fields["idempotency_key"] != nil || fields["idempotencyKey"] != nil
}

func newKey() string {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		panic(err)
	}
	return hex.EncodeToString(random)
}
