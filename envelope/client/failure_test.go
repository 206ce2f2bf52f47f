package client_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// TestMain holds the whole package to leave no goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const good = `{"jsonrpc":"2.0","id":%d,"result":1}`

// TestFailureOutcomes is the table of docs/remotes.md, over real connections.
// A query is sent three times where it is sent again at all; a command once, but
// where nothing of it can have arrived.
func TestFailureOutcomes(t *testing.T) {
	const (
		once   = 1
		thrice = 3
	)
	respond := func(do func(c *rawConn)) func(*rawConn) {
		return func(c *rawConn) {
			if _, ok := c.ask(); ok {
				do(c)
			}
		}
	}
	transport := func(dial func(context.Context, string, string) (net.Conn, error)) *http.Transport {
		return &http.Transport{DialContext: dial}
	}
	for _, f := range []struct {
		name           string
		peer           func(*rawConn)
		transport      *http.Transport // nil: the remote's own
		https          bool
		code           kiterror.Code
		query, command int // attempts
		arrived        int // of the query's attempts, whole at the peer
	}{
		{name: "connection refused", code: kiterror.ServiceUnavailable, query: thrice, command: thrice},
		{
			name: "no such name", code: kiterror.ServiceUnavailable, query: thrice, command: thrice,
			transport: transport((&net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
				return nil, errors.New("no name server")
			}}}).DialContext),
		},
		{
			name: "slow connect", code: kiterror.ServiceUnavailable, query: thrice, command: thrice,
			transport: transport(func(ctx context.Context, network, _ string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
			}),
		},
		{name: "TLS handshake cut", https: true, peer: func(c *rawConn) { _, _ = c.in.Peek(1) }, code: kiterror.ServiceUnavailable, query: thrice, command: thrice},
		{name: "reset in the TLS handshake", https: true, peer: func(c *rawConn) { _, _ = c.in.Peek(1); c.reset() }, code: kiterror.ServiceUnavailable, query: thrice, command: thrice},
		{name: "no TLS at all", https: true, peer: func(c *rawConn) { _, _ = c.in.Peek(1); _, _ = fmt.Fprint(c, "SSH-2.0-OpenSSH_9.2\r\n"); c.wait() }, code: kiterror.ServiceUnavailable, query: thrice, command: thrice},
		{name: "reset after the request left", peer: respond((*rawConn).reset), code: kiterror.ServiceUnavailable, query: thrice, command: once, arrived: thrice},
		{name: "closed after the request left", peer: respond(func(*rawConn) {}), code: kiterror.ServiceUnavailable, query: thrice, command: once, arrived: thrice},
		{name: "slow headers", peer: respond((*rawConn).wait), code: kiterror.GatewayTimeout, query: thrice, command: once, arrived: thrice},
		{
			name: "slow body", code: kiterror.GatewayTimeout, query: thrice, command: once, arrived: thrice,
			peer: respond(func(c *rawConn) {
				_, _ = fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{\"json")
				c.wait()
			}),
		},
		{
			name: "cut body", code: kiterror.ServiceUnavailable, query: thrice, command: once, arrived: thrice,
			peer: respond(func(c *rawConn) { _, _ = fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{\"json") }),
		},
		{
			name: "cut chunks", code: kiterror.ServiceUnavailable, query: thrice, command: once, arrived: thrice,
			peer: respond(func(c *rawConn) {
				_, _ = fmt.Fprint(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{\"js\r\n")
			}),
		},
		{name: "no HTTP", peer: respond(func(c *rawConn) { _, _ = fmt.Fprint(c, "SSH-2.0-OpenSSH_9.2\r\n") }), code: kiterror.ServiceUnavailable, query: thrice, command: once, arrived: thrice},
		{name: "500", peer: saying("500 Internal Server Error", "", "oops"), code: kiterror.BadGateway, query: once, command: once, arrived: once},
		{name: "404", peer: saying("404 Not Found", "", "{}"), code: kiterror.BadGateway, query: once, command: once, arrived: once},
		{name: "302", peer: saying("302 Found", "Location: /elsewhere\r\n", good), code: kiterror.BadGateway, query: once, command: once, arrived: once},
		{name: "307", peer: saying("307 Temporary Redirect", "Location: /elsewhere\r\n", good), code: kiterror.BadGateway, query: once, command: once, arrived: once},
		{name: "HTML", peer: saying("200 OK", "Content-Type: text/html\r\n", "<html>"), code: kiterror.BadGateway, query: once, command: once, arrived: once},
		{name: "not JSON", peer: saying("200 OK", "", `{"jsonrpc":`), code: kiterror.BadGateway, query: once, command: once, arrived: once},
		{name: "not UTF-8", peer: saying("200 OK", "", `{"jsonrpc":"2.0","id":%d,"result":"`+"\xff"+`"}`), code: kiterror.BadGateway, query: once, command: once, arrived: once},
		{name: "two answers in one", peer: saying("200 OK", "", good+good), code: kiterror.BadGateway, query: once, command: once, arrived: once},
		{name: "an array of answers", peer: saying("200 OK", "", "["+good+","+good+"]"), code: kiterror.BadGateway, query: once, command: once, arrived: once},
		{name: "another id", peer: saying("200 OK", "", `{"jsonrpc":"2.0","id":99999,"result":1}`), code: kiterror.BadGateway, query: once, command: once, arrived: once},
		{name: "no result and no error", peer: saying("200 OK", "", `{"jsonrpc":"2.0","id":%d}`), code: kiterror.BadGateway, query: once, command: once, arrived: once},
		{name: "an error that is none", peer: saying("200 OK", "", `{"jsonrpc":"2.0","id":%d,"error":"no"}`), code: kiterror.BadGateway, query: once, command: once, arrived: once},
		{name: "an error without data", peer: saying("200 OK", "", `{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"no"}}`), code: kiterror.InternalError, query: once, command: once, arrived: once},
		{
			name: "an unknown code", code: kiterror.InternalError, query: once, command: once, arrived: once,
			peer: saying("200 OK", "", `{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"no","data":{"code":"ODD","message":"no"}}}`),
		},
		{
			name: "a failure of the host itself", code: kiterror.ServiceUnavailable, query: once, command: once, arrived: once,
			peer: saying("200 OK", "", `{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"no","data":{"code":"SERVICE_UNAVAILABLE","message":"no"}}}`),
		},
		{name: "more than an answer may have", peer: saying("200 OK", "", `"`+strings.Repeat("x", 2000)+`"`), code: kiterror.BadGateway, query: once, command: once, arrived: once},
		{name: "429", peer: saying("429 Too Many Requests", "", ""), code: kiterror.TooManyRequests, query: once, command: once, arrived: once},
		{name: "429 that says when, too late", peer: saying("429 Too Many Requests", "Retry-After: 60\r\n", ""), code: kiterror.TooManyRequests, query: once, command: once, arrived: once},
		{name: "502", peer: saying("502 Bad Gateway", "", "<html>"), code: kiterror.BadGateway, query: thrice, command: once, arrived: thrice},
		{name: "503", peer: saying("503 Service Unavailable", "", "<html>"), code: kiterror.ServiceUnavailable, query: thrice, command: once, arrived: thrice},
		{name: "503 that says when, too late", peer: saying("503 Service Unavailable", "Retry-After: 60\r\n", ""), code: kiterror.ServiceUnavailable, query: once, command: once, arrived: once},
		{name: "503 that says now", peer: saying("503 Service Unavailable", "Retry-After: 0\r\n", ""), code: kiterror.ServiceUnavailable, query: thrice, command: once, arrived: thrice},
		{name: "504", peer: saying("504 Gateway Timeout", "", ""), code: kiterror.GatewayTimeout, query: thrice, command: once, arrived: thrice},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for operation, want := range map[string]int{"findIt": f.query, "doIt": f.command} {
				serve := f.peer
				if serve == nil {
					serve = func(*rawConn) {}
				}
				p := newRawPeer(t, serve)
				if f.name == "connection refused" {
					_ = p.Close()
				}
				address := p.url()
				if f.name == "no such name" {
					address = "http://no-such-name.test"
				}
				if f.https {
					address = "https" + strings.TrimPrefix(address, "http")
				}
				attempts := -1
				opts := &client.Options{
					Attempt: 3 * time.Second, MaxAnswer: 1000, Log: slog.New(slog.DiscardHandler),
					Observe: func(_ context.Context, e client.Event) { attempts = e.Posts },
				}
				if f.code == kiterror.GatewayTimeout && f.name != "504" {
					opts.Attempt = 400 * time.Millisecond // a request arrives in that on a busy machine too
				}
				if f.transport != nil {
					opts.Transport = f.transport.Clone()
				}
				r := remote(t, address, opts).HurryUp()
				_, err := r.Call(t.Context(), &facade.Call{Entity: "math", Operation: operation})
				if kiterror.CodeOf(err) != f.code {
					t.Errorf("%s: %v, want %s", operation, err, f.code)
				}
				if attempts != want {
					t.Errorf("%s: %d attempts, want %d: %v", operation, attempts, want, errors.Unwrap(kiterror.AsError(err)))
				}
				arrived := f.arrived
				if operation == "doIt" {
					arrived = min(arrived, 1)
				}
				if got, _ := p.seen(); got != arrived {
					t.Errorf("%s: %d requests arrived, want %d", operation, got, arrived)
				}
				if text := kitError(err); strings.Contains(text, "127.0.0.1") || strings.Contains(text, "name server") {
					t.Errorf("%s: the caller is told %s", operation, text)
				}
				if f.arrived == 0 && errors.Unwrap(kiterror.AsError(err)) == nil {
					t.Errorf("%s: the cause is lost: nothing could be logged", operation)
				}
			}
		})
	}
}

