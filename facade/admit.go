package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/nested"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// admit is the third step: it judges the whole call before anything runs. All refusals are
// reported at once, first of params, then of query, then of the body; after that the keeper of
// the rows decodes and completes the judged values.
func (x *execution) admit(ctx context.Context) error {
	if x.call.Each != nil {
		if err := admitEach(ctx, x); err != nil {
			return err
		}
	}
	if asksVersion(&x.viewer) {
		var err error
		if x.versionScope, err = scopeOfVersion(ctx, &x.viewer); err != nil {
			return err
		}
	}
	switch b := x.op.builtin; {
	case b != nil:
		if err := b.admit(ctx, x); err != nil {
			return err
		}
	default:
		admitNamed(x)
	}
	if x.sel == nil && x.op.reader != nil {
		choose(ctx, x)
	}
	if err := admitIf(ctx, x); err != nil {
		return err
	}
	if err := x.refusal(); err != nil {
		return err
	}
	renameQuery(x)
	return x.door.keeper.complete(ctx, x)
}

// admitEach reads a batch: findById for many ids, list for many values of a field. A key
// that is null, or of another kind than the field, has no rows: batches are made from
// rows, and what one of them points at is not the caller's fault.
func admitEach(ctx context.Context, x *execution) error {
	each, e := x.call.Each, &eachOf{}
	var field *schema.Property
	if x.door.Entity != nil {
		field = x.door.Entity.Property(each.Field)
	}
	if e.link = linkThrough(x, each.Through); e.link != nil {
		field = e.link.Inverse
	}
	switch {
	case e.link != nil && byField(x.op):
	case x.op.Name == "findById" && x.op.Builtin && field != nil && field == x.door.Entity.Primary:
	case byField(x.op) && field != nil && x.readable(x.doorScope, field) && filter.IsScalar(field):
	case byField(x.op), x.op.Builtin && x.op.Name == "findById":
		x.refuse(schema.Detail{Code: schema.UnknownKey, Message: "is not what " + x.where() + " is batched by; findById is by the primary key, list and aggregate by a field with single values"}.At("/each/field"))
		return nil
	default:
		return kiterror.Errorf(kiterror.BadRequest, "%s is not batched; only findById, list and aggregate are", x.where())
	}
	through, follows := each.Through, true
	if e.link != nil {
		e.via, follows = between(ctx, &x.viewer, e.link)
		e.pairs = inPairs(x.host.catalog, x.door.Door, e.link, e.via)
	}
	if through != nil && (!follows || !followsRelation(ctx, &x.viewer, through)) {
		x.refuse(schema.Detail{Code: schema.UnknownKey, Message: fmt.Sprintf("names %s, which %s does not have", schema.Quoted(through.Field), schema.Quoted(through.Entity))}.At("/each/through"))
		return nil
	}
	e.field, e.order = field, make([]int, 0, len(each.Keys))
	if !each.distinct || !e.take(each.Keys) {
		e.known.Reset(len(each.Keys))
		for _, k := range each.Keys {
			if text, why := field.KeyText(k); why == "" {
				e.add(text)
			} else {
				e.miss()
			}
		}
	}
	if each.Ends != nil {
		if !x.op.Aggregates() {
			return kiterror.Errorf(kiterror.BadRequest, "%s takes no lists of keys; only aggregate does", x.where())
		}
		e.collect(each.Ends)
	}
	x.each = e
	return nil
}

// collect makes lists of the keys, of which list i ends before key ends[i]. The lists are answered in the
// place of the keys.
func (e *eachOf) collect(ends []int) {
	e.lists = make([][]int, len(ends))
	from, keys := 0, e.order
	e.order = make([]int, len(ends))
	for i, end := range ends {
		e.order[i] = i
		for ; from < min(end, len(keys)); from++ {
			if at := keys[from]; at >= 0 && !slices.Contains(e.lists[i], at) {
				e.lists[i] = append(e.lists[i], at)
			}
		}
	}
}

// byField reports whether an operation is batched by a field of the rows.
func byField(op *boundOperation) bool {
	return op.Builtin && op.Name == "list" || op.Aggregates()
}

// linkThrough returns the relation to the rows of the door, if it leads through rows in between;
// else nil.
func linkThrough(x *execution, through *catalog.Through) *schema.Link {
	if through == nil {
		return nil
	}
	found := []*schema.Entity{x.host.catalog.Set.Entity(through.Entity)}
	if _, op := x.host.catalog.Find(through.Entity, through.Operation); op != nil {
		found = append(found, op.Output)
	}
	for _, e := range found {
		if e == nil {
			continue
		}
		if p := e.Property(through.Field); p != nil && p.Link != nil && p.Link.Through != nil && p.Link.Target == x.door.Entity {
			return p.Link
		}
	}
	return nil
}

