package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// builtin is an operation that every stored door has unless its author says
// otherwise (DESIGN 4, 5): what it is, and its steps on the path.
type builtin struct {
	name        string
	kind        Kind
	cardinality Cardinality
	description string
	admit       func(*trip, context.Context) error
	fill        filling
	run         func(*trip, context.Context) (*Result, error)
}

// filling says which rules of the lifecycle complete an operation's body.
type filling uint8

const (
	fillNothing filling = iota
	fillCreate
	fillUpdate
)

// builtins are the built-in operations, in the order a door lists them.
var builtins = []*builtin{
	{"list", Query, PageOf, "The rows that meet a filter, in an order, a page at a time.", (*trip).admitList, fillNothing, (*trip).runList},
	{"findById", Query, Maybe, "The row with this id, or null.", (*trip).admitID, fillNothing, (*trip).runFindByID},
	{"findByIds", Query, Many, "The rows with these ids, in their order, without those that are not there.", (*trip).admitIDs, fillNothing, (*trip).runFindByIDs},
	{"create", Command, One, "A new row.", (*trip).admitCreate, fillCreate, (*trip).runCreate},
	{"update", Command, One, "Changes the row with this id: what is left out stays as it is, null clears a field, nested objects are merged.", (*trip).admitUpdate, fillUpdate, (*trip).runUpdate},
	{"delete", Command, NoOutput, "Removes the row with this id, and says whether it was there.", (*trip).admitID, fillNothing, (*trip).runDelete},
}

// maxIDs is how many ids findByIds takes (DESIGN 5).
const maxIDs = 500

// admitID judges findById and delete: an id, and what the query says. A batch has
// its keys instead.
func (t *trip) admitID(context.Context) error {
	in := &t.call.Invocation
	if t.each == nil {
		t.admitParamsID()
	}
	t.admitRowQuery()
	t.only(in.Body, "/body", nil)
	return nil
}

// admitRowQuery judges the query of the operations that are about rows by their ids:
// which fields are answered, and which version of the row is meant.
func (t *trip) admitRowQuery() {
	query := t.call.Invocation.Query
	t.only(query, "/query", rowKeys[t.op.Name])
	for name, value := range jsontext.Members(query) {
		switch {
		case !slices.Contains(rowKeys[t.op.Name], name):
		case name == "ifMatch":
			t.cond = t.readIfMatch(value)
		case name == "fields" && !jsontext.IsNull(value):
			t.list.fields = t.readFields(value)
		}
	}
}

// rowKeys are the keys of those queries.
var rowKeys = map[string][]string{
	"findById": {"fields"}, "findByIds": {"ids", "fields"}, "create": {"fields"}, "update": {"ifMatch", "fields"}, "delete": {"ifMatch"},
}

var onlyID = []string{"id"}

func (t *trip) admitParamsID() {
	params, p := t.call.Invocation.Params, t.door.Entity.Primary
	t.only(params, "/params", onlyID)
	sent := jsontext.Get(params, "id")
	if sent == nil {
		t.refuse(schema.Detail{Path: "id", Pointer: "/params/id", Code: "required", Message: "is required; send the id of a row in params"})
		return
	}
	id, why := rows.Key(p, sent)
	if why != "" {
		t.refuse(schema.Detail{Path: "id", Pointer: "/params/id", Code: "type", Message: "must be " + why})
		return
	}
	t.id = id
}

func (t *trip) admitIDs(context.Context) error {
	in, p := &t.call.Invocation, t.door.Entity.Primary
	t.only(in.Params, "/params", nil)
	t.admitRowQuery()
	t.only(in.Body, "/body", nil)
	sent := jsontext.Get(in.Query, "ids")
	refuse := func(at, code, message string) {
		t.refuse(schema.Detail{Path: kiterror.Path(at), Pointer: at, Code: code, Message: message})
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
		if i == maxIDs {
			refuse("/query/ids", "maxItems", fmt.Sprintf("must have at most %d items; ask for fewer at once", maxIDs))
			return nil
		}
		text, why := rows.Key(p, id)
		if why != "" {
			refuse(fmt.Sprintf("/query/ids/%d", i), "type", "must be "+why)
			continue
		}
		e.add(text)
	}
	t.each = e
	return nil
}

func (t *trip) admitCreate(context.Context) error {
	in := &t.call.Invocation
	t.only(in.Params, "/params", nil)
	t.admitRowQuery()
	t.body = t.judge(t.door.Entity, schema.Create, in.Body)
	return nil
}

func (t *trip) admitUpdate(ctx context.Context) error {
	in := &t.call.Invocation
	t.admitParamsID()
	t.admitRowQuery()
	body := in.Body
	if t.id != nil {
		body = t.withoutID(body)
		if err := t.merge(ctx, body); err != nil {
			return err
		}
		if t.merging != nil {
			body = t.merging.seen
		}
	}
	t.body = t.judge(t.door.Entity, schema.Update, body)
	return nil
}

