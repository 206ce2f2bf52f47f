package identity

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Keys are the keys that tokens may be signed with, as the settings name them.
type Keys []key

// key is one key that tokens may be signed with.
type key struct {
	id     string // its kid; "": it has none and matches any
	alg    string // the algorithm it is restricted to; "": all of its kind
	public any    // *rsa.PublicKey, *ecdsa.PublicKey, ed25519.PublicKey, or the []byte of a secret
}

// fits reports whether the key may have signed under alg. The key's kind decides, never the
// token alone: otherwise a public key could be used as an HMAC secret.
func (k *key) fits(alg string) bool {
	takes := algorithms[alg]
	return takes != nil && takes(k.public) && (k.alg == "" || k.alg == alg)
}

// algorithms are the algorithms that can be allowed, each with the keys it accepts (RFC 7518,
// section 3). The algorithm "none" is left out.
var algorithms = map[string]func(public any) bool{
	"RS256": isRSA, "RS384": isRSA, "RS512": isRSA,
	"PS256": isRSA, "PS384": isRSA, "PS512": isRSA,
	"ES256": onCurve(elliptic.P256()), "ES384": onCurve(elliptic.P384()), "ES512": onCurve(elliptic.P521()),
	"EdDSA": isEd25519,
	"HS256": secretOf(32), "HS384": secretOf(48), "HS512": secretOf(64),
}

// isRSA accepts RSA keys, for RS and PS algorithms alike.
func isRSA(public any) bool {
	_, ok := public.(*rsa.PublicKey)
	return ok
}

// onCurve accepts keys on the one curve that an algorithm is defined for (RFC 7518, section
// 3.4).
func onCurve(curve elliptic.Curve) func(any) bool {
	return func(public any) bool {
		k, ok := public.(*ecdsa.PublicKey)
		return ok && k.Curve == curve
	}
}

// isEd25519 accepts Ed25519 keys, the only supported kind of EdDSA (RFC 8037).
func isEd25519(public any) bool {
	_, ok := public.(ed25519.PublicKey)
	return ok
}

// secretOf accepts secrets of at least the hash's length (RFC 7518, section 3.2).
func secretOf(size int) func(any) bool {
	return func(public any) bool {
		secret, ok := public.([]byte)
		return ok && len(secret) >= size
	}
}

// leastRSA is the minimum size of an RSA key, in bits (RFC 7518, section 3.3).
const leastRSA = 2048

// checkPublic reports why a public key must not be used. The curve of an ECDSA key is not
// checked here: onCurve finds the algorithm of a curve.
func checkPublic(public any) error {
	switch k := public.(type) {
	case *rsa.PublicKey:
		if n := k.N.BitLen(); n < leastRSA {
			return fmt.Errorf("an RSA key of %d bits is too weak; use one of %d", n, leastRSA)
		}
	case *ecdsa.PublicKey, ed25519.PublicKey:
	default:
		return errors.New("a key of this kind signs no tokens; use RSA, ECDSA or Ed25519")
	}
	return nil
}

// errPrivate refuses a private key even where its public half would do: it should not be here.
var errPrivate = errors.New("there is a private key in it; name the public half alone")

// readJWK reads one JWK (RFC 7517). A secret (kty: oct) is accepted only with secrets.
//
//	{"kty":"RSA","kid":"2026-01","n":"…","e":"AQAB"}     RS256 … PS512
//	{"kty":"EC","crv":"P-256","x":"…","y":"…"}           ES256
//	{"kty":"OKP","crv":"Ed25519","x":"…"}                EdDSA
//	{"kty":"oct","k":"…"}                                HS256 …, from a file alone
//
// A use other than sig, key_ops without verify (RFC 7517, sections 4.2 and 4.3) and an alg
// outside of algorithms are errors.
func readJWK(text []byte, secrets bool) (key, error) {
	var meta struct {
		Kty    string   `json:"kty"`
		Use    string   `json:"use"`
		Ops    []string `json:"key_ops"`
		Secret string   `json:"k"`
	}
	// Check refuses duplicate members, of which decoders would choose differently.
	if err := jsontext.Check(text); err != nil {
		return key{}, err
	}
	if err := json.Unmarshal(text, &meta); err != nil {
		return key{}, errors.New("it is no JWK; write an object with kty and its members")
	}
	for _, name := range []string{"d", "p", "q", "dp", "dq", "qi", "oth", "priv"} {
		if jsontext.Get(text, name) != nil {
			return key{}, errPrivate
		}
	}
	// A k without kty counts as a secret: go-jose must not be the one to decide that.
	oct := meta.Kty == "oct" || jsontext.Get(text, "k") != nil
	switch {
	case oct && !secrets:
		return key{}, errors.New("a secret has no place here; put it into a file that identity.keys names")
	case meta.Use != "" && meta.Use != "sig":
		return key{}, fmt.Errorf("its use is %q; take a key whose use is sig", meta.Use)
	case jsontext.Get(text, "key_ops") != nil && !slices.Contains(meta.Ops, "verify"):
		return key{}, errors.New("verify is not among its key_ops; take a key that is there to verify")
	}
	var jwk jose.JSONWebKey
	if err := jwk.UnmarshalJSON(text); err != nil {
		return key{}, fmt.Errorf("it is no JWK that can be used: %s", strings.TrimPrefix(err.Error(), "go-jose/go-jose: "))
	}
	k := key{id: jwk.KeyID, alg: jwk.Algorithm, public: jwk.Key}
	if jwk.Algorithm != "" && algorithms[jwk.Algorithm] == nil {
		return key{}, fmt.Errorf("its alg is %q; use one of %s", jwk.Algorithm, strings.Join(algorithmNames(), ", "))
	}
	if secret, ok := jwk.Key.([]byte); ok {
		if len(secret) < 32 {
			return key{}, errors.New("the secret is too short; use at least 32 random bytes")
		}
		return k, nil
	}
	return k, checkPublic(jwk.Key)
}

