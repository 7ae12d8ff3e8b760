package millrace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	largeFile      = 64 << 20
	uploadAttempts = 5
	// A part that storage does not accept in this time is sent again.
	partTimeout = 10 * time.Minute
)

// UploadError means that storage did not accept all bytes. Pass UploadID as Resume to continue.
type UploadError struct {
	UploadID string
	cause    error
}

// Error returns the reason.
func (e *UploadError) Error() string {
	return "millrace: the upload " + e.UploadID + " was interrupted: " + e.cause.Error()
}

// Unwrap returns the reason.
func (e *UploadError) Unwrap() error { return e.cause }

// VideoUpload has the settings of UploadVideo. All are optional.
type VideoUpload struct {
	// Fields are the fields of video.uploads.start. The client sets Bytes.
	Fields *VideoUploadsStartBody
	// Resume is the ID of an interrupted upload. Parts that storage has are not sent again.
	Resume string
	// OnStart receives the ID of the upload. Store it to resume the upload.
	OnStart func(uploadID string)
	// OnProgress receives the bytes in storage and all bytes.
	OnProgress func(sent, bytes int64)
	// Concurrency is the number of parts that are sent at the same time. Default: 4.
	Concurrency int
}

// UploadedVideo has the IDs of an upload.
type UploadedVideo struct{ UploadID, AssetID string }

// FileUpload has the settings of UploadFile.
type FileUpload struct {
	// Fields are the fields of files.multipart.start. The client sets ByteSize.
	Fields *FilesMultipartStartBody
	// Resume is the ID of an interrupted upload in parts.
	Resume string
	// OnStart receives the ID of an upload in parts.
	OnStart func(objectID string)
	// OnProgress receives the bytes in storage and all bytes.
	OnProgress func(sent, bytes int64)
	// Concurrency is the number of parts that are sent at the same time. Default: 4.
	Concurrency int
}

// UploadVideo uploads a video in parallel parts and completes the upload, which starts the processing.
func (c *Client) UploadVideo(ctx context.Context, source io.ReaderAt, bytes int64, given VideoUpload) (*UploadedVideo, error) {
	plan := partsPlan{source: source, bytes: bytes, concurrency: given.Concurrency, onProgress: given.OnProgress}
	id, isComplete, err := c.startVideo(ctx, &plan, given)
	if err != nil {
		return nil, err
	}
	if given.OnStart != nil {
		given.OnStart(id)
	}
	sign := func(ctx context.Context, part int64) (string, error) {
		signed, err := c.Video.UploadParts.Sign(ctx, id, &VideoUploadPartsSignBody{PartNumbers: []int64{part}})
		if err != nil || len(signed.Parts) == 0 {
			return "", err
		}
		return signed.Parts[0].URL, nil
	}
	if !isComplete {
		if err := c.sendParts(ctx, plan, sign); err != nil {
			return nil, &UploadError{id, err}
		}
	}
	// A second call returns the same response, so the call can be repeated.
	done, err := c.Video.Uploads.Complete(ctx, id)
	if err != nil {
		return nil, &UploadError{id, err}
	}
	return &UploadedVideo{id, done.AssetID}, nil
}

func (c *Client) startVideo(ctx context.Context, plan *partsPlan, given VideoUpload) (string, bool, error) {
	if given.Resume == "" {
		body := VideoUploadsStartBody{}
		if given.Fields != nil {
			body = *given.Fields
		}
		body.Bytes = plan.bytes
		started, err := c.Video.Uploads.Start(ctx, &body)
		if err != nil {
			return "", false, err
		}
		plan.size, plan.parts = started.PartSizeBytes, started.PartsExpected
		return started.UploadID, false, nil
	}
	status, err := c.Video.Uploads.Status(ctx, given.Resume)
	if err == nil && status.Bytes != plan.bytes {
		err = sizeError(status.Bytes, plan.bytes)
	}
	if err == nil && status.State == "paused" {
		_, err = c.Video.Uploads.Resume(ctx, given.Resume)
	}
	if err != nil {
		return "", false, err
	}
	plan.size, plan.parts, plan.received = status.PartSizeBytes, status.PartsExpected, status.PartsReceived
	return given.Resume, status.State == "completed", nil
}

// UploadFile uploads a file to the malware gate and starts its scan. Files above 64 MiB are sent in parallel parts.
func (c *Client) UploadFile(ctx context.Context, source io.ReaderAt, bytes int64, given FileUpload) (*FilesObject, error) {
	if given.Fields == nil {
		return nil, errors.New("millrace: FileUpload.Fields is required")
	}
	body := *given.Fields
	body.ByteSize = bytes
	owner := &FilesUploadsCompleteBody{TenantID: body.TenantID}
	if given.Resume == "" && bytes <= largeFile {
		return c.uploadSmallFile(ctx, source, body, owner, given)
	}
	plan := partsPlan{source: source, bytes: bytes, concurrency: given.Concurrency, onProgress: given.OnProgress}
	id, isComplete, err := c.startFile(ctx, &plan, &body, given)
	if err != nil {
		return nil, err
	}
	if given.OnStart != nil {
		given.OnStart(id)
	}
	sign := func(ctx context.Context, part int64) (string, error) {
		request := &FilesMultipartSignBody{PartNumbers: []int64{part}, TenantID: body.TenantID}
		signed, err := c.Files.Multipart.Sign(ctx, id, request)
		if err != nil || len(signed.Parts) == 0 {
			return "", err
		}
		return signed.Parts[0].URL, nil
	}
	if !isComplete {
		if err := c.sendParts(ctx, plan, sign); err != nil {
			return nil, &UploadError{id, err}
		}
	}
	done, err := c.Files.Uploads.Complete(ctx, id, owner)
	if err != nil {
		return nil, &UploadError{id, err}
	}
	return done, nil
}

