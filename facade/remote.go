package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// away says whether the door's operations run at a remote (spec 1.6). The path is
// the same one: found, scoped and judged here, run there, projected here. The
// boundary is crossed there, so that nothing is decoded, filled or encoded here.
func (t *trip) away() bool { return t.door != nil && t.door.Frond != nil && t.door.Frond.Remote != "" }

// runAway hands the admitted call to whoever carries calls to the door's Frond.
// What leaves is what the caller sent, save for what this host's collectors add.
func (t *trip) runAway(ctx context.Context) (*Result, error) {
	carrier, err := t.carrier(t.door)
	if err != nil {
		return nil, err
	}
	if t.op.builtin == nil {
		return t.namedAway(ctx, carrier)
	}
	switch t.op.Name {
	case "list":
		return t.received(t.listAway(ctx, carrier))
	case "findById", "findByIds":
		return t.received(t.findAway(ctx, carrier))
	}
	switch err := t.seenAway(ctx, carrier); {
	case t.op.Name == "delete" && CodeOf(err) == NotFound:
		return &Result{Form: FormValue, Value: json.RawMessage("false")}, nil
	case err != nil:
		return nil, t.veiledAway(err)
	}
	if t.op.Name == "create" {
		return t.received(t.createAway(ctx, carrier))
	}
	return t.received(carrier.Call(ctx, t.sent(t.call.Invocation)))
}

// createAway sends a new row with what the collector here sets. A remote that sets
// such a field itself refuses it from anybody, before it does anything: then that is
// remembered, and the row sent without.
func (t *trip) createAway(ctx context.Context, carrier Caller) (*Result, error) {
	in := t.call.Invocation
	body, stamps := t.stampedBody(in.Body)
	in.Body = body
	res, err := carrier.Call(ctx, t.sent(in))
	if err == nil || len(stamps) == 0 || CodeOf(err) != ValidationFailed {
		return res, err
	}
	details, _ := AsError(err).Details.([]schema.Detail)
	for _, d := range details {
		if !slices.Contains(stamps, d.Path) || d.Code != schema.ReadOnly && d.Code != schema.UnknownKey {
			return nil, err // something else is wrong as well
		}
	}
	for _, d := range details {
		t.door.stamped.Store(d.Path, true)
	}
	in.Body, _ = t.stampedBody(t.call.Invocation.Body)
	return carrier.Call(ctx, t.sent(in))
}

// stamped are the fields that a remote turned out to set itself, by name.
type stamped struct{ sync.Map }

// stampedBody is a body with what the collector here sets, and the names of that: all
// but what the remote sets itself.
func (t *trip) stampedBody(body json.RawMessage) (json.RawMessage, []string) {
	var out schema.Object
	for name, value := range jsontext.Members(body) {
		out = append(out, schema.Member{Name: name, Value: value})
	}
	var stamps []string
	for _, m := range t.see.Set {
		if _, there := t.door.stamped.Load(m.Name); !there {
			out, stamps = append(out, m), append(stamps, m.Name)
		}
	}
	if stamps == nil {
		return body, nil
	}
	return appendObject(nil, out), stamps
}

// foreseen is what is known of a row before the remote creates it: what is sent, what
// is set, and what the card says of fields that are left out. An id or a time that is
// made there is not known.
func (t *trip) foreseen() Record {
	var out Record
	for _, p := range t.door.Entity.Fields {
		value := t.body.Get(p.Name)
		if set := t.see.Set.Get(p.Name); set != nil {
			value = set
		}
		switch rule := p.Axes.Create; {
		case !p.Stored || value != nil:
		case rule == nil && p.Link != nil && p.Link.Many:
			value = json.RawMessage("[]")
		case rule == nil:
		case rule.Value != nil:
			value = rule.Value
		case rule.Optional:
			value = json.RawMessage("null")
		}
		if p.Stored && value != nil {
			out = append(out, schema.Member{Name: p.Name, Value: value})
		}
	}
	return out
}

// carrier is who carries calls to the Frond of a door.
func (t *trip) carrier(door *Door) (Caller, error) {
	c := t.facade.remotes[door.Frond.Name]
	if c == nil {
		return nil, Errorf(ServiceUnavailable, "%s runs elsewhere, and nothing carries calls there", door.Frond.Name)
	}
	if t.told != nil {
		c = explainedCarrier{c, t.told, door.Frond.Remote}
	}
	return c, nil
}

