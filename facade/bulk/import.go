package bulk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"hash/maphash"
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
	// Progress, if not nil, is called after each batch.
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
	b := &batch{Import: i, report: &Report{}, most: catalog.UsualFaults, size: catalog.MaxCreateMany, key: keyNamed(i.Card, jsontext.Get(i.Call.Invocation.Query, "by"))}
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

// batch is an import under way, with the unwritten rows. While one batch is written the rows of the
// next are read.
type batch struct {
	*Import
	report *Report
	most   int // faulty rows
	key    []*schema.Property
	values facade.Record // of the key of a row
	seen   keys

	columns []string // of a file with a header
	called  bool     // the columns and the rights of the caller are known to be in order

	text  []byte  // a list of rows that is open
	lines []int   // of the rows
	size  int     // the most rows of a batch
	ahead []ahead // rows at fault that were read for this batch

	// written delivers the answer of the batch before, whose rows have the lines sent; nil without such a
	// batch.
	written chan written
	sent    []int
}

// ahead is a fault that waits for the report. The batch had so many rows and bytes before it.
type ahead struct {
	fault      Fault
	rows, text int
}

// written is what became of a batch: an error may come after the answer of a part of it.
type written struct {
	answer
	err error
	// most is how many rows a call had time for; 0: all of them.
	most int
}

// answer is the answer to a call of import.
type answer struct {
	Created, Updated, Rows int
	Faults                 []rowFault
}

// rowFault is a fault of a row of a batch.
type rowFault struct {
	Row                   int
	Column, Code, Message string
}

// faulty returns how many rows are at fault.
func (a *answer) faulty() (n int) {
	last := -1
	for _, f := range a.Faults {
		if f.Row != last {
			n, last = n+1, f.Row
		}
	}
	return n
}

func (b *batch) run(ctx context.Context, from *Reader) error {
	done, err := b.readAll(ctx, from)
	if err == nil {
		err = b.flush(ctx)
	}
	if failed := b.wait(); err == nil { // what is being written is counted in any case
		err = failed
	}
	b.report.Complete = done && err == nil && b.report.Faulty < b.most
	return err
}

// readAll reads the file and writes its batches but the last. done says that it was read to its end; it is
// not where too many rows are at fault.
func (b *batch) readAll(ctx context.Context, from *Reader) (done bool, err error) {
	for b.report.Faulty+len(b.ahead) < b.most {
		row, line, fault, err := from.Next()
		if b.columns == nil {
			b.columns = from.header
		}
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, err
		case fault == nil:
			fault = b.twice(row, line)
		}
		if fault != nil {
			if b.ahead = append(b.ahead, ahead{*fault, len(b.lines), len(b.text)}); fault.ends {
				return false, nil
			}
			continue
		}
		if len(b.lines) == 0 {
			b.text = append(make([]byte, 0, cap(b.text)), '[') // the callee may keep that of the last batch
		}
		b.text = append(jsontext.Comma(b.text), row...)
		b.lines = append(b.lines, line)
		if len(b.lines) >= b.size || len(b.text) >= batchSize {
			if err := b.flush(ctx); err != nil {
				return false, err
			}
		}
	}
	return false, nil
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

// flush begins to write the rows of the batch, when the one before is written. Rows behind too many faults
// are not written.
func (b *batch) flush(ctx context.Context) error {
	if err := b.wait(); err != nil {
		return err
	}
	if b.report.Faulty >= b.most {
		return nil
	}
	for _, a := range b.ahead {
		b.report.Rows++
		if b.report.add(&a.fault); b.report.Faulty >= b.most {
			b.lines, b.text = b.lines[:a.rows], b.text[:a.text]
			break
		}
	}
	b.ahead = b.ahead[:0]
	switch {
	case len(b.lines) > 0:
		b.text = append(b.text, ']')
	case b.called:
		return nil
	default:
		b.text = []byte("[]")
	}
	call := *b.Call
	call.Invocation.Body, call.Invocation.Query = b.text, b.query(b.most-b.report.Faulty, b.columns != nil && !b.called)
	first, done := b.report.Rows == 0, make(chan written, 1)
	rows := len(b.lines)
	go func() { done <- b.send(ctx, &call, rows, first) }()
	b.written, b.sent, b.lines = done, b.lines, b.sent[:0]
	return nil
}

// wait waits for the batch that is being written, and adds its answer to the report.
func (b *batch) wait() error {
	if b.written == nil {
		return nil
	}
	w := <-b.written
	b.written = nil
	if w.most > 0 {
		b.size = w.most
	}
	if err := b.add(&w.answer); err != nil {
		return err
	}
	if w.err != nil {
		return w.err
	}
	b.called = true
	if b.Progress != nil {
		b.Progress(b.report)
	}
	return nil
}

