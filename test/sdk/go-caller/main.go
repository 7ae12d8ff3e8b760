// Command go-caller makes the calls of the shared list (standard input) with the Go client and reports their outcomes.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	millrace "millrace.dev/go"
)

type fields = map[string]any

type call struct {
	ID      string
	BaseURL string  `json:"base_url"`
	APIKey  *string `json:"api_key"`
	Go      []string
	Verb    string
	APIPath string `json:"api_path"`
	Helper  string
	Path    []any
	Args    any
	Options struct {
		IdempotencyKey string `json:"idempotency_key"`
		TimeoutMs      int    `json:"timeout_ms"`
		MaxRetries     *int   `json:"max_retries"`
	}
	Take struct{ Items, Pages, Events int }
}

func main() {
	var program struct {
		Given fields
		Calls []call
	}
	if err := json.NewDecoder(os.Stdin).Decode(&program); err != nil {
		panic(err)
	}
	known, outcomes := program.Given, fields{}
	for _, one := range program.Calls {
		answer, err := made(one, known)
		if err != nil {
			outcomes[one.ID] = fields{"error": reported(err)}
			continue
		}
		text, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		var plain any
		_ = json.Unmarshal(text, &plain)
		known[one.ID] = plain
		outcomes[one.ID] = fields{"answer": json.RawMessage(text)}
	}
	_ = json.NewEncoder(os.Stdout).Encode(outcomes)
}

// filled replaces "$app.id" by this field of the answer of the call "app".
func filled(value any, known fields) any {
	switch one := value.(type) {
	case string:
		if !strings.HasPrefix(one, "$") {
			return one
		}
		var inner any = known
		for _, field := range strings.Split(one[1:], ".") {
			switch at := inner.(type) {
			case fields:
				inner = at[field]
			case []any:
				var n int
				fmt.Sscan(field, &n)
				inner = at[n]
			}
		}
		return inner
	case []any:
		all := []any{}
		for _, inner := range one {
			all = append(all, filled(inner, known))
		}
		return all
	case fields:
		all := fields{}
		for name, inner := range one {
			all[name] = filled(inner, known)
		}
		return all
	}
	return value
}

func made(one call, known fields) (any, error) {
	settings := []millrace.Option{millrace.WithBaseURL(one.BaseURL), millrace.WithAPIKey("")}
	if one.APIKey != nil {
		settings = append(settings, millrace.WithAPIKey(*one.APIKey))
	}
	if one.Options.MaxRetries != nil {
		settings = append(settings, millrace.WithMaxRetries(*one.Options.MaxRetries))
	}
	client, err := millrace.New(settings...)
	if err != nil {
		return nil, err
	}
	args, _ := filled(one.Args, known).(fields)
	if one.Helper != "" {
		return helped(client, one.Helper, args)
	}
	var options []millrace.Option
	if one.Options.IdempotencyKey != "" {
		options = append(options, millrace.WithIdempotencyKey(one.Options.IdempotencyKey))
	}
	if one.Options.TimeoutMs != 0 {
		options = append(options, millrace.WithTimeout(time.Duration(one.Options.TimeoutMs)*time.Millisecond))
	}
	return called(client, one, filled(one.Path, known).([]any), args, options)
}

// called calls the method of an operation. Arguments that its types cannot contain are sent with Do.
func called(client *millrace.Client, one call, path []any, args fields, options []millrace.Option) (any, error) {
	at := reflect.ValueOf(client).Elem()
	for _, step := range one.Go[:len(one.Go)-1] {
		at = reflect.Indirect(at.FieldByName(step))
	}
	name := one.Go[len(one.Go)-1]
	if one.Take.Events > 0 && at.Addr().MethodByName(name+"Stream").IsValid() {
		name += "Stream"
	}
	method := at.Addr().MethodByName(name)
	given := []reflect.Value{reflect.ValueOf(context.Background())}
	for _, value := range path {
		given = append(given, reflect.ValueOf(value.(string)))
	}
	if kind := method.Type(); kind.NumIn() > len(given)+1 {
		body := reflect.New(kind.In(len(given)).Elem())
		if !fits(args, body.Interface()) {
			return untyped(client, one, path, args, options)
		}
		given = append(given, body)
	}
	for _, option := range options {
		given = append(given, reflect.ValueOf(option))
	}
	return taken(method.Call(given), one)
}

// fits reads the arguments into a struct. It returns false if the struct cannot contain all of them.
func fits(args fields, into any) bool {
	text, _ := json.Marshal(args)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if args == nil {
		return true
	}
	if decoder.Decode(into) != nil {
		return false
	}
	again, err := json.Marshal(into)
	var written fields
	_ = json.Unmarshal(again, &written)
	return err == nil && reflect.DeepEqual(written, args)
}

func untyped(client *millrace.Client, one call, path []any, args fields, options []millrace.Option) (any, error) {
	target := one.APIPath
	for _, value := range path {
		start, end := strings.Index(target, "{"), strings.Index(target, "}")
		target = target[:start] + value.(string) + target[end+1:]
	}
	var answer any
	err := client.Do(context.Background(), one.Verb, target, args, &answer, options...)
	return answer, err
}

