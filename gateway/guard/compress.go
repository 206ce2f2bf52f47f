package guard

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/frondhost/frond/facts/sse"
)

// leastCompressed is the length in bytes from which an answer is compressed.
const leastCompressed = 1 << 10

// Compress sends the answers of next compressed to clients that accept zstd or gzip.
// It decides before the first byte leaves: answers of a text type with a Content-Length
// are compressed. An answer without a length is a stream and leaves as it is written; so
// does one with a Content-Encoding. The ETag stays: it names the row's version, however
// the row is coded (docs/decisions/http-guards.md).
func Compress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &compressing{ResponseWriter: w, sent: r.Header["Accept-Encoding"], head: r.Method == http.MethodHead}
		next.ServeHTTP(c, r)
		c.finish() // not after a panic: half an answer must not look whole
	})
}

// compressing is the writer of one answer.
type compressing struct {
	http.ResponseWriter
	sent    []string // Accept-Encoding
	head    bool     // the request is a HEAD: there is no body
	decided bool
	coding  *coding
	encoder encoder // nil: bytes pass as they are
}

// WriteHeader decides about the coding, the first time that the status is no 1xx.
func (c *compressing) WriteHeader(status int) {
	if !c.decided && status >= http.StatusOK {
		c.decided = true
		c.decide(status)
	}
	c.ResponseWriter.WriteHeader(status)
}

// decide chooses the coding by the headers of the answer, which are complete now. An answer that
// depends on Accept-Encoding says so in Vary even if it is not compressed, for caches.
func (c *compressing) decide(status int) {
	h := c.Header()
	switch status {
	case http.StatusNotModified:
		varyOn(h, "Accept-Encoding") // as on the answer that it stands for
		return
	case http.StatusNoContent, http.StatusPartialContent:
		return
	}
	if len(h["Content-Length"]) == 0 || len(h["Content-Encoding"]) > 0 || !compressible(h) {
		return
	}
	chosen, plain := negotiate(c.sent)
	if n, err := strconv.Atoi(h["Content-Length"][0]); err != nil || n < leastCompressed && plain {
		return
	}
	varyOn(h, "Accept-Encoding")
	if chosen == nil {
		return
	}
	h["Content-Encoding"] = chosen.name
	h.Del("Content-Length")
	h.Del("Accept-Ranges")
	if !c.head {
		c.coding, c.encoder = chosen, chosen.pool.Get().(encoder) //nolint:forcetypeassert // the pool has nothing else
		c.encoder.Reset(c.ResponseWriter)
	}
}

// Write passes bytes on, through the encoder where there is one.
func (c *compressing) Write(b []byte) (int, error) {
	if !c.decided {
		c.WriteHeader(http.StatusOK)
	}
	if c.encoder != nil {
		return c.encoder.Write(b)
	}
	return c.ResponseWriter.Write(b)
}

// FlushError sends the bytes written so far, for an http.ResponseController.
func (c *compressing) FlushError() error {
	if !c.decided {
		c.WriteHeader(http.StatusOK)
	}
	if c.encoder != nil {
		if err := c.encoder.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(c.ResponseWriter).Flush()
}

// Unwrap lets an http.ResponseController reach what lies below.
func (c *compressing) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// finish ends the compressed text and gives the encoder back.
func (c *compressing) finish() {
	if !c.decided { // nothing was written, as for a HEAD: net/http sends the headers next
		c.decided = true
		c.decide(http.StatusOK)
	}
	if c.encoder == nil {
		return
	}
	_ = c.encoder.Close() // the client may be gone
	c.encoder.Reset(nil)  // the pool must not keep the connection alive
	c.coding.pool.Put(c.encoder)
	c.encoder = nil
}

// encoder is the common interface of the writers of both libraries.
type encoder interface {
	io.WriteCloser
	Flush() error
	Reset(io.Writer)
}

// coding is a content coding. An encoder holds some hundred kilobytes and is reused.
type coding struct {
	name []string // value of Content-Encoding
	pool sync.Pool
}

// The levels are the cheapest ones: a client waits for encoding and transfer together.
var (
	zstdCoding = &coding{name: []string{"zstd"}, pool: sync.Pool{New: func() any {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(128<<10))
		if err != nil {
			panic(err) // the options are constants
		}
		return encoder(e)
	}}}
	gzipCoding = &coding{name: []string{"gzip"}, pool: sync.Pool{New: func() any {
		e, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		if err != nil {
			panic(err) // the level is a constant
		}
		return encoder(e)
	}}}
)

// negotiate chooses by Accept-Encoding (RFC 9110, section 12.5.3): the coding with the
// greatest weight, gzip among equals, since clients in use (the fetch of graphql-tools on
// node 20) name zstd and cannot read it; nil: no coding. plain reports whether an answer
// without a coding is acceptable, which it is unless the header excludes it.
func negotiate(sent []string) (chosen *coding, plain bool) {
	if len(sent) == 0 {
		return nil, true
	}
	// -1: the coding is not named; then the weight of * counts.
	zstd, gzip, identity, rest := -1.0, -1.0, -1.0, -1.0
	for _, line := range sent {
		for part := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(part, ";")
			weight := sse.Weight(params)
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, "zstd"):
				zstd = weight
			case strings.EqualFold(name, "gzip"), strings.EqualFold(name, "x-gzip"):
				gzip = weight
			case strings.EqualFold(name, "identity"):
				identity = weight
			case name == "*":
				rest = weight
			}
		}
	}
	or := func(weight, otherwise float64) float64 {
		if weight < 0 {
			return otherwise
		}
		return weight
	}
	plain = or(identity, or(rest, 1)) > 0
	zstd, gzip = or(zstd, max(rest, 0)), or(gzip, max(rest, 0))
	best := max(zstd, gzip)
	switch {
	case best == 0 || identity > best:
		return nil, plain
	case gzip == best:
		return gzipCoding, plain
	}
	return zstdCoding, plain
}

// compressible reports whether an answer is of a text type and may be transformed (RFC
// 9111, section 5.2.2.6).
func compressible(h http.Header) bool {
	media, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	switch {
	case strings.HasSuffix(media, "json"), strings.HasPrefix(media, "text/") && media != "text/event-stream", media == "image/svg+xml":
	default:
		return false
	}
	for _, line := range h["Cache-Control"] {
		if strings.Contains(line, "no-transform") {
			return false
		}
	}
	return true
}
