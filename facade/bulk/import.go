package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// batchSize is the length of the rows of a batch in bytes: a batch ends with the row that reaches it, and
// with its thousandth row.
const batchSize = 4 << 20

// Import writes the rows of a file by their key, in batches. Each batch is a call of import, and one
// transaction.
type Import struct {
	Caller facade.Caller
	// Call is the call of import, for the caller of the import. Its query has by, and may have dryRun
	// and faults. It is not changed.
	Call *facade.Call
	// Card is the card of the rows.
	Card *schema.Entity
	// Begin returns the context of one batch, and what ends it. Nil: the batches have the context of
	// the import.
	Begin func(ctx context.Context, size int) (_ context.Context, end func(), _ error)
	// Progress is called after each batch. Nil: nobody watches.
	Progress func(*Report)
}

// Report says how far an import came.
type Report struct {
	Created, Updated int
	Rows             int  // that were read, the faulty ones included
	Complete         bool // the file was read to its end
	Faulty           int  // rows
	Faults           []Fault
}

// AppendJSON appends the report as the answer of an import.
func (r *Report) AppendJSON(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"created":`...), int64(r.Created), 10)
	dst = strconv.AppendInt(append(dst, `,"updated":`...), int64(r.Updated), 10)
	dst = strconv.AppendInt(append(dst, `,"rows":`...), int64(r.Rows), 10)
	dst = strconv.AppendBool(append(dst, `,"complete":`...), r.Complete)
	dst = jsontext.AppendList(append(dst, `,"faults":`...), r.Faults, func(dst []byte, f Fault) []byte {
		return facade.AppendRowFault(dst, "line", f.Line, f.Column, f.Code, f.Message)
	})
	return append(dst, '}')
}

// add adds a fault of a row.
func (r *Report) add(f *Fault) {
	r.Faulty++
	r.Faults = append(r.Faults, *f)
}

// Run reads the file to its end, or until so many rows are at fault as the query says. The report is
// never nil. The error of a batch ends the import: its details are the figures of the batches before it.
func (i *Import) Run(ctx context.Context, from *Reader) (*Report, error) {
	b := &batch{Import: i, report: &Report{}, most: catalog.UsualFaults, key: keyNamed(i.Card, jsontext.Get(i.Call.Invocation.Query, "by"))}
	if n, ok := schema.Integer(jsontext.Get(i.Call.Invocation.Query, "faults")); ok {
		b.most = int(n)
	}
	err := b.run(ctx, from)
	slices.SortStableFunc(b.report.Faults, func(a, c Fault) int { return a.Line - c.Line })
	if err != nil && b.report.Rows > 0 {
		e := *kiterror.AsError(err)
		if e.Details == nil {
			e.Details = map[string]any{"created": float64(b.report.Created), "updated": float64(b.report.Updated), "rows": float64(b.report.Rows)}
		}
		err = e.WithCause(err)
	}
	return b.report, err
}

// batch is an import under way, with the rows that are not written yet.
type batch struct {
	*Import
	report *Report
	most   int // faulty rows
	key    []*schema.Property
	values facade.Record // of the key of a row
	seen   keys

	columns []string // of a file with a header
	called  bool     // the columns and the rights of the caller are known to be in order

	text  []byte // a list of rows that is open
	lines []int  // of the rows
}

func (b *batch) run(ctx context.Context, from *Reader) error {
	for {
		row, line, fault, err := from.Next()
		if b.columns == nil {
			b.columns = from.header
		}
		if errors.Is(err, io.EOF) {
			if err := b.flush(ctx); err != nil {
				return err
			}
			b.report.Complete = b.report.Faulty < b.most
			return nil
		}
		switch {
		case err != nil:
			return err
		case fault == nil:
			fault = b.twice(row, line)
		}
		if fault != nil {
			b.report.Rows++
			b.report.add(fault)
			if fault.ends || b.report.Faulty >= b.most {
				return b.flush(ctx)
			}
			continue
		}
		if len(b.lines) == 0 {
			b.text = append(make([]byte, 0, cap(b.text)), '[') // the callee may keep that of the last batch
		}
		b.text = append(jsontext.Comma(b.text), row...)
		b.lines = append(b.lines, line)
		if len(b.lines) == catalog.MaxCreateMany || len(b.text) >= batchSize {
			if err := b.flush(ctx); err != nil || b.report.Faulty >= b.most {
				return err
			}
		}
	}
}

// twice is the fault of a row whose key another row of the file has.
func (b *batch) twice(row []byte, line int) *Fault {
	b.values = b.values[:0]
	for _, p := range b.key {
		b.values = append(b.values, schema.Member{Name: p.Name, Value: jsontext.Get(row, p.Name)})
	}
	name, whole := facade.UniqueKey(b.key, b.values)
	if !whole {
		return nil
	}
	first := b.seen.add(name, line)
	if first == 0 {
		return nil
	}
	return &Fault{
		Line: line, Column: b.key[0].Name, Code: "duplicate",
		Message: "is the key of line " + strconv.Itoa(first) + " too; leave one of the two lines out",
	}
}

// flush writes the rows of the batch.
func (b *batch) flush(ctx context.Context) error {
	switch {
	case len(b.lines) > 0:
		b.text = append(b.text, ']')
	case b.called:
		return nil
	default:
		b.text = []byte("[]")
	}
	var answer json.RawMessage
	for try := 0; ; try++ {
		var err error
		answer, err = b.call(ctx)
		if err == nil {
			break
		}
		if kiterror.CodeOf(err) != kiterror.ServiceUnavailable || b.report.Rows == 0 || try == maxPauses {
			return err
		}
		if !facade.Pause(ctx, firstPause<<try) { // nothing of the batch was written
			return ctx.Err()
		}
	}
	if err := b.read(answer); err != nil {
		return err
	}
	b.lines, b.called = b.lines[:0], true
	if b.Progress != nil {
		b.Progress(b.report)
	}
	return nil
}

// call writes the rows by one call.
func (b *batch) call(ctx context.Context) (json.RawMessage, error) {
	if b.Begin != nil {
		var end func()
		var err error
		if ctx, end, err = b.Begin(ctx, len(b.text)); err != nil {
			return nil, err
		}
		defer end()
	}
	call := *b.Call
	call.Invocation.Body = b.text
	call.Invocation.Query = b.query()
	res, err := b.Caller.Call(ctx, &call)
	if err != nil {
		return nil, err
	}
	return res.Value, nil
}

// query is that of a batch, which may have so many faulty rows as are left.
func (b *batch) query() json.RawMessage {
	out := strconv.AppendInt([]byte(`{"faults":`), int64(max(b.most-b.report.Faulty, 1)), 10)
	if b.columns != nil && !b.called {
		out = jsontext.AppendStrings(append(out, `,"columns":`...), b.columns)
	}
	for name, value := range jsontext.Members(b.Call.Invocation.Query) {
		if name != "faults" {
			out = append(jsontext.AppendName(append(out, ','), name), value...)
		}
	}
	return append(out, '}')
}

// read adds the answer of a batch to the report.
func (b *batch) read(answer json.RawMessage) error {
	var got struct {
		Created, Updated, Rows int
		Faults                 []struct {
			Row                   int
			Column, Code, Message string
		}
	}
	if err := json.Unmarshal(answer, &got); err != nil || got.Rows > len(b.lines) {
		return kiterror.Internal(errNoReport)
	}
	r := b.report
	r.Created, r.Updated, r.Rows = r.Created+got.Created, r.Updated+got.Updated, r.Rows+got.Rows
	last := -1
	for _, f := range got.Faults {
		if f.Row < 0 || f.Row >= len(b.lines) {
			return kiterror.Internal(errNoReport)
		}
		if f.Row != last {
			r.Faulty++
			last = f.Row
		}
		r.Faults = append(r.Faults, Fault{Line: b.lines[f.Row], Column: f.Column, Code: f.Code, Message: f.Message})
	}
	return nil
}

var errNoReport = errors.New("an import was not answered with its report")

// keyNamed returns the key that by names, as the façade reads it; nil: there is none.
func keyNamed(card *schema.Entity, by json.RawMessage) []*schema.Property {
	if card == nil || card.Primary == nil {
		return nil
	}
	return catalog.KeyNamed(catalog.UniqueKeys(card), by)
}
