package files

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"image"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// original is the name of the bytes as they were sent, below the id of their file.
const original = "original"

// Receive keeps a file that arrives. Its type has to be a type of in.Takes, and the type of its
// content; its bytes are counted as they arrive. A refused file leaves no bytes.
func (s *Files) Receive(ctx context.Context, state access.State, in *facade.IncomingFile) (_ *facade.File, err error) {
	defer func() { err = atField(err, in.Takes) }()
	media, limit, err := accepted(in)
	if err != nil {
		return nil, err
	}
	held := s.storage.Held()
	if err := s.memory.Take(held); err != nil {
		return nil, err
	}
	defer s.memory.Give(held)
	body := bufio.NewReaderSize(in.Body, 4<<10)
	if err := checkHead(media, body); err != nil {
		return nil, err
	}
	file := &facade.File{Name: safeName(in.Name), Type: media}
	if err := s.current().BeginFile(ctx, state, file); err != nil {
		return nil, err
	}
	bytes := &counted{from: body, limit: limit, sum: sha256.New()}
	if err := s.storage.Write(ctx, file.ID+"/"+original, media, bytes); err != nil {
		s.Drop(ctx, state, file.ID)
		if bytes.failed != nil {
			return nil, arrival(bytes.failed)
		}
		return nil, s.failed(ctx, err)
	}
	s.works()
	file.Size, file.SHA256 = bytes.n, hex.EncodeToString(bytes.sum.Sum(nil))
	if in.Whole != nil {
		err = in.Whole(file.SHA256)
	}
	return s.end(ctx, state, file, in.Takes, err)
}

// checkHead compares the type of a file with the beginning of its content.
func checkHead(media string, body *bufio.Reader) error {
	head, err := body.Peek(512) // as many as http.DetectContentType looks at
	if err != nil && !errors.Is(err, io.EOF) {
		return arrival(err)
	}
	if sniffed := sniff(head); len(head) == 0 {
		return kiterror.Errorf(kiterror.ValidationFailed, "the file is empty; send its bytes as the body")
	} else if !agrees(media, sniffed) {
		return kiterror.Errorf(kiterror.ValidationFailed, "the file is sent as %s, and its content is %s; send its own type", media, sniffed)
	}
	return nil
}

// end says that a file for one of the fields in takes has arrived. It drops a file with a fault, or
// one that is no image.
func (s *Files) end(ctx context.Context, state access.State, file *facade.File, takes []*catalog.File, err error) (*facade.File, error) {
	if err == nil && catalog.IsImage(file.Type) {
		err = s.checkImage(ctx, file, largestSize(takes))
	}
	if err == nil {
		err = s.current().EndFile(ctx, file)
	}
	if err != nil {
		s.Drop(ctx, state, file.ID)
		return nil, err
	}
	return file, nil
}

// atField returns err with a detail that names the field, where err refuses a file for one.
func atField(err error, takes []*catalog.File) error {
	var own *kiterror.Error
	if !errors.As(err, &own) || own.Details != nil || len(takes) == 0 {
		return err
	}
	name := takes[0].Field.Name
	if slices.ContainsFunc(takes, func(f *catalog.File) bool { return f.Field.Name != name }) {
		return err
	}
	detail := schema.Detail{Path: name, Pointer: "/body/" + name, Message: own.Message}
	switch own.Code {
	case kiterror.PayloadTooLarge:
		detail.Code = "maxSize"
	case kiterror.ValidationFailed, kiterror.UnprocessableEntity:
		detail.Code = "contentMediaType"
	default:
		return err
	}
	refused := *own
	refused.Details = []schema.Detail{detail}
	return &refused
}

