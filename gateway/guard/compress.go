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

// encode chooses the coding of an answer by its headers, which are complete now. It is compressed for
// a client that accepts zstd or gzip, if it is of a text type and has a Content-Length. An answer
// without a length is a stream and leaves as it is written; so does one with a Content-Encoding. The
// ETag stays: it names the row's version, however the row is coded (docs/decisions/http-guards.md).
// An answer that depends on Accept-Encoding says so in Vary even if it is not compressed, for caches.
func (a *answer) encode(status int) {
	h := a.Header()
	switch status {
	case http.StatusNotModified:
		varyOn(h, "Accept-Encoding") // as on the answer that it replaces
		return
	case http.StatusNoContent, http.StatusPartialContent:
		return
	}
	if len(h["Content-Length"]) == 0 || len(h["Content-Encoding"]) > 0 || !compressible(h) {
		return
	}
	chosen, plain := negotiate(a.accepts)
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
	if !a.head {
		a.coding, a.encoder = chosen, chosen.pool.Get().(encoder) //nolint:forcetypeassert // the pool has nothing else
		a.encoder.Reset((*sent)(a))
	}
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
