package rest

import (
	"context"
	"encoding/json"
	"log/slog"
	"mime"
	"net/http"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/bulk"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Options configure a [Handler]. A nil pointer is the zero value, whose limits are on and
// for which every caller is anonymous.
type Options struct {
	// Base is the path in front of the Fronds, as clients see it; "" is /api, "/" is the root.
	Base string
	// State returns the caller's state, or an error to answer with, unchanged: UNAUTHORIZED for
	// invalid credentials. It is called once for each request, from many goroutines. Nil: every
	// caller is anonymous.
	State func(*http.Request) (access.State, error)
	// MaxBody is the limit of a request body in bytes; 0 or less is 1 MiB. A longer body is
	// PAYLOAD_TOO_LARGE.
	MaxBody int64
	// Timeout ends the context of a request, which then fails with GATEWAY_TIMEOUT; 0 is
	// 30 s, less than 0 no limit.
	Timeout time.Duration
	// Budget bounds the bytes that all requests hold and how many execute; beyond it a
	// request is SERVICE_UNAVAILABLE with Retry-After. Nil: no bound.
	Budget *budget.Budget
	// Atomic makes calls as one transaction (package facade/atomic); nil: there is no such path. sent
	// is the body of the request.
	Atomic func(ctx context.Context, state access.State, trace string, sent json.RawMessage) (*facade.Result, error)
	// Files are the files of rows; nil: no field holds any.
	Files Files
	// Streams are the settings of event streams. Without Facts the surface has no streams.
	// Their Timeout is the surface's.
	Streams StreamOptions
	// Log takes the causes of internal errors, which stay in the process; nil is
	// slog.Default().
	Log *slog.Logger
}

// Handler is the http.Handler of everything below [Options.Base]. It is safe for
// concurrent use. Use [New].
type Handler struct {
	table   *Table
	caller  facade.Caller
	options Options
	streams StreamOptions
	several bool // every path is that of [Handler.Streams]
}

// New returns the REST surface of a catalog. caller answers its calls, each under the
// context of its request. opts may be nil. The error is schema.Faults and lists every path
// that two operations or doors claim.
func New(cat *catalog.Catalog, caller facade.Caller, opts *Options) (*Handler, error) {
	h := &Handler{caller: caller}
	if opts != nil {
		h.options = *opts
	}
	if h.options.MaxBody <= 0 {
		h.options.MaxBody = 1 << 20
	}
	if h.options.Timeout == 0 {
		h.options.Timeout = 30 * time.Second
	}
	if h.options.Log == nil {
		h.options.Log = slog.Default()
	}
	h.streams = h.options.Streams
	h.streams.Timeout = h.options.Timeout
	var err error
	h.table, err = Derive(cat, h.options.Base)
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Table returns the routes that the handler serves.
func (h *Handler) Table() *Table { return h.table }

// ServeHTTP answers one request: it finds the row of the path, reads the request into a
// call, calls, and writes the result. Errors and panics are answered as problems.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := exchange{handler: h, w: w, r: r}
	defer x.end()
	if err := x.serve(); err != nil { //nolint:contextcheck // x has it
		x.fail(err)
	}
}

// begin starts the time of the request and opens its account.
func (x *exchange) begin() (err error) {
	x.ctx = x.r.Context()
	if limit := x.handler.options.Timeout; limit > 0 {
		x.ctx, x.cancel = budget.Within(x.ctx, limit, nil)
	}
	x.ctx, x.account, err = x.handler.options.Budget.Open(x.ctx)
	return err
}

// end answers a panic, closes the account and ends the context, in this order.
func (x *exchange) end() {
	if x.cancel != nil {
		defer x.cancel()
	}
	defer x.account.Close()
	if v := recover(); v != nil {
		x.panicked(v)
	}
}

// exchange is one request and its response.
type exchange struct {
	handler *Handler
	w       http.ResponseWriter
	r       *http.Request
	ctx     context.Context
	cancel  context.CancelFunc // ends ctx; nil: no limit
	account *budget.Account    // of the budget; nil: no bound

	// match, op and call are set in this order by serve and read; op is nil until a row and a
	// verb were found.
	match match
	op    *catalog.Operation
	call  facade.Call

	texts    [2]string   // values of ETag and Content-Length, which take no allocation of their own
	format   bulk.Format // of a list that is asked for as a file; "": JSON
	upload   bulk.Format // of a file of rows that is sent; "": none is
	form     bool        // the body is a form with files
	formulas bool        // cells of the file that look like formulas are escaped
	// delimiter is between cells of an uploaded file of CSV; 0: the file shows it.
	delimiter byte

	status  int    // of a failure whose code has another one in the table; 0: the table's
	applied string // the value of Preference-Applied
	wrote   bool   // the status was sent
}

// serve answers the request. If it returns an error, no part of a response was sent, and
// [exchange.fail] answers.
func (x *exchange) serve() error {
	if err := x.begin(); err != nil {
		return err
	}
	other, err := found(x)
	switch {
	case err != nil:
		return err
	case other != nil:
		return other()
	}
	if err := x.read(); err != nil {
		return err.At(x.op.Door.Name, x.op.Name)
	}
	if err := x.account.Begin(); err != nil {
		return err
	}
	switch {
	case x.wantsChanges():
		return x.serveChanges()
	case x.format != "":
		return x.serveExport()
	case x.upload != "":
		return serveImport(x)
	}
	x.call.If = x.precondition()
	x.call.Position = x.op.Cardinality == catalog.PageOf
	// The version is only used for an ETag, which only one row has.
	x.call.Version = x.op.Cardinality == catalog.One || x.op.Cardinality == catalog.Maybe
	var result *facade.Result
	if x.form {
		result, err = (&fileRequest{on: x}).callForm()
	} else {
		result, err = x.handler.caller.Call(x.ctx, &x.call)
	}
	if err == nil && result == nil {
		err = errNoAnswer
	}
	if err != nil {
		return err
	}
	return x.write(result)
}

// found finds the operation of the request, or the function that answers a request of another kind.
func found(x *exchange) (other func() error, err error) {
	h := x.handler
	if h.several {
		return x.serveStreams, nil
	}
	path := x.r.URL.EscapedPath()
	switch {
	case h.options.Atomic != nil && path == h.table.base+atomicPath:
		return x.serveAtomic, nil
	case h.options.Files != nil && path == h.table.base+filesPath:
		return (&fileRequest{on: x}).serveFiles, nil
	case h.options.Files != nil && h.table.IsAddress(x.r):
		return (&fileRequest{on: x}).serveAddress, nil
	}
	m, missing := h.table.match(path)
	if missing != nil {
		return nil, missing
	}
	x.match = m
	if m.fact != "" {
		return x.serveFact, nil
	}
	if m.alias != nil {
		if err := m.alias.Refusal(); err != nil {
			x.op = m.row.operation(x.r.Method)
			return nil, err
		}
	}
	if x.r.Method == http.MethodOptions {
		return func() error { return serveOptions(x) }, nil
	}
	// spec 4.2.3: a path under another verb never falls through to a different operation
	if x.op = m.row.operation(x.r.Method); x.op == nil {
		x.w.Header().Set("Allow", m.row.allow)
		return nil, kiterror.Errorf(kiterror.MethodNotAllowed, "this path is served under %s", m.row.allow)
	}
	if m.row.file != nil {
		return (&fileRequest{on: x, field: m.row.file}).serveFile, nil
	}
	return nil, nil
}

// serveExport answers a list whose call was read with a file of all its rows.
func (x *exchange) serveExport() error {
	x.account.Close() // each page has its own
	d := download{
		w: x.w, r: x.r, timeout: x.handler.options.Timeout, budget: x.handler.options.Budget, caller: x.handler.caller, call: &x.call, format: x.format, formulas: x.formulas,
		begin: func(header http.Header) {
			name := x.op.Door.Plural + "." + string(x.format)
			header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
			header["Cache-Control"], header["Vary"] = cacheControl, vary
			x.wrote = true
			x.deprecate()
			x.w.WriteHeader(http.StatusOK)
		},
	}
	whole, err := d.serve()
	if whole || !d.begun {
		return err
	}
	if err != nil {
		_ = x.report(err)
	}
	panic(http.ErrAbortHandler) // half of a file must not look whole
}

// serveImport writes the rows of a file, and answers with a report.
func serveImport(x *exchange) error {
	x.account.Close() // each batch has its own
	u := upload{
		r: x.r, control: http.NewResponseController(x.w), timeout: x.handler.options.Timeout, budget: x.handler.options.Budget,
		caller: x.handler.caller, call: &x.call, format: x.upload, delimiter: x.delimiter,
	}
	report, err := u.serve(x.op.Door)
	if err != nil || !report.Complete {
		x.w.Header().Set("Connection", "close") // the rest of the body is not drained
	}
	if err != nil {
		return err
	}
	x.w.Header()["Content-Type"] = typeJSON
	x.send(http.StatusOK, report.AppendJSON(nil))
	return nil
}

// serveOptions answers with the verbs of the path.
func serveOptions(x *exchange) error {
	x.w.Header().Set("Allow", x.match.row.allow)
	if x.match.row.operation(http.MethodPatch) != nil {
		x.w.Header().Set("Accept-Patch", acceptPatch)
	}
	x.send(http.StatusNoContent, nil)
	return nil
}

// atomicPath is the path of calls as one transaction, below the base (docs/atomic.md).
const atomicPath = "/atomic"

// serveAtomic answers POST /api/atomic: its body and its answer are rpc.atomic's params and
// result.
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
	state, err := x.identify()
	if err != nil {
		return err
	}
	parameters, wrong := parseQuery(x.r.URL.RawQuery)
	if wrong != nil {
		return wrong
	}
	for _, p := range parameters {
		const message = "is no parameter here; send calls in the body, and rehearse or approve beside them"
		return kiterror.Invalid(schema.Quoted(p.name)+" "+message, schema.Detail{Path: p.name, Pointer: "/query/" + p.name, Code: schema.UnknownKey, Message: message})
	}
	body, refused := x.readBody()
	if refused != nil {
		return refused
	}
	if err := x.account.Begin(); err != nil {
		return err
	}
	result, err := x.handler.options.Atomic(x.ctx, state, x.r.Header.Get("Traceparent"), body)
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
