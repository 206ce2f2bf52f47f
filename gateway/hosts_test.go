package gateway

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/prometheus"
	"github.com/frondhost/frond/gateway/telemetry"
)

// TestHostOfAListener is a request as a page sends it whose own name leads to
// 127.0.0.1, over a socket: to a service, and to what its operator has.
func TestHostOfAListener(t *testing.T) {
	config := Config{Hosts: []string{"shop.test"}, Admin: Admin{Listen: "127.0.0.1:0"}}
	h := quietHost(config, nil)
	var err error
	if h.telemetry, err = telemetry.New(t.Context(), &telemetry.Options{Measured: true, Metrics: prometheus.Metrics, Log: h.log}); err != nil {
		t.Fatal(err)
	}
	inside := &guard.Path{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "inside") })}
	service, stop, ended := start(t, config, h.around(func(*http.Request) *guard.Path { return inside }), new(atomic.Bool))
	admin, l, err := h.admin(t.Context(), new(atomic.Bool))
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = admin.Serve(l) }()
	t.Cleanup(func() { _ = admin.Close() })

	for name, address := range map[string]string{"the service": strings.TrimPrefix(service, "http://"), "the admin listener": l.Addr().String()} {
		for host, want := range map[string]string{
			address: "200", "localhost": "200", "shop.test:8080": "200", "evil.example": "421", "": "421", "evil.example:" + address[strings.LastIndex(address, ":")+1:]: "421",
		} {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(conn)
			_ = conn.Close()
			if err != nil {
				t.Fatal(err)
			}
			status := strings.Fields(string(answer))[1]
			if status != want || want == "421" && !strings.Contains(string(answer), "FROND_HOSTS") {
				t.Errorf("%s, asked for %s: %s", name, host, answer)
			}
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}

	// A client of frames reads why, too.
	r := httptest.NewRequest("POST", "http://evil.example/_kit/call", nil)
	w := httptest.NewRecorder()
	h.around(func(*http.Request) *guard.Path { return inside }).ServeHTTP(w, r.WithContext(guard.WithListener(t.Context(), l)))
	if w.Code != 421 || !strings.HasPrefix(w.Body.String(), `{"jsonrpc":"2.0","id":null,"error"`) {
		t.Errorf("a frame: %d %s", w.Code, w.Body)
	}

	// Served by anybody else, or for the whole network, the Host is not ours to judge.
	w = httptest.NewRecorder()
	h.around(func(*http.Request) *guard.Path { return inside }).ServeHTTP(w, httptest.NewRequest("GET", "http://evil.example/", nil))
	if w.Code != 200 {
		t.Errorf("elsewhere: %d %s", w.Code, w.Body)
	}
}