// followsRelation reports whether a relation exists for the caller on the rows that have it, by
// the scope that those were read with.
func followsRelation(ctx context.Context, x *viewer, through *catalog.Through) bool {
	door := x.host.catalog.Door(through.Entity)
	if x.inside || door == nil {
		return true
	}
	op := door.Operation(through.Operation)
	if op == nil {
		op = door.Reading()
	}
	if op.OutDoor != nil && op.OutDoor != door {
		door, op = op.OutDoor, op.OutDoor.Reading()
	}
	scope, err := x.scopeOf(ctx, x.host.doors.of(door), op)
	return err == nil && !scope.Hides(through.Field)
}

// admitID judges findById and delete: an id in params, and the query. A batch
// has its keys in place of the id.
func admitID(ctx context.Context, x *execution) error {
	in := &x.call.Invocation
	if x.each == nil {
		admitRowID(x)
	}
	admitRowQuery(x)
	onlyKeys(&x.viewer, in.Body, "/body", nil)
	if x.op.Kind == catalog.Command {
		return admitWhere(ctx, x)
	}
	return nil
}

// admitRowQuery judges the query of the operations on rows by their ids: which fields are
// answered, and which version of the row is meant.
func admitRowQuery(x *execution) {
	query := x.call.Invocation.Query
	onlyKeys(&x.viewer, query, "/query", catalog.RowKeys[x.op.Name])
	for name, value := range jsontext.Members(query) {
		switch {
		case !slices.Contains(catalog.RowKeys[x.op.Name], name):
		case name == "ifMatch":
			x.precondition = readIfMatch(&x.refusals, value)
		case name == "fields" && !jsontext.IsNull(value):
			x.list.fields = readFields(&x.refusals, value)
		}
	}
}

var onlyID = []string{"id"}

// admitRowID reads the id of the call or params.id, as the primary key's card has it.
func admitRowID(x *execution) {
	in, p := &x.call.Invocation, x.door.Entity.Primary
	sent := in.ID
	if in.Params != nil {
		params := sentParams(&x.viewer, in)
		onlyKeys(&x.viewer, params, "/params", onlyID)
		if sent == nil {
			sent = jsontext.Get(params, "id")
		}
	}
	if sent == nil {
		x.refuse(schema.Detail{Path: "id", Pointer: "/params/id", Code: "required", Message: "is required; send the id of a row in params"})
		return
	}
	id, why := p.KeyText(sent)
	if why != "" {
		x.refuse(schema.Detail{Path: "id", Pointer: "/params/id", Code: "type", Message: "must be " + why})
		return
	}
	x.id = id
}

// admitIDs reads query.ids of findByIds: at most MaxIDs, in any order, each once in the
// answer.
func admitIDs(_ context.Context, x *execution) error {
	in, p := &x.call.Invocation, x.door.Entity.Primary
	onlyKeys(&x.viewer, sentParams(&x.viewer, in), "/params", nil)
	admitRowQuery(x)
	onlyKeys(&x.viewer, in.Body, "/body", nil)
	sent := jsontext.Get(in.Query, "ids")
	refuse := func(at, code, message string) {
		x.refuse(schema.Detail{Code: code, Message: message}.At(at))
	}
	if jsontext.KindOf(sent) != jsontext.Array {
		code := "type"
		if sent == nil {
			code = "required"
		}
		refuse("/query/ids", code, "must be a list of ids")
		return nil
	}
	e := &eachOf{field: p}
	for i, id := range jsontext.Elements(sent) {
		if i == catalog.MaxIDs {
			refuse("/query/ids", "maxItems", fmt.Sprintf("must have at most %d items; ask for fewer at once", catalog.MaxIDs))
			return nil
		}
		text, why := p.KeyText(id)
		if why != "" {
			refuse(fmt.Sprintf("/query/ids/%d", i), "type", "must be "+why)
			continue
		}
		e.add(text)
	}
	x.each = e
	return nil
}

// admitCreate judges the body of a new row.
func admitCreate(_ context.Context, x *execution) error {
	renameBody(&x.viewer, x.door.Entity)
	in := &x.call.Invocation
	onlyKeys(&x.viewer, sentParams(&x.viewer, in), "/params", nil)
	admitRowQuery(x)
	x.body = judgeBody(&x.viewer, x.door.Entity, schema.Create, cutNested(x, schema.Create, x.call.Invocation.Body, "/body", 0))
	return nil
}

