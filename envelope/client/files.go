package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/textproto"
	"strings"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// Files are the files of the rows of one Frond, at the host that keeps them ([envelope.FilesPath]). It
// judges each request by its rules for the caller, whose state the request has.
type Files struct {
	host  *host
	frond string
	state json.RawMessage
}

// Files returns the files of a Frond, for a caller. It answers NOT_IMPLEMENTED where the host has no
// such path.
func (r *Remote) Files(frond string, state map[string]any) *Files {
	var text json.RawMessage // of an anonymous caller: none
	if state != nil {
		text, _ = json.Marshal(state) //nolint:errchkjson // a state comes from JSON
	}
	return &Files{r.host, frond, text}
}

// Find describes the files that rows hold and that the caller may read, by their ids. Others are left out.
func (f *Files) Find(ctx context.Context, ids []string) (map[string]*facade.File, error) {
	o := f.host.options
	var answer struct{ Files []*facade.File }
	g := &get{path: envelope.FilesPath, query: "ids=" + escape(strings.Join(ids, ",")), signer: o.Signer, frond: f.frond, state: f.state, none: noFiles, wrong: wrongFiles}
	refused, failed := f.host.ask(ctx, &post{get: g, most: o.MaxAnswer}, func(body []byte) error { return json.Unmarshal(body, &answer) })
	switch {
	case failed != nil:
		return nil, failed.err()
	case refused != nil:
		return nil, refused
	}
	all := make(map[string]*facade.File, len(answer.Files))
	for _, file := range answer.Files {
		if file != nil && file.Size >= 0 && isSHA256(file.SHA256) {
			all[file.ID] = file
		}
	}
	return all, nil
}

// isSHA256 reports whether a text is a hash in hexadecimal digits.
func isSHA256(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == sha256.Size
}

// refusalOf reads an answer that is no success: the host's error, or a failure on the way.
func refusalOf(status int, header http.Header, body []byte) (*kiterror.Error, *failure) {
	if jsontext.Check(body) == nil {
		if r, ok := envelope.ReadResponse(body, nil); ok && r.Err != nil {
			return r.Err, unsigned(header, r.Err)
		}
	}
	if withoutPath(status) {
		return nil, &failure{kind: noFiles}
	}
	return nil, frameless(status, header)
}

// Open reads the bytes of a file, or of the smaller image of a size, unless it is "". mediaType
// is their media type. The bytes of a file are requested at the first read.
func (f *Files) Open(ctx context.Context, file *facade.File, size string) (r io.ReadSeekCloser, mediaType string, err error) {
	b := &remoteBytes{files: f, ctx: ctx, query: "id=" + escape(file.ID), size: file.Size}
	if size == "" {
		return b, file.Type, nil
	}
	b.query, b.size = b.query+"&size="+escape(size), -1
	mediaType, b.size, err = b.request()
	if err != nil {
		return nil, "", err
	}
	if b.size < 0 || !catalog.IsImage(mediaType) {
		_ = b.Close()
		return nil, "", (&failure{kind: wrongFiles}).err()
	}
	return b, mediaType, nil
}

// remoteBytes reads the bytes of a file at a host. The first read after a seek is another request.
type remoteBytes struct {
	files    *Files
	ctx      context.Context //nolint:containedctx // that of all reading
	query    string
	size     int64         // how many there are
	next, at int64         // the positions of the next read and of body
	body     io.ReadCloser // nil: not requested
}

// request requests the bytes from next on. It returns their media type and their number; -1 is unknown.
func (b *remoteBytes) request() (mediaType string, size int64, err error) {
	_ = b.Close()
	header := http.Header{}
	if b.next > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", b.next))
	}
	res, err := b.files.request(b.ctx, http.MethodGet, b.query, header, nil)
	if err != nil {
		return "", 0, err
	}
	if res.ContentLength < 0 && b.size < 0 { // a smaller image of unknown length, such as a compressed one
		whole, err := io.ReadAll(io.LimitReader(res.Body, b.files.host.options.MaxAnswer+1))
		if _ = res.Body.Close(); err != nil || int64(len(whole)) > b.files.host.options.MaxAnswer {
			return "", 0, (&failure{kind: wrongFiles, cause: err}).err()
		}
		res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(whole)), int64(len(whole))
	}
	if b.body, b.at = res.Body, b.next; res.StatusCode == http.StatusOK { // the host knows no ranges
		if _, err := io.CopyN(io.Discard, b.body, b.next); err != nil {
			return "", 0, err
		}
	}
	return res.Header.Get("Content-Type"), res.ContentLength, nil
}

