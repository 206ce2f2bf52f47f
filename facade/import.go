package facade

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// import writes a batch of rows by their key, in one transaction (docs/exchange.md). Each row is judged
// as upsert judges it; one at fault is left out and reported, and the others are written:
//
//	{"created": 2, "updated": 1, "rows": 4, "complete": true,
//	 "faults": [{"row": 3, "column": "price", "code": "minimum", "message": "must be at least 0"}]}
//
// New rows are written by one statement. If it fails, each half of them is tried by itself, down to the
// row at fault.

// fault notes why a row is left out.
func (m *importing) fault(at int, err error) {
	m.faulty++
	e := kiterror.AsError(err)
	add := func(column, code, message string) {
		m.faults = AppendRowFault(jsontext.Comma(m.faults), "row", at, column, code, message)
	}
	details, _ := e.Details.([]schema.Detail)
	for _, d := range details {
		add(d.Path, d.Code, d.Message)
	}
	if len(details) == 0 {
		add("", string(e.Code), e.Message)
	}
}

// AppendRowFault appends a fault of an imported row as JSON. place names at: the row in its list, or its line.
func AppendRowFault(dst []byte, place string, at int, column, code, message string) []byte {
	dst = append(jsontext.AppendString(append(dst, '{'), place), ':')
	dst = append(strconv.AppendInt(dst, int64(at), 10), `,"column":`...)
	if column == "" || column == "." {
		dst = append(dst, "null"...)
	} else {
		dst = jsontext.AppendString(dst, column)
	}
	dst = jsontext.AppendString(append(dst, `,"code":`...), code)
	return append(jsontext.AppendString(append(dst, `,"message":`...), message), '}')
}

// isRowFault reports whether an error concerns one row, and not the whole batch.
func isRowFault(ctx context.Context, err error) bool {
	var race *raced
	if err == nil || errors.As(err, &race) || ctx.Err() != nil || kiterror.IsOutOfTime(err) || RequestOf(ctx).Exhausted() != nil {
		return false
	}
	switch kiterror.CodeOf(err) {
	case kiterror.ValidationFailed, kiterror.BadRequest, kiterror.Forbidden, kiterror.NotFound, kiterror.Conflict, kiterror.PreconditionFailed, kiterror.UnprocessableEntity:
		return true
	}
	return false
}

// admitImport judges the query, and each row as create judges it.
func admitImport(ctx context.Context, x *execution) error {
	in, m := &x.call.Invocation, &importing{most: catalog.UsualFaults, faults: []byte{'['}}
	x.many = &manyRows{imported: m}
	onlyKeys(&x.viewer, sentParams(&x.viewer, in), "/params", nil)
	admitRowQuery(x)
	admitBy(x, jsontext.Get(in.Query, "by"))
	if sent := jsontext.Get(in.Query, "dryRun"); sent != nil && !isNull(sent) {
		m.dry = readYes(&x.refusals, "dryRun", sent)
	}
	if sent := jsontext.Get(in.Query, "faults"); sent != nil && !isNull(sent) {
		if m.most = readCount(&x.refusals, "faults", sent); m.most == 0 && !x.full() {
			x.refuseQuery("faults", "minimum", "must be at least 1")
		}
	}
	if !admitRows(x) || len(x.details) > 0 || x.verdict != nil || x.runner.by == byRemote {
		return nil // a remote judges the rows
	}
	one := x.oneRow(x.needed(0), nil)
	if err := admitColumns(ctx, x, one, jsontext.Get(in.Query, "columns")); err != nil || len(x.details) > 0 {
		return err
	}
	one.nestable, m.named = x.nestable, map[string]*importRow{}
	for _, row := range jsontext.Elements(in.Body) {
		if m.faulty >= m.most {
			break
		}
		err := m.admit(ctx, x, one, row)
		if err != nil && kiterror.CodeOf(err) == kiterror.InternalError {
			return err
		}
		if err != nil {
			m.fault(m.read, err)
		}
		m.read++
	}
	return x.askReferences(ctx, len(m.rows), func(i int, p *schema.Property) json.RawMessage { return m.rows[i].value.Get(p.Name) })
}

