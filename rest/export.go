package rest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/bulk"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facts/sse"
)

// A list with Accept: text/csv or application/x-ndjson is a file of all its rows (docs/exchange.md). It
// is read page by page, each page under a timeout and an account of its own, and comes without a length. A
// failure after the first page cuts the connection, so that half of a file does not look whole.

// escapeParameter is the parameter of a file for spreadsheets.
const escapeParameter = "escape"

// fileFormat returns the format of the file that a list is asked for as; "" is JSON. Of types with
// equal weights the first one counts.
func fileFormat(op *catalog.Operation, accept []string) (format bulk.Format) {
	if op.Name != "list" || !op.Builtin {
		return ""
	}
	best := 0.0
	for _, line := range accept {
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

// cutEscape takes the parameter escape out of the parameters of a file.
func cutEscape(a *arguments, all []parameter) (rest []parameter, formulas bool) {
	for _, p := range all {
		if p.name != escapeParameter {
			rest = append(rest, p)
			continue
		}
		if formulas = len(p.values) == 1 && p.values[0] == "formulas"; !formulas {
			a.refuse(escapeParameter, "enum", "must be formulas, or be left out")
		}
	}
	return rest, formulas
}

// download is a list in the form of a file.
type download struct {
	w        http.ResponseWriter
	r        *http.Request
	timeout  time.Duration  // of a page; 0 or less: none
	budget   *budget.Budget // of a page
	caller   facade.Caller
	call     *facade.Call
	format   bulk.Format
	formulas bool
	begin    func(http.Header) // sends the headers, to which those of the file were added
	begun    bool
}

// serve sends the file. An error before begun is the call's; later it is the cause of half a file, or
// nil if the client has gone. whole says that the file was sent.
func (d *download) serve() (whole bool, err error) {
	control := http.NewResponseController(d.w)
	_ = control.SetReadDeadline(time.Time{}) // a writer without deadlines is not limited
	caller := facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		defer budget.AccountOf(ctx).End() // a slow client does not hold the place of an execution
		return d.caller.Call(ctx, c)
	})
	export := bulk.Export{Caller: caller, Call: d.call, Begin: func(ctx context.Context) (context.Context, func(), error) {
		return d.beginPage(ctx, control)
	}}
	w := bulk.NewWriter(d.w, d.format, d.call, d.formulas)
	var lost error // of the connection
	err = export.Run(d.r.Context(), func(page *rows.Rows) error {
		if !d.begun {
			d.begun = true
			d.begin(d.header())
		}
		if d.r.Method == http.MethodHead {
			return errHead
		}
		if lost = w.Rows(page); lost == nil {
			_ = control.Flush() // the client, and proxies on the way, see that it goes on
		}
		return lost
	})
	switch {
	case err == nil || errors.Is(err, errHead):
		return true, nil
	case lost != nil || d.begun && d.r.Context().Err() != nil:
		return false, nil
	}
	return false, err
}

// errHead ends an export after its headers.
var errHead = errors.New("a HEAD request takes the headers alone")

// pageGrace is how much longer than a page the connection accepts the writing of it.
const pageGrace = time.Minute

// beginPage begins the time and the account of one page.
func (d *download) beginPage(ctx context.Context, control *http.ResponseController) (context.Context, func(), error) {
	_ = control.SetWriteDeadline(time.Now().Add(max(d.timeout, 0) + pageGrace))
	return beginPart(ctx, d.timeout, d.budget)
}

// header adds the headers of the file.
func (d *download) header() http.Header {
	header, media := d.w.Header(), d.format.MediaType()
	if d.format == bulk.CSV {
		media += "; charset=utf-8; header=present"
	}
	header.Set("Content-Type", media)
	return header
}
