package client

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"
)

// decompressor returns a function that reads the body of an answer with a Content-Encoding; nil: the body is as it is, or its coding is
// unknown here.
func decompressor(header http.Header) func(io.Reader) (io.Reader, error) {
	if header["Content-Encoding"] == nil {
		return nil
	}
	switch strings.ToLower(header.Get("Content-Encoding")) {
	case "gzip", "x-gzip":
		return func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	case "deflate":
		return inflate
	}
	return nil
}

// isCodedUnknown reports whether an answer has a coding that [decompressor] does not know.
func isCodedUnknown(header http.Header) bool {
	coding := header.Get("Content-Encoding")
	return coding != "" && !strings.EqualFold(coding, "identity") && decompressor(header) == nil
}

// inflate reads deflate as RFC 9110 has it, in the format of zlib, and as some hosts send it, without.
func inflate(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	if head, err := b.Peek(2); err == nil && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(b)
	}
	return flate.NewReader(b), nil
}
