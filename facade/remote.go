package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// remoteRequest is a request about the rows of a door, for the caller of x.
func remoteRequest(x *viewer, door *catalog.Door) (RemoteRequest, error) {
	r := RemoteRequest{Door: door, Catalog: x.host.catalog, State: x.state, Trace: x.call.Invocation.Trace}
	r.Elsewhere = func(ctx context.Context, field *schema.Property, where *filter.Filter, rule bool) ([]any, error) {
		return allKeys(ctx, seenBy(x, rule), field, where)
	}
	r.Aggregated = func(ctx context.Context, f *filter.Filter) (*filter.Filter, error) {
		return aggregatedAnywhere(ctx, seenBy(x, f.Rule), f)
	}
	if x.trace != nil {
		r.wrap = x.trace.Remote
	}
	if x.host.remotes == nil {
		_, err := r.Through(nil, door.Frond)
		return r, err
	}
	return r, nil
}

// findRemote reads the rows of a remote door by their ids, a group for each id.
func findRemote(ctx context.Context, x *viewer, door *catalog.Door, fields []string, where *filter.Filter, ids ...json.RawMessage) (*Result, error) {
	r, err := remoteRequest(x, door)
	if err != nil {
		return nil, err
	}
	return x.host.remotes.Find(ctx, r, fields, where, ids)
}

// runRemote answers an operation at the host that its Frond runs at. The host gets the call as
// the caller sent it, with the conditions that access rules add here.
func runRemote(ctx context.Context, x *execution) (*Result, error) {
	r, err := remoteRequest(&x.viewer, x.door.Door)
	if err == nil && x.op.builtin == nil {
		err = checkNamedRow(ctx, x)
	}
	if err == nil && x.op.Kind == catalog.Command && InDryRun(ctx) && !x.trace.dry() { // explanations leave it out by themselves
		err = kiterror.Errorf(kiterror.NotImplemented, "%s runs at another host, which cannot undo it; call it without rehearse and dryRun", x.where())
	}
	if err != nil {
		return nil, err
	}
	res, err := answerRemote(ctx, x, r)
	return received(x, res, err)
}

// checkNamedRow refuses a named operation on a row that the access rules here hide.
func checkNamedRow(ctx context.Context, x *execution) error {
	id := jsontext.Get(x.params, "id")
	if id == nil || x.doorScope.Rows == nil {
		return nil
	}
	missing, err := invisible(ctx, x, x.door.Entity, x.doorScope, []json.RawMessage{id})
	if err == nil && len(missing) > 0 {
		err = kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", x.door.Name)
	}
	return err
}

// answerRemote sends the call. Writes are checked against the access rules of this host first; the
// rows that a named operation answers are checked by their primary keys afterwards.
func answerRemote(ctx context.Context, x *execution, r RemoteRequest) (*Result, error) {
	if x.op.builtin == nil {
		res, err := x.host.remotes.Call(ctx, r, sentCall(ctx, x, x.call.Invocation))
		if err != nil || x.op.OutDoor == nil || x.resultScope.Rows == nil || res.Rows.Len() == 0 {
			return res, err
		}
		return visibleRemote(ctx, x, res)
	}
	switch x.op.Name {
	case "list":
		if x.each != nil && x.each.pairs {
			return pagesOfPairs(ctx, x, func(ctx context.Context, x *execution) (*Result, error) { return answerRemote(ctx, x, r) })
		}
		if x.list.order.merged {
			return runMerged(ctx, x)
		}
		return x.host.remotes.List(ctx, r, sentCall(ctx, x, x.call.Invocation), remoteList(x))
	case "findById", "findByIds":
		return findRemoteRows(ctx, x)
	case catalog.Aggregate:
		return aggregateRemote(ctx, x, r)
	}
	if x.op.IsMany() {
		return manyRemote(ctx, x, r)
	}
	switch err := checkRemoteScope(ctx, x); {
	case x.op.Name == "delete" && kiterror.CodeOf(err) == kiterror.NotFound:
		return &Result{Form: FormValue, Value: json.RawMessage("false")}, nil
	case err != nil && x.op.Name != "delete":
		return nil, referencesFirst(ctx, x, err)
	case err != nil:
		return nil, err
	}
	in := x.call.Invocation
	in.Query = nil
	if x.op.Name == "create" {
		return x.host.remotes.Create(ctx, r, sentCall(ctx, x, in), x.doorScope.Set)
	}
	var query schema.Object
	if x.precondition != nil {
		query = append(query, schema.Member{Name: "ifMatch", Value: x.precondition.matchJSON()})
	}
	if x.condition != nil {
		where, err := x.host.remotes.Where(ctx, r, x.condition)
		if err != nil {
			return nil, err
		}
		query = append(query, schema.Member{Name: "where", Value: where.AppendJSON(nil)})
	}
	if query != nil {
		in.Query = query.AppendJSON(nil)
	}
	return x.host.remotes.Call(ctx, r, sentCall(ctx, x, in))
}