// admitColumns refuses names that no row may have, as the judge refuses them in a row.
func admitColumns(ctx context.Context, x, one *execution, sent json.RawMessage) error {
	if sent == nil || isNull(sent) {
		return nil
	}
	names, ok := readNames(&x.refusals, "columns", "id,title", `["id", "title"]`, sent)
	if !ok {
		return nil
	}
	var row schema.Object
	for _, name := range names {
		row = append(row, schema.Member{Name: name, Value: json.RawMessage("null")})
	}
	one.refusals, one.call.Invocation.Body = refusals{}, row.AppendJSON(nil)
	if err := admitCreate(ctx, one); err != nil {
		return err
	}
	for _, d := range one.details {
		if i := slices.Index(names, d.Path); i >= 0 && (d.Code == schema.UnknownKey || d.Code == "read_only") {
			x.refuse(schema.Detail{Path: d.Path, Pointer: "/query/columns/" + strconv.Itoa(i), Code: d.Code, Message: d.Message})
		}
	}
	if len(x.details) > 0 || one.verdict == nil {
		return nil // a refused name comes before a refused row, as in a body
	}
	return one.verdict
}

// admit judges one row.
func (m *importing) admit(ctx context.Context, x, one *execution, body json.RawMessage) error {
	one.refusals, one.points, one.call.Invocation.Body = refusals{}, nil, body
	if err := admitCreate(ctx, one); err != nil {
		return err
	}
	r := &importRow{at: m.read}
	if len(one.details) == 0 {
		r.key, r.fixed = upsertKey(x, &one.refusals, one.body)
	}
	if err := one.refusal(); err != nil {
		return err
	}
	r.body, r.value = one.call.Invocation.Body, one.body
	r.name, _ = UniqueKey(x.many.by, r.key)
	if first := m.named[r.name]; first != nil {
		return kiterror.Errorf(kiterror.Conflict, "has the key of row %d; send one of the two", first.at)
	}
	m.named[r.name] = r
	m.rows = append(m.rows, r)
	return nil
}

// errUndone undoes the writes of a dry run.
var errUndone = errors.New("a dry run is undone")

// runImport writes the rows. A dry run is undone within the transaction, with the hooks that wait for its
// commit.
func runImport(ctx context.Context, x *execution) (*Result, error) {
	if err := transactional(x); err != nil {
		return nil, err
	}
	m := x.many.imported
	err := error(nil)
	if m.dry {
		undo := x.transaction.mark()
		err = x.host.transactor.Transact(ctx, func(ctx context.Context) error {
			if err := m.write(ctx, x); err != nil {
				return err
			}
			return errUndone
		})
		undo()
	} else {
		err = m.write(ctx, x)
	}
	if err != nil && !errors.Is(err, errUndone) {
		return nil, err
	}
	return m.result(), nil
}

// result is the answer.
func (m *importing) result() *Result {
	text := strconv.AppendInt([]byte(`{"created":`), int64(m.created), 10)
	text = strconv.AppendInt(append(text, `,"updated":`...), int64(m.updated), 10)
	text = strconv.AppendInt(append(text, `,"rows":`...), int64(m.read), 10)
	text = strconv.AppendBool(append(text, `,"complete":`...), m.faulty < m.most)
	text = append(append(append(text, `,"faults":`...), m.faults...), "]}"...)
	return &Result{Form: FormValue, Value: text}
}

// write creates the new rows of the batch and then updates the others.
func (m *importing) write(ctx context.Context, x *execution) error {
	own := *x
	own.sel = pick(x.oneRow(x.needed(0), nil), []string{}, nil)
	if err := m.find(ctx, &own, m.rows); err != nil {
		return err
	}
	var fresh, stored []*importRow
	for _, r := range m.rows {
		if r.id == nil {
			fresh = append(fresh, r)
		} else {
			stored = append(stored, r)
		}
	}
	if err := m.create(ctx, &own, fresh); err != nil {
		return err
	}
	if err := m.updateAll(ctx, &own, stored); err != nil {
		return err
	}
	return m.writeLate(ctx, &own)
}

// taken notes that a unique key of a row belongs to another row: it is written once more when the others are
// written, which may leave the key. It is a fault then. A row never leaves by, the key that rows are known by.
func (m *importing) taken(r *importRow, err error, by []*schema.Property) {
	if m.last || takenKeyOf(err) == nil || takes(err, by) {
		m.fault(r.at, err)
		return
	}
	r.taken = err
	m.late = append(m.late, r)
}

