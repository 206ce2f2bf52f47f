package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// Files keeps the bytes of the files of a host. It may be used from many goroutines.
type Files struct {
	storage   storage
	current   func() *facade.Facade
	memory    *budget.Budget // of files that arrive and of images that are made; nil: no bound
	log       *slog.Logger
	shrinking chan struct{} // has room for the image that is made
}

// Open opens the storage of a URL. current is the façade that describes the files, memory bounds the bytes
// that are held; nil: nothing does.
func Open(url string, current func() *facade.Facade, memory *budget.Budget, log *slog.Logger) (*Files, error) {
	s, err := openStorage(url)
	if err != nil {
		return nil, describe(err)
	}
	return &Files{storage: s, current: current, memory: memory, log: log, shrinking: make(chan struct{}, 1)}, nil
}

// Close closes the storage.
func (s *Files) Close() error {
	if s == nil {
		return nil
	}
	return s.storage.close()
}

// Open reads the bytes of a file, or where size is not nil those of a smaller image. mediaType is
// theirs.
func (s *Files) Open(ctx context.Context, file *facade.File, size *catalog.FileSize) (r io.ReadSeekCloser, mediaType string, err error) {
	key, mediaType := file.ID+"/"+original, file.Type
	if size != nil {
		key, mediaType = fmt.Sprintf("%s/%dx%d", file.ID, size.Width, size.Height), shrunkType(file.Type)
	}
	r, err = s.storage.open(ctx, key)
	if size != nil && errors.Is(err, fs.ErrNotExist) {
		if err = s.shrink(ctx, file, *size, key); err == nil {
			r, err = s.storage.open(ctx, key)
		}
	}
	if err != nil {
		return nil, "", unreachable(err)
	}
	return r, mediaType, nil
}

// dropping is how long the removal of a file may take whose request is over.
const dropping = 10 * time.Second

// Drop removes a file that no row has taken. What fails is removed by a sweep.
func (s *Files) Drop(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropping)
	defer cancel()
	if err := s.current().DropFile(ctx, id, s.storage.remove); err != nil {
		s.log.Warn("a file that was refused is removed later", "error", kiterror.AsError(err).Message)
	}
}

// sweep removes the files that no row has.
func (s *Files) sweep(ctx context.Context) error {
	return s.current().SweepFiles(ctx, s.storage.remove)
}