// admitUpdate judges a patch. One that reaches into nested objects is laid over the row
// first, so that the judge sees the row to keep.
func admitUpdate(ctx context.Context, x *execution) error {
	renameBody(&x.viewer, x.door.Entity)
	in := &x.call.Invocation
	admitRowID(x)
	admitRowQuery(x)
	if err := admitWhere(ctx, x); err != nil {
		return err
	}
	body := cutNested(x, schema.Update, in.Body, "/body", 0)
	if x.id != nil {
		body = withoutID(x, body)
		if err := mergeNested(ctx, x, body); err != nil {
			return err
		}
		if x.merging != nil {
			body = x.merging.merged
		}
	}
	x.body = judgeBody(&x.viewer, x.door.Entity, schema.Update, body)
	return nil
}

// cutNested is a body, which at points to, without the rows that belong to its row. They are kept for the write.
func cutNested(x *execution, mode schema.Mode, body json.RawMessage, at string, owner int) json.RawMessage {
	if x.nestable == nil {
		return body
	}
	rest, cut, details := nested.Cut(body, at, x.nestable, mode)
	for _, d := range details {
		x.refuse(d)
	}
	if x.runner.by == byRemote {
		return rest // its host writes them
	}
	for _, rows := range cut {
		rows.Owner = owner
	}
	x.nested = append(x.nested, cut...)
	return rest
}

// withoutID takes the primary key out of a patch that sends the row's own one, as clients do
// that send back the row they read: it has no effect. Any other value is for the judge to
// refuse.
func withoutID(x *execution, patch json.RawMessage) json.RawMessage {
	p := x.door.Entity.Primary
	sent := jsontext.Get(patch, p.Name)
	if sent == nil {
		return patch
	}
	if id, why := p.KeyText(sent); why != "" || string(id) != string(x.id) {
		return patch
	}
	return schema.Rewrite(patch, func(name string, value json.RawMessage) json.RawMessage {
		if name == p.Name {
			return nil
		}
		return value
	})
}

// admitNamed judges the input of a named operation: each part against the card that it
// declares. A part without a card has to be empty.
func admitNamed(x *execution) {
	renameBody(&x.viewer, x.op.Input)
	in, op := &x.call.Invocation, x.op
	params := sentParams(&x.viewer, in)
	if op.Open {
		x.params, x.query = anyObject(&x.viewer, params, "/params"), anyObject(&x.viewer, in.Query, "/query")
	} else {
		x.params, x.query = judgePart(&x.viewer, op.Params, params, "/params"), judgePart(&x.viewer, op.Query, in.Query, "/query")
	}
	switch {
	case op.Input != nil:
		x.body = judgeBody(&x.viewer, op.Input, schema.Create, in.Body)
	case !op.Open:
		onlyKeys(&x.viewer, in.Body, "/body", nil)
	}
}

// judgePart judges params or query, and answers the members their card knows.
func judgePart(x *viewer, card *schema.Entity, text json.RawMessage, at string) json.RawMessage {
	if card == nil {
		onlyKeys(x, text, at, nil)
		return nil
	}
	o, details := card.Judge(schema.Plain, text, at)
	x.details = append(x.details, details...)
	return o.AppendJSON(nil)
}

// anyObject is params or query of an operation without a card for it: an object, which the host
// of the operation judges.
func anyObject(x *viewer, text json.RawMessage, at string) json.RawMessage {
	switch jsontext.KindOf(text) {
	case jsontext.Invalid, jsontext.Null, jsontext.Object:
	default:
		x.refuse(schema.Detail{Path: ".", Pointer: at, Code: "type", Message: "must be an object"})
	}
	return text
}

// judgeBody judges a body, and refuses the fields that the scope takes from the caller: hidden fields do
// not exist, preset and read-only ones cannot be sent. A required field that the caller cannot send is
// FORBIDDEN, without its name if it is hidden.
func judgeBody(x *viewer, card *schema.Entity, mode schema.Mode, text json.RawMessage) schema.Object {
	o, details := card.Judge(mode, text, "/body")
	scope := x.doorScope
	if !x.door.Shapes(card) {
		scope = access.Open // an input view is the operation's own, not the door's
	}
	if x.inside {
		o, details = unbounded(card, o, details, text)
	}
	locked, barred, first := false, "", len(x.details)
	for _, d := range details {
		top, _, _ := strings.Cut(d.Path, ".")
		switch {
		case scope.Set.Get(top) != nil:
			continue // the collector answers for it; named below where it was sent
		case scope.Hides(top):
			locked = locked || d.Code == "required"
			continue
		case d.Code == "required" && x.door.keeper.gives(x, mode, top, d.Path):
			continue
		case scope.ReadsOnly(top):
			if d.Code == "required" {
				barred = top
			}
			continue
		}
		x.refuse(d)
	}
	if len(scope.Hide) > 0 || len(scope.Set) > 0 || len(scope.ReadOnly) > 0 {
		for name := range jsontext.Members(text) {
			at := "/body/" + jsontext.Token(name)
			switch {
			case scope.Hides(name):
				x.refuse(schema.Detail{Code: schema.UnknownKey, Message: msgUnknown}.At(at))
			case scope.Set.Get(name) != nil:
				x.refuse(schema.Detail{Path: name, Pointer: at, Code: schema.ReadOnly, Message: "is set for you; leave it out"})
			case scope.ReadsOnly(name):
				x.refuse(schema.Detail{Path: name, Pointer: at, Code: schema.ReadOnly, Message: "is not yours to write; leave it out"})
			}
		}
	}
	if len(scope.Hide) > 0 {
		unknownFirst(x.details[first:], text)
	}
	switch {
	case locked:
		// The caller could not send a body that would do, and the message must not name the
		// field.
		x.verdict = &kiterror.Error{Code: kiterror.Forbidden, Message: "you may not create this: it takes a field that you do not see"}
	case barred != "":
		x.verdict = kiterror.Errorf(kiterror.Forbidden, "you may not create this: it takes %s, which you may only read", barred)
	}
	return o
}

