package rest

import (
	"net/http"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// atomicPath is the path of calls as one transaction, below the base (docs/atomic.md).
const atomicPath = "/atomic"

// isAtomic reports whether the request is one of calls as one transaction.
func (x *exchange) isAtomic() bool {
	return x.handler.options.Atomic != nil && x.r.URL.EscapedPath() == x.handler.table.base+atomicPath
}

// serveAtomic answers POST /api/atomic: the body is that of rpc.atomic, the answer its result.
func (x *exchange) serveAtomic() error {
	const allow = http.MethodPost + ", " + http.MethodOptions
	switch x.r.Method {
	case http.MethodOptions:
		x.w.Header().Set("Allow", allow)
		x.send(http.StatusNoContent, nil)
		return nil
	case http.MethodPost:
	default:
		x.w.Header().Set("Allow", allow)
		return kiterror.Errorf(kiterror.MethodNotAllowed, "this path is served under %s", allow)
	}
	if err := x.mediaType(); err != nil {
		return err
	}
	var state access.State
	if of := x.handler.options.State; of != nil {
		var err error
		if state, err = of(x.r); err != nil {
			return err
		}
	}
	body, refused := x.readBody()
	if refused != nil {
		return refused
	}
	if err := x.account.Begin(); err != nil {
		return err
	}
	result, err := x.handler.options.Atomic(x.ctx, state, x.r.Header.Get("traceparent"), body)
	if err != nil {
		return err
	}
	x.account.Add(result.Size()) // the calls are committed: their answers are never refused
	x.w.Header()["Content-Type"] = typeJSON
	buf := jsontext.TakeBuffer()
	defer buf.Release()
	buf.Text = result.AppendJSON(buf.Text)
	x.send(http.StatusOK, buf.Text)
	return nil
}