// A certificate that does not hold will not hold in a moment either.
func TestUntrustedHost(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	defer server.Close()
	attempts := 0
	opts := &client.Options{Observe: func(_ context.Context, e client.Event) { attempts = e.Posts }}
	_, err := remote(t, server.URL, opts).Call(t.Context(), &facade.Call{Entity: "math", Operation: "findIt"})
	var cause x509.UnknownAuthorityError
	if kiterror.CodeOf(err) != kiterror.ServiceUnavailable || attempts != 1 || !errors.As(err, &cause) {
		t.Errorf("%v after %d attempts", err, attempts)
	}
}

// A host that is trusted answers over TLS as over TCP.
func TestTrustedHost(t *testing.T) {
	nineteen := facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) {
		return &facade.Result{Form: facade.FormValue, Value: []byte("19")}, nil
	})
	server := httptest.NewTLSServer(envelope.NewHandler(mathCatalog(), nineteen, nil))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	opts := &client.Options{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	result, err := remote(t, server.URL, opts).Call(t.Context(), &facade.Call{
		Entity: "math", Operation: "subtract", Invocation: facade.Invocation{Params: []byte(`{"minuend":42,"subtrahend":23}`)},
	})
	if err != nil || string(result.AppendJSON(nil)) != "19" {
		t.Errorf("%v, %v", result, err)
	}
}

