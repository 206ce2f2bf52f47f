package gateway_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/gateway"
)

// TestUnsignedFrontWarns: a gateway that calls a gateway with users without a key says that its callers are anonymous there.
func TestUnsignedFrontWarns(t *testing.T) {
	private, public := keysIn(t, t.TempDir())
	files := fstest.MapFS{"fronds/app/entities/note.yaml": {Data: []byte(noteCard)}, "fronds/app/frond.yaml": {Data: []byte("collectors: {note: open}\n")}}
	for _, c := range []struct {
		name          string
		behind, front gateway.Config
		want          int
	}{
		{"users behind, no key", gateway.Config{Identity: gateway.Identity{Dev: true}}, gateway.Config{}, 1},
		{"users behind, a key", gateway.Config{Identity: gateway.Identity{Dev: true}, Signing: gateway.Signing{Keys: []string{public}}}, gateway.Config{Signing: gateway.Signing{Key: private}}, 0},
		{"no users behind", gateway.Config{}, gateway.Config{}, 0},
	} {
		place := newElsewhere(t)
		place.stand(gatewayOf(t, read(t, files), gateway.Options{Config: c.behind}).Handler())
		var log bytes.Buffer
		c.front.Store, c.front.Remotes = "memory", map[string]gateway.Remote{"app": {URL: place.url()}}
		g, err := gateway.New(read(t, files), &gateway.Options{Config: c.front, Logger: slog.New(slog.NewTextHandler(&log, nil)), Undecided: true})
		if err != nil {
			t.Fatal(err)
		}
		_ = g.Close()
		if n := strings.Count(log.String(), "every caller of this gateway is anonymous at a remote"); n != c.want {
			t.Errorf("%s: %d warnings, want %d: %s", c.name, n, c.want, log.String())
		}
	}
}
