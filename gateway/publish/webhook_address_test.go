package publish

import (
	"context"
	"encoding/binary"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/frondhost/frond/facts/delivery/deliverytest"
)

// TestAddresses: only addresses of the Internet are connected to, in whatever form they are
// written, unless allow names them.
func TestAddresses(t *testing.T) {
	refused := `0.0.0.0 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 169.254.169.254 169.254.0.1 172.16.0.1 172.31.255.255
		192.0.0.192 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 168.63.129.16
		:: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001:db8::1 2001::1
		2002:7f00:1::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 3fff::1 5f00::1`
	g := &gate{}
	for text := range strings.FieldsSeq(refused) {
		if err := g.control(t.Context(), "tcp6", net.JoinHostPort(text, "443"), nil); err == nil {
			t.Errorf("%s is connected to", text)
		} else if strings.Contains(err.Error(), text) {
			t.Errorf("the error names an address: %v", err)
		}
	}
	for text := range strings.FieldsSeq("1.1.1.1 93.184.216.34 ::ffff:93.184.216.34 2606:4700:4700::1111 172.15.255.255 172.32.0.1 11.0.0.1 169.253.1.1 2a00:1450:4001::1") {
		if err := g.control(t.Context(), "tcp", net.JoinHostPort(text, "443"), nil); err == nil {
			t.Errorf("%s: the network tcp says nothing of the address", text)
		}
		if err := g.control(t.Context(), "tcp4", net.JoinHostPort(text, "443"), nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := g.control(t.Context(), "unix", "/run/docker.sock", nil); err == nil {
		t.Error("a socket file is connected to")
	}
	allowed := &gate{allow: prefixes("10.1.0.0/16", "fd00::/8"), plain: true}
	for text, ok := range map[string]bool{
		"10.1.2.3": true, "::ffff:10.1.2.3": true, "10.2.0.1": false, "fd00:ec2::254": true, "127.0.0.1": false,
		"93.184.216.34": false, // http:// beyond allow
	} {
		if err := allowed.control(t.Context(), "tcp4", net.JoinHostPort(text, "80"), nil); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestRebinding: a name that leads to an allowed address first and to another one later is judged
// each time by the address that is connected to.
func TestRebinding(t *testing.T) {
	var asked atomic.Int32
	inside := &receiver{} // at the address that is not allowed
	good := &receiver{}
	one := serve(t, "127.0.0.2:0", good)
	_, port, _ := net.SplitHostPort(one)
	serve(t, "127.0.0.1:"+port, inside)
	dns := nameserver(t, func() [4]byte {
		if asked.Add(1) == 1 {
			return [4]byte{127, 0, 0, 2}
		}
		return [4]byte{127, 0, 0, 1}
	})
	h := hookOf(t, hookConfig{URL: "http://rebind.test:" + port + "/", Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}}, hookOptions{Resolver: dns})
	e := deliverytest.Event(1, 1)
	if a := h.post(t.Context(), &e); a.verdict != delivered {
		t.Fatal(a.reason)
	}
	h.client.CloseIdleConnections()
	if a := h.post(t.Context(), &e); a.verdict != again || a.reason != errRefused.Error() {
		t.Errorf("%v %s", a.verdict, a.reason)
	}
	if asked.Load() < 2 || good.count() != 1 || inside.count() != 0 {
		t.Errorf("%d look-ups, %d requests at the allowed address, %d at the other", asked.Load(), good.count(), inside.count())
	}
}

// TestNoProxy: a proxy of the environment would connect in our place.
func TestNoProxy(t *testing.T) {
	proxy := &receiver{}
	t.Setenv("HTTP_PROXY", "http://"+serve(t, "127.0.0.1:0", proxy))
	h := hookOf(t, hookConfig{URL: "http://10.255.255.1/"}, hookOptions{})
	e := deliverytest.Event(1, 1)
	if a := h.post(t.Context(), &e); a.reason != errRefused.Error() || proxy.count() != 0 {
		t.Errorf("%s; the proxy got %d requests", a.reason, proxy.count())
	}
}

// serve runs a handler at an address.
func serve(t *testing.T, address string, handler http.Handler) string {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().String()
}

// nameserver is a resolver over a server that answers every request for A with one address, and
// every other request with none.
func nameserver(t *testing.T, address func() [4]byte) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			end := 12
			for buffer[end] != 0 {
				end += 1 + int(buffer[end])
			}
			kind := binary.BigEndian.Uint16(buffer[end+1:])
			reply := append([]byte{}, buffer[:min(n, end+5)]...)
			copy(reply[2:], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}) // an answer, one request, nothing else
			if kind == 1 {
				reply[7] = 1
				a := address()
				reply = append(append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4), a[:]...)
			}
			_, _ = conn.WriteTo(reply, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}
