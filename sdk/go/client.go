// Package millrace is the client for the Millrace API.
//
//	client, err := millrace.New()
//	app, err := client.Push.CreateApp(ctx, &millrace.PushCreateAppBody{Name: "Shop"})
//
// New reads MILLRACE_BASE_URL and MILLRACE_API_KEY if no option sets them.
package millrace

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Version is the version of this client.
const Version = "1.0.0"

// Client calls the API. It is safe for concurrent use.
type Client struct {
	Areas
	caller *caller
}

type settings struct {
	baseURL        string
	apiKey         string
	timeout        time.Duration
	maxRetries     int
	httpClient     *http.Client
	header         http.Header
	hooks          Hooks
	idempotencyKey string
	response       **http.Response
}

// Option is a setting of a client or of one call.
type Option func(*settings)

// WithBaseURL sets the URL of the API, with or without /v1. Only for New. Default: MILLRACE_BASE_URL.
func WithBaseURL(baseURL string) Option { return func(s *settings) { s.baseURL = baseURL } }

// WithAPIKey sets the API key. Only for New. Default: MILLRACE_API_KEY.
func WithAPIKey(key string) Option { return func(s *settings) { s.apiKey = key } }

// WithTimeout sets the timeout of each attempt. Default: one minute.
func WithTimeout(timeout time.Duration) Option { return func(s *settings) { s.timeout = timeout } }

// WithMaxRetries sets the number of retries. Default: 2.
func WithMaxRetries(retries int) Option { return func(s *settings) { s.maxRetries = retries } }

// WithHTTPClient sets the HTTP client, for example with a proxy. Redirects are never followed.
func WithHTTPClient(client *http.Client) Option {
	return func(s *settings) { s.httpClient = withoutRedirects(client) }
}

// WithHooks sets functions that the client calls for each attempt.
func WithHooks(hooks Hooks) Option { return func(s *settings) { s.hooks = hooks } }

// WithHeader adds a header to the request.
func WithHeader(name, value string) Option {
	return func(s *settings) {
		s.header = s.header.Clone()
		if s.header == nil {
			s.header = http.Header{}
		}
		s.header.Set(name, value)
	}
}

// WithIdempotencyKey sets the idempotency key of a call. By default, the client generates one.
func WithIdempotencyKey(key string) Option { return func(s *settings) { s.idempotencyKey = key } }

// WithResponse stores the last response of a call: its status and headers. The body is already read.
func WithResponse(response **http.Response) Option {
	return func(s *settings) { s.response = response }
}

// New returns a client. It returns an error if the URL or the key is missing or invalid. The error never contains the key.
func New(options ...Option) (*Client, error) {
	base := settings{
		baseURL:    os.Getenv("MILLRACE_BASE_URL"),
		apiKey:     os.Getenv("MILLRACE_API_KEY"),
		timeout:    time.Minute,
		maxRetries: 2,
	}
	for _, option := range options {
		option(&base)
	}
	if err := base.check(); err != nil {
		return nil, err
	}
	base.httpClient = withoutRedirects(base.httpClient)
	one := &caller{base}
	return &Client{Areas: newAreas(one), caller: one}, nil
}

func (s *settings) check() error {
	if s.baseURL == "" {
		return errors.New("millrace: the URL of the API is not set. Pass WithBaseURL, or set MILLRACE_BASE_URL")
	}
	parsed, err := url.Parse(s.baseURL)
	isWeb := err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https") && parsed.Host != ""
	if !isWeb || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return errors.New("millrace: the base URL must be an http or https URL without query or credentials")
	}
	for _, letter := range s.apiKey {
		if letter < 0x21 || letter > 0x7e {
			return errors.New("millrace: the API key contains an invalid character")
		}
	}
	// Paths of operations already contain the version.
	s.baseURL = strings.TrimSuffix(strings.TrimRight(s.baseURL, "/"), "/v1")
	return nil
}

func withoutRedirects(given *http.Client) *http.Client {
	own := http.Client{}
	if given != nil {
		own = *given
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}