// Read implements [io.Reader].
func (b *remoteBytes) Read(p []byte) (int, error) {
	if b.next >= b.size {
		return 0, io.EOF
	}
	if b.body == nil || b.at != b.next {
		if _, _, err := b.request(); err != nil {
			return 0, err
		}
	}
	n, err := b.body.Read(p)
	b.at += int64(n)
	b.next = b.at
	return n, err
}

// Seek implements [io.Seeker].
func (b *remoteBytes) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += b.next
	case io.SeekEnd:
		offset += b.size
	}
	if offset < 0 {
		return 0, errors.New("a position before the file")
	}
	b.next = offset
	return offset, nil
}

// Close implements [io.Closer].
func (b *remoteBytes) Close() (err error) {
	if b.body != nil {
		err, b.body = b.body.Close(), nil
	}
	return err
}

// Send sends an arriving file to the host, for one of the fields in.Takes. An error of in.Body or in.Whole
// ends it.
func (f *Files) Send(ctx context.Context, in *facade.IncomingFile) (*facade.File, error) {
	fields := make([]string, len(in.Takes))
	for i, t := range in.Takes {
		fields[i] = t.Door.Name + "." + t.Field.Name
	}
	query := "fields=" + escape(strings.Join(fields, ","))
	out, into := io.Pipe()
	form, sum, written := multipart.NewWriter(into), sha256.New(), make(chan struct{})
	go func() {
		defer close(written)
		_ = into.CloseWithError(f.write(form, in, query, sum))
	}()
	res, err := f.request(ctx, http.MethodPost, query, http.Header{"Content-Type": {form.FormDataContentType()}}, out)
	_ = out.Close()
	<-written // nothing reads in.Body any more
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	file := &facade.File{}
	err = json.NewDecoder(io.LimitReader(res.Body, maxRefusal)).Decode(file)
	if err != nil || file.ID == "" || file.SHA256 != hex.EncodeToString(sum.Sum(nil)) {
		return nil, (&failure{kind: wrongFiles, cause: err}).err()
	}
	return file, nil
}

// write writes the form that brings a file.
func (f *Files) write(form *multipart.Writer, in *facade.IncomingFile, query string, sum hash.Hash) error {
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {mime.FormatMediaType("form-data", map[string]string{"name": envelope.PartFile, "filename": in.Name})},
		"Content-Type":        {in.Type},
	})
	if err == nil {
		_, err = io.Copy(part, io.TeeReader(in.Body, sum))
	}
	if err == nil && in.Whole != nil {
		err = in.Whole(hex.EncodeToString(sum.Sum(nil)))
	}
	if signer := f.host.options.Signer; err == nil && signer != nil {
		whole := signing.Request{Method: http.MethodPost, Path: envelope.FilesPath, Query: query, SHA256: hex.EncodeToString(sum.Sum(nil))}
		token, refused := signer.Authorize(whole, f.frond, f.state)
		if refused != nil {
			return refused
		}
		err = form.WriteField(envelope.PartIdentity, token)
	}
	if err != nil {
		return err
	}
	return form.Close()
}

