package files

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// An address of a private file, for an <img> without credentials. Each reader of the file can get one; the address
// gives exactly this file, or one smaller image of it, for minutes, also if the row is given another file.
//
//	/api/files/PAYLOAD.MAC     the JSON of a signed, and its HMAC, in base64url
//
// The key of the HMAC is beside the bytes: gateways that share the bytes take each other's addresses, and a
// reader of the key could read the bytes anyway.

// addressTime is how long an address is valid.
const addressTime = 5 * time.Minute

// signingKey is the key of the storage under which the key of addresses is kept.
const signingKey = "signing/key"

// signed is the content of an address.
type signed struct {
	File    string            `json:"file"`
	Size    *catalog.FileSize `json:"size,omitempty"`
	Expires int64             `json:"expires"` // in seconds since 1970
}

// Address returns an address of a file, or of a smaller image: a path below the files' path, or
// with files.presign a URL of S3.
func (s *Files) Address(ctx context.Context, file *facade.File, size *catalog.FileSize, now time.Time) (address string, expires time.Time, err error) {
	if s.presign > 0 {
		address, err = s.Link(ctx, file, size)
		return address, now.Add(s.presign), err
	}
	key, err := s.addressKey(ctx, now)
	if err != nil {
		return "", time.Time{}, err
	}
	expires = now.Add(addressTime).Truncate(time.Second)
	payload, err := json.Marshal(signed{file.ID, size, expires.Unix()})
	if err != nil {
		return "", time.Time{}, kiterror.Internal(err)
	}
	return base64.RawURLEncoding.EncodeToString(payload) + "." + base64.RawURLEncoding.EncodeToString(macOf(key, payload)), expires, nil
}

// Addressed returns the file that an address of Address names.
func (s *Files) Addressed(ctx context.Context, address string, now time.Time) (*facade.File, *catalog.FileSize, error) {
	first, second, _ := strings.Cut(address, ".")
	payload, wrong := base64.RawURLEncoding.DecodeString(first)
	mac, err := base64.RawURLEncoding.DecodeString(second)
	if wrong != nil || err != nil {
		return nil, nil, errAddress()
	}
	key, err := s.addressKey(ctx, now)
	if err != nil {
		return nil, nil, err
	}
	var said signed
	if !hmac.Equal(mac, macOf(key, payload)) || json.Unmarshal(payload, &said) != nil {
		return nil, nil, errAddress()
	}
	if now.Unix() >= said.Expires {
		return nil, nil, kiterror.Errorf(kiterror.Gone, "the address of the file ended at %s; request a new one with ?address=true", time.Unix(said.Expires, 0).UTC().Format(time.RFC3339))
	}
	found, err := s.current().Files(ctx, []string{said.File})
	if err == nil && found[said.File] == nil {
		err = kiterror.Errorf(kiterror.NotFound, "the file of this address was removed; request a new one with ?address=true")
	}
	return found[said.File], said.Size, err
}

// errAddress is the error of an address that no gateway over these files has given.
func errAddress() error {
	return kiterror.Errorf(kiterror.Forbidden, "the file's address is not signed here; request a new one with ?address=true")
}

func macOf(key, payload []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(payload)
	return mac.Sum(nil)
}

// keyTime is how long a process believes the key that it has read. Of two gateways that write the first key at
// one time, the last one wins.
const keyTime = 10 * time.Second

// addressKey returns the key of addresses. The first caller of a storage makes it.
func (s *Files) addressKey(ctx context.Context, now time.Time) ([]byte, error) {
	s.keyLock.Lock()
	defer s.keyLock.Unlock()
	if s.key != nil && now.Before(s.keyRead.Add(keyTime)) {
		return s.key, nil
	}
	key, err := s.readKey(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		made := make([]byte, sha256.Size)
		_, _ = rand.Read(made) // which never fails
		if err = s.storage.Write(ctx, signingKey, "application/octet-stream", bytes.NewReader(made)); err == nil {
			key, err = s.readKey(ctx)
		}
	}
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	s.key, s.keyRead = key, now
	return key, nil
}

func (s *Files) readKey(ctx context.Context) ([]byte, error) {
	r, err := s.storage.Open(ctx, signingKey)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	key, err := io.ReadAll(io.LimitReader(r, 2*sha256.Size))
	if err == nil && len(key) != sha256.Size {
		return nil, fs.ErrNotExist
	}
	return key, err
}
