package rest

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/bulk"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facts/sse"
)

// A list with Accept: text/csv or application/x-ndjson is a file of all its rows (docs/export.md). It
// is read page by page, each page under a timeout and an account of its own, and comes without a length. A
// failure after the first page cuts the connection, so that half of a file does not look whole.

// escapeParameter is the parameter of a file for spreadsheets.
const escapeParameter = "escape"

// fileFormat returns the format of the file that a list is asked for as; "" is JSON. Of types with
// equal weights the first one counts.
func (x *exchange) fileFormat() (format bulk.Format) {
	if x.op.Name != "list" || !x.op.Builtin {
		return ""
	}
	best := 0.0
	for _, line := range x.r.Header["Accept"] {
		for part := range strings.SplitSeq(line, ",") {
			media, params, _ := strings.Cut(part, ";")
			weight := sse.Weight(params)
			if weight <= best {
				continue
			}
			best, format = weight, ""
			for _, f := range [...]bulk.Format{bulk.CSV, bulk.NDJSON} {
				if strings.EqualFold(strings.TrimSpace(media), f.MediaType()) {
					format = f
				}
			}
		}
	}
	return format
}

// cutEscape takes the parameter escape out of those of a file.
func (x *exchange) cutEscape(a *arguments, all []parameter) (rest []parameter) {
	for _, p := range all {
		if p.name != escapeParameter {
			rest = append(rest, p)
			continue
		}
		if x.formulas = len(p.values) == 1 && p.values[0] == "formulas"; !x.formulas {
			a.refuse(escapeParameter, "enum", "must be formulas, or be left out")
		}
	}
	return rest
}

// serveExport answers a list whose call was read with a file.
func (x *exchange) serveExport() error {
	x.account.Close() // each page has its own
	control := http.NewResponseController(x.w)
	_ = control.SetReadDeadline(time.Time{}) // a writer without deadlines is not limited
	caller := facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		defer budget.AccountOf(ctx).End() // a slow client does not hold the place of an execution
		return x.handler.caller.Call(ctx, c)
	})
	export := bulk.Export{Caller: caller, Call: &x.call, Begin: func(ctx context.Context) (context.Context, func(), error) {
		return x.beginPage(ctx, control)
	}}
	w := bulk.NewWriter(x.w, x.format, &x.call, x.formulas)
	var lost error // of the connection
	err := export.Run(x.r.Context(), func(page *rows.Rows) error {
		if !x.wrote {
			x.beginFile()
		}
		if x.r.Method == http.MethodHead {
			return errHead
		}
		if lost = w.Rows(page); lost == nil {
			_ = control.Flush() // the client, and proxies on the way, see that it goes on
		}
		return lost
	})
	switch {
	case err == nil || errors.Is(err, errHead):
		return nil
	case !x.wrote:
		return err
	case lost == nil && x.r.Context().Err() == nil:
		_ = x.report(err)
	}
	panic(http.ErrAbortHandler)
}

// errHead ends an export after its headers.
var errHead = errors.New("a HEAD request has no body")

// pageGrace is how much longer than a page the connection accepts the writing of it.
const pageGrace = time.Minute

// beginPage begins the time and the account of one page. The work of its statements is bounded as
// that of a request.
func (x *exchange) beginPage(ctx context.Context, control *http.ResponseController) (context.Context, func(), error) {
	ctx, cancel := facade.WithRequest(ctx, nil, 0), context.CancelFunc(func() {})
	grace := pageGrace
	if limit := x.handler.options.Timeout; limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit)
		grace += limit
	}
	_ = control.SetWriteDeadline(time.Now().Add(grace))
	ctx, account, err := x.handler.options.Budget.Open(ctx)
	if err == nil {
		err = account.Begin()
	}
	end := func() {
		account.Close()
		cancel()
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	return ctx, end, nil
}

// beginFile sends the headers of a file.
func (x *exchange) beginFile() {
	header := x.w.Header()
	media := x.format.MediaType()
	if x.format == bulk.CSV {
		media += "; charset=utf-8; header=present"
	}
	header.Set("Content-Type", media)
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": x.op.Door.Plural + "." + string(x.format)}))
	header["Cache-Control"], header["Vary"] = cacheControl, vary
	x.wrote = true
	x.deprecate()
	x.w.WriteHeader(http.StatusOK)
}