// writeLate writes the rows whose unique keys other rows had. Rows that want the key of a row that keeps it are at
// fault, so that the others can change places together.
func (m *importing) writeLate(ctx context.Context, x *execution) error {
	for {
		kept, err := m.keptKeys(ctx, x)
		if err != nil {
			return err
		}
		if len(kept) == 0 {
			break
		}
		m.late = slices.DeleteFunc(m.late, func(r *importRow) bool {
			if kept[r] {
				m.fault(r.at, r.taken)
			}
			return kept[r]
		})
	}
	m.last = true
	var fresh, stored []*importRow
	for _, r := range m.late {
		if r.id == nil {
			fresh = append(fresh, r)
		} else {
			stored = append(stored, r)
		}
	}
	done, err := m.changePlaces(ctx, x, stored)
	if err == nil && !done {
		err = m.updateAll(ctx, x, stored)
	}
	if err != nil {
		return err
	}
	return m.create(ctx, x, fresh)
}

// changePlaces writes stored rows one by one, and judges their unique keys at the end. If one of them is at fault,
// done is false and all are undone.
func (m *importing) changePlaces(ctx context.Context, x *execution, stored []*importRow) (done bool, err error) {
	if len(stored) == 0 {
		return true, nil
	}
	undo := x.transaction.mark()
	err = x.host.transactor.Transact(ctx, func(ctx context.Context) error {
		return x.judgedLate(ctx, func(late *LateKeys) error {
			for i, r := range stored {
				late.Next(i)
				if err := m.updateOne(ctx, x, r); err != nil {
					return err
				}
			}
			return nil
		}, func(_ int, err error) error { return err })
	})
	if err != nil {
		undo()
		if isRowFault(ctx, err) {
			err = nil
		}
		return false, err
	}
	m.updated += len(stored)
	return true, nil
}

// keptKeys are the late rows that want a key which a row keeps: a stored row that is not late, or an earlier late
// row.
func (m *importing) keptKeys(ctx context.Context, x *execution) (kept map[*importRow]bool, err error) {
	kept = map[*importRow]bool{}
	leaves := map[string]bool{}
	for _, r := range m.late {
		if r.id != nil {
			leaves[string(r.id)] = true
		}
	}
	for _, key := range x.door.Entity.Uniques {
		wanted, owner := map[string]*importRow{}, map[string]string{}
		for part := range slices.Chunk(m.late, mostCompound) {
			var records []Record
			for _, r := range part {
				if _, ok := UniqueKey(key, Record(r.value)); ok {
					records = append(records, Record(r.value))
				}
			}
			if len(records) == 0 {
				continue
			}
			stored, err := storedKeys(ctx, x, key, records)
			if err != nil {
				return nil, err
			}
			for _, one := range stored {
				name, _ := UniqueKey(key, one)
				owner[name] = string(one.Get(x.door.Entity.Primary.Name))
			}
		}
		for _, r := range m.late {
			name, ok := UniqueKey(key, Record(r.value))
			if !ok {
				continue
			}
			id, is := owner[name]
			if is && id != string(r.id) && !leaves[id] || wanted[name] != nil {
				kept[r] = true
			} else {
				wanted[name] = r
			}
		}
	}
	return kept, nil
}

// updateAll writes stored rows together. If one of them is at fault, each half of them is tried by itself,
// down to the row at fault.
func (m *importing) updateAll(ctx context.Context, x *execution, stored []*importRow) error {
	switch len(stored) {
	case 0:
		return nil
	case 1:
		return m.update(ctx, x, stored[0])
	}
	all := &rowBatch{x: x, op: x.needed(1), ids: make([]json.RawMessage, len(stored)), read: stored[0].fixed.Names()}
	for i, r := range stored {
		all.ids[i] = r.id
		if names := r.fixed.Names(); !slices.Equal(names, all.read) {
			all.read = slices.Compact(slices.Sorted(slices.Values(append(names, all.read...))))
		}
	}
	all.patch = func(i int, row rows.Row) json.RawMessage { return withoutFixed(stored[i].body, stored[i].fixed, row) }
	done, err := all.write(ctx)
	switch {
	case err != nil:
		return err
	case done:
		m.updated += len(stored)
		return nil
	}
	half := len(stored) / 2
	if err := m.updateAll(ctx, x, stored[:half]); err != nil {
		return err
	}
	return m.updateAll(ctx, x, stored[half:])
}