// send writes a batch of so many rows. Unless it is the first one, it waits a while for a store that cannot be
// reached. Where a call runs out of time, each half of its rows is written by itself.
func (b *batch) send(ctx context.Context, call *facade.Call, rows int, first bool) (w written) {
	for try := 0; ; try++ {
		w.answer, w.err = b.call(ctx, call)
		switch {
		case w.err == nil:
			return w
		case kiterror.IsOutOfTime(w.err) && rows > 1 && ctx.Err() == nil:
			return b.halves(ctx, call, rows)
		case kiterror.CodeOf(w.err) != kiterror.ServiceUnavailable || first || try == maxPauses:
			return w
		}
		if !facade.Pause(ctx, firstPause<<try) { // nothing of the batch was written
			return written{err: ctx.Err()}
		}
	}
}

// halves writes each half of the rows of a call that wrote no rows.
func (b *batch) halves(ctx context.Context, call *facade.Call, rows int) (w written) {
	half, most := rows/2, catalog.UsualFaults
	if n, ok := schema.Integer(jsontext.Get(call.Invocation.Query, "faults")); ok {
		most = int(n)
	}
	parts, i := [2][]byte{{'['}, {'['}}, 0
	for _, row := range jsontext.Elements(call.Invocation.Body) {
		part := &parts[0]
		if i >= half {
			part = &parts[1]
		}
		*part = append(jsontext.Comma(*part), row...)
		i++
	}
	for i, size := range [2]int{half, rows - half} {
		own := *call
		own.Invocation.Body = append(parts[i], ']')
		if i == 1 {
			own.Invocation.Query = b.query(most-w.faulty(), false)
		}
		part := b.send(ctx, &own, size, i == 0)
		if w.most == 0 || part.most > 0 && part.most < w.most {
			w.most = cmp.Or(part.most, size)
		}
		for _, f := range part.Faults {
			f.Row += w.Rows
			w.Faults = append(w.Faults, f)
		}
		w.Created, w.Updated, w.Rows = w.Created+part.Created, w.Updated+part.Updated, w.Rows+part.Rows
		if w.err = part.err; w.err != nil || part.Rows < size || w.faulty() >= most {
			break
		}
	}
	return w
}

// call writes the rows by one call.
func (b *batch) call(ctx context.Context, call *facade.Call) (a answer, err error) {
	if b.Begin != nil {
		var end func()
		if ctx, end, err = b.Begin(ctx, len(call.Invocation.Body)); err != nil {
			return a, err
		}
		defer end()
	}
	res, err := b.Caller.Call(ctx, call)
	if err != nil {
		return a, err
	}
	if json.Unmarshal(res.Value, &a) != nil {
		return answer{}, kiterror.Internal(errNoReport)
	}
	return a, nil
}

// query is the query of a batch, which may have so many faulty rows. columns says that it has the
// columns.
func (b *batch) query(faults int, columns bool) json.RawMessage {
	out := strconv.AppendInt([]byte(`{"faults":`), int64(max(faults, 1)), 10)
	if columns {
		out = jsontext.AppendStrings(append(out, `,"columns":`...), b.columns)
	}
	for name, value := range jsontext.Members(b.Call.Invocation.Query) {
		if name != "faults" {
			out = append(jsontext.AppendName(append(out, ','), name), value...)
		}
	}
	return append(out, '}')
}

// add adds the answer of a batch to the report.
func (b *batch) add(a *answer) error {
	if a.Rows > len(b.sent) {
		return kiterror.Internal(errNoReport)
	}
	r := b.report
	r.Created, r.Updated, r.Rows, r.Faulty = r.Created+a.Created, r.Updated+a.Updated, r.Rows+a.Rows, r.Faulty+a.faulty()
	for _, f := range a.Faults {
		if f.Row < 0 || f.Row >= len(b.sent) {
			return kiterror.Internal(errNoReport)
		}
		r.Faults = append(r.Faults, Fault{Line: b.sent[f.Row], Column: f.Column, Code: f.Code, Message: f.Message})
	}
	return nil
}

var errNoReport = errors.New("an import was not answered with its report")

// keyNamed returns the key that by names, as the façade reads it, or nil.
func keyNamed(card *schema.Entity, by json.RawMessage) []*schema.Property {
	if card == nil || card.Primary == nil {
		return nil
	}
	return catalog.KeyNamed(catalog.UniqueKeys(card), by)
}

// keys knows the lines of the keys of the last rows of a file: of at least a million of them, in some
// 75 MB at most. Keys are known by a hash of 64 bits.
type keys struct {
	seed       maphash.Seed
	now, older map[uint64]uint32
}

// mostKeys are the keys of one map.
const mostKeys = 1 << 20

// add adds the key of a line, and returns the line that has it already, or 0.
func (k *keys) add(key string, line int) (first int) {
	if k.now == nil {
		k.seed, k.now = maphash.MakeSeed(), map[uint64]uint32{}
	}
	hash := maphash.String(k.seed, key)
	if known := cmp.Or(k.now[hash], k.older[hash]); known != 0 {
		return int(known)
	}
	if len(k.now) == mostKeys {
		k.older, k.now = k.now, map[uint64]uint32{}
	}
	k.now[hash] = uint32(line)
	return 0
}
