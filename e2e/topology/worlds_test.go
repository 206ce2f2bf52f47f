package topology

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/e2e/freeport"
	"github.com/frondhost/frond/gateway"
)

var silence = slog.New(slog.DiscardHandler)

// A place says where the Fronds of a world run.
type place struct {
	moved   []string // the Fronds with a process of their own; the others run in the gateway
	between bool     // calls reach the moved Fronds through another gateway
}

func (p place) String() string {
	words := []string{strings.Join(p.moved, " ")}
	if p.between {
		words = append(words, "behind a gateway")
	}
	return strings.Join(words, ", ")
}

// places are the 15 topologies in which a Frond runs elsewhere. Every third has a gateway in between.
func places() []place {
	var all []place
	for bits := 1; bits < 1<<len(fronds); bits++ {
		p := place{between: bits%3 == 0}
		for i, f := range fronds {
			if bits>>i&1 == 1 {
				p.moved = append(p.moved, f)
			}
		}
		all = append(all, p)
	}
	return all
}

// world is a gateway in front of a place.
type world struct {
	gw *gateway.Gateway
}

// newWorld starts the processes of a place, in this one, with empty stores.
func newWorld(t *testing.T, p place) *world {
	t.Helper()
	signing := keys(t) // a gateway believes no state that is not signed
	front, middle, receivers := newServer(t), newServer(t), map[string]*server{}
	for _, f := range p.moved {
		receivers[f] = newServer(t)
	}
	// seen returns the remotes of a process that runs the Fronds own: any other is in the process that has it.
	seen := func(own ...string) map[string]gateway.Remote {
		remotes := map[string]gateway.Remote{}
		for _, f := range fronds {
			switch receiver := receivers[f]; {
			case slices.Contains(own, f):
			case receiver != nil:
				remotes[f] = gateway.Remote{URL: receiver.url()}
			default:
				remotes[f] = gateway.Remote{URL: front.url()}
			}
		}
		return remotes
	}
	for _, f := range p.moved {
		r, err := gateway.NewReceiver(project(t), f, &gateway.ReceiverOptions{Options: gateway.Options{
			Config: gateway.Config{Store: "memory", Signing: signing, Remotes: seen(f)}, Logger: silence,
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		receivers[f].serve(r.Handler())
	}
	open := func(at *server, remotes map[string]gateway.Remote) *gateway.Gateway {
		gw, err := gateway.New(project(t), &gateway.Options{Config: gateway.Config{
			Store: "memory", Signing: signing, Remotes: remotes, Identity: gateway.Identity{Dev: true},
		}, Logger: silence})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = gw.Close() })
		at.serve(gw.Handler())
		return gw
	}
	var here []string
	for _, f := range fronds {
		if receivers[f] == nil {
			here = append(here, f)
		}
	}
	remotes := seen(here...)
	if p.between {
		open(middle, seen())
		for f := range remotes {
			remotes[f] = gateway.Remote{URL: middle.url()}
		}
	}
	return &world{open(front, remotes)}
}

// answer makes a call, and returns the status and the body of its answer.
func (w *world) answer(t *testing.T, c *call) string {
	r := httptest.NewRequestWithContext(t.Context(), c.method, strings.NewReplacer("[", "%5B", "]", "%5D", " ", "%20", `"`, "%22").Replace(c.path), strings.NewReader(c.body))
	r.RemoteAddr, r.Host = "127.0.0.1:1", "127.0.0.1"
	r.Header.Set("Content-Type", "application/json")
	if c.user != "" {
		r.Header.Set("X-Frond-User", c.user)
	}
	rec := httptest.NewRecorder()
	w.gw.Handler().ServeHTTP(rec, r)
	return fmt.Sprintf("%d %s", rec.Code, strings.TrimSpace(rec.Body.String()))
}

// server is an address at which a process of a world is reached.
type server struct {
	t       *testing.T
	address string
}

func newServer(t *testing.T) *server { return &server{t, freeport.Address(t)} }

func (s *server) url() string { return "http://" + s.address }

func (s *server) serve(h http.Handler) {
	s.t.Helper()
	l, err := net.Listen("tcp", s.address) //nolint:noctx // it is at once
	if err != nil {
		s.t.Fatal(err)
	}
	at := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}} //nolint:gosec // it serves this test
	at.Start()
	s.t.Cleanup(func() {
		at.CloseClientConnections()
		at.Close()
	})
}

// keys makes a key that every process of a world signs with and believes.
func keys(t *testing.T) gateway.Signing {
	t.Helper()
	dir := t.TempDir()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte, err error) string {
		path := filepath.Join(dir, name)
		if err == nil {
			err = os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	key := write("key.pem", "PRIVATE KEY", der, err)
	der, err = x509.MarshalPKIXPublicKey(public)
	return gateway.Signing{Key: key, Keys: []string{write("pub.pem", "PUBLIC KEY", der, err)}}
}