func (c *Client) uploadSmallFile(ctx context.Context, source io.ReaderAt, given FilesMultipartStartBody, owner *FilesUploadsCompleteBody, settings FileUpload) (*FilesObject, error) {
	body := new(FilesUploadsStartBody)
	text, err := encode(given)
	if err == nil {
		err = decode(text, body)
	}
	if err != nil {
		return nil, err
	}
	started, err := c.Files.Uploads.Start(ctx, body)
	if err != nil {
		return nil, err
	}
	part := func() io.Reader { return io.NewSectionReader(source, 0, given.ByteSize) }
	url := func(context.Context) (string, error) { return started.UploadURL, nil }
	if err := c.put(ctx, part, given.ByteSize, url, started.UploadHeaders); err != nil {
		return nil, err
	}
	if settings.OnProgress != nil {
		settings.OnProgress(given.ByteSize, given.ByteSize)
	}
	return c.Files.Uploads.Complete(ctx, started.ObjectID, owner)
}

func (c *Client) startFile(ctx context.Context, plan *partsPlan, body *FilesMultipartStartBody, given FileUpload) (string, bool, error) {
	if given.Resume == "" {
		started, err := c.Files.Multipart.Start(ctx, body)
		if err != nil {
			return "", false, err
		}
		plan.size, plan.parts = started.PartSize, started.PartsExpected
		return started.ObjectID, false, nil
	}
	status, err := c.Files.Multipart.Read(ctx, given.Resume, &FilesMultipartReadQuery{TenantID: body.TenantID})
	if err == nil && status.ByteSize != plan.bytes {
		err = sizeError(status.ByteSize, plan.bytes)
	}
	if err != nil {
		return "", false, err
	}
	plan.size, plan.parts, plan.received = status.PartSize, status.PartsExpected, status.PartsReceived
	return given.Resume, status.State == "completed", nil
}

func sizeError(stored, given int64) error {
	return fmt.Errorf("millrace: the upload has %d bytes, but this source has %d", stored, given)
}

type partsPlan struct {
	source      io.ReaderAt
	bytes       int64
	size, parts int64
	// received has the numbers of the parts that storage has.
	received    []int64
	concurrency int
	onProgress  func(sent, bytes int64)
}

func (p *partsPlan) length(part int64) int64 {
	if end := part * p.size; end > p.bytes {
		return p.bytes - (part-1)*p.size
	}
	return p.size
}

// sendParts sends the missing parts. If a part fails, the others are cancelled.
func (c *Client) sendParts(ctx context.Context, plan partsPlan, sign func(ctx context.Context, part int64) (string, error)) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	received, sent := map[int64]bool{}, int64(0)
	for _, part := range plan.received {
		received[part] = true
		sent += plan.length(part)
	}
	missing := make(chan int64, plan.parts)
	for part := int64(1); part <= plan.parts; part++ {
		if !received[part] {
			missing <- part
		}
	}
	close(missing)
	var lock sync.Mutex
	var failure error
	tell := func(bytes int64) {
		lock.Lock()
		defer lock.Unlock()
		if sent += bytes; plan.onProgress != nil {
			plan.onProgress(sent, plan.bytes)
		}
	}
	tell(0)
	var senders sync.WaitGroup
	for n := 0; n < plan.senders(); n++ {
		senders.Add(1)
		go func() {
			defer senders.Done()
			for part := range missing {
				number := part
				read := func() io.Reader { return io.NewSectionReader(plan.source, (number-1)*plan.size, plan.length(number)) }
				url := func(ctx context.Context) (string, error) { return sign(ctx, number) }
				if err := c.put(within, read, plan.length(number), url, nil); err != nil {
					lock.Lock()
					if failure == nil {
						failure = err
					}
					lock.Unlock()
					cancel()
					return
				}
				tell(plan.length(number))
			}
		}()
	}
	senders.Wait()
	return failure
}

func (p *partsPlan) senders() int {
	if p.concurrency > 0 {
		return p.concurrency
	}
	return 4
}

// put sends bytes to storage. sign returns a new URL for each attempt, because a signature can expire.
func (c *Client) put(ctx context.Context, part func() io.Reader, length int64, sign func(context.Context) (string, error), header map[string]string) error {
	for attempt := 1; ; attempt++ {
		url, err := sign(ctx)
		if err == nil && url == "" {
			err = errors.New("millrace: the API returned no signed URL")
		}
		if err != nil {
			return err
		}
		status, err := c.putOnce(ctx, url, part(), length, header)
		if err == nil && status >= 200 && status < 300 {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		passes := err != nil || status == http.StatusForbidden || status >= 500
		if err == nil {
			err = fmt.Errorf("millrace: storage returned %d", status)
		}
		if attempt == uploadAttempts || !passes {
			return err
		}
		if err := pause(ctx, delayBefore(attempt, err)); err != nil {
			return err
		}
	}
}

func (c *Client) putOnce(ctx context.Context, url string, body io.Reader, length int64, header map[string]string) (int, error) {
	within, cancel := context.WithTimeout(ctx, partTimeout)
	defer cancel()
	// A signed URL is a secret, so no error contains it.
	failed := &ConnectionError{text: "millrace: cannot connect to storage"}
	request, err := http.NewRequestWithContext(within, http.MethodPut, url, body)
	if err != nil {
		return 0, failed
	}
	request.ContentLength = length
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := c.caller.settings.httpClient.Do(request)
	if err != nil {
		return 0, failed
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	return response.StatusCode, nil
}
