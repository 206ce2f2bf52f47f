package files

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// A file whose bytes go to S3 by a pre-signed address, past this process:
//
//	Presign         its row is written, signed, and the address is the address of the key ID/sent
//	ReceiveSigned   one request claims the row, copies the bytes to ID/original, and checks the copy
//
// So the checked bytes are out of reach of the address. Bytes that arrive there later go with the file.

// sentKey is the name of the bytes that a pre-signed address writes, below the id of their file.
const sentKey = "sent"

// maxSending is the longest time that such an address is valid. The row of the file stays for longer.
const maxSending = 15 * time.Minute

// errNoAddress refuses a pre-signed upload to a storage without such addresses.
func errNoAddress() error {
	return kiterror.Errorf(kiterror.NotImplemented, "this host has no pre-signed addresses for these files; send the bytes as the body")
}

// Presign gives an announced file an address at S3. It judges the type and size like those of an arriving
// file.
func (s *Files) Presign(ctx context.Context, state access.State, in *facade.IncomingFile) (_ *facade.FileAddress, err error) {
	defer func() { err = atField(err, in.Takes) }()
	at, ok := s.storage.(Bucket)
	if !ok || s.presign == 0 {
		return nil, errNoAddress()
	}
	media, _, err := accepted(in)
	if err != nil {
		return nil, err
	}
	sum, err := hex.DecodeString(in.SHA256)
	if err != nil {
		return nil, kiterror.Internal(err)
	}
	file := &facade.File{Name: safeName(in.Name), Type: media, Size: in.Length, SHA256: in.SHA256}
	if err := s.current().BeginFile(ctx, state, file); err != nil {
		return nil, err
	}
	valid := min(s.presign, maxSending)
	headers := map[string]string{"Content-Type": media, "X-Amz-Checksum-Sha256": base64.StdEncoding.EncodeToString(sum)}
	signed := http.Header{"Content-Length": {strconv.FormatInt(in.Length, 10)}} // which each client sends by itself
	for name, value := range headers {
		signed.Set(name, value)
	}
	link, err := at.SendingLink(ctx, file.ID+"/"+sentKey, signed, valid)
	if err != nil {
		s.Drop(ctx, state, file.ID)
		return nil, s.failed(ctx, err)
	}
	return &facade.FileAddress{ID: file.ID, URL: link, Headers: headers, Expires: file.Made.Add(valid)}, nil
}

// ReceiveSigned keeps a file whose bytes its sender has sent to the address of Presign. A file without
// bytes stays as it is.
func (s *Files) ReceiveSigned(ctx context.Context, state access.State, id string, takes []*catalog.File) (_ *facade.File, err error) {
	defer func() { err = atField(err, takes) }()
	at, ok := s.storage.(Bucket)
	if !ok {
		return nil, errNoAddress()
	}
	file, err := s.current().SignedFile(ctx, state, id)
	if err != nil {
		return nil, err
	}
	size, err := at.Size(ctx, file.ID+"/"+sentKey)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, kiterror.Errorf(kiterror.BadRequest, "the bytes of the file are not there; send them to its url first")
	}
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	if err := s.memory.Take(Copied); err != nil {
		return nil, err
	}
	defer s.memory.Give(Copied)
	if err := s.current().ClaimFile(ctx, file.ID); err != nil {
		return nil, err
	}
	_, limit, err := accepted(&facade.IncomingFile{Type: file.Type, Length: size, Takes: takes})
	if err == nil {
		err = s.checkSent(ctx, at, file, limit)
	}
	return s.end(ctx, state, file, takes, err)
}

// checkSent moves the bytes of a file to their own key, and compares them with the announced size and hash.
func (s *Files) checkSent(ctx context.Context, at Bucket, file *facade.File, limit int64) error {
	key := file.ID + "/" + original
	if err := at.Move(ctx, file.ID+"/"+sentKey, key, file.Type); err != nil {
		return s.failed(ctx, err)
	}
	r, err := at.Open(ctx, key)
	if err != nil {
		return s.failed(ctx, err)
	}
	defer func() { _ = r.Close() }()
	bytes := &counted{from: r, limit: limit, sum: sha256.New()}
	body := bufio.NewReaderSize(bytes, 4<<10)
	err = checkHead(file.Type, body)
	if err == nil {
		_, err = io.Copy(io.Discard, body)
	}
	switch {
	case bytes.failed != nil:
		return s.failed(ctx, bytes.failed)
	case err == nil && (bytes.n != file.Size || hex.EncodeToString(bytes.sum.Sum(nil)) != file.SHA256):
		return arrival(errors.New("its size or hash is not the announced one"))
	}
	return err
}
