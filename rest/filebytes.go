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

// Files are the files of rows. They may be used from many goroutines.
type Files interface {
	// Allowed returns the fields in which the caller may write files, or why it may not.
	Allowed(ctx context.Context, state access.State) ([]*catalog.File, error)
	// Of returns the files of the rows of a Frond, for a caller.
	Of(frond *catalog.Frond, state access.State) FrondFiles
	// Addressed returns the file that an address names, and what reads its bytes. The address is the caller's right.
	Addressed(ctx context.Context, address string) (*facade.File, *catalog.FileSize, Bytes, error)
}

// Bytes reads the bytes of a file, or of the image of a size.
type Bytes interface {
	Open(ctx context.Context, file *facade.File, size *catalog.FileSize) (r io.ReadSeekCloser, mediaType string, err error)
}

// FrondFiles are the files of the rows of one Frond, for one caller.
type FrondFiles interface {
	// Receive keeps an arriving file, whole or not at all.
	Receive(ctx context.Context, in *facade.IncomingFile) (*facade.File, error)
	// Presign gives an announced file an address for its bytes.
	Presign(ctx context.Context, in *facade.IncomingFile) (*facade.FileAddress, error)
	// ReceiveSigned checks and keeps a file whose bytes have been sent to such an address, for some fields.
	ReceiveSigned(ctx context.Context, id string, takes []*catalog.File) (*facade.File, error)
	// Drop removes a file that no row has taken.
	Drop(ctx context.Context, id string)
	// Find describes files that rows hold, by their ids. Others are left out.
	Find(ctx context.Context, ids []string) (map[string]*facade.File, error)
	// Address returns an address of a file for a request without credentials: below the path of files, or a whole URL.
	Address(ctx context.Context, file *facade.File, size *catalog.FileSize) (address string, expires time.Time, err error)
	Bytes
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

// fileSize is the size that the query names, or nil, and whether an address is asked for.
func fileSize(r *http.Request, field *catalog.File) (size *catalog.FileSize, address bool, err error) {
	parameters, refused := parseQuery(r.URL.RawQuery)
	if refused != nil {
		return nil, false, refused
	}
	for _, p := range parameters {
		named, ok := field.Size(p.values[0])
		switch read := r.Method == http.MethodGet || r.Method == http.MethodHead; {
		case p.name == "address" && read:
			if len(p.values) > 1 || p.values[0] != "true" {
				return nil, false, kiterror.Refused([]schema.Detail{{Path: "address", Pointer: "/query/address", Code: "enum", Message: "must be true"}})
			}
			address = true
			continue
		case p.name != "size" || !read:
			return nil, false, kiterror.Refused([]schema.Detail{schema.Detail{Code: schema.UnknownKey, Message: "is not a key of a file; leave it out"}.At("/query/" + jsontext.Token(p.name))})
		case !ok || len(p.values) > 1:
			var names []string
			for _, s := range field.Sizes {
				names = append(names, s.Name)
			}
			return nil, false, kiterror.Refused([]schema.Detail{{Path: "size", Pointer: "/query/size", Code: "enum", Message: "must be one of the sizes " + some(names)}})
		}
		size = &named
	}
	return size, address, nil
}

// serveBytes answers with the bytes of a file, or of a smaller image.
func serveBytes(w http.ResponseWriter, r *http.Request, file *facade.File, size *catalog.FileSize, media string, bytes io.ReadSeeker) {
	header, tag := w.Header(), file.SHA256
	if size != nil {
		tag += "-" + size.Name
	}
	header.Set("Content-Type", media)
	header.Set("ETag", `"`+tag+`"`)
	header.Set("Content-Disposition", file.Disposition(media))
	header.Set("X-Content-Type-Options", "nosniff")
	if media != "application/pdf" { // whose viewers do not run in a sandbox
		header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	}
	header.Set("Cache-Control", "private, no-cache, no-transform")
	http.ServeContent(w, r, "", file.Made, bytes)
}

// Arriving is a part of the body of a request; each read of it has a time to arrive. The error of a read
// that has not is REQUEST_TIMEOUT.
func Arriving(w http.ResponseWriter, from io.Reader, timeout time.Duration) io.Reader {
	return &arriving{from, http.NewResponseController(w), timeout}
}

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