// namedAway answers an operation of the author's. Where a collector here leaves some
// rows only, one that is named by its id is asked about before, and those that come
// back are asked about afterwards: what they are is told by their primary keys.
func (t *trip) namedAway(ctx context.Context, carrier Caller) (*Result, error) {
	if id := jsontext.Get(t.params, "id"); id != nil && t.see.Rows != nil {
		if missing, err := t.unseen(ctx, t.door.Entity, t.see, []json.RawMessage{id}); err != nil || len(missing) > 0 {
			if err == nil {
				err = Errorf(NotFound, "there is no %s with this id", t.door.Name)
			}
			return nil, err
		}
	}
	res, err := carrier.Call(ctx, t.sent(t.call.Invocation))
	if err != nil || t.op.outDoor == nil || t.seeOut.Rows == nil || res.Rows.Len() == 0 {
		return t.received(res, err)
	}
	return t.received(t.shownAway(ctx, res))
}

// shownAway is a remote's answer without the rows that a collector here hides.
func (t *trip) shownAway(ctx context.Context, res *Result) (*Result, error) {
	e := t.op.outDoor.Entity
	ids := make([]json.RawMessage, res.Rows.Len())
	for i := range ids {
		if ids[i] = res.Rows.Row(i).Get(e.Primary.Name); ids[i] == nil {
			return nil, Errorf(NotImplemented, "%s answers rows without %s, and what you may see of them cannot be told apart without it", t.where(), e.Primary.Name)
		}
	}
	missing, err := t.unseen(ctx, e, t.seeOut, ids)
	if err != nil {
		return nil, err
	}
	out := *res
	out.Page = Page{Total: -1, HasMore: res.HasMore} // what is said of the others is not theirs to know
	out.Rows = NewRows(res.Rows.layout, res.Rows.Len())
	for i, id := range ids {
		if !slices.ContainsFunc(missing, func(m json.RawMessage) bool { return string(m) == string(id) }) {
			out.Rows.copyRow(res.Rows.Row(i))
		}
	}
	if !res.HasMore {
		out.Total = int64(out.Rows.Len())
	}
	if out.Rows.Len() == 0 && t.op.Cardinality == One {
		return nil, Errorf(NotFound, "there is no %s like this", t.op.outDoor.Name)
	}
	return &out, nil
}

// listAway answers list, once or for every key of a batch.
func (t *trip) listAway(ctx context.Context, carrier Caller) (*Result, error) {
	if t.see.Rows != nil || t.each != nil {
		if err := t.door.filtered(t.see.Rows); err != nil {
			return nil, err
		}
	}
	in := t.call.Invocation
	in.Query = t.awayQuery()
	call := t.sent(in)
	if t.each != nil {
		if len(t.each.values) == 0 {
			return &Result{Form: FormPage, Rows: NewRows(t.sel.stored, 0), Page: Page{Total: -1}}, nil
		}
		call.Each = &Each{Field: t.each.field.Name, Keys: t.each.values}
	}
	return carrier.Call(ctx, call)
}

// sent is the call as it leaves: in the door's own spelling, for the same caller,
// asking for what is going to be read.
func (t *trip) sent(in Invocation) *Call {
	in.State = t.state
	return &Call{Entity: t.door.Name, Operation: t.op.Name, Invocation: in, Select: t.awaySelect(), Cursors: t.call.Cursors, Partial: t.call.Partial}
}

// awaySelect is what is asked for of rows: the fields that are read, and the
// computed ones that are made there. nil is all of them.
func (t *trip) awaySelect() []string {
	if t.sel == nil || t.call.Select == nil && t.list.fields == nil {
		return nil
	}
	var names []string
	for _, p := range t.sel.props {
		if p.Readable() {
			names = append(names, p.Name)
		}
	}
	for _, c := range t.sel.computed {
		if c.elsewhere {
			names = append(names, c.Name)
		}
	}
	return names
}

// awayQuery is list's query as it leaves. The filter is the judged one, with what the
// collectors here add of the door's rows and of those behind relations; the limit is
// ours, whatever the remote's own is.
func (t *trip) awayQuery() json.RawMessage {
	var out schema.Object
	for name, value := range jsontext.Members(t.call.Invocation.Query) {
		switch {
		case jsontext.IsNull(value), name == "filter", name == "limit", name == "fields":
		case t.op.Takes(name):
			out = append(out, schema.Member{Name: name, Value: value})
		}
	}
	if (t.call.Cursors || t.call.Behind) && !t.list.edges && t.op.Takes("cursors") {
		out = append(out, schema.Member{Name: "cursors", Value: json.RawMessage("true")})
	}
	if f := both(t.see.Rows, t.list.filter); f != nil {
		out = append(out, schema.Member{Name: "filter", Value: f.appendJSON(nil)})
	}
	return appendObject(nil, append(out, schema.Member{Name: "limit", Value: strconv.AppendInt(nil, int64(t.list.limit), 10)}))
}

