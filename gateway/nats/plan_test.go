//go:build !nonats

package nats

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/frondhost/frond/facts/delivery"
)

// TestPortInUse: an embedded server whose port another process has begins when that is free, and says
// where it listens.
func TestPortInUse(t *testing.T) {
	var config net.ListenConfig
	taken, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	announced := ""
	server := &lazyServer{
		options:  embeddedOptions{Dir: t.TempDir(), Listen: taken.Addr().String()},
		announce: func(url string) { announced = url },
	}
	defer server.Close()
	_, err = server.InProcessConn()
	if problem := (*delivery.Unavailable)(nil); !errors.As(err, &problem) || !strings.Contains(problem.Reason, "write another one as facts.nats.listen") {
		t.Fatalf("while the port is taken: %v", err)
	}
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	conn, err := server.InProcessConn()
	if err != nil {
		t.Fatal(err)
	}
	if _ = conn.Close(); announced != "nats://"+taken.Addr().String() {
		t.Errorf("it announces %q", announced)
	}
}
