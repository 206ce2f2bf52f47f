package rest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/frondhost/frond/facade"
)

// Options of a Handler; nil is fine, and the zero value is the careful choice.
type Options struct {
	// Base is the path the Fronds stand under, as the client sees it; "": /api.
	Base string
	// State says who is calling. Nil: every caller is anonymous.
	State func(*http.Request) (facade.State, error)
	// MaxBody is how many bytes a body may have; 0: 1 MiB.
	MaxBody int64
	// Timeout is how long one request may take; 0: 30 s. Less than 0: no limit.
	Timeout time.Duration
	// Budget bounds what all requests hold and how many execute; nil: nothing does.
	Budget *facade.Budget
	// Log takes what is not told to callers; nil: slog.Default().
	Log *slog.Logger
}

// Handler answers requests under its base path. It is an http.Handler for
// everything below [Options.Base].
type Handler struct {
	table   *Table
	caller  facade.Caller
	options Options
}

// New is the REST surface of a catalog, whose calls caller answers. The error is
// schema.Faults: every path claimed twice.
func New(cat *facade.Catalog, caller facade.Caller, opts *Options) (*Handler, error) {
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
	var err error
	h.table, err = Derive(cat, h.options.Base)
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Table is the routes the handler matches against.
func (h *Handler) Table() *Table { return h.table }

// ServeHTTP finds the row of the path, reads the request into a call, calls, and
// writes the result.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if h.options.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, h.options.Timeout)
		defer cancel()
	}
	x := exchange{handler: h, w: w, r: r}
	var err error
	x.ctx, x.account, err = h.options.Budget.Open(ctx)
	defer x.account.Close()
	defer func() {
		if v := recover(); v != nil {
			x.panicked(v)
		}
	}()
	if err == nil {
		err = x.serve()
	}
	if err != nil {
		x.fail(err)
	}
}

// exchange is one request being answered.
type exchange struct {
	handler *Handler
	w       http.ResponseWriter
	r       *http.Request
	ctx     context.Context
	account *facade.Account // what the request holds; nil: nothing is bounded

	match match
	op    *facade.Operation
	call  facade.Call

	status  int    // of a failure, where its code alone does not tell; 0: it does
	applied string // the preference that is honoured: how the total is made
	wrote   bool   // the status has been sent
}

// serve answers the request or fails with what [exchange.fail] answers.
func (x *exchange) serve() error {
	h := x.handler
	m, missing := h.table.match(x.r.URL.EscapedPath())
	if missing != nil {
		return missing
	}
	x.match = m
	if x.r.Method == http.MethodOptions {
		x.w.Header().Set("Allow", m.row.allow)
		if m.row.operation(http.MethodPatch) != nil {
			x.w.Header().Set("Accept-Patch", acceptPatch)
		}
		x.send(http.StatusNoContent, nil)
		return nil
	}
	// spec 4.2.3: a path under another verb never falls through to a different operation
	if x.op = m.row.operation(x.r.Method); x.op == nil {
		x.w.Header().Set("Allow", m.row.allow)
		return facade.Errorf(facade.MethodNotAllowed, "this path is served under %s", m.row.allow)
	}
	if err := x.read(); err != nil {
		return err.At(x.op.Door.Name, x.op.Name)
	}
	if err := x.account.Begin(); err != nil {
		return err
	}
	x.call.If = x.precondition()
	x.call.Version = x.op.Cardinality == facade.One || x.op.Cardinality == facade.Maybe
	result, err := x.ask(&x.call)
	if err != nil {
		return err
	}
	return x.write(result)
}

// ask hands one call over.
func (x *exchange) ask(c *facade.Call) (*facade.Result, error) {
	result, err := x.handler.caller.Call(x.ctx, c)
	switch {
	case err != nil:
		return nil, err
	case result == nil:
		return nil, errNoAnswer
	}
	return result, nil
}
