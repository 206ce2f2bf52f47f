package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// admitID judges findById and delete: an id in params, and what the query says. A batch
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

// admitRowQuery judges the query of the operations that are about rows by their ids: which
// fields are answered, and which version of the row is meant.
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
	id, why := rows.Key(p, sent)
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
		x.refuse(schema.Detail{Path: kiterror.Path(at), Pointer: at, Code: code, Message: message})
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
		text, why := rows.Key(p, id)
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
	x.body = judgeBody(&x.viewer, x.door.Entity, schema.Create, in.Body)
	return nil
}

// admitUpdate judges a patch. One that reaches into nested objects is laid over the row
// first, so that the judge sees what will be kept.
func admitUpdate(ctx context.Context, x *execution) error {
	renameBody(&x.viewer, x.door.Entity)
	in := &x.call.Invocation
	admitRowID(x)
	admitRowQuery(x)
	if err := admitWhere(ctx, x); err != nil {
		return err
	}
	body := in.Body
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

// withoutID takes the primary key out of a patch that sends the one the row has, as
// clients do that send back what they read: it changes nothing. Any other value is for the
// judge to refuse.
func withoutID(x *execution, patch json.RawMessage) json.RawMessage {
	p := x.door.Entity.Primary
	sent := jsontext.Get(patch, p.Name)
	if sent == nil {
		return patch
	}
	if id, why := rows.Key(p, sent); why != "" || string(id) != string(x.id) {
		return patch
	}
	return schema.Rewrite(patch, func(name string, value json.RawMessage) json.RawMessage {
		if name == p.Name {
			return nil
		}
		return value
	})
}

// runFindByID reads one row, or in a batch one row for each key.
func runFindByID(ctx context.Context, x *execution) (*Result, error) {
	if x.each != nil {
		return runEachByID(ctx, x, FormRow)
	}
	e := x.door.Entity
	id, _ := rows.Value(e.Primary.Kind, x.id)
	is := &filter.Filter{Op: filter.Eq, Field: e.Primary, Values: []any{id}}
	q := Find{Entity: e, Select: x.sel.stored, Where: filter.Both(x.doorScope.Rows, is), Sort: x.door.byID.keys, Limit: 1}
	found, err := x.store().Find(ctx, &q)
	if err != nil {
		return nil, err
	}
	return &Result{Form: FormRow, Rows: found.Rows}, nil
}

// runFindByIDs reads the rows with the ids that were sent, in their order and each once.
func runFindByIDs(ctx context.Context, x *execution) (*Result, error) {
	x.each.order = x.each.order[:0]
	for i := range x.each.values {
		x.each.order = append(x.each.order, i) // an id that was sent twice is answered once
	}
	res, err := runEachByID(ctx, x, FormRows)
	if err != nil {
		return nil, err
	}
	res.Rows = inOrder(res.Rows, res.Groups)
	res.Groups = nil
	return res, nil
}

// runEachByID reads the rows of all distinct keys in one statement.
func runEachByID(ctx context.Context, x *execution, form Form) (*Result, error) {
	res := &Result{Form: form}
	if len(x.each.values) == 0 {
		res.Rows = rows.New(x.sel.stored, 0)
		res.Groups = make([]Group, len(x.each.order))
		return res, nil
	}
	q := &struct { // in one piece
		Find
		each EachKey
	}{Find{Entity: x.door.Entity, Select: x.sel.stored, Where: x.doorScope.Rows, Limit: 1}, EachKey{Field: x.each.field, Values: x.each.values}}
	q.Each = &q.each
	found, err := x.store().Find(ctx, &q.Find)
	if err != nil {
		return nil, err
	}
	res.Rows = found.Rows
	res.Groups = make([]Group, len(x.each.order))
	for i, at := range x.each.order {
		if at >= 0 {
			res.Groups[i].From, res.Groups[i].To = found.Groups[at].From, found.Groups[at].To
		}
	}
	return res, nil
}

// inOrder is rows in the order of their groups: the same rows where they stand so already,
// which is the common case and copies nothing.
func inOrder(found *rows.Rows, groups []Group) *rows.Rows {
	next := 0
	for _, g := range groups {
		if g.From < g.To {
			if g.From != next {
				return picked(found, groups)
			}
			next = g.To
		}
	}
	return found
}

// picked copies the rows of the groups, in the order of the groups.
func picked(from *rows.Rows, groups []Group) *rows.Rows {
	out := rows.New(from.Layout(), from.Len())
	for _, g := range groups {
		for i := g.From; i < g.To; i++ {
			out.CopyRow(from.Row(i))
		}
	}
	return out
}

// runCreate writes a new row. A row that its own writer could not see afterwards is not
// written (docs/decisions/writes-and-versions.md).
func runCreate(ctx context.Context, x *execution) (*Result, error) {
	terms := termsOf(x)
	if err := checkVisible(ctx, x, terms, kiterror.Errorf(kiterror.Forbidden, "you may not create a row that your access rules would hide from you")); err != nil {
		return nil, err
	}
	var announce func(*rows.Rows) error
	if x.op.Emits {
		announce = announces(ctx, &x.viewer, terms, func(found *rows.Rows) written { return written{door: x.door.Door, after: found.Row(0).JSON()} })
	}
	rows, err := x.store().Insert(ctx, x.door.Entity, []Record{x.body}, terms.orNone(), x.sel.stored)
	if err != nil {
		return nil, maskedConflict(ctx, &x.viewer, err)
	}
	if announce != nil && rows.Len() > 0 {
		if err := announce(rows); err != nil {
			return nil, err
		}
	}
	return &Result{Form: FormRow, Rows: rows}, nil
}

// runUpdate changes a row, as long as its writer can still see it afterwards. No row is
// NOT_FOUND, whether it does not exist or the caller cannot see it.
func runUpdate(ctx context.Context, x *execution) (*Result, error) {
	terms := termsOf(x)
	if err := checkVisible(ctx, x, terms, kiterror.Errorf(kiterror.Forbidden, "you may not make a change after which your access rules would hide the row from you")); err != nil {
		return nil, err
	}
	var announce func(*rows.Rows) error
	if x.op.Emits && len(x.body) > 0 {
		announce = announcesUpdate(ctx, &x.viewer, terms)
	}
	rows, err := x.store().Update(ctx, x.door.Entity, x.id, targetOf(x), x.body, terms.orNone(), x.sel.stored)
	if err != nil {
		return nil, maskedConflict(ctx, &x.viewer, err)
	}
	if announce != nil && rows.Len() > 0 {
		if err := announce(rows); err != nil {
			return nil, err
		}
	}
	if rows.Len() == 0 {
		return nil, absentRow(ctx, x)
	}
	if x.pending.forRow(x) {
		x.pending.used.Store(true)
	}
	return &Result{Form: FormRow, Rows: rows}, nil
}

// runDelete removes a row and answers whether it was there.
func runDelete(ctx context.Context, x *execution) (*Result, error) {
	terms := termsOf(x)
	var announce func(*rows.Rows) error
	if x.op.Emits {
		var err error
		if announce, err = announcesDelete(ctx, x, terms); err != nil {
			return nil, err
		}
	}
	was, err := x.store().Delete(ctx, x.door.Entity, x.id, targetOf(x), terms.orNone())
	if err != nil {
		return nil, maskedConflict(ctx, &x.viewer, err)
	}
	if announce != nil && was {
		if err := announce(nil); err != nil {
			return nil, err
		}
	}
	if !was && x.condition != nil {
		if err := absentRow(ctx, x); kiterror.CodeOf(err) != kiterror.NotFound {
			return nil, err
		}
	}
	res := &Result{Form: FormValue, Value: json.RawMessage("false")}
	if was {
		res.Value = json.RawMessage("true")
	}
	return res, nil
}

// builtins are the built-in operations by name.
var builtins = map[string]*builtin{
	"list":      {admitList, fillNothing, runList},
	"findById":  {admitID, fillNothing, runFindByID},
	"findByIds": {admitIDs, fillNothing, runFindByIDs},
	"create":    {admitCreate, fillCreate, runCreate},
	"update":    {admitUpdate, fillUpdate, runUpdate},
	"delete":    {admitID, fillNothing, runDelete},
}