// findAway answers findById, one row or a batch, and findByIds.
func (t *trip) findAway(ctx context.Context, carrier Caller) (*Result, error) {
	if t.each == nil {
		res, err := t.fetchAway(ctx, carrier, t.door, t.see.Rows, t.awaySelect(), t.id)
		if err == nil {
			res.Groups = nil
		}
		return res, err
	}
	res := &Result{}
	if len(t.each.values) > 0 {
		var err error
		if res, err = t.fetchAway(ctx, carrier, t.door, t.see.Rows, t.awaySelect(), t.each.values...); err != nil {
			return nil, err
		}
	} else {
		res.Rows = NewRows(t.sel.stored, 0)
	}
	if t.op.Name == "findByIds" { // each distinct id is answered once, in the order they were sent
		return &Result{Form: FormRows, Rows: inOrder(res.Rows, res.Groups)}, nil
	}
	out := &Result{Form: FormRow, Rows: res.Rows, Groups: make([]Group, len(t.each.order))}
	t.spread(out.Groups, res.Groups)
	return out, nil
}

// spread puts the answers to the distinct keys where the keys were asked.
func (t *trip) spread(groups, distinct []Group) {
	for i, at := range t.each.order {
		if at >= 0 && at < len(distinct) {
			groups[i] = distinct[at]
		}
	}
}

// fetchAway asks a remote for rows by their ids, a group for every one of them. Where
// a condition leaves some rows only, the rows are listed: it goes along.
func (t *trip) fetchAway(ctx context.Context, carrier Caller, door *Door, rows *Filter, sel []string, ids ...json.RawMessage) (*Result, error) {
	call := &Call{
		Entity: door.Name, Operation: "findById", Select: sel,
		Invocation: Invocation{State: t.state, Trace: t.call.Invocation.Trace},
		Each:       &Each{Field: door.Entity.Primary.Name, Keys: ids},
	}
	switch {
	case rows != nil:
		if err := door.filtered(rows); err != nil {
			return nil, err
		}
		call.Operation = "list"
		call.Invocation.Query = appendObject(nil, schema.Object{
			{Name: "filter", Value: rows.appendJSON(nil)}, {Name: "limit", Value: json.RawMessage("1")},
		})
	case len(ids) == 1:
		call.Each = nil
		call.Invocation.Params = appendObject(nil, schema.Object{{Name: "id", Value: ids[0]}})
	}
	res, err := carrier.Call(ctx, call)
	if err != nil {
		return nil, err
	}
	out := &Result{Form: FormRow, Rows: res.Rows, Groups: res.Groups}
	if out.Groups == nil {
		out.Groups = []Group{{To: res.Rows.Len()}}
	}
	return out, nil
}

// filtered is why a remote cannot be asked for some of its rows only, or nil where it
// can: its list takes a filter, and no field of it is closed outward there.
func (d *Door) filtered(rows *Filter) error {
	if op := d.Operation("list"); op == nil || !op.Takes("filter") {
		return Errorf(NotImplemented, "the list of %s takes no filter where it runs, and what you may see of it cannot be told apart without one", d.Name)
	}
	if p := rows.closed(); p != nil {
		return Internal(fmt.Errorf("the collector of %s goes by %s.%s, which is closed outward: where it runs nobody can ask by it", d.Name, p.Owner.Name, p.Name))
	}
	return nil
}

// closed is a field of a condition that is closed outward, or nil.
func (f *Filter) closed() *schema.Property {
	if f == nil {
		return nil
	}
	if f.Field != nil && !f.Field.Readable() {
		return f.Field
	}
	if f.Link != nil && !f.Link.Field.Readable() {
		return f.Link.Field
	}
	for _, sub := range f.Sub {
		if p := sub.closed(); p != nil {
			return p
		}
	}
	return nil
}

// seenAway refuses to change a row that a collector here hides, or to write one that
// it would. The remote's own collectors are asked in the statement that writes;
// between this question and that one the row may change.
func (t *trip) seenAway(ctx context.Context, carrier Caller) error {
	if t.see.Rows == nil {
		return nil
	}
	where, left := t.see.Rows, (*Filter)(nil)
	if t.op.Name != "delete" {
		a := aftermath{trip: t, ctx: ctx, record: t.body}
		if t.op.Name == "create" {
			a.record, a.new, a.away = t.foreseen(), true, true
		}
		var err error
		if left, err = a.rest(where); err != nil {
			return err
		}
	}
	if t.op.Name == "create" {
		if left.never() {
			return Errorf(Forbidden, "you may not create this: it would not be yours to see")
		}
		return nil
	}
	there, err := t.isThere(ctx, carrier, where)
	switch {
	case err != nil:
		return err
	case !there:
		return Errorf(NotFound, "there is no %s with this id", t.door.Name)
	case left == nil, left == where, left.always():
		return nil
	case !left.never():
		there, err = t.isThere(ctx, carrier, both(where, left))
	}
	if err == nil && (left.never() || !there) {
		err = Errorf(Forbidden, "you may not change this so: it would not be yours to see any more")
	}
	return err
}