// readJWKS reads a set of keys: those that can be used, and why the others cannot. err is a
// text that is no set at all; a key at fault in it is in refused, so that one new kind of key
// does not lose the others.
func readJWKS(text []byte, secrets bool) (keys []key, refused []error, err error) {
	// All keys without a kid may have to be tried for one token.
	const most = 100
	if err := jsontext.Check(text); err != nil {
		return nil, nil, err
	}
	list := jsontext.Get(text, "keys")
	if jsontext.KindOf(text) != jsontext.Object || jsontext.KindOf(list) != jsontext.Array {
		return nil, nil, errors.New(`it is no JWKS; write {"keys": [...]}`)
	}
	for i, item := range jsontext.Elements(list) {
		if i == most {
			return nil, nil, fmt.Errorf("there are more than %d keys in it", most)
		}
		k, err := readJWK(item, secrets)
		if err != nil {
			refused = append(refused, fmt.Errorf("key %d: %w", i, err))
			continue
		}
		keys = append(keys, k)
	}
	return keys, refused, nil
}

// readPEM reads every key of a PEM file. They have no kid. Several blocks are several keys;
// one block at fault fails the file.
func readPEM(text []byte) (keys []key, err error) {
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		var public any
		switch {
		case block.Type == "PUBLIC KEY":
			public, err = x509.ParsePKIXPublicKey(block.Bytes)
		case block.Type == "RSA PUBLIC KEY":
			public, err = x509.ParsePKCS1PublicKey(block.Bytes)
		// Only the key of a certificate is used. Its dates and its chain are not checked.
		case block.Type == "CERTIFICATE":
			var cert *x509.Certificate
			if cert, err = x509.ParseCertificate(block.Bytes); err == nil {
				public = cert.PublicKey
			}
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			return nil, errPrivate
		default:
			return nil, fmt.Errorf("a block %s is no key; write PUBLIC KEY or CERTIFICATE blocks", block.Type)
		}
		if err != nil {
			return nil, fmt.Errorf("a block %s cannot be read: %w", block.Type, err)
		}
		if err := checkPublic(public); err != nil {
			return nil, err
		}
		keys = append(keys, key{public: public})
	}
	if len(keys) == 0 {
		return nil, errors.New("it contains no key; write PEM blocks, a JWK or a JWKS")
	}
	return keys, nil
}

// LoadKeys reads the keys that identity.keys names, relative paths from dir, the project's
// folder. It reports a file that cannot be used, and an algorithm without a key.
func (id *Config) LoadKeys(dir string) (keys Keys, faults schema.Faults) {
	for i, source := range id.Keys {
		file, found, err := loadKey(dir, source)
		if err == nil && !slices.ContainsFunc(found, id.allows) {
			err = fmt.Errorf("none of identity.algorithms (%s) takes a key of this kind; name one that does", strings.Join(id.Algorithms, ", "))
		}
		if err != nil {
			faults = append(faults, schema.Fault{
				File: setting.File, Pointer: fmt.Sprintf("/identity/keys/%d", i), Message: file + " cannot be used",
				Remedy: err.Error(),
			})
			continue
		}
		keys = append(keys, found...)
	}
	if faults != nil {
		return nil, faults
	}
	for _, alg := range id.Algorithms {
		// Fetched keys are public: a secret has to be in a file.
		fetched := id.JWKS != "" && !strings.HasPrefix(alg, "HS")
		if !fetched && !slices.ContainsFunc(keys, func(k key) bool { return k.fits(alg) }) {
			faults = append(faults, schema.Fault{
				File: setting.File, Pointer: "/identity/algorithms", Message: "there is no key for " + alg,
				Remedy: "leave it out of identity.algorithms, or name a key of its kind in identity.keys",
			})
		}
	}
	return keys, faults
}

// allows reports whether an allowed algorithm uses a key.
func (id *Config) allows(k key) bool {
	return slices.ContainsFunc(id.Algorithms, func(alg string) bool { return k.fits(alg) })
}

// loadKey reads one entry of identity.keys; name is for faults.
//
//	{"kty": …}       a public JWK in the settings themselves
//	*.pem, *.jwk …   a file: PEM, or, if it begins with {, a JWK or a JWKS
//
// A file may hold a secret. The settings may not (docs/decisions/identity.md).
func loadKey(dir, source string) (name string, keys []key, err error) {
	if strings.HasPrefix(source, "{") {
		k, err := readJWK([]byte(source), false)
		return "this JWK", []key{k}, err
	}
	path := source
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return source, nil, fmt.Errorf("%s; name a file that can be read", setting.Reason(err))
	}
	text = bytes.TrimSpace(text)
	if !bytes.HasPrefix(text, []byte("{")) {
		keys, err = readPEM(text)
		return source, keys, err
	}
	if jsontext.Check(text) == nil && jsontext.Get(text, "keys") == nil {
		k, err := readJWK(text, true)
		return source, []key{k}, err
	}
	keys, refused, err := readJWKS(text, true)
	// In a file a key at fault fails the file, where in a fetched set it is ignored: the
	// operator can correct it (docs/decisions/identity.md).
	return source, keys, errors.Join(append(refused, err)...)
}
