package signing

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/frondhost/frond/schema/jsontext"
)

// KeyID identifies a key by its thumbprint (RFC 7638): SHA-256 over its required members in
// this order, in base64url. Sender and receiver compute it each for themselves, so a name of a
// key needs no agreement.
func KeyID(key ed25519.PublicKey) string {
	sum := sha256.Sum256(fmt.Appendf(nil, `{"crv":"Ed25519","kty":"OKP","x":"%s"}`, b64.EncodeToString(key)))
	return b64.EncodeToString(sum[:])
}

// PublicJWK returns a public key as a JWK (RFC 8037), on one line.
func PublicJWK(key ed25519.PublicKey) json.RawMessage {
	return fmt.Appendf(nil, `{"kty":"OKP","crv":"Ed25519","x":"%s","kid":"%s","alg":"EdDSA","use":"sig"}`, b64.EncodeToString(key), KeyID(key))
}

// NewKey makes a pair: the private half as PEM (PKCS #8), the public half as PEM (PKIX) and as
// a key. The error comes from the random source.
func NewKey() (private, public []byte, key ed25519.PublicKey, err error) {
	key, secret, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, nil, err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		return nil, nil, nil, err
	}
	pkix, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return nil, nil, nil, err
	}
	private = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	public = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pkix})
	return private, public, key, nil
}

// ReadPrivate reads one private key: PEM with PKCS #8, or a JWK with its member d. The error
// quotes no part of the text, which may be a secret.
func ReadPrivate(text []byte) (ed25519.PrivateKey, error) {
	help := errors.New("it is not a private key of Ed25519; `frond keys` makes one")
	if isJSON(text) {
		x, d, err := readJWK(text)
		switch {
		case err != nil:
			return nil, err
		case len(d) != ed25519.SeedSize:
			return nil, help
		}
		key := ed25519.NewKeyFromSeed(d)
		// A JWK with the x of another key would sign under the wrong id.
		if !bytes.Equal(key.Public().(ed25519.PublicKey), x) {
			return nil, errors.New("the halves of the JWK are of two keys")
		}
		return key, nil
	}
	block, rest := pem.Decode(text)
	// The block has to be the last: which of two keys signs must not depend on their order.
	if block == nil || block.Type != "PRIVATE KEY" || len(bytes.TrimSpace(rest)) > 0 {
		return nil, help
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, help
	}
	return key, nil
}

// ReadPublic reads one or more public keys: PEM blocks, a JWK, or a set of JWKs (RFC 7517,
// section 5). A private key among them is an error, since it must not be where calls are
// verified. The keys are in the order of the text; a text without any is an error.
func ReadPublic(text []byte) (keys []ed25519.PublicKey, err error) {
	switch {
	case !isJSON(text):
		keys, err = readPEM(text)
	case jsontext.Check(text) != nil:
		return nil, jsontext.Check(text)
	case jsontext.KindOf(jsontext.Get(text, "keys")) == jsontext.Array:
		for _, one := range jsontext.Elements(jsontext.Get(text, "keys")) {
			x, err := publicJWK(one)
			if err != nil {
				return nil, err
			}
			keys = append(keys, x)
		}
	default:
		var x ed25519.PublicKey
		x, err = publicJWK(text)
		keys = []ed25519.PublicKey{x}
	}
	if err == nil && len(keys) == 0 {
		err = errors.New("it contains no key")
	}
	if err != nil {
		return nil, err
	}
	return keys, nil
}

var errPrivate = errors.New("there is a private key in it; name the public half alone")

// readPEM reads the blocks of a text, which may have no text between them.
func readPEM(text []byte) (keys []ed25519.PublicKey, err error) {
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type == "PRIVATE KEY" {
			return nil, errPrivate
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		key, ok := parsed.(ed25519.PublicKey)
		if err != nil || !ok || block.Type != "PUBLIC KEY" {
			return nil, errors.New("it is not a public key of Ed25519; `frond keys` makes one")
		}
		keys = append(keys, key)
	}
	if len(bytes.TrimSpace(text)) > 0 {
		return nil, errors.New("it is neither PEM nor a JWK")
	}
	return keys, nil
}

// publicJWK reads a JWK without a private half.
func publicJWK(text json.RawMessage) (ed25519.PublicKey, error) {
	x, d, err := readJWK(text)
	if err == nil && d != nil {
		err = errPrivate
	}
	return x, err
}

// readJWK reads a key of RFC 8037; d may be nil.
func readJWK(text json.RawMessage) (x ed25519.PublicKey, d []byte, err error) {
	if err := jsontext.Check(text); err != nil {
		return nil, nil, err
	}
	// D is a pointer: an empty d is still a private key, and is refused as one.
	var jwk struct {
		Kty, Crv, X, Kid, Use string
		D                     *string
	}
	if json.Unmarshal(text, &jwk) != nil || jwk.Kty != "OKP" || jwk.Crv != "Ed25519" {
		return nil, nil, errors.New(`it is not a JWK of Ed25519; one has "kty":"OKP","crv":"Ed25519" and x`)
	}
	if x, err = b64.DecodeString(jwk.X); err != nil || len(x) != ed25519.PublicKeySize {
		return nil, nil, errors.New("the x of the JWK is not 32 bytes in base64url")
	}
	if jwk.Kid != "" && jwk.Kid != KeyID(x) {
		return nil, nil, errors.New("the kid of the JWK is not its thumbprint (RFC 7638); leave it out")
	}
	if jwk.Use != "" && jwk.Use != "sig" {
		return nil, nil, errors.New("the use of the JWK is not sig")
	}
	if jwk.D != nil {
		if d, err = b64.DecodeString(*jwk.D); err != nil {
			return nil, nil, errors.New("the d of the JWK is not base64url")
		}
	}
	return x, d, nil
}

// isJSON says whether a text is a JWK or a set of them rather than PEM.
func isJSON(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) }