// sentCall is the call for the host, with the door's own name, for the same caller, and for the
// fields that are going to be read.
func sentCall(ctx context.Context, x *execution, in Invocation) *Call {
	in.State = x.sentState(ctx)
	return &Call{Entity: x.door.Name, Operation: x.op.Name, Invocation: in, Select: remoteFields(x), Cursors: x.call.Cursors, Partial: x.call.Partial}
}

// remoteFields are the fields that the host is asked for: the stored ones that are read, and the
// computed ones that the host makes. nil means all of them.
func remoteFields(x *execution) []string {
	wanted := x.sel != nil && (x.sel.etag || x.call.Version && x.op.reader.versioned) && x.versionScope != nil && len(x.versionScope.Hide)+len(x.resultScope.Hide) == 0
	every := func(names []string) bool { return names == nil || slices.Contains(names, catalog.AllFields) }
	switch all := every(x.call.Select) && every(x.list.fields); {
	case x.sel == nil, all && !wanted:
		return nil
	case all: // the remote alone knows which fields the caller may read
		return []string{catalog.AllFields, catalog.ETag}
	}
	var names []string
	for _, p := range x.sel.props {
		if p.Readable() {
			names = append(names, p.Name)
		}
	}
	for _, c := range x.sel.computed {
		if c.Elsewhere {
			names = append(names, c.Name)
		}
	}
	if wanted {
		names = append(names, catalog.ETag)
	}
	return names
}

// remoteList is the list of an execution.
func remoteList(x *execution) RemoteList {
	l := RemoteList{
		Op: x.op.Operation, Query: x.call.Invocation.Query, Sent: x.call.SentQuery, Rules: x.doorScope.Rows, Filter: x.list.filter,
		Limit: x.list.limit, Count: x.list.count != uncounted, Estimate: x.list.count == estimated,
		Cursors: (x.call.Cursors || x.call.Behind) && !x.list.edges, Layout: x.sel.stored,
	}
	if x.each != nil {
		l.Each, l.Keys = x.each.field, x.each.values
		if x.each.link != nil {
			l.Each = x.each.link.Opposite().Field // the catalog shows no relation without
		}
	}
	return l
}

// findRemoteRows reads one row, a batch of rows, or the rows of findByIds.
func findRemoteRows(ctx context.Context, x *execution) (*Result, error) {
	ids := []json.RawMessage{x.id}
	if x.each != nil {
		ids = x.each.values
	}
	res, err := findRemote(ctx, &x.viewer, x.door.Door, remoteFields(x), x.doorScope.Rows, ids...)
	switch {
	case err != nil:
		return nil, err
	case x.each == nil:
		res.Groups = nil
	case x.op.Name == "findByIds": // each distinct id is answered once, in the order they were sent
		return &Result{Form: FormRows, Rows: inOrder(res.Rows, res.Groups)}, nil
	default:
		res.Groups = spread(x.each, res.Groups)
	}
	return res, nil
}

// spread copies the groups of distinct keys to the places of all keys.
func spread(e *eachOf, distinct []Group) []Group {
	groups := make([]Group, len(e.order))
	for i, at := range e.order {
		if at >= 0 && at < len(distinct) {
			groups[i] = distinct[at]
		}
	}
	return groups
}

