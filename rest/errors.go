package rest

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

var errNoAnswer = errors.New("a caller answered neither a result nor an error")

// fail answers with a problem (RFC 9457): the status from the code table, the
// whole error in data (spec 4.2.6).
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
		header.Del(of) // of the answer that is not given
	}
	header["Content-Type"] = typeProblem
	header["Cache-Control"] = []string{"no-store"}
	buf := jsontext.TakeBuffer()
	defer buf.Release()
	buf.Text = appendProblem(buf.Text, e, status, x.r.URL.EscapedPath())
	x.send(status, buf.Text)
}

// appendProblem appends the problem's members, all of them and no others.
func appendProblem(dst []byte, e *facade.Error, status int, instance string) []byte {
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

// report is err as it may leave this process.
func (x *exchange) report(err error) *facade.Error {
	return facade.Report(x.ctx, x.handler.options.Log, err, x.r.Header.Get("traceparent"))
}

// panicked answers a panic that no façade caught with a failure like any other.
func (x *exchange) panicked(v any) {
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v)
	}
	err := facade.Panicked(v)
	if x.wrote {
		_ = x.report(err)
		panic(http.ErrAbortHandler) // half an answer is not to look like a whole one
	}
	x.fail(err)
}
