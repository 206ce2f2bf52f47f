package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// pageRows is how many rows are read at once. A door whose lists have a smaller limit gives fewer.
const pageRows = 500

// Export reads all rows of a list.
type Export struct {
	Caller facade.Caller
	// Call is the call of list, for the caller of the export. The limit of its query is the number of
	// rows of the file; without one the file has every row. It is not changed.
	Call *facade.Call
	// Begin returns the context of one page, and what ends the page when its rows are written. Nil:
	// the pages have the context of the export.
	Begin func(context.Context) (ctx context.Context, end func(), err error)
}

// check refuses a query of a list with keys that an export does not take.
func (e *Export) check() error {
	var details []schema.Detail
	refuse := func(name, code, message string) {
		details = append(details, schema.Detail{Path: name, Pointer: "/query/" + name, Code: code, Message: message})
	}
	for name, value := range jsontext.Members(e.Call.Invocation.Query) {
		switch name {
		case "before", "backward", "total", "count", "cursors":
			refuse(name, schema.UnknownKey, "has no meaning for an export; leave it out")
		case "limit":
			if n, ok := schema.Integer(value); !jsontext.IsNull(value) && (!ok || n < 0) {
				refuse(name, "type", "must be a whole number of at least 0")
			}
		}
	}
	if details != nil {
		return kiterror.Refused(details).At(e.Call.Entity, e.Call.Operation)
	}
	return nil
}

// Run reads the pages and hands each to page, also one without rows. Before the first page is handed
// on, an error says that the export was refused; later it says that the file is not whole. A later page
// that the budgets refuse is asked for again.
func (e *Export) Run(ctx context.Context, page func(*rows.Rows) error) error {
	if err := e.check(); err != nil {
		return err
	}
	p := pager{Export: e, size: pageRows, limit: -1}
	if n, ok := schema.Integer(jsontext.Get(e.Call.Invocation.Query, "limit")); ok {
		p.limit = n
	}
	for {
		more, err := p.next(ctx, page)
		if err != nil || !more {
			return err
		}
	}
}

// pager is an export under way.
type pager struct {
	*Export
	size  int64 // of a page
	limit int64 // how many rows are to come; negative: any number
	after string
	begun bool
}

// next reads one page and hands it on; more is false at the end.
func (p *pager) next(ctx context.Context, page func(*rows.Rows) error) (more bool, err error) {
	for try := 0; ; try++ {
		more, err = p.read(ctx, page)
		switch code := kiterror.CodeOf(err); {
		case code == kiterror.PayloadTooLarge && p.size > 1:
			p.size /= 2 // the rows are large
		case code == kiterror.ServiceUnavailable && p.begun && try < maxPauses:
			if !facade.Pause(ctx, firstPause<<try) {
				return false, ctx.Err()
			}
		default:
			return more, err
		}
	}
}

// The pauses before a page that the host had no room for is read again, each twice as long as the
// one before: 6.2 s altogether.
const (
	firstPause = 200 * time.Millisecond
	maxPauses  = 5
)

// read reads one page and hands it on.
func (p *pager) read(ctx context.Context, page func(*rows.Rows) error) (more bool, err error) {
	if p.Begin != nil {
		var end func()
		if ctx, end, err = p.Begin(ctx); err != nil {
			return false, err
		}
		defer end()
	}
	size := p.size
	if p.limit >= 0 {
		size = min(size, p.limit)
	}
	call := *p.Call
	call.Invocation.Query = p.query(size)
	call.Position, call.Version = false, false
	res, err := p.Caller.Call(ctx, &call)
	switch {
	case err != nil:
		return false, err
	case res == nil || res.Form != facade.FormPage:
		return false, kiterror.Internal(errNoPage)
	}
	n := int64(res.Rows.Len())
	if p.limit >= 0 {
		p.limit -= n
	}
	more = res.Page.HasMore && p.limit != 0
	was := p.after
	switch p.after = res.Page.EndCursor(); {
	case more && (n == 0 || p.after != "" && p.after == was):
		return false, kiterror.Internal(errStuck)
	case more && p.after == "":
		return false, kiterror.Errorf(kiterror.UnprocessableEntity, "this list has no cursors; send a limit of at most %d", n).At(p.Call.Entity, p.Call.Operation)
	}
	p.begun = true
	return more, page(res.Rows)
}

// Faults of a list, mostly of another host.
var (
	errNoPage = errors.New("a list was not answered with a page")
	errStuck  = errors.New("a list has more rows, and its cursor leads back to the same page")
)

// query is the query of the next page of so many rows.
func (p *pager) query(size int64) json.RawMessage {
	out := append(make([]byte, 0, 128+len(p.Call.Invocation.Query)), `{"total":false,"limit":`...)
	out = strconv.AppendInt(out, size, 10)
	for name, value := range jsontext.Members(p.Call.Invocation.Query) {
		if name == "limit" || p.begun && (name == "offset" || name == "after") {
			continue
		}
		out = append(jsontext.AppendName(append(out, ','), name), value...)
	}
	if p.begun {
		out = jsontext.AppendString(append(out, `,"after":`...), p.after)
	}
	return append(out, '}')
}