// accepted is the media type of a file, and how many bytes it may have.
func accepted(in *facade.IncomingFile) (media string, limit int64, err error) {
	media, _, wrong := mime.ParseMediaType(in.Type)
	if wrong != nil {
		return "", 0, kiterror.Errorf(kiterror.BadRequest, "the file has no type; send it as Content-Type: image/png, say")
	}
	var types []string
	for _, f := range in.Takes {
		if slices.Contains(f.Types, media) {
			limit = max(limit, f.Max)
		}
		for _, t := range f.Types {
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	if limit == 0 {
		return "", 0, kiterror.Errorf(kiterror.ValidationFailed, "a file of type %s is not taken here; send one of %s", schema.Quoted(media), strings.Join(types, ", "))
	}
	if in.Length > limit {
		return "", 0, tooLarge(limit)
	}
	return media, limit, nil
}

// tooLarge is the refusal of a file with more bytes than max.
func tooLarge(limit int64) *kiterror.Error {
	return kiterror.Errorf(kiterror.PayloadTooLarge, "the file is over its maximum of %d bytes; send a smaller one", limit)
}

// arrival is the error of a file that did not arrive whole.
func arrival(err error) error {
	return orOwn(err, kiterror.Errorf(kiterror.BadRequest, "the file did not arrive whole; send it again"))
}

// orOwn returns the error for callers that err wraps; without one it is other, with err as its cause.
func orOwn(err error, other *kiterror.Error) error {
	var own *kiterror.Error
	if errors.As(err, &own) {
		return own
	}
	return other.WithCause(err)
}

// counted counts and hashes the bytes that are read, up to limit.
type counted struct {
	from     io.Reader
	n, limit int64
	sum      hash.Hash // nil: it hashes nothing
	failed   error     // of from, or that there are too many
}

func (c *counted) Read(p []byte) (int, error) {
	if c.failed != nil {
		return 0, c.failed
	}
	n, err := c.from.Read(p)
	if c.sum != nil {
		c.sum.Write(p[:n])
	}
	if c.n += int64(n); c.n > c.limit {
		n, err = 0, tooLarge(c.limit)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		c.failed = err
	}
	return n, err
}

// sniff is the media type of content, by its first bytes.
func sniff(head []byte) string {
	media, _, _ := strings.Cut(http.DetectContentType(head), ";")
	return media
}

// sniffable are the types that sniff finds by itself: only such content may be sent as one of them.
var sniffable = []string{
	"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/x-icon", "application/pdf", "application/postscript",
	"application/zip", "application/x-gzip", "application/x-rar-compressed", "application/wasm", "application/vnd.ms-fontobject",
	"font/ttf", "font/otf", "font/collection", "font/woff", "font/woff2",
	"audio/basic", "audio/aiff", "audio/mpeg", "audio/midi", "audio/wave", "application/ogg", "video/avi", "video/webm", "video/mp4",
}

// sameType are other names of types that sniff finds.
var sameType = map[string]string{
	"application/gzip": "application/x-gzip", "audio/wav": "audio/wave", "audio/x-wav": "audio/wave", "audio/mp3": "audio/mpeg",
	"image/vnd.microsoft.icon": "image/x-icon", "audio/ogg": "application/ogg", "video/ogg": "application/ogg",
}

// agrees reports whether content may be of the type that its sender named. A type that sniff does not
// know is a text, or in a container, or without any mark; content with a mark of its own, and a page,
// are of no other type.
func agrees(media, sniffed string) bool {
	if same := sameType[media]; same != "" {
		media = same
	}
	switch {
	case media == sniffed:
		return true
	case slices.Contains(sniffable, media):
		return false
	}
	switch sniffed {
	case "text/plain", "text/xml", "application/octet-stream":
		return true
	case "application/zip", "application/x-gzip", "application/ogg", "video/mp4":
		return strings.HasPrefix(media, "application/") || strings.HasPrefix(media, "audio/") || strings.HasPrefix(media, "video/") || media == "image/avif" || media == "image/heic"
	}
	return media == "application/octet-stream"
}

// maxPixels bounds the memory that an image takes when it is decoded, some 4 bytes a pixel.
const maxPixels = 40_000_000

// largestSize returns the size with the most pixels of those that fields declare; zero without any.
func largestSize(takes []*catalog.File) (largest catalog.FileSize) {
	for _, f := range takes {
		for _, size := range f.Sizes {
			if size.Width*size.Height > largest.Width*largest.Height {
				largest = size
			}
		}
	}
	return largest
}

// checkImage refuses an image with a false type, or with very many pixels. Where a size is declared, an
// image that cannot be decoded here is refused too: its smaller ones could never be made.
func (s *Files) checkImage(ctx context.Context, file *facade.File, size catalog.FileSize) error {
	r, err := s.storage.Open(ctx, file.ID+"/"+original)
	if err != nil {
		return s.failed(ctx, err)
	}
	defer func() { _ = r.Close() }()
	config, format, err := image.DecodeConfig(r)
	switch {
	case err != nil:
		return kiterror.Errorf(kiterror.ValidationFailed, "the file is sent as %s and is no such image; send a whole one", file.Type)
	case "image/"+format != file.Type:
		return kiterror.Errorf(kiterror.ValidationFailed, "the file is sent as %s, and its content is image/%s; send its own type", file.Type, format)
	case config.Width < 1 || config.Height < 1 || int64(config.Width)*int64(config.Height) > maxPixels:
		return kiterror.Errorf(kiterror.ValidationFailed, "the image has %d by %d pixels, more than %d; send a smaller one", config.Width, config.Height, maxPixels)
	case size.Width == 0:
		return nil
	}
	_, _, done, err := s.decode(ctx, file, 8*size.Width*size.Height)
	if err != nil {
		return s.failed(ctx, err)
	}
	done()
	return nil
}

// safeName is the name of a file without a path and without signs that a header cannot hold.
func safeName(sent string) string {
	name := path.Base(strings.ReplaceAll(sent, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError || strings.ContainsRune(`/\:*?"<>|`, r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	for len(name) > 200 {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if name = strings.Trim(name, ". "); name == "" {
		return "file"
	}
	return name
}

// describe is a problem with the setting, for the start. A fault names the setting itself.
func describe(err error) error {
	if fault := (schema.Fault{}); errors.As(err, &fault) {
		return fault
	}
	return fmt.Errorf("files.store: %w", err)
}