// find notes the primary keys of the stored rows, found by their keys without access rules.
func (m *importing) find(ctx context.Context, x *execution, batch []*importRow) error {
	by := x.many.by
	step := len(batch)
	if len(by) > 1 {
		step = mostCompound
	}
	for part := range slices.Chunk(batch, max(step, 1)) {
		keys := make([]Record, len(part))
		for i, r := range part {
			keys[i] = r.key
		}
		stored, err := storedKeys(ctx, x, by, keys)
		if err != nil {
			return err
		}
		for _, one := range stored {
			name, _ := UniqueKey(by, one)
			r := m.named[name]
			if len(part) == 1 {
				r = part[0] // the store compares in its own way
			}
			if r != nil {
				r.id = one.Get(x.door.Entity.Primary.Name)
			}
		}
	}
	return nil
}

// create writes new rows, and notes the faults of those that cannot be written.
func (m *importing) create(ctx context.Context, x *execution, fresh []*importRow) error {
	if len(fresh) == 0 {
		return nil
	}
	if len(fresh) > 1 && !m.atOnce(x) {
		for i := range fresh {
			if err := m.create(ctx, x, fresh[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	err := m.insert(ctx, x, fresh)
	switch {
	case err == nil:
		m.created += len(fresh)
		return nil
	case !isRowFault(ctx, err):
		return err
	case len(fresh) > 1:
		half := len(fresh) / 2
		if err := m.create(ctx, x, fresh[:half]); err != nil {
			return err
		}
		return m.create(ctx, x, fresh[half:])
	case !takes(err, x.many.by):
		one := x.oneRow(x.needed(0), fresh[0].body)
		m.taken(fresh[0], maskedConflict(ctx, &one.viewer, err), x.many.by)
		return nil
	}
	// The key has been taken since it was looked up, or the store compares it in its own way.
	if failed := m.find(ctx, x, fresh); failed != nil {
		return failed
	}
	if fresh[0].id == nil {
		return &raced{kiterror.AsError(err)}
	}
	return m.update(ctx, x, fresh[0])
}

// atOnce reports whether one statement writes new rows.
func (m *importing) atOnce(x *execution) bool { return x.atOnce(x.needed(0)) && x.nestable == nil }

// insert writes rows by one statement, or each by a call of create where a handler or hooks take part.
func (m *importing) insert(ctx context.Context, x *execution, fresh []*importRow) error {
	op := x.needed(0)
	if !m.atOnce(x) {
		_, err := x.callOne(ctx, op, Invocation{Body: fresh[0].body}, []string{})
		return err
	}
	own, all, one := *x, &manyRows{}, x.oneRow(op, nil)
	own.many = all
	texts := make([]json.RawMessage, len(fresh))
	for i, r := range fresh {
		texts[i] = r.body
	}
	ctx, err := withFiles(ctx, x, texts)
	if err != nil {
		return err
	}
	for i, r := range fresh {
		one.refusals, one.points, one.body, one.call.Invocation.Body = refusals{}, nil, r.value, r.body
		if err := all.complete(ctx, one, i); err != nil {
			return err
		}
		if all.unmet != nil {
			return errHidden(catalog.Created)
		}
	}
	all.terms.Points = pointsOf(all.terms.Points, len(fresh))
	_, err = insertRecords(ctx, &own)
	return rulesFirst(ctx, x, &all.terms, all.records, err)
}

// update writes a stored row.
func (m *importing) update(ctx context.Context, x *execution, r *importRow) error {
	err := m.updateOne(ctx, x, r)
	switch {
	case err == nil:
		m.updated++
	case isRowFault(ctx, err):
		m.taken(r, err, x.many.by)
	default:
		return err
	}
	return nil
}

// updateOne writes a stored row, by a call of update.
func (m *importing) updateOne(ctx context.Context, x *execution, r *importRow) error {
	own := *x
	own.many = &manyRows{by: x.many.by, body: r.body, fixed: r.fixed}
	_, err := updateKnown(ctx, &own, r.id)
	return err
}

// References of an import to rows of other hosts are asked about together, for all rows of a batch. Rows of this store know the
// answers when they are judged. From a batch that another host writes, the rows at fault are taken out, as the store would leave them
// out.

// importsElsewhere returns a runner that has another host import a batch by run, without the rows whose references across hosts lead
// nowhere.
func importsElsewhere(run func(context.Context, *execution) (*Result, error)) func(context.Context, *execution) (*Result, error) {
	return func(ctx context.Context, x *execution) (*Result, error) {
		all := jsontext.List(x.call.Invocation.Body)
		if err := x.askReferences(ctx, len(all), func(i int, p *schema.Property) json.RawMessage { return jsontext.Get(all[i], p.Name) }); err != nil {
			return nil, err
		}
		bad, err := x.dangling(ctx, all)
		if err != nil {
			return nil, err
		}
		if len(bad) == 0 {
			return run(ctx, x)
		}
		sent, places := []json.RawMessage{}, []int{}
		for i, row := range all {
			if bad[i] == nil {
				sent, places = append(sent, row), append(places, i)
			}
		}
		own, call := *x, *x.call
		call.Invocation.Body, _ = json.Marshal(sent)
		own.call = &call
		res, err := run(ctx, &own)
		if err != nil {
			return nil, err
		}
		return x.many.imported.joined(res.Value, len(all), places, bad)
	}
}

// joined is the answer for n rows of which a host has imported those at places, and has answered with text. bad are the others.
func (m *importing) joined(text json.RawMessage, n int, places []int, bad map[int]*schema.Property) (*Result, error) {
	var answer struct {
		Created, Updated, Rows int
		Complete               bool
		Faults                 []json.RawMessage
	}
	if json.Unmarshal(text, &answer) != nil || answer.Rows > len(places) {
		return nil, kiterror.Errorf(kiterror.BadGateway, "the host has answered something else than the outcome of an import")
	}
	faults := make([][]byte, n)
	for i, p := range bad {
		m.faults = []byte{'['}
		m.fault(i, kiterror.Dangling(p))
		faults[i] = m.faults[1:]
	}
	for _, text := range answer.Faults {
		row, ok := schema.Integer(jsontext.Get(text, "row"))
		if !ok || row < 0 || int(row) >= len(places) {
			return nil, kiterror.Errorf(kiterror.BadGateway, "the host names a row that it was not sent")
		}
		at := places[row]
		moved := schema.Rewrite(text, func(name string, value json.RawMessage) json.RawMessage {
			if name == "row" {
				return strconv.AppendInt(nil, int64(at), 10)
			}
			return value
		})
		if faults[at] == nil {
			m.faulty++
		} else {
			moved = append([]byte{','}, moved...)
		}
		faults[at] = append(faults[at], moved...)
	}
	m.created, m.updated, m.read, m.faults = answer.Created, answer.Updated, n, []byte{'['}
	if answer.Rows < len(places) {
		m.read = places[answer.Rows]
	}
	for _, one := range faults {
		if one != nil {
			m.faults = append(jsontext.Comma(m.faults), one...)
		}
	}
	if !answer.Complete {
		m.most = m.faulty
	}
	return m.result(), nil
}

// dangling returns the rows of a batch with a relation that leads to no row elsewhere, and the first such relation of each. A row may
// keep a reference that it has.
func (x *execution) dangling(ctx context.Context, all []json.RawMessage) (bad map[int]*schema.Property, err error) {
	bad = map[int]*schema.Property{}
	for _, p := range x.crossed() {
		for i, row := range all {
			text := jsontext.Get(row, p.Name)
			if bad[i] != nil || text == nil || isNull(text) {
				continue
			}
			if missing, asked := x.unknownTo(p.Link.Target, idsOf(p, text)); !asked || len(missing) == 0 {
				continue
			}
			has, err := x.hasReference(ctx, row, p, text)
			if err != nil {
				return nil, err
			}
			if !has {
				bad[i] = p
			}
		}
	}
	return bad, nil
}

// hasReference reports whether the stored row with the key of an imported one has a reference already.
func (x *execution) hasReference(ctx context.Context, row json.RawMessage, p *schema.Property, text json.RawMessage) (has bool, err error) {
	var key Record
	for _, by := range x.many.by {
		value := jsontext.Get(row, by.Name)
		if _, why := by.Kind.Value(value); value == nil || why != "" || !by.Readable() {
			return false, nil
		}
		key = append(key, schema.Member{Name: by.Name, Value: value})
	}
	err = x.host.rows(ctx, &x.viewer, x.door.Entity, []string{p.Name}, keyFilter(x.many.by, key), 1, func(found rows.Row) bool {
		was := found.Get(p.Name)
		has = !isNull(was) && subset(idsOf(p, text), idsOf(p, was))
		return false
	})
	return has, err
}
