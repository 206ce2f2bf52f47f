package guard

import (
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// deadlines is a ResponseWriter that keeps what is asked of it.
type deadlines struct {
	httptest.ResponseRecorder
	asked []time.Time
	parts []int
	fails int // from this part on
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.asked = append(d.asked, at)
	return nil
}

func (d *deadlines) Write(b []byte) (int, error) {
	d.parts = append(d.parts, len(b))
	if d.fails > 0 && len(d.parts) >= d.fails {
		return 10, os.ErrDeadlineExceeded
	}
	return len(b), nil
}

// TestPace: every part of an answer has its own time, and one that is not taken ends it.
func TestPace(t *testing.T) {
	write := func(fails int) (*deadlines, int, error) {
		var n int
		var err error
		d := &deadlines{fails: fails}
		Pace(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			n, err = w.Write(make([]byte, 150<<10))
		}), time.Hour).ServeHTTP(d, httptest.NewRequest("GET", "/", nil))
		return d, n, err
	}
	began := time.Now()
	d, n, err := write(0)
	if n != 150<<10 || err != nil || len(d.parts) != 3 || d.parts[0] != 64<<10 || d.parts[2] != 22<<10 || len(d.asked) != 3 {
		t.Errorf("%d, %v: in parts of %d, with %d deadlines", n, err, d.parts, len(d.asked))
	}
	for i, at := range d.asked {
		if at.Before(began.Add(time.Hour)) || i > 0 && at.Before(d.asked[i-1]) {
			t.Errorf("deadline %d is %s", i, at)
		}
	}
	if d, n, err := write(2); n != 64<<10+10 || !errors.Is(err, os.ErrDeadlineExceeded) || len(d.parts) != 2 {
		t.Errorf("cut off: %d, %v, %d parts", n, err, len(d.parts))
	}
}

// TestWhoDoesNotReadIsCutOff: over HTTP/1.1 and HTTP/2, and where something that
// compresses stands in between, on either side.
func TestWhoDoesNotReadIsCutOff(t *testing.T) {
	const limit = 100 * time.Millisecond
	noise := make([]byte, 64<<20) // does not compress
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		noise[i] = byte(x)
	}
	for _, c := range []struct {
		name  string
		wrap  func(http.Handler) http.Handler
		http2 bool
	}{
		{"HTTP/1.1", func(h http.Handler) http.Handler { return Pace(h, limit) }, false},
		{"HTTP/2", func(h http.Handler) http.Handler { return Pace(h, limit) }, true},
		{"compressed inside", func(h http.Handler) http.Handler { return Pace(zipped(h), limit) }, false},
		{"compressed outside", func(h http.Handler) http.Handler { return zipped(Pace(h, limit)) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			ended := make(chan error, 1)
			srv := httptest.NewUnstartedServer(c.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, err := w.Write(noise)
				ended <- err
			})))
			if c.http2 {
				srv.EnableHTTP2 = true
				srv.StartTLS()
			} else {
				srv.Start()
			}
			defer srv.Close()
			if c.http2 {
				resp, err := srv.Client().Get(srv.URL)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				if resp.ProtoMajor != 2 {
					t.Fatalf("it speaks %s", resp.Proto)
				}
			} else {
				conn, err := net.Dial("tcp", strings.TrimPrefix(srv.URL, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
			}
			if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the answer ended with %v", err)
			}
		})
	}
}

// zipped compresses answers, as something around or within a handler may.
func zipped(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		z := &zipWriter{ResponseWriter: w, to: gzip.NewWriter(w)}
		defer z.to.Close()
		h.ServeHTTP(z, r)
	})
}

type zipWriter struct {
	http.ResponseWriter
	to *gzip.Writer
}

func (z *zipWriter) Write(b []byte) (int, error) { return z.to.Write(b) }
func (z *zipWriter) Unwrap() http.ResponseWriter { return z.ResponseWriter }