// TestNoCommandRunsTwice closes connections right behind every answer without saying
// so, which is where a client finds a kept connection gone: whatever becomes of a
// command, the peer has never seen it twice.
func TestNoCommandRunsTwice(t *testing.T) {
	p := newRawPeer(t, func(c *rawConn) {
		if asked, ok := c.ask(); ok {
			c.say("200 OK", "", strings.ReplaceAll(good, "%d", idIn(asked)))
		}
	})
	r := remote(t, p.url(), &client.Options{}).HurryUp()
	answered := 0
	for range 200 {
		if _, err := r.Call(t.Context(), &facade.Call{Entity: "math", Operation: "doIt"}); err == nil {
			answered++
		} else if kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
			t.Fatal(err)
		}
	}
	ids := map[string]bool{}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, body := range p.bodies {
		if ids[idIn(body)] {
			t.Fatalf("the command %s ran twice", idIn(body))
		}
		ids[idIn(body)] = true
	}
	if answered == 0 || len(ids) < answered || len(ids) > 200 {
		t.Errorf("%d ran, %d were answered", len(ids), answered)
	}
}

// Answers are distinguished by ids that are never used again: a second answer to one
// request, which the next request on that connection would take for its own, is not.
func TestTwoAnswersToOneRequest(t *testing.T) {
	p := newRawPeer(t, func(c *rawConn) {
		asked, ok := c.ask()
		if !ok {
			return
		}
		answer := strings.ReplaceAll(`{"jsonrpc":"2.0","id":%d,"result":"first"}`, "%d", idIn(asked))
		c.say("200 OK", "", answer)
		if _, ok := c.ask(); ok { // answered as if it had been the first
			c.say("200 OK", "", answer)
		}
	})
	r := remote(t, p.url(), nil)
	call := &facade.Call{Entity: "math", Operation: "findIt"}
	if _, err := r.Call(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Call(t.Context(), call); kiterror.CodeOf(err) != kiterror.BadGateway {
		t.Errorf("%v, want BAD_GATEWAY", err)
	}
}

// A hundred calls in a row need one connection: every body is read to its end,
// failures included.
func TestConnectionsAreKept(t *testing.T) {
	n := 0
	p := newRawPeer(t, func(c *rawConn) {
		for {
			asked, ok := c.ask()
			if !ok {
				return
			}
			switch n++; n % 8 {
			case 0:
				c.say("500 Internal Server Error", "", strings.Repeat("<html>", 1000))
			case 1:
				c.say("302 Found", "Location: /\r\n", "moved")
			default:
				c.say("200 OK", "", strings.ReplaceAll(good, "%d", idIn(asked)))
			}
		}
	})
	r := remote(t, p.url(), nil)
	for i := range 100 {
		if _, err := r.Call(t.Context(), &facade.Call{Entity: "math", Operation: "doIt"}); (err == nil) != (i%8 != 0 && i%8 != 7) {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	if requests, connections := p.seen(); requests != 100 || connections != 1 {
		t.Errorf("%d requests on %d connections, want 100 on 1", requests, connections)
	}
}

// An address that is none fails every call, and says no more.
func TestNoAddress(t *testing.T) {
	for _, address := range []string{"", "host:80", "ftp://host", "http://", "http://a b", "http://[::1"} {
		_, err := remote(t, address, nil).Call(t.Context(), &facade.Call{Entity: "math", Operation: "findIt"})
		if kiterror.CodeOf(err) != kiterror.ServiceUnavailable || address != "" && strings.Contains(kitError(err), address) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
