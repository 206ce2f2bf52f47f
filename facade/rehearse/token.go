package rehearse

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A token is the sealed text of
//
//	8 bytes    when it ends, in seconds since 1970
//	16 bytes   the digest of the call
//	4 bytes    the number of changes
//	640 bytes  the digests of at most maxGroups groups of changes, and zeros
//
// All tokens have one length: its caller may not see some of the changes, and must not count them.
// The seal is AES-256-GCM with a random nonce before it, under a key that the store keeps. A caller can neither make a token
// nor read digests of rows that they may not see. The text has 928 characters.
const (
	life      = time.Hour
	maxGroups = 80
	sumSize   = 8
	headSize  = 8 + 16 + 4
	plainSize = headSize + maxGroups*sumSize
)

// The keys of the store's texts.
const (
	sealKey = "rehearsal key"
	usedKey = "rehearsal used "
)

// sealer makes the tokens of one call, and opens them.
type sealer struct {
	values facade.KeyValues
	keep   func(ctx context.Context, key string, text json.RawMessage) error
	call   []byte
	now    time.Time
	aead   cipher.AEAD

	// Of the token that was sent.
	ends   int64
	id     string // of usedKey
	count  int
	groups []byte
}

// digestOf is the digest of calls, whose members have no order.
func digestOf(calls []*facade.Call) []byte {
	h := sha256.New()
	for _, c := range calls {
		in := &c.Invocation
		for _, part := range [][]byte{
			[]byte(strings.ToLower(c.Entity + "." + c.Operation)), ordered(in.ParamsJSON()), ordered(in.Query), ordered(in.Body),
		} {
			var size [8]byte
			binary.BigEndian.PutUint64(size[:], uint64(len(part)))
			h.Write(size[:])
			h.Write(part)
		}
	}
	return h.Sum(nil)[:16]
}

// ordered is a JSON text with the members of objects in one order, and without spaces.
func ordered(text json.RawMessage) []byte {
	if len(text) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return text
	}
	out, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return out
}

// open makes the seal, with a new key for a store without one, and opens the token that was sent; "": none was.
func (s *sealer) open(ctx context.Context, token string) error {
	text, _, err := s.values.Value(ctx, sealKey)
	if err == nil && text == nil {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // which never fails
		if _, err = s.values.SetValue(ctx, sealKey, 0, jsontext.Quote(base64.StdEncoding.EncodeToString(key))); err == nil {
			text, _, err = s.values.Value(ctx, sealKey) // another process may have been first
		}
	}
	if err != nil {
		return err
	}
	key, err := base64.StdEncoding.DecodeString(jsontext.Unquote(text))
	if err != nil {
		return kiterror.Internal(err)
	}
	block, err := aes.NewCipher(key)
	if err == nil {
		s.aead, err = cipher.NewGCM(block)
	}
	switch {
	case err != nil:
		return kiterror.Internal(err)
	case token != "":
		return s.unseal(ctx, token)
	}
	return nil
}

// seal is the token of the changes of a record.
func (s *sealer) seal(r *record) string {
	plain := binary.BigEndian.AppendUint64(nil, uint64(s.now.Add(life).Unix()))
	plain = append(plain, s.call...)
	plain = binary.BigEndian.AppendUint32(plain, uint32(len(r.changes)))
	plain = append(plain, r.groups()...)
	plain = append(plain, make([]byte, plainSize-len(plain))...)
	nonce := make([]byte, s.aead.NonceSize())
	_, _ = rand.Read(nonce)
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nonce, nonce, plain, nil))
}

// unseal reads the token of an approval.
func (s *sealer) unseal(ctx context.Context, token string) error {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	var plain []byte
	if size := s.aead.NonceSize(); err == nil && len(sealed) > size {
		plain, err = s.aead.Open(nil, sealed[:size], sealed[size:], nil)
	}
	if err != nil || len(plain) != plainSize {
		const message = "is no token of this store, or was damaged; rehearse the command, and send the member rehearsal of the answer as it came"
		return kiterror.Invalid("approve "+message, schema.Detail{Path: catalog.Approve, Pointer: "/query/" + catalog.Approve, Code: "format", Message: message})
	}
	id := sha256.Sum256(sealed)
	s.id = usedKey + hex.EncodeToString(id[:16])
	s.ends = int64(binary.BigEndian.Uint64(plain))
	s.count = int(binary.BigEndian.Uint32(plain[24:]))
	size := groupSize(s.count)
	s.groups = plain[headSize:][:(s.count+size-1)/size*sumSize]
	switch {
	case !bytes.Equal(plain[8:24], s.call):
		return refused("other call", "the token is of another call; send the call as it was rehearsed, with approve in place of rehearse")
	case s.now.Unix() >= s.ends:
		return refused("expired", "the token is more than an hour old; rehearse the command again")
	case s.used(ctx):
		return errUsed()
	}
	return nil
}

// refused is the PRECONDITION_FAILED of an approval.
func refused(reason, message string) *kiterror.Error {
	err := kiterror.Errorf(kiterror.PreconditionFailed, "%s", message)
	err.Details = map[string]any{"reason": reason}
	return err
}

// errUsed is the refusal of a token that was used.
func errUsed() *kiterror.Error {
	return refused("used", "the token was used, and the command was made then; rehearse it again for another time")
}

// groupSize is how many changes are in one group of n.
func groupSize(n int) int { return max(1, (n+maxGroups-1)/maxGroups) }

// groups are the digests of the groups of changes.
func (r *record) groups() (all []byte) {
	size := groupSize(len(r.changes))
	for from := 0; from < len(r.changes); from += size {
		h := sha256.New()
		for _, c := range r.changes[from:min(from+size, len(r.changes))] {
			part := sha256.Sum256(c.text)
			h.Write(part[:])
		}
		all = append(all, h.Sum(nil)[:sumSize]...)
	}
	return all
}

// single is the change of a place, if a group has one change; nil: the group does not say which.
func (r *record) single(place int) *change {
	if groupSize(len(r.changes)) > 1 || place >= len(r.changes) {
		return nil
	}
	return r.changes[place]
}

// differs is the place of the first change that is not as in the token; -1: all are.
func (s *sealer) differs(r *record) int {
	now := r.groups()
	if len(r.changes) == s.count && bytes.Equal(now, s.groups) {
		return -1
	}
	size := min(len(now), len(s.groups))
	for at := 0; at < size; at += sumSize {
		if !bytes.Equal(now[at:at+sumSize], s.groups[at:at+sumSize]) {
			return at / sumSize
		}
	}
	return size / sumSize
}

// use has the store remember that the token was used, in the transaction of the command.
func (s *sealer) use(ctx context.Context) error {
	return s.keep(ctx, s.id, json.RawMessage(jsontext.Quote(time.Unix(s.ends, 0).UTC().Format(time.RFC3339))))
}

// used reports whether the token was used.
func (s *sealer) used(ctx context.Context) bool {
	text, _, err := s.values.Value(context.WithoutCancel(ctx), s.id)
	return err == nil && text != nil
}

// sweep forgets used tokens that have ended.
func (s *sealer) sweep(ctx context.Context) {
	all, err := s.values.Values(ctx, usedKey)
	if err != nil {
		return // the next approval does it
	}
	for key, text := range all {
		if ends, err := time.Parse(time.RFC3339, jsontext.Unquote(text)); err == nil && s.now.Before(ends) {
			continue
		}
		_, _ = s.values.SetValue(ctx, key, 1, nil)
	}
}
