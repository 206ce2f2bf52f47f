// Package s3 keeps the bytes of files in a bucket of S3's protocol, for a program that links it:
//
//	frond.New(site, frond.With(s3.Files))
package s3

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/frondhost/frond/gateway/files"
)

// Files opens buckets for files.store: s3://BUCKET?region=…. Credentials come from the variables, the
// file and the machine, as AWS names them.
var Files buckets

type buckets struct{}

// Extra implements extra.Extra.
func (buckets) Extra() string { return "s3.Files" }

// OpenBucket implements [files.Buckets].
func (buckets) OpenBucket(u *url.URL) (files.Bucket, error) {
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
	return &bucket{client, u.Host}, nil
}

// bucket is a bucket of a server.
type bucket struct {
	client *minio.Client
	name   string
}

// partSize is how many bytes of a file are held at once on the way to the server.
const partSize = 5 << 20

// failure is an error of the server: fs.ErrNotExist for a key without bytes, and with what to check
// where its code says so.
func failure(err error) error {
	switch code := minio.ToErrorResponse(err).Code; {
	case err == nil:
		return nil
	case code == minio.NoSuchKey:
		return fs.ErrNotExist
	case code == minio.NoSuchBucket:
		return &files.Failure{Err: err, Check: "the name of the bucket in files.store"}
	case code == "AccessDenied", code == "InvalidAccessKeyId", code == "SignatureDoesNotMatch", code == "ExpiredToken":
		return &files.Failure{Err: err, Check: "the credentials, and their rights to read, write, list and delete in the bucket"}
	}
	return err
}

// Write implements [files.Bucket].
func (b *bucket) Write(ctx context.Context, key, mediaType string, from io.Reader) error {
	_, err := b.client.PutObject(ctx, b.name, key, from, -1, minio.PutObjectOptions{ContentType: mediaType, PartSize: partSize, NumThreads: 1})
	return failure(err)
}

// Open implements [files.Bucket].
func (b *bucket) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	object, err := b.client.GetObject(ctx, b.name, key, minio.GetObjectOptions{})
	if err == nil {
		_, err = object.Stat()
	}
	if err != nil {
		return nil, failure(err)
	}
	return object, nil
}

// Remove implements [files.Bucket].
func (b *bucket) Remove(ctx context.Context, id string) error {
	for object := range b.client.ListObjects(ctx, b.name, minio.ListObjectsOptions{Prefix: id + "/", Recursive: true}) {
		if object.Err != nil {
			return failure(object.Err)
		}
		if err := b.client.RemoveObject(ctx, b.name, object.Key, minio.RemoveObjectOptions{}); err != nil {
			return failure(err)
		}
	}
	return nil
}

// Each implements [files.Bucket].
func (b *bucket) Each(ctx context.Context, do func(key string, size int64) error) error {
	for object := range b.client.ListObjects(ctx, b.name, minio.ListObjectsOptions{Recursive: true}) {
		if object.Err != nil {
			return failure(object.Err)
		}
		if err := do(object.Key, object.Size); err != nil {
			return err
		}
	}
	return nil
}

// Link implements [files.Bucket].
func (b *bucket) Link(ctx context.Context, key string, answer url.Values, valid time.Duration) (string, error) {
	u, err := b.client.PresignedGetObject(ctx, b.name, key, valid, answer)
	if err != nil {
		return "", failure(err)
	}
	return u.String(), nil
}

// SendingLink implements [files.Bucket].
func (b *bucket) SendingLink(ctx context.Context, key string, signed http.Header, valid time.Duration) (string, error) {
	u, err := b.client.PresignHeader(ctx, http.MethodPut, b.name, key, valid, nil, signed)
	if err != nil {
		return "", failure(err)
	}
	return u.String(), nil
}

// Size implements [files.Bucket].
func (b *bucket) Size(ctx context.Context, key string) (int64, error) {
	found, err := b.client.StatObject(ctx, b.name, key, minio.StatObjectOptions{})
	return found.Size, failure(err)
}

// Move implements [files.Bucket].
func (b *bucket) Move(ctx context.Context, from, to, mediaType string) error {
	into := minio.CopyDestOptions{Bucket: b.name, Object: to, ContentType: mediaType, ReplaceMetadata: true}
	if _, err := b.client.CopyObject(ctx, into, minio.CopySrcOptions{Bucket: b.name, Object: from}); err != nil {
		return failure(err)
	}
	return failure(b.client.RemoveObject(ctx, b.name, from, minio.RemoveObjectOptions{}))
}

// There implements [files.Bucket]: only a request knows.
func (*bucket) There() error { return nil }

// Held implements [files.Bucket].
func (*bucket) Held() int { return partSize + files.Copied }

// Close implements [files.Bucket].
func (*bucket) Close() error { return nil }
