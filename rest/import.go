package rest

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/bulk"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// The path of import takes a file of rows (docs/exchange.md), of any length: it is read and written batch
// by batch, each under a timeout and an account of its own. The limit of a body does not apply.
//
//	POST /api/catalog/products/import?by=sku    Content-Type: text/csv, application/x-ndjson
//	POST /api/catalog/products/import?by=sku&delimiter=tab    Content-Type: text/csv
//
// A list of at most a thousand rows as application/json is an ordinary call.

// uploadFormat returns the format of the file that a request sends, or "".
func uploadFormat(op *catalog.Operation, r *http.Request) bulk.Format {
	if op.Name != "import" || !op.IsMany() {
		return ""
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	for _, f := range [...]bulk.Format{bulk.CSV, bulk.NDJSON} {
		if media == f.MediaType() {
			return f
		}
	}
	return ""
}

// delimiterParameter is the parameter of a file of CSV.
const delimiterParameter = "delimiter"

// cutDelimiter takes the parameter delimiter out of the parameters of an uploaded file.
func cutDelimiter(a *arguments, all []parameter) (rest []parameter, delimiter byte) {
	for _, p := range all {
		if p.name != delimiterParameter {
			rest = append(rest, p)
			continue
		}
		if d, ok := bulk.ReadDelimiter(p.values[0]); ok && len(p.values) == 1 {
			delimiter = d
		} else {
			a.refuse(delimiterParameter, "enum", bulk.DelimiterRule)
		}
	}
	return rest, delimiter
}

// upload is an uploaded file of rows to import.
type upload struct {
	r       *http.Request
	control *http.ResponseController
	timeout time.Duration  // of a batch, and of a part of the body; 0 or less: none
	budget  *budget.Budget // of a batch
	caller  facade.Caller
	call    *facade.Call
	format  bulk.Format
	// delimiter is between cells of CSV. 0: the file shows it.
	delimiter byte
}

// serve imports the file.
func (u *upload) serve(card *catalog.Door) (*bulk.Report, error) {
	if encoding := u.r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, kiterror.Errorf(kiterror.BadRequest, "the body is compressed; send it without a Content-Encoding")
	}
	if words, _ := catalog.ReadWords(u.call.Invocation.Query, ""); words.Any() {
		return nil, kiterror.Errorf(kiterror.NotImplemented, "a file is written in parts, which are no transaction; send dryRun=true, or rehearse its rows as a JSON list")
	}
	i := bulk.Import{Caller: u.caller, Call: u.call, Card: card.Entity, Begin: u.beginBatch}
	rows := bulk.NewReader(u, u.format, card.Entity)
	rows.Delimiter = u.delimiter
	report, err := i.Run(u.r.Context(), rows)
	_ = u.control.SetWriteDeadline(time.Now().Add(pageGrace)) // a writer without deadlines is not limited
	return report, err
}

// Read reads the body. Each part of it has the time of a batch to arrive.
func (u *upload) Read(p []byte) (int, error) {
	if u.timeout > 0 {
		_ = u.control.SetReadDeadline(time.Now().Add(u.timeout))
	}
	n, err := u.r.Body.Read(p)
	var slow net.Error
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	case errors.As(err, &slow) && slow.Timeout():
		return n, kiterror.Errorf(kiterror.RequestTimeout, "the body came too slowly; send the file again, written rows stay")
	}
	return n, kiterror.Errorf(kiterror.BadRequest, "the body could not be read; send the file again, written rows stay")
}

// beginBatch begins the time and the account of one batch of so many bytes.
func (u *upload) beginBatch(ctx context.Context, size int) (context.Context, func(), error) {
	ctx, end, err := beginPart(ctx, u.timeout, u.budget)
	if err == nil {
		err = budget.AccountOf(ctx).Reserve(size)
		if err != nil {
			end()
		}
	}
	return ctx, end, err
}

// beginPart begins the time and the account of a part of a request whose parts are executions of their
// own. The work of its statements is bounded like a request's.
func beginPart(ctx context.Context, timeout time.Duration, of *budget.Budget) (context.Context, func(), error) {
	ctx, cancel := facade.WithRequest(ctx, nil, 0), context.CancelFunc(func() {})
	if timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
	}
	ctx, account, err := of.Open(ctx)
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