// unknownFirst moves unknown keys before everything else, in the order they were sent, as
// the judge has them: else the place of a detail would distinguish a hidden field from one
// that does not exist.
func unknownFirst(details []schema.Detail, text json.RawMessage) {
	place := map[string]int{}
	for name := range jsontext.Members(text) {
		place[name] = len(place)
	}
	of := func(d schema.Detail) int {
		if d.Code != schema.UnknownKey {
			return len(place)
		}
		top, _, _ := strings.Cut(d.Path, ".")
		return place[top]
	}
	slices.SortStableFunc(details, func(a, b schema.Detail) int { return of(a) - of(b) })
}

// unbounded judges again the fields that the judge refused for the boundary alone: the boundary holds
// for callers, and the author's own code is inside it. The other side of a relation
// has no place in the row and stays refused.
func unbounded(card *schema.Entity, o schema.Object, details []schema.Detail, text json.RawMessage) (schema.Object, []schema.Detail) {
	var again schema.Object
	rest := details[:0:0]
	for _, d := range details {
		p := card.Property(d.Path)
		if p == nil || !p.Stored || d.Code == schema.Immutable && p.Axes.Primary || d.Code != schema.ReadOnly && d.Code != schema.Immutable {
			rest = append(rest, d)
			continue
		}
		again = append(again, schema.Member{Name: p.Name, Value: jsontext.Get(text, p.Name)})
	}
	if again == nil {
		return o, details
	}
	_, further := card.Judge(schema.Plain, again.AppendJSON(nil), "/body")
	for _, d := range further {
		if top, _, _ := strings.Cut(d.Path, "."); again.Get(top) != nil {
			rest = append(rest, d)
		}
	}
	return append(o, again...), rest
}

// sentParams is params as the wire has them, for an operation that takes no id or judges it with
// others. An id that came twice is refused.
func sentParams(x *viewer, in *Invocation) json.RawMessage {
	if in.ID != nil && jsontext.Get(in.Params, "id") != nil {
		x.refuse(schema.Detail{Path: "id", Pointer: "/params/id", Code: "oneOf", Message: "is both the id of the call and a member of params; send one of the two"})
	}
	return in.ParamsJSON()
}

// onlyKeys refuses every key of an object outside of names, and any other value than an object.
// No text and null are an empty object.
func onlyKeys(x *viewer, text json.RawMessage, at string, names []string) {
	anyObject(x, text, at)
	for name := range jsontext.Members(text) {
		if x.full() {
			return
		}
		if !slices.Contains(names, name) {
			message := "is not a key of " + x.where() + "; leave it out"
			if len(names) > 0 {
				message = "is not a key of " + x.where() + schema.Instead(name, names, x.Suggests())
			}
			switch filters := slices.Contains(names, "filter"); {
			case filters && name == catalog.SearchKey && x.Suggests():
				message = "is not a key of " + x.where() + "; " + unsearched(x)
			case filters && isReadable(x, name):
				message = fmt.Sprintf("is not a key of %s; write filter[%s] to filter by the field", x.where(), name)
			}
			x.refuse(schema.Detail{Code: schema.UnknownKey, Message: message}.At(at + "/" + jsontext.Token(name)))
		}
	}
}

// isReadable reports whether the door has a field of this name that the caller may read.
func isReadable(x *viewer, name string) bool {
	if x.door.Entity == nil {
		return false
	}
	p := x.door.Entity.Property(name)
	return p != nil && x.readable(x.doorScope, p)
}

// msgUnknown is the judge's own message: a hidden field is refused with the words for one
// that does not exist.
const msgUnknown = "is not part of the card; leave it out"
