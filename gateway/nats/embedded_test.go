//go:build !nonats

package nats

import (
	"strings"
	"testing"
	"time"

	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestServer: what was acknowledged is there after a restart; a token is wanted of everybody; the
// address is one that others may connect to.
func TestServer(t *testing.T) {
	o := embeddedOptions{Dir: t.TempDir(), Listen: "127.0.0.1:0", Token: "open sesame"}
	for run := range 2 {
		begin := time.Now()
		s, err := startEmbedded(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("started within %s", time.Since(begin))
		if _, err := client.Connect("nats://" + s.Address()); err == nil {
			t.Error("a client without the token is let in")
		}
		for _, option := range []client.Option{client.InProcessServer(s), client.Timeout(time.Second)} {
			conn, err := client.Connect("nats://"+s.Address(), option, client.Token(o.Token))
			if err != nil {
				t.Fatal(err)
			}
			js, err := jetstream.New(conn)
			if err != nil {
				t.Fatal(err)
			}
			if run == 0 {
				if _, err := js.CreateOrUpdateStream(t.Context(), jetstream.StreamConfig{Name: "s", Subjects: []string{"s.>"}}); err != nil {
					t.Fatal(err)
				}
				if _, err := js.Publish(t.Context(), "s.x", []byte("1")); err != nil {
					t.Fatal(err)
				}
			}
			if stream, err := js.Stream(t.Context(), "s"); err != nil || run == 1 && stream.CachedInfo().State.Msgs != 2 {
				t.Errorf("%v %+v", err, stream)
			}
			conn.Close()
		}
		s.Close()
	}
}

// TestFaults: a port that is taken and a folder that cannot be used are named.
func TestFaults(t *testing.T) {
	s, err := startEmbedded(embeddedOptions{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, o := range []embeddedOptions{
		{Dir: t.TempDir(), Listen: s.Address()}, {Dir: "/dev/null/nats"}, {Dir: t.TempDir(), Listen: "4222"},
	} {
		if other, err := startEmbedded(o); err == nil || !strings.ContainsAny(err.Error(), "/:") {
			t.Errorf("%+v: %v", o, err)
			other.Close()
		}
	}
}