// withoutID takes the primary key out of a patch that sends the one the row has,
// as clients do that send back what they read: it changes nothing. Another one is
// the judge's to refuse.
func (t *trip) withoutID(patch json.RawMessage) json.RawMessage {
	p := t.door.Entity.Primary
	sent := jsontext.Get(patch, p.Name)
	if sent == nil {
		return patch
	}
	if id, why := rows.Key(p, sent); why != "" || string(id) != string(t.id) {
		return patch
	}
	var rest schema.Object
	for name, value := range jsontext.Members(patch) {
		if name != p.Name {
			rest = append(rest, schema.Member{Name: name, Value: value})
		}
	}
	return rest.AppendJSON(nil)
}

func (t *trip) runFindByID(ctx context.Context) (*Result, error) {
	if t.each != nil {
		return t.runEachByID(ctx, FormRow)
	}
	e := t.door.Entity
	id, _ := rows.Value(e.Primary.Kind, t.id)
	is := &Filter{Op: Eq, Field: e.Primary, Values: []any{id}}
	q := Find{Entity: e, Select: t.sel.stored, Where: filter.Both(t.see.Rows, is), Sort: t.door.byID.keys, Limit: 1}
	found, err := t.store().Find(ctx, &q)
	if err != nil {
		return nil, err
	}
	return &Result{Form: FormRow, Rows: found.Rows}, nil
}

func (t *trip) runFindByIDs(ctx context.Context) (*Result, error) {
	t.each.order = t.each.order[:0]
	for i := range t.each.values {
		t.each.order = append(t.each.order, i) // an id that was sent twice is answered once
	}
	res, err := t.runEachByID(ctx, FormRows)
	if err != nil {
		return nil, err
	}
	res.Rows = inOrder(res.Rows, res.Groups)
	res.Groups = nil
	return res, nil
}

func (t *trip) runEachByID(ctx context.Context, form Form) (*Result, error) {
	res := &Result{Form: form}
	if len(t.each.values) == 0 {
		res.Rows = NewRows(t.sel.stored, 0)
		res.Groups = make([]Group, len(t.each.order))
		return res, nil
	}
	q := &struct { // in one piece
		Find
		each EachKey
	}{Find{Entity: t.door.Entity, Select: t.sel.stored, Where: t.see.Rows, Limit: 1}, EachKey{Field: t.each.field, Values: t.each.values}}
	q.Each = &q.each
	found, err := t.store().Find(ctx, &q.Find)
	if err != nil {
		return nil, err
	}
	res.Rows = found.Rows
	res.Groups = make([]Group, len(t.each.order))
	for i, at := range t.each.order {
		if at >= 0 {
			res.Groups[i].From, res.Groups[i].To = found.Groups[at].From, found.Groups[at].To
		}
	}
	return res, nil
}

// inOrder is rows in the order of their groups: themselves, where they stand so.
func inOrder(rows *Rows, groups []Group) *Rows {
	next := 0
	for _, g := range groups {
		if g.From < g.To {
			if g.From != next {
				return picked(rows, groups)
			}
			next = g.To
		}
	}
	return rows
}

// picked copies the rows of the groups, in the order of the groups.
func picked(from *Rows, groups []Group) *Rows {
	out := NewRows(from.Layout(), from.Len())
	for _, g := range groups {
		for i := g.From; i < g.To; i++ {
			out.CopyRow(from.Row(i))
		}
	}
	return out
}

// runCreate writes a new row. One that its own writer could not see afterwards is
// not written (decision 113).
func (t *trip) runCreate(ctx context.Context) (*Result, error) {
	terms := t.terms()
	if err := t.stays(ctx, terms, kiterror.Errorf(kiterror.Forbidden, "you may not create this: it would not be yours to see")); err != nil {
		return nil, err
	}
	rows, err := t.store().Insert(ctx, t.door.Entity, []Record{t.body}, terms.orNone(), t.sel.stored)
	if err != nil {
		return nil, t.veiled(ctx, err)
	}
	return &Result{Form: FormRow, Rows: rows}, nil
}

// runUpdate changes a row, as long as its writer can still see it afterwards.
func (t *trip) runUpdate(ctx context.Context) (*Result, error) {
	terms := t.terms()
	if err := t.stays(ctx, terms, kiterror.Errorf(kiterror.Forbidden, "you may not change this so: it would not be yours to see any more")); err != nil {
		return nil, err
	}
	rows, err := t.store().Update(ctx, t.door.Entity, t.id, t.writable(), t.body, terms.orNone(), t.sel.stored)
	if err != nil {
		return nil, t.veiled(ctx, err)
	}
	if rows.Len() == 0 {
		return nil, kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", t.door.Name)
	}
	if t.lent.forRow(t) {
		t.lent.used.Store(true)
	}
	return &Result{Form: FormRow, Rows: rows}, nil
}

func (t *trip) runDelete(ctx context.Context) (*Result, error) {
	was, err := t.store().Delete(ctx, t.door.Entity, t.id, t.writable(), t.terms().orNone())
	if err != nil {
		return nil, t.veiled(ctx, err)
	}
	res := &Result{Form: FormValue, Value: json.RawMessage("false")}
	if was {
		res.Value = json.RawMessage("true")
	}
	return res, nil
}

func (t *trip) store() Store {
	if t.told != nil {
		return explainedStore{t.facade.store, t.told}
	}
	return t.facade.store
}
