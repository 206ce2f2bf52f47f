package gateway_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// What an issuer does, by hand and with nothing of the gateway's: the tests judge
// the reader of tokens by a writer that does not share its mistakes.

const (
	mintIssuer   = "https://issuer.example"
	mintAudience = "shop"
)

type object = map[string]any

// signer is a key of the issuer: how it signs, and what it publishes.
type signer struct {
	alg, kid string
	public   any // as crypto/x509 takes it
	sign     func(input []byte) []byte
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// join signs a header and claims that are written already.
func join(header, claims []byte, sign func([]byte) []byte) string {
	input := b64(header) + "." + b64(claims)
	return input + "." + b64(sign([]byte(input)))
}

// claims are those of a good token, with changes; a nil takes one away.
func claims(changes object) object {
	now := time.Now().Unix()
	all := object{"iss": mintIssuer, "aud": mintAudience, "sub": "ada", "iat": now - 10, "exp": now + 600}
	return changed(all, changes)
}

func changed(all, changes object) object {
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}

// token is a good token of s but for the changes to its header and claims.
func (s signer) token(header, body object) string {
	return join(text(changed(object{"alg": s.alg, "kid": s.kid, "typ": "JWT"}, header)), text(claims(body)), s.sign)
}

// jwk is what s publishes.
func (s signer) jwk() object {
	switch k := s.public.(type) {
	case *rsa.PublicKey:
		return object{"kty": "RSA", "kid": s.kid, "use": "sig", "n": b64(k.N.Bytes()), "e": b64(big.NewInt(int64(k.E)).Bytes())}
	case *ecdsa.PublicKey:
		point, err := k.Bytes()
		if err != nil {
			panic(err)
		}
		half := len(point) / 2
		return object{"kty": "EC", "kid": s.kid, "use": "sig", "crv": k.Params().Name, "x": b64(point[1 : 1+half]), "y": b64(point[1+half:])}
	case ed25519.PublicKey:
		return object{"kty": "OKP", "kid": s.kid, "use": "sig", "crv": "Ed25519", "x": b64(k)}
	case []byte:
		return object{"kty": "oct", "kid": s.kid, "use": "sig", "k": b64(k)}
	}
	panic("no such key")
}

func (s signer) der() []byte {
	der, err := x509.MarshalPKIXPublicKey(s.public)
	if err != nil {
		panic(err)
	}
	return der
}

func (s signer) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: s.der()})
}

func jwks(signers ...signer) []byte {
	keys := []object{}
	for _, s := range signers {
		keys = append(keys, s.jwk())
	}
	return text(object{"keys": keys})
}

var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func rs256(kid string) signer {
	return signer{"RS256", kid, &rsaKey().PublicKey, func(input []byte) []byte {
		sum := sha256.Sum256(input)
		return must(rsa.SignPKCS1v15(rand.Reader, rsaKey(), crypto.SHA256, sum[:]))
	}}
}

func rs512(kid string) signer {
	return signer{"RS512", kid, &rsaKey().PublicKey, func(input []byte) []byte {
		sum := sha512.Sum512(input)
		return must(rsa.SignPKCS1v15(rand.Reader, rsaKey(), crypto.SHA512, sum[:]))
	}}
}

func ps256(kid string) signer {
	return signer{"PS256", kid, &rsaKey().PublicKey, func(input []byte) []byte {
		sum := sha256.Sum256(input)
		return must(rsa.SignPSS(rand.Reader, rsaKey(), crypto.SHA256, sum[:], &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}))
	}}
}

func es256(kid string) signer {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return signer{"ES256", kid, &k.PublicKey, func(input []byte) []byte {
		sum := sha256.Sum256(input)
		r, s, err := ecdsa.Sign(rand.Reader, k, sum[:])
		if err != nil {
			panic(err)
		}
		return rawSignature(r, s, 32)
	}}
}

func es384(kid string) signer {
	k, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return signer{"ES384", kid, &k.PublicKey, func(input []byte) []byte {
		sum := sha512.Sum384(input)
		r, s, err := ecdsa.Sign(rand.Reader, k, sum[:])
		if err != nil {
			panic(err)
		}
		return rawSignature(r, s, 48)
	}}
}

func eddsa(kid string) signer {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	return signer{"EdDSA", kid, public, func(input []byte) []byte { return ed25519.Sign(private, input) }}
}

func hs256(kid string, secret []byte) signer {
	return signer{"HS256", kid, secret, func(input []byte) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write(input)
		return mac.Sum(nil)
	}}
}

func rawSignature(r, s *big.Int, size int) []byte {
	both := make([]byte, 2*size)
	r.FillBytes(both[:size])
	s.FillBytes(both[size:])
	return both
}

// user is who a gateway made of a token, without its claims.
func user(t *testing.T, u map[string]any) object {
	t.Helper()
	if u == nil {
		return nil
	}
	rest := maps.Clone(u)
	delete(rest, "claims")
	return rest
}

func write(t testing.TB, dir, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
}
