package gateway

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// leastCompressed is the length from which an answer is compressed, in bytes.
const leastCompressed = 1 << 10

// compress sends answers compressed to those who take that. What is compressed is
// known before the first byte leaves: an answer of a text that says its length. One
// that does not is a stream, and leaves as it is written; so does what is packed
// already. The ETag stays: it names the row's version, however that is coded
// (decision 214).
func compress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &compressing{ResponseWriter: w, sent: r.Header["Accept-Encoding"], head: r.Method == http.MethodHead}
		next.ServeHTTP(c, r)
		c.finish() // after a panic it is not: half an answer must not look whole
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

// WriteHeader decides, the first time that it is no 1xx.
func (c *compressing) WriteHeader(status int) {
	if !c.decided && status >= http.StatusOK {
		c.decided = true
		c.decide(status)
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *compressing) decide(status int) {
	h := c.Header()
	switch status {
	case http.StatusNotModified:
		varyOn(h, "Accept-Encoding") // as the answer says that it stands for
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

// FlushError sends what was written so far, for an http.ResponseController.
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

// finish writes the end of what is compressed and gives the encoder back.
func (c *compressing) finish() {
	if !c.decided { // nothing was written, of a HEAD say: net/http sends the headers next
		c.decided = true
		c.decide(http.StatusOK)
	}
	if c.encoder == nil {
		return
	}
	_ = c.encoder.Close() // nobody is left to tell
	c.encoder.Reset(nil)  // it must not keep the connection
	c.coding.pool.Put(c.encoder)
	c.encoder = nil
}

// encoder is what both libraries' writers are.
type encoder interface {
	io.WriteCloser
	Flush() error
	Reset(io.Writer)
}

// coding is a way to compress. An encoder holds some hundred kilobytes, so they are
// kept and used again.
type coding struct {
	name []string // as a header
	pool sync.Pool
}

// Levels are those that cost least: what a client waits for is the whole of it.
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

// negotiate chooses by Accept-Encoding (RFC 9110, section 12.5.3): what is liked best,
// gzip among equals, since clients in use (the fetch of graphql-tools on node 20) name
// zstd and cannot read it; nil for no coding. plain says whether an answer without one is
// taken, as it is where nothing says otherwise.
func negotiate(sent []string) (chosen *coding, plain bool) {
	if len(sent) == 0 {
		return nil, true
	}
	// A weight of -1 was not named: then that of * counts, and for no coding 1 thousandth.
	zstd, gzip, identity, rest := -1, -1, -1, -1
	for _, line := range sent {
		for part := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(part, ";")
			weight := weightOf(params)
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
	or := func(weight, otherwise int) int {
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

// weightOf is the weight among a coding's parameters, in thousandths; 1000 where there
// is none, 0 where it cannot be read.
func weightOf(params string) int {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil || !(q >= 0 && q <= 1) {
				return 0
			}
			return int(q * 1000)
		}
	}
	return 1000
}

// compressible says whether an answer is of a text, and may be sent otherwise than it
// is (RFC 9111, section 5.2.2.6).
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
