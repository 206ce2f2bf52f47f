package engine

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// logPosition is a place in the log of a server (an LSN); positions grow. 0 is before all.
type logPosition uint64

// parsePosition reads the text of a pg_lsn: two hexadecimal numbers, as 16/B374D848.
func parsePosition(text string) (logPosition, error) {
	high, low, found := strings.Cut(text, "/")
	h, err := strconv.ParseUint(high, 16, 32)
	if err == nil && found {
		var l uint64
		if l, err = strconv.ParseUint(low, 16, 32); err == nil {
			return logPosition(h<<32 | l), nil
		}
	}
	return 0, fmt.Errorf("%q is no position in a log", text)
}

// String is the position as PostgreSQL writes it.
func (p logPosition) String() string {
	return fmt.Sprintf("%X/%X", uint64(p)>>32, uint64(p)&0xffffffff)
}

// seal makes and judges the tokens of one store. It never changes.
type seal struct {
	store string // its name in tokens
	key   []byte
}

// keySize is how many random bytes a seal is made of.
const keySize = 32

// newSeal returns the seal of a key that every gateway over the store knows. The store's
// name in tokens follows from the key.
func newSeal(key []byte) *seal {
	name := sha256.Sum256(append([]byte("frond consistency store\n"), key...))
	return &seal{store: hex.EncodeToString(name[:6]), key: key}
}

// token returns the token of a position: store.position.seal. Of two tokens of a store, the
// one of the later position is the greater text.
func (s *seal) token(p logPosition) string {
	signed := fmt.Sprintf("%s.%016X", s.store, uint64(p))
	return signed + "." + s.sum(signed)
}

// position returns the position of a token; ok is false where this seal has not made it.
func (s *seal) position(token string) (p logPosition, ok bool) {
	at := strings.LastIndexByte(token, '.')
	if at < 0 || !hmac.Equal([]byte(token[at+1:]), []byte(s.sum(token[:at]))) {
		return 0, false
	}
	store, position, _ := strings.Cut(token[:at], ".")
	n, err := strconv.ParseUint(position, 16, 64)
	return logPosition(n), err == nil && store == s.store
}

// sum is the seal of a text: 128 bits of its HMAC.
func (s *seal) sum(text string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}
