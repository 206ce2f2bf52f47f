package rest

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Files keeps the bytes of files. It may be used from many goroutines.
type Files interface {
	// Allowed returns the fields in which the caller may write files, or why there are none.
	Allowed(ctx context.Context, state access.State) ([]*catalog.File, error)
	// Receive keeps a file that arrives, or nothing of it.
	Receive(ctx context.Context, state access.State, in *facade.IncomingFile) (*facade.File, error)
	// Drop removes a file that no row has taken.
	Drop(ctx context.Context, id string)
	// Find returns the file that a row holds; nil: there is none.
	Find(ctx context.Context, id string) (*facade.File, error)
	// Open reads the bytes of a file, or of the image of a size.
	Open(ctx context.Context, file *facade.File, size *catalog.FileSize) (r io.ReadSeekCloser, mediaType string, err error)
}

// appendFile appends the description of a file.
func appendFile(dst []byte, f *facade.File) []byte {
	return schema.Object{
		{Name: "id", Value: jsontext.Quote(f.ID)},
		{Name: "name", Value: jsontext.Quote(f.Name)},
		{Name: "type", Value: jsontext.Quote(f.Type)},
		{Name: "size", Value: strconv.AppendInt(nil, f.Size, 10)},
		{Name: "sha256", Value: jsontext.Quote(f.SHA256)},
	}.AppendJSON(dst)
}

// arriving is a part of a body that has a time to arrive, again and again.
type arriving struct {
	from    io.Reader
	control *http.ResponseController
	timeout time.Duration
}

// Read implements [io.Reader].
func (a *arriving) Read(p []byte) (int, error) {
	if a.timeout > 0 {
		_ = a.control.SetReadDeadline(time.Now().Add(a.timeout)) // a reader without deadlines is not limited
	}
	n, err := a.from.Read(p)
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() {
		err = kiterror.Errorf(kiterror.RequestTimeout, "the file did not arrive in time; send it again")
	}
	return n, err
}

// mediaForm is the media type of bodies with files.
const mediaForm = "multipart/form-data"

// isForm reports whether the body of a request is multipart/form-data.
func isForm(r *http.Request) bool {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return media == mediaForm
}

// errForm is the error of a form that cannot be read.
func errForm(err error) error {
	var own *kiterror.Error
	if errors.As(err, &own) {
		return own
	}
	return kiterror.Errorf(kiterror.BadRequest, "the form could not be read; send multipart/form-data with a file")
}