// Drop removes a file that no row has taken, and that the caller has sent.
func (f *Files) Drop(ctx context.Context, id string) error {
	res, err := f.request(ctx, http.MethodDelete, "id="+escape(id), http.Header{}, nil)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// maxRefusal is how many bytes of an answer without a file are read.
const maxRefusal = 64 << 10

// request sends a request and returns a successful answer. A large file may take long: the time of an
// attempt bounds each wait for the host alone.
func (f *Files) request(ctx context.Context, method, query string, header http.Header, body io.ReadCloser) (*http.Response, error) {
	s := f.host.sender
	if err := envelope.CheckHops(ctx, f.frond); err != nil {
		return nil, err
	}
	switch {
	case s.invalid != nil:
		return nil, (&failure{kind: badAddress, cause: s.invalid}).err()
	case s.guard.open() || !s.guard.breaker.TryAcquirePermit():
		return nil, (&failure{kind: breakerOpen}).err()
	}
	s.counters.posts.Add(1)
	began := time.Now()
	res, failed := f.roundTrip(ctx, method, query, header, body)
	var refused *kiterror.Error
	if failed == nil && (res.StatusCode >= 300 || res.StatusCode < 200) {
		text, _ := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
		_ = res.Body.Close()
		refused, failed = refusalOf(res.StatusCode, res.Header, text)
	}
	s.guard.record(failed, time.Since(began))
	s.counters.ended(failed.code())
	switch {
	case failed != nil:
		return nil, failed.err()
	case refused != nil:
		return nil, refused
	}
	return res, nil
}

// roundTrip sends a request. The error is a failure.
func (f *Files) roundTrip(ctx context.Context, method, query string, header http.Header, body io.ReadCloser) (*http.Response, *failure) {
	e := &f.host.sender.endpoint
	within, cancel := context.WithCancel(ctx)
	var late atomic.Bool
	timer := time.AfterFunc(e.options.Attempt, func() {
		late.Store(true)
		cancel()
	})
	media := header.Get("Content-Type")
	(&attempt{endpoint: e, post: &post{}, by: time.Now().Add(e.options.Attempt)}).setHeader(ctx, header)
	header.Set("Content-Type", media)
	authorize(header, e.options.Signer, signing.Request{Method: method, Path: envelope.FilesPath, Query: query}, f.frond, f.state)
	req := &http.Request{
		Method: method, URL: beside(e.address, envelope.FilesPath, query), Host: e.address.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	sent := &sending{ReadCloser: body, timer: timer, limit: e.options.Attempt}
	if body != nil {
		req.Body, req.ContentLength = sent, -1
	}
	res, err := e.transport.RoundTrip(req.WithContext(within))
	if err != nil {
		timer.Stop()
		cancel()
		if sent.failed.Load() {
			return nil, &failure{kind: callerGone, cause: err}
		}
		var dial *net.OpError
		return nil, unanswered(ctx, late.Load(), err, !errors.As(err, &dial) || dial.Op != "dial")
	}
	e.record(ctx).Learned(res.Header[consistency.Header])
	timer.Stop()
	res.Body = &receiving{res.Body, timer, e.options.Attempt, cancel}
	if failed := decode(res); failed != nil {
		_ = res.Body.Close()
		return nil, failed
	}
	return res, nil
}

// decode has the body of an answer read without its coding. A part of coded bytes cannot be read.
func decode(res *http.Response) *failure {
	plain := decompressor(res.Header)
	switch {
	case isCodedUnknown(res.Header), plain != nil && res.StatusCode == http.StatusPartialContent:
		return &failure{kind: unknownCoding, status: res.StatusCode, cause: fmt.Errorf("the answer has Content-Encoding %s", res.Header.Get("Content-Encoding"))}
	case plain == nil:
		return nil
	}
	r, err := plain(res.Body)
	if err != nil {
		return &failure{kind: wrongFiles, cause: err}
	}
	res.Body, res.ContentLength = decoded{r, res.Body}, -1
	return nil
}

// decoded reads a body without its coding.
type decoded struct {
	io.Reader
	io.Closer
}

// sending is a body whose reader is timed between reads, while the host takes the bytes.
type sending struct {
	io.ReadCloser
	timer  *time.Timer
	limit  time.Duration
	failed atomic.Bool // a read failed, which is no failure of the host
}

// Read implements [io.Reader].
func (s *sending) Read(p []byte) (int, error) {
	s.timer.Stop()
	defer s.timer.Reset(s.limit)
	n, err := s.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) { // closed: by the transport
		s.failed.Store(true)
	}
	return n, err
}

// receiving is a body whose reads are timed.
type receiving struct {
	io.ReadCloser
	timer  *time.Timer
	limit  time.Duration
	cancel func()
}

// Read implements [io.Reader].
func (r *receiving) Read(p []byte) (int, error) {
	r.timer.Reset(r.limit)
	defer r.timer.Stop()
	return r.ReadCloser.Read(p)
}

// Close implements [io.Closer].
func (r *receiving) Close() error {
	r.cancel()
	return r.ReadCloser.Close()
}
