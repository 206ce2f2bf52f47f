package publish

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"
)

// secret is a key of Standard Webhooks. It does not print itself.
type secret struct{ key []byte }

// secretPrefix is the prefix of a secret's text, by which scanners find leaked ones.
const secretPrefix = "whsec_"

// The bounds of a key in bytes, from Standard Webhooks.
const (
	minSecret = 24
	maxSecret = 64
)

// parseSecret reads whsec_ and base64 of 24 to 64 bytes. The error does not repeat the text.
func parseSecret(text string) (secret, error) {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	if !ok {
		return secret{}, errors.New("write whsec_ and 24 to 64 bytes in base64, as `echo whsec_$(openssl rand -base64 32)` makes them")
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return secret{}, errors.New("the text after whsec_ is no base64; `echo whsec_$(openssl rand -base64 32)` makes one")
	}
	if len(key) < minSecret || len(key) > maxSecret {
		return secret{}, fmt.Errorf("the secret has %d bytes; write %d to %d", len(key), minSecret, maxSecret)
	}
	return secret{key}, nil
}

// String hides the secret.
func (secret) String() string { return secretPrefix + "…" }

// GoString hides the secret from %#v.
func (s secret) GoString() string { return s.String() }

// Format hides the secret from every other verb.
func (s secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// LogValue hides the secret in logs.
func (s secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// sign is the header Webhook-Signature of a message: a version and a signature for each secret,
// so that a receiver that knows one of them accepts it.
func sign(secrets []secret, id string, at time.Time, body []byte) string {
	var b strings.Builder
	for i, s := range secrets {
		mac := hmac.New(sha256.New, s.key)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return b.String()
}
