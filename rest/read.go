package rest

import (
	"errors"
	"mime"
	"net"
	"net/http"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/bulk"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The media types of request bodies; acceptPatch is the header Accept-Patch (RFC 5789).
const (
	mediaJSON   = "application/json"
	mediaPatch  = "application/merge-patch+json"
	acceptPatch = mediaPatch + ", " + mediaJSON
)

// read fills x.call from the request: the id in the path, the parameters, the body and the
// caller's state. The caller is identified before parameters are judged, so that an invalid
// credential is UNAUTHORIZED even if the request has other faults.
func (x *exchange) read() *kiterror.Error {
	x.call = facade.Call{Entity: x.op.Door.Name, Operation: x.op.Name}
	inv := &x.call.Invocation
	inv.Trace = x.r.Header.Get("Traceparent")
	x.form = takesForm(x)
	if x.upload = uploadFormat(x.op, x.r); x.r.Method == http.MethodPost && x.upload == "" && !x.form {
		// Also without a body: a form on another site can send an empty one to a command that
		// takes all of its input from the query string, but not with this type.
		if err := x.mediaType(); err != nil {
			return err
		}
	}
	state, wrong := x.identify()
	if wrong != nil {
		return kiterror.AsError(wrong)
	}
	inv.State = state
	parameters, err := parseQuery(x.r.URL.RawQuery)
	if err != nil {
		return err
	}
	a := arguments{op: x.op, pathID: x.match.hasID}
	if x.format = fileFormat(x.op, x.r.Header["Accept"]); x.format != "" {
		parameters, x.formulas = cutEscape(&a, parameters)
	}
	if x.upload == bulk.CSV {
		parameters, x.delimiter = cutDelimiter(&a, parameters)
	}
	// The id comes first, and no parameter may set params.id too (see home).
	if x.match.hasID {
		id := coerce(idShape(x.op), x.match.id)
		if x.op.Builtin {
			inv.ID = id
		} else { // one of the params that its card declares
			a.params.set("id", id)
		}
	}
	a.place(parameters)
	x.prefer(&a)
	x.call.Select = a.fields
	if err := a.refusal(); err != nil {
		return err
	}
	inv.Params, inv.Query, inv.Body = a.params.close(), a.query.close(), a.body.close()
	switch x.r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		if x.upload != "" || x.form {
			return nil // it is read while it is imported, or received
		}
		return readCallBody(x)
	}
	return nil
}

// readCallBody reads the body into x.call. A list in the body calls the operation for many
// rows.
func readCallBody(x *exchange) *kiterror.Error {
	body, err := x.readBody()
	if err != nil {
		return err
	}
	if x.op.Builtin && x.op.Patch && len(body) == 0 {
		const message = "must be an object of the fields to change, such as {}, which changes none"
		return kiterror.Invalid("the body "+message, schema.Detail{Path: ".", Pointer: "/body", Code: "type", Message: message})
	}
	if many := x.match.row.many; many != nil && x.r.Method == http.MethodPost && jsontext.KindOf(body) == jsontext.Array {
		x.op, x.call.Operation = many, many.Name
	}
	if len(body) > 0 { // an empty body is absent, which differs from the text null
		x.call.Invocation.Body = body
	}
	return nil
}

// idShape returns the shape that an id in the path is converted by; nil: it is text.
func idShape(op *catalog.Operation) *schema.Shape {
	if op.Params != nil {
		if p := op.Params.Property("id"); p != nil {
			return &p.Shape
		}
	}
	if e := op.Door.Entity; e != nil && e.Primary != nil {
		return &e.Primary.Shape
	}
	return nil
}

// readBody returns the body as checked JSON text (RFC 8259, UTF-8), or nil without a body. It
// fails with PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, BAD_REQUEST, or the refusal of the budget.
func (x *exchange) readBody() ([]byte, *kiterror.Error) {
	r := x.r
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	body, err := x.account.ReadAll(r.Body, r.ContentLength, x.handler.options.MaxBody)
	if err != nil {
		var slow net.Error
		var refused *kiterror.Error
		switch {
		case errors.As(err, &refused):
			x.w.Header().Set("Connection", "close") // what was not read is not drained either
			return nil, refused
		case errors.As(err, &slow) && slow.Timeout():
			return nil, kiterror.Errorf(kiterror.RequestTimeout, "the body did not arrive in time; send it again")
		}
		return nil, kiterror.Errorf(kiterror.BadRequest, "the body could not be read; send it again")
	}
	if len(body) == 0 {
		return nil, nil
	}
	if r.Method != http.MethodPost { // read has checked that of a POST
		if err := x.mediaType(); err != nil {
			return nil, err
		}
	}
	if err := jsontext.Check(body); err != nil {
		return nil, kiterror.Errorf(kiterror.BadRequest, "the body is not JSON as it should be: %s", err.Error())
	}
	return body, nil
}

// mediaType refuses a request whose Content-Type or Content-Encoding is not supported, with
// status 415. A patch of type application/merge-patch+json is applied as RFC 7396 says
// (docs/decisions/writes-and-versions.md); as application/json an open object is one value, nulls and all.
//
//	verb          Content-Type                                     without a body
//	POST          application/json                                 required too
//	PATCH, PUT    application/json, application/merge-patch+json   not looked at
//	GET, DELETE   not looked at, since no body is read
func (x *exchange) mediaType() *kiterror.Error {
	patch := x.r.Method == http.MethodPatch || x.r.Method == http.MethodPut
	send := mediaJSON
	if patch {
		send += " or " + mediaPatch
	}
	sent := x.r.Header.Get("Content-Type")
	encoding := x.r.Header.Get("Content-Encoding")
	if sent == mediaJSON && encoding == "" { // as nearly all clients send it
		return nil
	}
	media, params, err := mime.ParseMediaType(sent)
	charset, named := params["charset"]
	switch {
	case sent == "" && !patch:
		x.status = http.StatusUnsupportedMediaType
		return kiterror.Errorf(kiterror.BadRequest, "the command has no Content-Type; send Content-Type: %s, even without a body", send)
	case err != nil, media != mediaJSON && !(patch && media == mediaPatch), named && !strings.EqualFold(charset, "utf-8"):
		if patch {
			x.w.Header().Set("Accept-Patch", acceptPatch)
		}
		x.status = http.StatusUnsupportedMediaType
		return kiterror.Errorf(kiterror.BadRequest, "the Content-Type is not read here; send the body as %s in UTF-8", send)
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		x.w.Header().Set("Accept-Encoding", "identity") // RFC 9110, section 15.5.16
		x.status = http.StatusUnsupportedMediaType
		return kiterror.Errorf(kiterror.BadRequest, "the body is compressed; send it without a Content-Encoding")
	}
	x.call.Merge = patch && media == mediaPatch
	return nil
}