// visibleRemote is the answer of a remote without the rows that a collector here hides.
func visibleRemote(ctx context.Context, x *execution, res *Result) (*Result, error) {
	e := x.op.OutDoor.Entity
	ids := make([]string, res.Rows.Len()) // by row
	var distinct eachOf
	for i := range ids {
		id, why := e.Primary.KeyText(res.Rows.Row(i).Get(e.Primary.Name))
		if why != "" {
			return nil, kiterror.Errorf(kiterror.NotImplemented, "remote %s answers rows without %s, which your access rules require", x.where(), e.Primary.Name)
		}
		ids[i] = string(id)
		distinct.add(id)
	}
	missing, err := invisible(ctx, x, e, x.resultScope, distinct.values)
	if err != nil {
		return nil, err
	}
	hidden := make(map[string]bool, len(missing))
	for _, id := range missing {
		hidden[string(id)] = true
	}
	out := *res
	out.Page = Page{Total: -1, HasMore: res.HasMore} // the total would disclose hidden rows
	out.Rows = rows.New(res.Rows.Layout(), res.Rows.Len())
	for i, id := range ids {
		if !hidden[id] {
			out.Rows.CopyRow(res.Rows.Row(i))
		}
	}
	if !res.HasMore {
		out.Total = int64(out.Rows.Len())
	}
	if out.Rows.Len() == 0 && x.op.Cardinality == catalog.One {
		return nil, kiterror.Errorf(kiterror.NotFound, "there is no %s like this", x.op.OutDoor.Name)
	}
	return &out, nil
}

// received takes over the answer of a remote. Its rows have crossed the boundary there;
// the fields that may leave are chosen among their columns.
func received(x *execution, res *Result, err error) (*Result, error) {
	if err != nil {
		return nil, maskedRemote(&x.viewer, err)
	}
	if x.op.Name == "list" && x.op.builtin != nil {
		res.Edges = x.list.edges
	}
	if x.each != nil && x.op.Name == "list" && !x.list.order.merged {
		out := *res
		out.Groups = spread(x.each, res.Groups)
		res = &out
	}
	if x.sel != nil && res.Form != FormValue && res.Rows != nil {
		sel := pickOn(x, already, x.op.reader, x.resultScope, x.fields[0], x.fields[1])
		if rows := sel.narrowed(res.Rows); rows != res.Rows {
			out := *res
			out.Rows = rows
			res = &out
		}
		x.sel = sel.over(res.Rows.Layout())
	}
	return res, nil
}

// maskedRemote is a failure of a remote without the details of fields that a collector
// here hides.
func maskedRemote(x *viewer, err error) error {
	e := kiterror.AsError(err)
	if len(x.used)+len(x.renamed) > 0 {
		e = inSentNames(x, e)
		err = e
	}
	details, ok := e.Details.([]schema.Detail)
	if !ok || len(x.doorScope.Hide) == 0 {
		return err
	}
	seen := slices.DeleteFunc(slices.Clone(details), func(d schema.Detail) bool {
		top, _, _ := strings.Cut(d.Path, ".")
		return x.doorScope.Hides(top)
	})
	if len(seen) == len(details) {
		return err
	}
	veiled := &kiterror.Error{Code: e.Code, Message: "a value that is not yours to send stands in the way", Entity: e.Entity, Operation: e.Operation}
	if len(seen) > 0 {
		veiled.Message, veiled.Details = kiterror.Sentence(seen[0]), seen
	}
	return veiled.WithCause(err)
}