// isThere says whether the row the call names is among those that meet a condition.
func (t *trip) isThere(ctx context.Context, carrier Caller, where *Filter) (bool, error) {
	res, err := t.fetchAway(ctx, carrier, t.door, where, []string{t.door.Entity.Primary.Name}, t.id)
	if err != nil {
		return false, err
	}
	return res.Rows.Len() > 0, nil
}

// received takes over what the remote answered. Its rows have crossed the boundary
// there; what may leave here is chosen among their columns, whatever else is there.
func (t *trip) received(res *Result, err error) (*Result, error) {
	if err != nil {
		return nil, t.veiledAway(err)
	}
	if t.op.Name == "list" && t.op.builtin != nil {
		res.Edges = t.list.edges
	}
	if t.each != nil && t.op.Name == "list" {
		out := *res
		out.Groups = make([]Group, len(t.each.order))
		t.spread(out.Groups, res.Groups)
		res = &out
	}
	if t.sel != nil && res.Form != FormValue && res.Rows != nil {
		sel := t.pickOn(already, t.op.reader, t.seeOut, t.call.Select, t.list.fields)
		if rows := sel.narrowed(res.Rows); rows != res.Rows {
			out := *res
			out.Rows = rows
			res = &out
		}
		t.sel = sel.over(res.Rows.layout)
	}
	return res, nil
}

// narrowed is rows of a remote with the columns that the presenters here may read,
// where there are such presenters: a remote may answer more than was asked for.
func (s *selection) narrowed(rows *Rows) *Rows {
	here := false
	for _, c := range s.computed {
		here = here || !c.elsewhere
	}
	if !here {
		return rows
	}
	var names []string
	for _, name := range rows.layout.Fields {
		if s.stored.Index(name) >= 0 || slices.ContainsFunc(s.computed, func(c *presenter) bool { return c.elsewhere && c.Name == name }) {
			names = append(names, name)
		}
	}
	if len(names) == len(rows.layout.Fields) {
		return rows
	}
	out := NewRows(NewLayout(names), rows.Len())
	for i := range rows.Len() {
		out.copyRow(rows.Row(i))
	}
	return out
}

// veiledAway is a remote's failure without the details of fields that a collector
// here hides.
func (t *trip) veiledAway(err error) error {
	e := AsError(err)
	details, ok := e.Details.([]schema.Detail)
	if !ok || len(t.see.Hide) == 0 {
		return err
	}
	seen := slices.DeleteFunc(slices.Clone(details), func(d schema.Detail) bool {
		top, _, _ := strings.Cut(d.Path, ".")
		return t.see.hides(top)
	})
	if len(seen) == len(details) {
		return err
	}
	veiled := &Error{Code: e.Code, Message: "a value that is not yours to send stands in the way", Entity: e.Entity, Operation: e.Operation, cause: err}
	if len(seen) > 0 {
		veiled.Message, veiled.Details = sentence(seen[0]), seen
	}
	return veiled
}

// over is the selection for rows of another layout than it asked for, by the names of
// their columns. Rows that hold nothing but what leaves are not rewritten.
func (s *selection) over(layout *Layout) *selection {
	if last := s.last.Load(); last != nil && slices.Equal(last.stored.Fields, layout.Fields) {
		return last
	}
	own := &selection{stored: layout}
	var names []string
	same := true
	for i, c := range s.columns {
		name := s.out.Fields[i]
		at := layout.Index(name)
		switch {
		case c.from < 0 && (at < 0 || !s.computed[c.computed].elsewhere):
			own.computed = append(own.computed, s.computed[c.computed])
			own.columns = append(own.columns, column{from: -1, computed: len(own.computed) - 1})
			same = false
		case at < 0:
			continue // the remote left it out
		default:
			own.columns = append(own.columns, column{from: at})
		}
		names = append(names, name)
	}
	own.out = layout
	if !same || len(names) != len(layout.Fields) {
		own.out = NewLayout(names)
	}
	s.last.Store(own)
	return own
}

// explainedCarrier tells what is sent to a remote.
type explainedCarrier struct {
	Caller
	told *Explanation
	to   string
}

// Call implements [Caller].
func (c explainedCarrier) Call(ctx context.Context, call *Call) (*Result, error) {
	c.told.Store = append(c.told.Store, &StoreCall{
		Does: "send", Entity: call.Entity + "." + call.Operation, Filter: jsontext.Get(call.Invocation.Query, "filter"),
		Columns: call.Select, Statements: []Statement{}, Note: "to " + c.to,
	})
	return c.Caller.Call(ctx, call)
}
