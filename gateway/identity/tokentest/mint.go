// Package tokentest makes the tokens of tests, as an issuer does, with nothing of the
// gateway's: tests check the reader of tokens with a writer that does not share its
// mistakes. Its functions panic where they fail.
package tokentest

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
	"time"
)

// The names in the claims of a good token.
const (
	Issuer   = "https://issuer.example"
	Audience = "shop"
)

// Object is a JSON object.
type Object = map[string]any

// Signer is a key of the issuer: how it signs, and what it publishes.
type Signer struct {
	Alg, Kid string
	Public   any // as crypto/x509 takes it; of HS256 the secret
	Sign     func(input []byte) []byte
}

// B64 is base64url without padding.
func B64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Text is a value as JSON.
func Text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// Join signs a header and claims that are written already.
func Join(header, claims []byte, sign func([]byte) []byte) string {
	input := B64(header) + "." + B64(claims)
	return input + "." + B64(sign([]byte(input)))
}

// Claims are those of a good token, with changes; a nil removes one.
func Claims(changes Object) Object {
	now := time.Now().Unix()
	all := Object{"iss": Issuer, "aud": Audience, "sub": "ada", "iat": now - 10, "exp": now + 600}
	return Changed(all, changes)
}

// Changed changes all; a nil removes a member.
func Changed(all, changes Object) Object {
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}

// Token is a good token of s but for the changes to its header and Claims.
func (s Signer) Token(header, body Object) string {
	return Join(Text(Changed(Object{"alg": s.Alg, "kid": s.Kid, "typ": "JWT"}, header)), Text(Claims(body)), s.Sign)
}

// JWK is what s publishes.
func (s Signer) JWK() Object {
	switch k := s.Public.(type) {
	case *rsa.PublicKey:
		return Object{"kty": "RSA", "kid": s.Kid, "use": "sig", "n": B64(k.N.Bytes()), "e": B64(big.NewInt(int64(k.E)).Bytes())}
	case *ecdsa.PublicKey:
		point, err := k.Bytes()
		if err != nil {
			panic(err)
		}
		half := len(point) / 2
		return Object{"kty": "EC", "kid": s.Kid, "use": "sig", "crv": k.Params().Name, "x": B64(point[1 : 1+half]), "y": B64(point[1+half:])}
	case ed25519.PublicKey:
		return Object{"kty": "OKP", "kid": s.Kid, "use": "sig", "crv": "Ed25519", "x": B64(k)}
	case []byte:
		return Object{"kty": "oct", "kid": s.Kid, "use": "sig", "k": B64(k)}
	}
	panic("no such key")
}

// DER is the public key as PKIX.
func (s Signer) DER() []byte {
	der, err := x509.MarshalPKIXPublicKey(s.Public)
	if err != nil {
		panic(err)
	}
	return der
}

// PEM is the public key as a PUBLIC KEY block.
func (s Signer) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: s.DER()})
}

// JWKS is what an issuer with these keys publishes.
func JWKS(signers ...Signer) []byte {
	keys := []Object{}
	for _, s := range signers {
		keys = append(keys, s.JWK())
	}
	return Text(Object{"keys": keys})
}

// RSAKey is the one RSA key of all signers: making one takes long.
var RSAKey = sync.OnceValue(func() *rsa.PrivateKey {
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

// RS256 is a key for RS256: RSA, PKCS #1.
func RS256(kid string) Signer {
	return Signer{"RS256", kid, &RSAKey().PublicKey, func(input []byte) []byte {
		sum := sha256.Sum256(input)
		return must(rsa.SignPKCS1v15(rand.Reader, RSAKey(), crypto.SHA256, sum[:]))
	}}
}

// RS512 is a key for RS512: RSA, PKCS #1.
func RS512(kid string) Signer {
	return Signer{"RS512", kid, &RSAKey().PublicKey, func(input []byte) []byte {
		sum := sha512.Sum512(input)
		return must(rsa.SignPKCS1v15(rand.Reader, RSAKey(), crypto.SHA512, sum[:]))
	}}
}

// PS256 is a key for PS256: RSA, PSS.
func PS256(kid string) Signer {
	return Signer{"PS256", kid, &RSAKey().PublicKey, func(input []byte) []byte {
		sum := sha256.Sum256(input)
		return must(rsa.SignPSS(rand.Reader, RSAKey(), crypto.SHA256, sum[:], &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}))
	}}
}

// ES256 is a key for ES256: P-256.
func ES256(kid string) Signer {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return Signer{"ES256", kid, &k.PublicKey, func(input []byte) []byte {
		sum := sha256.Sum256(input)
		r, s, err := ecdsa.Sign(rand.Reader, k, sum[:])
		if err != nil {
			panic(err)
		}
		return RawSignature(r, s, 32)
	}}
}

// ES384 is a key for ES384: P-384.
func ES384(kid string) Signer {
	k, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return Signer{"ES384", kid, &k.PublicKey, func(input []byte) []byte {
		sum := sha512.Sum384(input)
		r, s, err := ecdsa.Sign(rand.Reader, k, sum[:])
		if err != nil {
			panic(err)
		}
		return RawSignature(r, s, 48)
	}}
}

// EdDSA is a key for EdDSA: Ed25519.
func EdDSA(kid string) Signer {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	return Signer{"EdDSA", kid, public, func(input []byte) []byte { return ed25519.Sign(private, input) }}
}

// HS256 is a key for HS256: a shared secret.
func HS256(kid string, secret []byte) Signer {
	return Signer{"HS256", kid, secret, func(input []byte) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write(input)
		return mac.Sum(nil)
	}}
}

// RawSignature is r and s in size bytes each, as ECDSA signs in a JWS.
func RawSignature(r, s *big.Int, size int) []byte {
	both := make([]byte, 2*size)
	r.FillBytes(both[:size])
	s.FillBytes(both[size:])
	return both
}

// User returns who a gateway made of a token, without its claims; nil for nobody.
func User(u Object) Object {
	if u == nil {
		return nil
	}
	rest := maps.Clone(u)
	delete(rest, "claims")
	return rest
}

// Must returns b, and panics where there is an err.
func Must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// Write writes a file of a key or a key set.
func Write(dir, name string, content []byte) {
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		panic(err)
	}
}