func taken(results []reflect.Value, one call) (any, error) {
	if stream, ok := results[0].Interface().(*millrace.EventStream); ok {
		defer stream.Close()
		events := []any{}
		for len(events) < one.Take.Events && stream.Next() {
			event := stream.Event()
			events = append(events, fields{"id": event.ID, "event": event.Event, "data": event.Data})
		}
		return fields{"events": events}, stream.Err()
	}
	if next := results[0].MethodByName("NextPage"); next.IsValid() {
		return listed(results[0], one)
	}
	err, _ := results[len(results)-1].Interface().(error)
	if len(results) == 1 || err != nil {
		return nil, err
	}
	return results[0].Interface(), nil
}

func listed(list reflect.Value, one call) (any, error) {
	failure := func() error { err, _ := list.MethodByName("Err").Call(nil)[0].Interface().(error); return err }
	if one.Take.Pages > 0 {
		pages := []int{}
		for len(pages) < one.Take.Pages && list.MethodByName("NextPage").Call(nil)[0].Bool() {
			page := list.MethodByName("Page").Call(nil)[0].Elem()
			pages = append(pages, page.FieldByName("Data").Len())
		}
		return fields{"pages": pages}, failure()
	}
	if one.Take.Items == 0 {
		if !list.MethodByName("NextPage").Call(nil)[0].Bool() {
			return nil, failure()
		}
		return fields{"data": list.MethodByName("Page").Call(nil)[0].Elem().FieldByName("Data").Interface()}, nil
	}
	items := []any{}
	for len(items) < one.Take.Items && list.MethodByName("Next").Call(nil)[0].Bool() {
		items = append(items, list.MethodByName("Item").Call(nil)[0].Interface())
	}
	return fields{"items": items}, failure()
}

func helped(client *millrace.Client, name string, args fields) (any, error) {
	ctx := context.Background()
	text := func(name string) string { value, _ := args[name].(string); return value }
	switch name {
	case "upload_video":
		source := make([]byte, int(args["bytes"].(float64)))
		for i := range source {
			source[i] = byte((i*31 + (i >> 8)) & 255)
		}
		var sent int64
		body := &millrace.VideoUploadsStartBody{Filename: millrace.Some(text("filename")), Title: millrace.Some(text("title"))}
		done, err := client.UploadVideo(ctx, bytes.NewReader(source), int64(len(source)), millrace.VideoUpload{
			Fields: body, OnProgress: func(bytes, _ int64) { sent = bytes },
		})
		if err != nil {
			return nil, err
		}
		return fields{"uploadId": done.UploadID, "assetId": done.AssetID, "sent": sent}, nil
	case "upload_file":
		source := []byte(text("text"))
		body := &millrace.FilesMultipartStartBody{Filename: text("filename"), ContentType: text("content_type")}
		body.ProductKey, body.TenantID = millrace.Some(text("product_key")), millrace.Some(text("tenant_id"))
		return client.UploadFile(ctx, bytes.NewReader(source), int64(len(source)), millrace.FileUpload{Fields: body})
	case "verify_webhook":
		return verified(args)
	}
	return nil, errors.New("there is no helper " + name)
}

func verified(args fields) (any, error) {
	header := http.Header{}
	for name, value := range args["headers"].(fields) {
		header.Set(name, value.(string))
	}
	var secrets []string
	switch secret := args["secret"].(type) {
	case string:
		secrets = []string{secret}
	case []any:
		for _, one := range secret {
			secrets = append(secrets, one.(string))
		}
	}
	now := time.Unix(int64(args["now"].(float64)), 0)
	return millrace.VerifyWebhookAt(now, []byte(args["payload"].(string)), header, secrets...)
}

func reported(err error) fields {
	report := fields{"type": "MillraceError", "status": nil, "code": nil, "fields": []string{}, "retry_after": nil,
		"has_request_id": false}
	kinds := []struct {
		kind error
		name string
	}{{millrace.ErrBadRequest, "BadRequest"}, {millrace.ErrUnauthorized, "Unauthorized"},
		{millrace.ErrForbidden, "Forbidden"}, {millrace.ErrNotFound, "NotFound"}, {millrace.ErrConflict, "Conflict"},
		{millrace.ErrRateLimited, "RateLimited"}, {millrace.ErrServer, "ServerError"},
		{millrace.ErrTimeout, "TimeoutError"}, {millrace.ErrConnection, "ConnectionError"},
		{millrace.ErrSignature, "WebhookVerificationError"}}
	var refused *millrace.APIError
	if errors.As(err, &refused) {
		names := []string{}
		for _, issue := range refused.Fields() {
			names = append(names, issue.Field)
		}
		report = fields{"type": "APIError", "status": refused.Status, "code": refused.Code, "fields": names,
			"retry_after": nil, "has_request_id": refused.RequestID != ""}
		if refused.RetryAfter != nil {
			report["retry_after"] = refused.RetryAfter.Seconds()
		}
	} else if !errors.Is(err, millrace.ErrConnection) && !errors.Is(err, millrace.ErrSignature) {
		fmt.Fprintln(os.Stderr, err)
	}
	for _, one := range kinds {
		if errors.Is(err, one.kind) {
			report["type"] = one.name
			break
		}
	}
	return report
}
