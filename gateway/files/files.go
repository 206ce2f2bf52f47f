package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/extra"
	"github.com/frondhost/frond/gateway/setting"
)

// Files keeps the bytes of the files of a host. It may be used from many goroutines.
type Files struct {
	storage   storage
	place     string // files.store, for the log
	health    health
	current   func() *facade.Facade
	stay      time.Duration  // of bytes that no row names any more
	presign   time.Duration  // of addresses at the storage; 0: there are none
	memory    *budget.Budget // of files that arrive and of images that are made; nil: no bound
	log       *slog.Logger
	shrinking chan struct{} // has room for the image that is made
	swept     string        // the last file that a sweep has looked at

	keyLock sync.Mutex
	key     []byte // of addresses; nil: not read yet
	keyRead time.Time
}

// Open opens the storage of a URL, with the times of c. buckets opens one at S3; nil: the program does not link S3.
// current is the façade that describes the files. memory bounds the bytes in memory; it may be nil.
func Open(url string, buckets Buckets, c *Config, current func() *facade.Facade, memory *budget.Budget, log *slog.Logger) (*Files, error) {
	s, err := openStorage(url, buckets)
	if err != nil {
		return nil, describe(err)
	}
	return &Files{storage: s, place: url, stay: max(0, c.Retention), presign: c.Presign, current: current, memory: memory, log: log, shrinking: make(chan struct{}, 1)}, nil
}

// openStorage opens the storage of a URL that checkURL accepts. buckets is nil in a program without S3.
func openStorage(text string, buckets Buckets) (storage, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errStore
	}
	switch {
	case u.Scheme == "file":
		return openFolder(filepath.FromSlash(u.Path))
	case u.Scheme == "mem":
		return &memory{all: map[string][]byte{}}, nil
	case buckets == nil:
		return nil, extra.S3.Missing(setting.File, "/files/store", "a bucket of S3")
	}
	return buckets.OpenBucket(u)
}

// Close closes the storage.
func (s *Files) Close() error {
	if s == nil {
		return nil
	}
	return s.storage.Close()
}

// Open reads the bytes of a file, or, if size is not nil, the bytes of a smaller image. mediaType
// is their media type.
func (s *Files) Open(ctx context.Context, file *facade.File, size *catalog.FileSize) (r io.ReadSeekCloser, mediaType string, err error) {
	key, mediaType := keyOf(file, size), file.Type
	if size != nil {
		mediaType = shrunkType(file.Type)
	}
	r, err = s.storage.Open(ctx, key)
	if size != nil && errors.Is(err, fs.ErrNotExist) {
		if err = s.shrink(ctx, file, *size, key); err == nil {
			r, err = s.storage.Open(ctx, key)
		} else if code := kiterror.CodeOf(err); code == kiterror.UnprocessableEntity || code == kiterror.PayloadTooLarge {
			s.log.Warn("a smaller image cannot be made", "file", file.ID, "name", file.Name, "size", size.Name, "error", err)
		}
	}
	if err == nil && size == nil {
		if err = whole(r, file); err != nil {
			_ = r.Close()
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", s.lost(file)
	case err != nil:
		return nil, "", s.failed(ctx, err)
	}
	return r, mediaType, nil
}

// whole compares the number of bytes with the file's size; the error of too few is fs.ErrNotExist.
func whole(r io.Seeker, file *facade.File) error {
	n, err := r.Seek(0, io.SeekEnd)
	if err == nil && n != file.Size {
		return fs.ErrNotExist
	}
	if err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	return err
}

// Link is an address at the storage of a file, or of a smaller image.
func (s *Files) Link(ctx context.Context, file *facade.File, size *catalog.FileSize) (string, error) {
	at, ok := s.storage.(Bucket)
	if !ok {
		return "", Unsigned()
	}
	media := file.Type
	if size != nil {
		r, made, err := s.Open(ctx, file, size) // an image that is not there yet is made
		if err != nil {
			return "", err
		}
		_, media = r.Close(), made
	}
	link, err := at.Link(ctx, keyOf(file, size), url.Values{
		"response-content-type": {media}, "response-content-disposition": {file.Disposition(media)},
	}, s.presign)
	if err != nil {
		return "", s.failed(ctx, err)
	}
	return link, nil
}

// keyOf is the key of the bytes of a file, or of a smaller image.
func keyOf(file *facade.File, size *catalog.FileSize) string {
	if size == nil {
		return file.ID + "/" + original
	}
	return fmt.Sprintf("%s/%dx%d", file.ID, size.Width, size.Height)
}

// dropping is how long the removal of a file may take whose request is over.
const dropping = 10 * time.Second

// Drop removes a file that its sender has sent and that no row has taken. What fails is removed by a sweep.
func (s *Files) Drop(ctx context.Context, sender access.State, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropping)
	defer cancel()
	if err := s.current().DropFile(ctx, sender, id, s.remove); err != nil {
		s.log.Warn("a file that was refused is removed later", "error", kiterror.AsError(err).Message)
	}
}

// sweep removes files that no row has. No two of its runs are at one time.
func (s *Files) sweep(ctx context.Context) (err error) {
	s.swept, err = s.current().SweepFiles(ctx, s.swept, s.stay, s.remove)
	return err
}

// remove removes all bytes of a file.
func (s *Files) remove(ctx context.Context, id string) error {
	if err := s.storage.Remove(ctx, id); err != nil {
		return s.failed(ctx, err)
	}
	return nil
}