// predicted is the known part of a row before the remote creates it: the sent values, the
// presets, and the card's values of absent fields. Ids and times that the remote makes
// are not known.
func predicted(x *execution) Record {
	var out Record
	for _, p := range x.door.Entity.Fields {
		value := x.body.Get(p.Name)
		if set := x.doorScope.Set.Get(p.Name); set != nil {
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

// checkRemoteScope refuses to change a row that a collector here hides, or to write one
// that it would hide. The remote applies its own collectors in the statement that writes;
// between this check and that statement the row may change.
func checkRemoteScope(ctx context.Context, x *execution) error {
	if x.doorScope.Rows == nil {
		return nil
	}
	where, remaining := x.doorScope.Rows, (*filter.Filter)(nil)
	if x.op.Name != "delete" {
		a := unwrittenRow{writtenRow{x: x, ctx: ctx, record: x.body}}
		if x.op.Name == "create" {
			a.record, a.new = predicted(x), true
		}
		var err error
		if remaining, err = where.Reduce(&a); err != nil {
			return err
		}
	}
	if x.op.Name == "create" {
		if remaining.Never() {
			return errHidden(catalog.Created)
		}
		return nil
	}
	there, err := isRemoteRow(ctx, x, where)
	switch {
	case err != nil:
		return err
	case !there:
		return kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", x.door.Name)
	case remaining == nil, remaining == where, remaining.Always():
		return nil
	case !remaining.Never():
		there, err = isRemoteRow(ctx, x, filter.Both(where, remaining))
	}
	if err == nil && (remaining.Never() || !there) {
		err = errHidden(catalog.Updated)
	}
	return err
}

// isRemoteRow reports whether the row that the call names meets a condition.
func isRemoteRow(ctx context.Context, x *execution, where *filter.Filter) (bool, error) {
	res, err := findRemote(ctx, &x.viewer, x.door.Door, []string{x.door.Entity.Primary.Name}, where, x.id)
	if err != nil {
		return false, err
	}
	return res.Rows.Len() > 0, nil
}

// sent is the call for the host of a remote door, with the limit of this one.
func (g *grouping) sent(in Invocation) Invocation {
	query := schema.Object{{Name: "limit", Value: strconv.AppendInt(nil, int64(g.limit), 10)}}
	for name, value := range jsontext.Members(in.Query) {
		if name != "limit" && name != "filter" && !jsontext.IsNull(value) {
			query = append(query, schema.Member{Name: name, Value: value})
		}
	}
	in.Query = query.AppendJSON(nil)
	return in
}

// remoteKeeper is the keeper of rows at the host that a remote Frond runs at (spec 1.6). Their
// values cross the boundary there: this host does not decode, fill in or encode them.
type remoteKeeper struct{}

// missing implements [keeper]: the remote is asked for the rows by their ids.
func (remoteKeeper) missing(ctx context.Context, x *execution, e *schema.Entity, where *filter.Filter, ids []json.RawMessage) ([]json.RawMessage, error) {
	text := fmt.Sprintf("%s %t %s %s", e.Key, x.inside, ids, where.AppendJSON(nil))
	return askElsewhere(ctx, &x.viewer, text, func(ctx context.Context, x *viewer) (missing []json.RawMessage, err error) {
		res, err := findRemote(ctx, x, x.host.catalog.Door(e.Key), []string{e.Primary.Name}, where, ids...)
		if err != nil {
			return nil, err
		}
		for i, g := range res.Groups {
			if g.From == g.To {
				missing = append(missing, ids[i])
			}
		}
		return missing, nil
	})
}

// visibleRow implements [keeper].
func (remoteKeeper) visibleRow(ctx context.Context, x *execution, fields []string) (*rows.Rows, error) {
	res, err := findRemote(ctx, &x.viewer, x.door.Door, fields, x.doorScope.Rows, x.id)
	if err != nil {
		return nil, err
	}
	return res.Rows, nil
}

// merge judges a patch as far as that can be done here: it is merged where the row is kept.
func (remoteKeeper) merge(_ context.Context, x *execution) error {
	e := x.door.Entity
	for _, name := range x.merging.fields {
		if e.Property(name).Shape.Properties == nil {
			return kiterror.Errorf(kiterror.NotImplemented, "the host of %s cannot merge %s; send application/json, which replaces it", x.door.Name, name)
		}
	}
	x.merging.merged = x.merging.over(e, func(string) json.RawMessage { return json.RawMessage("{}") })
	return nil
}

// complete implements [keeper]: defaults and conversions are applied where the Frond runs,
// so relations alone are followed here.
func (remoteKeeper) complete(ctx context.Context, x *execution) error {
	if x.op.builtin == nil || x.op.builtin.fill == fillNothing {
		return nil
	}
	return checkRelations(ctx, x)
}

// holds implements [keeper]. The version of a row that is partly hidden here is not the one
// that its host computes, and an older host does not take versions.
func (remoteKeeper) holds(x *execution) error {
	if len(x.versionScope.Hide) > 0 || x.precondition.NoneMatch != nil || !x.op.Takes("ifMatch") {
		return kiterror.Errorf(kiterror.NotImplemented, "%s runs elsewhere, without versions; leave If-Match and If-None-Match out", x.where())
	}
	return nil
}

// decode implements [keeper]: operands are decoded where the Frond runs.
func (remoteKeeper) decode(_ *viewer, _ *schema.Property, text json.RawMessage) (json.RawMessage, bool) {
	return text, true
}

// gives implements [keeper]: the remote says in its discovery which fields it does not require,
// and keeps the members that a patch of a nested object leaves out.
func (remoteKeeper) gives(x *viewer, mode schema.Mode, top, path string) bool {
	return slices.Contains(x.door.NotRequired, top) || mode == schema.Update && path != top
}

// version is the version that came with the row.
func (remoteKeeper) version(_ *execution, row rows.Row) (string, error) {
	return jsontext.Unquote(row.Get(catalog.ETag)), nil
}

// follows implements [keeper].
func (remoteKeeper) follows() bool { return false }
