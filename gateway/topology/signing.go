package topology

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
)

// Signing is how calls between processes are signed (docs/signed-calls.md): Key and Name
// are for the gateway, which sends them; the rest is for the receiver.
type Signing struct {
	// Key is a file with the private key for every call of a remote, below the project's folder
	// or anywhere by an absolute path; "": calls are not signed.
	Key  string
	Name string // of the sender; "" means gateway

	// Keys are the keys with which a receiver verifies calls: files with public keys (PEM, a JWK or
	// a set of them), or JWKs as JSON. NAME=FILE holds the keys of a file to the sender of that
	// name. Empty: calls are not verified. A gateway verifies signed calls only.
	Keys      []string
	ClockSkew time.Duration // how far clocks may be apart; 0 means 30 s, less not at all
	// OpenDiscovery answers rpc.discover to callers who do not sign, too.
	OpenDiscovery bool
}

const (
	defaultSender      = "gateway"
	defaultSigningSkew = 30 * time.Second
	mostSigningSkew    = 5 * time.Minute
)

// Settings are the rows of signing.
func (s *Signing) Settings() []setting.Setting {
	return []setting.Setting{
		setting.New("signing.key", "", "the file with the private key that signs calls to remotes", setting.Text, &s.Key),
		setting.New("signing.name", defaultSender, "the sender's name in those signatures", readSender, &s.Name),
		setting.New("signing.keys", "[]", "files with the public keys that frond serve verifies calls with, and a gateway those of other gateways; NAME=FILE accepts a key for one sender only", readSigningKeys, &s.Keys),
		setting.New("signing.clockSkew", "30s", "the accepted difference to the sender's clock", readSigningSkew, &s.ClockSkew),
		setting.New("signing.openDiscovery", "false", "answer rpc.discover to unsigned requests too", setting.Bool, &s.OpenDiscovery),
	}
}

// WithDefaults is s with every empty setting filled in.
func (s Signing) WithDefaults() Signing {
	s.Name = cmp.Or(s.Name, defaultSender)
	s.ClockSkew = cmp.Or(s.ClockSkew, defaultSigningSkew)
	return s
}

// Signer signs calls; nil if they go unsigned. dir is the project's folder.
func (s Signing) Signer(dir string) (*signing.Signer, schema.Faults) {
	if s.Key == "" {
		return nil, nil
	}
	text, err := os.ReadFile(setting.Below(dir, s.Key))
	if err != nil {
		err = fmt.Errorf("%s; name a file that can be read", setting.Reason(err))
	}
	if err == nil {
		key, bad := signing.ReadPrivate(text)
		if err = bad; err == nil {
			return signing.NewSigner(key, s.Name), nil
		}
	}
	return nil, schema.Faults{{File: setting.File, Pointer: "/signing/key", Message: s.Key + " cannot be used", Remedy: err.Error()}}
}

// Verifier verifies the calls of a Frond; nil if they are not verified.
func (s Signing) Verifier(dir, frond string) (*signing.Verifier, schema.Faults) {
	if len(s.Keys) == 0 {
		return nil, nil
	}
	var keys []signing.Key
	var faults schema.Faults
	for i, source := range s.Keys {
		sender, file := "", source
		if name, rest, named := strings.Cut(source, "="); named && !strings.HasPrefix(source, "{") {
			sender, file = name, rest
		}
		text, err := []byte(file), error(nil)
		if strings.HasPrefix(file, "{") {
			file = "this JWK"
		} else if text, err = os.ReadFile(setting.Below(dir, file)); err != nil {
			err = fmt.Errorf("%s; name a file that can be read", setting.Reason(err))
		}
		if err == nil {
			public, bad := signing.ReadPublic(text)
			for _, one := range public {
				keys = append(keys, signing.Key{Public: one, Sender: sender})
			}
			err = bad
		}
		if err != nil {
			faults = append(faults, schema.Fault{
				File: setting.File, Pointer: fmt.Sprintf("/signing/keys/%d", i), Message: file + " cannot be used", Remedy: err.Error(),
			})
		}
	}
	if faults != nil {
		return nil, faults
	}
	v, err := signing.NewVerifier(frond, keys, &signing.Options{ClockSkew: s.ClockSkew, OpenDiscovery: s.OpenDiscovery})
	if err != nil {
		return nil, schema.Faults{{File: setting.File, Pointer: "/signing/keys", Message: err.Error(), Remedy: "name each key once"}}
	}
	return v, nil
}

// readSender reads a name that fits into NAME=FILE and lists of those.
func readSender(text string) (string, error) {
	if text == "" || len(text) > 256 || strings.ContainsAny(text, "=,\n") {
		return "", errors.New("write a name such as shop, without = and commas")
	}
	return text, nil
}

// readSigningKeys reads files, public JWKs and NAME=FILE.
func readSigningKeys(text string) ([]string, error) {
	return setting.Keys(text, "[keys/gateway.pub.pem, shop=keys/shop.pub.pem]")
}

// readSigningSkew reads the skew; 0s is -1, since 0 means the default.
func readSigningSkew(text string) (time.Duration, error) {
	return setting.AtMost(text, mostSigningSkew, "30s: calls are remembered for that long")
}
