package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// storage keeps bytes under keys of the form ID/NAME. It may be used from many goroutines.
type storage interface {
	// Write keeps the bytes of from once all of them have arrived, and no bytes if from fails.
	Write(ctx context.Context, key, mediaType string, from io.Reader) error
	// Open reads the bytes of a key. The error of a key without any is fs.ErrNotExist. ctx holds for
	// all reading.
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// Remove removes all keys of an id, if it has any.
	Remove(ctx context.Context, id string) error
	// There returns why no key can be read or written, as far as that is known without a request.
	There() error
	// Each calls do with every key and the number of its bytes.
	Each(ctx context.Context, do func(key string, size int64) error) error
	// Held is how many bytes a write holds in memory.
	Held() int
	Close() error
}

// Bucket is a storage on a server, whose keys everybody reads and writes at addresses of the server for a time.
type Bucket interface {
	storage
	// Link is an address to read a key.
	Link(ctx context.Context, key string, answer url.Values, valid time.Duration) (string, error)
	// SendingLink is an address to write a key, with these headers.
	SendingLink(ctx context.Context, key string, signed http.Header, valid time.Duration) (string, error)
	// Size is the number of bytes of a key. The error of a key without any is fs.ErrNotExist.
	Size(ctx context.Context, key string) (int64, error)
	// Move copies the bytes of a key to another one, without their headers, and removes the first.
	Move(ctx context.Context, from, to, mediaType string) error
}

// Buckets opens buckets by their URLs, s3://BUCKET?region=…, for a program that links it.
type Buckets interface {
	OpenBucket(u *url.URL) (Bucket, error)
}

// Failure is an error of a storage for which an operator checks something by name.
type Failure struct {
	Err   error
	Check string // the value of a log attribute
}

// Error is the text of the cause.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap is the cause.
func (f *Failure) Unwrap() error { return f.Err }

// errStore names the values of the setting files.store.
var errStore = errors.New("write file:///FOLDER such as file:///var/lib/shop/files, s3://BUCKET?region=REGION, mem://, or env:NAME for a variable that holds one of them")

// checkURL refuses a text that does not fit the setting files.store.
func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
	case u.Scheme == "file" && u.Host == "" && strings.HasPrefix(u.Path, "/") && len(u.Path) > 1 && u.RawQuery == "":
		return nil
	case u.Scheme == "mem" && u.Host == "" && u.Path == "" && u.RawQuery == "":
		return nil
	case u.Scheme == "s3" && u.Host != "" && (u.Path == "" || u.Path == "/"):
		for name := range u.Query() {
			if name != "region" && name != "endpoint" && name != "insecure" {
				return fmt.Errorf("s3:// takes region, endpoint and insecure, and not %q", name)
			}
		}
		return nil
	}
	return errStore
}

// Copied is how many bytes of a file are held at once while they are copied.
const Copied = 64 << 10
