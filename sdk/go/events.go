package millrace

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"strconv"
	"strings"
	"time"
)

// The server sends data every 15 seconds. A connection without data for this time is closed.
const longestSilence = 45 * time.Second

// Limits of the reconnection time that the server sends.
const shortestRetry, longestRetry = 100 * time.Millisecond, time.Minute

func limited(retry time.Duration) time.Duration {
	if retry < shortestRetry {
		return shortestRetry
	}
	if retry > longestRetry {
		return longestRetry
	}
	return retry
}

// Millrace sends no larger events.
const longestEvent = 4 << 20

// ServerEvent is an event of a stream.
type ServerEvent struct {
	ID    string
	Event string
	// Data is usually JSON.
	Data json.RawMessage
}

// EventStream reads server-sent events. A stream of a GET operation reconnects after the last event.
//
//	defer stream.Close()
//	for stream.Next() {
//		fmt.Println(stream.Event().Event)
//	}
//	err := stream.Err()
type EventStream struct {
	ctx     context.Context
	cancel  context.CancelFunc
	open    func(ctx context.Context, lastID string) (*answer, error)
	resumes bool

	current  *answer
	lines    *bufio.Reader
	opened   bool
	failures int
	event    ServerEvent
	lastID   string
	retry    time.Duration
	err      error
}

func newEventStream(ctx context.Context, c *caller, op operation, path []string, query, body any, options []Option) *EventStream {
	within, cancel := context.WithCancel(ctx)
	open := func(ctx context.Context, lastID string) (*answer, error) {
		given, err := withField(query, "last_event_id", lastID)
		if err != nil {
			return nil, err
		}
		one, err := c.prepare(op, path, given, body, options)
		if err != nil {
			return nil, err
		}
		one.header.Set("Accept", "text/event-stream")
		return one.send(ctx)
	}
	return &EventStream{ctx: within, cancel: cancel, open: open, resumes: op.verb == "GET", retry: 3 * time.Second}
}

// Next moves to the next event. It returns false when the stream ends.
func (s *EventStream) Next() bool {
	for s.err == nil && s.ctx.Err() == nil {
		if s.current == nil && !s.connect() {
			break
		}
		event, err := s.read()
		if err == nil {
			s.event = *event
			return true
		}
		s.current.close()
		s.current = nil
		if errors.Is(err, errTooLarge) {
			s.err = err
		} else if !s.resumes {
			if !errors.Is(err, io.EOF) {
				s.err = &ConnectionError{text: "millrace: the stream was interrupted", cause: err}
			}
			break
		}
	}
	s.Close()
	return false
}

func (s *EventStream) connect() bool {
	for {
		if s.opened && pause(s.ctx, time.Duration(rand.Float64()*float64(s.retry))) != nil {
			return false
		}
		got, err := s.open(s.ctx, s.lastID)
		if err == nil && got.body == nil && got.response.StatusCode != 204 {
			s.opened, s.failures = true, 0
			s.current, s.lines = got, bufio.NewReader(got.response.Body)
			return true
		}
		if err == nil {
			return false
		}
		if passes := errors.Is(err, ErrConnection) || errors.Is(err, ErrServer); !s.opened || !passes {
			s.err = err
			return false
		}
		if s.failures++; s.failures > 1 && pause(s.ctx, delayBefore(s.failures+2, nil)) != nil {
			return false
		}
	}
}

var errTooLarge = fmt.Errorf("millrace: the stream contains an event of more than %d bytes", longestEvent)

// read returns the next event of the connection.
func (s *EventStream) read() (*ServerEvent, error) {
	event := ServerEvent{Event: "message"}
	var data []string
	size := 0
	for {
		line, err := s.line()
		if err != nil {
			return nil, err
		}
		if size += len(line); size > longestEvent {
			return nil, errTooLarge
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && len(data) > 0:
			event.Data, event.ID = jsonOf(strings.Join(data, "\n")), s.lastID
			return &event, nil
		case line == "":
			event, size = ServerEvent{Event: "message"}, 0
		case name == "event":
			event.Event = value
		case name == "data":
			data = append(data, value)
		case name == "id":
			s.lastID = value
		case name == "retry":
			if ms, err := strconv.ParseUint(value, 10, 31); err == nil {
				s.retry = limited(time.Duration(ms) * time.Millisecond)
			}
		}
	}
}

func (s *EventStream) line() (string, error) {
	silence := time.AfterFunc(longestSilence, s.current.close)
	defer silence.Stop()
	var line []byte
	for {
		part, err := s.lines.ReadSlice('\n')
		if line = append(line, part...); len(line) > longestEvent {
			return "", errTooLarge
		}
		if err == nil {
			return string(bytes.TrimRight(line, "\r\n")), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
}

// jsonOf returns text that is not JSON as a JSON string.
func jsonOf(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := encode(text)
	return quoted
}

func withField(query any, name, value string) (any, error) {
	if value == "" {
		return query, nil
	}
	text, err := encode(query)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	if err := decode(text, &fields); err != nil {
		return nil, err
	}
	if fields == nil {
		fields = map[string]any{}
	}
	fields[name] = value
	return fields, nil
}

// Event returns the current event.
func (s *EventStream) Event() ServerEvent { return s.event }

// LastEventID returns the ID of the last event. Pass it to continue later.
func (s *EventStream) LastEventID() string { return s.lastID }

// Err returns the error that ended the stream.
func (s *EventStream) Err() error { return s.err }

// Close ends the stream.
func (s *EventStream) Close() {
	s.cancel()
	if s.current != nil {
		s.current.close()
		s.current = nil
	}
}
