package identity_test

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/identity/tokentest"
)

// The reason is in the log of who runs the gateway, and in development in the answer; nothing of the token is.
func TestTheReasonIsLogged(t *testing.T) {
	ed := tokentest.EdDSA("ed")
	var log bytes.Buffer
	c := identity.Config{
		Issuer: tokentest.Issuer, Audience: []string{"else", tokentest.Audience}, Algorithms: []string{"EdDSA"}, Keys: []string{string(tokentest.Text(ed.JWK()))},
	}
	made := func() identity.Session {
		session, shut, err := identity.SessionOf(c, "", nil, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(shut)
		return session
	}
	session := made()
	c.Reasons = true
	develop := made()
	for token, want := range map[string]string{
		ed.Token(nil, tokentest.Object{"exp": 5, "email": "ada@example.org"}): "it has expired",
		ed.Token(nil, tokentest.Object{"aud": "bank"}):                        "it is for another audience",
		ed.Token(tokentest.Object{"kid": "other"}, nil):                       "no key of the issuer has signed it",
		ed.Token(tokentest.Object{"kid": strings.Repeat("k", 300)}, nil):      "its kid is longer than 256 bytes",
		"x": "it has 1 parts in place of 3",
	} {
		log.Reset()
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		if _, err := session(r); kiterror.CodeOf(err) != kiterror.Unauthorized || strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
		if _, err := develop(r); kiterror.CodeOf(err) != kiterror.Unauthorized || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "ada@") {
			t.Errorf("in development: %v, want %s", err, want)
		}
		if !strings.Contains(log.String(), want) || strings.Contains(log.String(), "ada@") || len(token) > 9 && strings.Contains(log.String(), token[len(token)-9:]) {
			t.Errorf("want %q in the log: %s", want, log.String())
		}
	}
}

// A minute either way is granted, and no second more.
func TestClockSkew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ed := tokentest.EdDSA("ed")
		for _, c := range []struct {
			set   time.Duration
			least int64 // seconds that are granted
		}{{0, 60}, {-1, 0}, {5 * time.Second, 5}} {
			session, shut, err := identity.SessionOf(identity.Config{
				Issuer: tokentest.Issuer, Audience: []string{tokentest.Audience}, Algorithms: []string{"EdDSA"}, Keys: []string{string(tokentest.Text(ed.JWK()))}, ClockSkew: c.set,
			}, "", nil, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer shut()
			now := time.Now().Unix()
			for _, j := range []struct {
				name  string
				claim tokentest.Object
				holds bool
			}{
				{"expired as long ago as is granted", tokentest.Object{"exp": now - c.least}, false},
				{"expired a second less ago", tokentest.Object{"exp": now - c.least + 1}, true},
				{"valid as far ahead as is granted", tokentest.Object{"nbf": now + c.least}, true},
				{"valid a second further ahead", tokentest.Object{"nbf": now + c.least + 1}, false},
				{"issued as far ahead as is granted", tokentest.Object{"iat": now + c.least}, true},
				{"issued a second further ahead", tokentest.Object{"iat": now + c.least + 1}, false},
			} {
				r := httptest.NewRequest("GET", "/", nil)
				r.Header.Set("Authorization", "Bearer "+ed.Token(nil, j.claim))
				if state, err := session(r); (err == nil) != j.holds || (state.User() != nil) != j.holds {
					t.Errorf("skew %s: %s: %v, %v", c.set, j.name, state, err)
				}
			}
			// What holds now has expired once its time and the skew are over.
			token := ed.Token(nil, tokentest.Object{"exp": now + 600})
			for _, wait := range []time.Duration{599*time.Second + time.Duration(c.least)*time.Second, time.Second} {
				time.Sleep(wait)
				r := httptest.NewRequest("GET", "/", nil)
				r.Header.Set("Authorization", "Bearer "+token)
				if _, err := session(r); (err == nil) != (wait > time.Second) {
					t.Errorf("skew %s, at %s: %v", c.set, time.Now(), err)
				}
			}
		}
	})
}
