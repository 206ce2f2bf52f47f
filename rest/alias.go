package rest

import (
	"net/http"
	"strconv"
	"strings"
)

// deprecate adds what a client of an old name has to know, whatever the answer is:
//
//	Deprecation: @1795305600                                       RFC 9745
//	Sunset: Tue, 01 Jun 2027 23:59:59 GMT                          RFC 8594
//	Link: </api/catalog/products/p1>; rel="successor-version"      RFC 5829
func (x *exchange) deprecate() {
	a := x.match.alias
	if a == nil {
		return
	}
	header := x.w.Header()
	header.Set("Deprecation", "@"+strconv.FormatInt(a.Since.Unix(), 10))
	header.Set("Sunset", a.Until.Format(http.TimeFormat))
	if to := x.successor(); len(to) <= maxHeader {
		header.Add("Link", "<"+to+`>; rel="successor-version"`)
	}
}

// successor is the path of the request under the door's own plural.
func (x *exchange) successor() string {
	rest := strings.TrimPrefix(x.r.URL.EscapedPath(), x.handler.table.base)
	for range 2 { // the Frond and the plural, which the match has found
		_, rest = cutSegment(rest)
	}
	return x.match.resource.path + rest
}
