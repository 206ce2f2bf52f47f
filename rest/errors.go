package rest

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// Every failure leaves through [exchange.fail], as one problem document:
//
//	HTTP/1.1 404 Not Found
//	Content-Type: application/problem+json
//
//	{"type":"about:blank","title":"Not Found","status":404,"detail":"there is no product with this id",
//	 "instance":"/api/catalog/products/p9","data":{…the KitError…}}
//
// The type is always about:blank, for which RFC 9457 section 4.2.1 makes title the name of the
// status; clients branch on data.code.

// errNoAnswer is the failure of a Caller that breaks its contract.
var errNoAnswer = errors.New("a caller answered neither a result nor an error")

// fail answers with a problem (RFC 9457): the status from the code table or x.status, the whole
// error in data (spec 4.2.6). It must be called before any other part of the response is sent.
func (x *exchange) fail(err error) {
	e := x.report(err)
	if x.op != nil {
		e = e.At(x.op.Door.Name, x.op.Name)
	}
	status := x.status
	if status == 0 {
		status = e.Code.Status()
	}
	header := x.w.Header()
	if challenge := e.Challenge(); challenge != "" {
		header.Set("WWW-Authenticate", challenge)
	}
	if after := e.RetryAfter(); after != "" {
		header.Set("Retry-After", after)
	}
	for _, of := range []string{"ETag", "Link", "Location", "Cache-Control", "Vary"} {
		header.Del(of) // set for the answer that is not sent
	}
	header["Content-Type"] = typeProblem
	// A failure may be temporary, and a cache may keep a 404 or 405 unless a header forbids it
	// (RFC 9110 section 15.1).
	header["Cache-Control"] = []string{"no-store"}
	buf := jsontext.TakeBuffer()
	defer buf.Release()
	buf.Text = appendProblem(buf.Text, e, status, x.r.URL.EscapedPath())
	x.send(status, buf.Text)
}

// appendProblem appends a problem with all members of RFC 9457 and data.
func appendProblem(dst []byte, e *kiterror.Error, status int, instance string) []byte {
	dst = append(dst, `{"type":"about:blank","title":`...)
	dst = jsontext.AppendString(dst, http.StatusText(status))
	dst = append(dst, `,"status":`...)
	dst = strconv.AppendInt(dst, int64(status), 10)
	dst = append(dst, `,"detail":`...)
	dst = jsontext.AppendString(dst, e.Message)
	dst = append(dst, `,"instance":`...)
	dst = jsontext.AppendString(dst, instance)
	dst = append(dst, `,"data":`...)
	dst = e.AppendJSON(dst)
	return append(dst, '}')
}

// report logs an internal err, and returns the error to send.
func (x *exchange) report(err error) *kiterror.Error {
	return kiterror.Report(x.ctx, x.handler.options.Log, err, x.r.Header.Get("Traceparent"))
}

// panicked answers a panic outside of the façade as INTERNAL_ERROR. http.ErrAbortHandler
// goes on to the server.
func (x *exchange) panicked(v any) {
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v)
	}
	err := kiterror.Panicked(v)
	if x.wrote {
		_ = x.report(err)
		panic(http.ErrAbortHandler) // cut the connection: half an answer must not look whole
	}
	x.fail(err)
}
