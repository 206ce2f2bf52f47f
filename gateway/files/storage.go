package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/gcerrors"
)

// storage keeps bytes under keys of the form ID/NAME. It may be used from many goroutines.
type storage interface {
	// write keeps the bytes of from once all of them have arrived, and nothing where from fails.
	write(ctx context.Context, key, mediaType string, from io.Reader) error
	// open reads the bytes of a key. The error of a key without any is fs.ErrNotExist. ctx is that of
	// all reading.
	open(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// remove removes all keys of an id. Without any it does nothing.
	remove(ctx context.Context, id string) error
	// there returns why no key can be read or written, as far as that is known without a request.
	there() error
	// each calls do with the id of every file whose bytes have arrived, and their number.
	each(ctx context.Context, do func(id string, size int64) error) error
	// held is how many bytes a write holds in memory.
	held() int
	close() error
}

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

// openStorage opens the storage of a URL that checkURL accepts.
func openStorage(text string) (storage, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errStore
	}
	switch u.Scheme {
	case "file":
		dir := filepath.FromSlash(u.Path)
		b, err := fileblob.OpenBucket(dir, &fileblob.Options{CreateDir: true, DirFileMode: 0o700, NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
		if err != nil {
			return nil, fmt.Errorf("the folder of files cannot be used: %w", err)
		}
		return &bucket{b, dir}, nil
	case "mem":
		return &bucket{memblob.OpenBucket(nil), ""}, nil
	}
	q := u.Query()
	host := q.Get("endpoint")
	if host == "" {
		host = "s3.amazonaws.com"
	}
	client, err := minio.New(host, &minio.Options{
		Region: q.Get("region"), Secure: q.Get("insecure") != "true",
		Creds: credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{}}),
	})
	if err != nil {
		return nil, fmt.Errorf("the bucket of files cannot be used: %w", err)
	}
	return &s3{client, u.Host}, nil
}

// bucket is a storage in a folder or in memory.
type bucket struct {
	*blob.Bucket
	dir string // "": memory
}

func (b *bucket) write(ctx context.Context, key, mediaType string, from io.Reader) error {
	if err := b.there(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := b.NewWriter(ctx, key, &blob.WriterOptions{ContentType: mediaType})
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, from); err != nil {
		cancel() // nothing is kept
		_ = w.Close()
		return err
	}
	return w.Close()
}

func (b *bucket) open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	r, err := b.NewReader(ctx, key, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, cmp.Or(b.there(), fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (b *bucket) remove(ctx context.Context, id string) error {
	all := b.List(&blob.ListOptions{Prefix: id + "/"})
	for {
		object, err := all.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = b.Delete(ctx, object.Key)
		}
		if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			return err
		}
	}
	if b.dir != "" {
		_ = os.Remove(filepath.Join(b.dir, id)) // where it is empty; else the next sweep
	}
	return nil
}

// there looks for the folder: a write would make it, and hide that its files are lost.
func (b *bucket) there() error {
	if b.dir == "" {
		return nil
	}
	if _, err := os.Stat(b.dir); errors.Is(err, fs.ErrNotExist) {
		return errNoFolder
	}
	return nil
}

func (b *bucket) each(ctx context.Context, do func(id string, size int64) error) error {
	all := b.List(nil)
	for {
		object, err := all.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if id, ok := idOf(object.Key); ok {
			if err := do(id, object.Size); err != nil {
				return err
			}
		}
	}
}

func (b *bucket) held() int { return copied }

func (b *bucket) close() error { return b.Close() }

// idOf is the id of the file whose bytes a key has; not ok: they are other bytes, such as a smaller image.
func idOf(key string) (id string, ok bool) {
	id, ok = strings.CutSuffix(key, "/"+original)
	return id, ok && id != probeID && !strings.Contains(id, "/")
}

// copied is how many bytes of a file are held at once while they are copied.
const copied = 64 << 10

// s3 is a storage of S3's protocol.
type s3 struct {
	client *minio.Client
	bucket string
}

// partSize is how many bytes of a file are held at once on the way to S3.
const partSize = 5 << 20

func (s *s3) write(ctx context.Context, key, mediaType string, from io.Reader) error {
	_, err := s.client.PutObject(ctx, s.bucket, key, from, -1, minio.PutObjectOptions{ContentType: mediaType, PartSize: partSize, NumThreads: 1})
	return err
}

func (s *s3) open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	object, err := s.client.GetObject(ctx, s.bucket, key, minio.GetObjectOptions{})
	if err == nil {
		_, err = object.Stat()
	}
	if err != nil {
		if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
			err = fs.ErrNotExist
		}
		return nil, err
	}
	return object, nil
}

func (s *s3) remove(ctx context.Context, id string) error {
	for object := range s.client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: id + "/", Recursive: true}) {
		if object.Err != nil {
			return object.Err
		}
		if err := s.client.RemoveObject(ctx, s.bucket, object.Key, minio.RemoveObjectOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func (s *s3) each(ctx context.Context, do func(id string, size int64) error) error {
	for object := range s.client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Recursive: true}) {
		if object.Err != nil {
			return object.Err
		}
		if id, ok := idOf(object.Key); ok {
			if err := do(id, object.Size); err != nil {
				return err
			}
		}
	}
	return nil
}

// link is an address at which everybody reads a key for a time.
func (s *s3) link(ctx context.Context, key string, answer url.Values, valid time.Duration) (string, error) {
	u, err := s.client.PresignedGetObject(ctx, s.bucket, key, valid, answer)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// sendingLink is an address at which everybody writes a key for a time, with these headers.
func (s *s3) sendingLink(ctx context.Context, key string, signed http.Header, valid time.Duration) (string, error) {
	u, err := s.client.PresignHeader(ctx, http.MethodPut, s.bucket, key, valid, nil, signed)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// size is how many bytes a key has. The error of a key without any is fs.ErrNotExist.
func (s *s3) size(ctx context.Context, key string) (int64, error) {
	found, err := s.client.StatObject(ctx, s.bucket, key, minio.StatObjectOptions{})
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		err = fs.ErrNotExist
	}
	return found.Size, err
}

// move copies the bytes of a key to another one, without their headers, and removes the first.
func (s *s3) move(ctx context.Context, from, to, mediaType string) error {
	into := minio.CopyDestOptions{Bucket: s.bucket, Object: to, ContentType: mediaType, ReplaceMetadata: true}
	if _, err := s.client.CopyObject(ctx, into, minio.CopySrcOptions{Bucket: s.bucket, Object: from}); err != nil {
		return err
	}
	return s.client.RemoveObject(ctx, s.bucket, from, minio.RemoveObjectOptions{})
}

func (*s3) there() error { return nil }

func (*s3) held() int { return partSize + copied }

func (*s3) close() error { return nil }
