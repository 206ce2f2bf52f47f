package facade

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// admitUpsert judges the key and the row. The row is judged as create judges it, so that the same
// body is refused whether the row is there or not.
func admitUpsert(ctx context.Context, x *execution) error {
	in := &x.call.Invocation
	onlyKeys(&x.viewer, sentParams(&x.viewer, in), "/params", nil)
	admitRowQuery(x)
	x.many = &manyRows{}
	admitBy(x, jsontext.Get(in.Query, "by"))
	one := x.oneRow(x.needed(0), in.Body)
	err := admitCreate(ctx, one)
	if err == nil {
		err = one.refusal()
	}
	if e := kiterror.AsError(err); e != nil && e.Code == kiterror.ValidationFailed {
		details, _ := e.Details.([]schema.Detail)
		x.details, err = append(x.details, details...), nil
	}
	if err != nil || len(x.details) > 0 || x.verdict != nil {
		return err
	}
	var key Record
	for _, p := range x.door.Entity.Fields {
		value := one.body.Get(p.Name)
		if value != nil {
			value = inward(&x.viewer, p, value)
		}
		if slices.Contains(x.many.by, p) {
			if value == nil {
				value = x.doorScope.Set.Get(p.Name)
			}
			if value == nil || isNull(value) {
				x.refuse(schema.Detail{Path: p.Name, Pointer: "/body/" + jsontext.Token(p.Name), Code: "required", Message: "is required: it is in the key of the upsert"})
				continue
			}
			key = append(key, schema.Member{Name: p.Name, Value: value})
		}
		if value != nil && (p.Axes.Update == schema.UpdateForbidden || p.Axes.Primary || slices.Contains(x.many.by, p)) {
			x.many.fixed = append(x.many.fixed, schema.Member{Name: p.Name, Value: value})
		}
	}
	if len(key) == len(x.many.by) {
		x.many.key = keyFilter(x.many.by, key)
	}
	x.many.body = one.call.Invocation.Body
	return nil
}

// admitBy reads query.by: the names of a unique key of the card, in any order.
func admitBy(x *execution, sent json.RawMessage) {
	var names []string
	switch jsontext.KindOf(sent) {
	case jsontext.String:
		for name := range strings.SplitSeq(jsontext.Unquote(sent), ",") {
			names = append(names, strings.TrimSpace(name))
		}
	case jsontext.Array:
		for _, item := range jsontext.Elements(sent) {
			names = append(names, jsontext.Unquote(item))
		}
	}
	var keys []string
	for _, key := range catalog.UniqueKeys(x.door.Entity) {
		if slices.ContainsFunc(key, func(p *schema.Property) bool { return !x.inside && !x.doorScope.Readable(p) }) {
			continue // a key of fields that the caller may not read is none
		}
		var members []string
		for _, p := range key {
			members = append(members, p.Name)
		}
		if same(members, names) || len(names) == 1 && names[0] == catalog.KeyName(key) {
			x.many.by = key
			return
		}
		keys = append(keys, strings.Join(members, ","))
	}
	code, is := "enum", "is no unique key of "+x.door.Entity.Name
	if sent == nil {
		code, is = "required", "is required: it names the unique key that the row is known by"
	}
	if x.Suggests() {
		is += "; write " + strings.Join(keys, ", or ")
	} else {
		is += "; write the fields of a unique key"
	}
	x.refuseQuery("by", code, is)
}

// same reports whether two lists have the same names.
func same(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// runUpsert updates the row that has the key, or creates it, in one transaction. A row that the caller
// may not see is a CONFLICT, as it is for create.
func runUpsert(ctx context.Context, x *execution) (*Result, error) {
	if err := transactional(x); err != nil {
		return nil, err
	}
	id, err := storedRow(ctx, x, x.many.key)
	if err != nil {
		return nil, err
	}
	var res *Result
	if id == nil {
		res, err = x.callOne(ctx, x.needed(0), Invocation{Body: x.call.Invocation.Body}, x.calledFields())
		if takes(err, x.many.by) {
			err = &raced{kiterror.AsError(err)}
		}
	} else {
		if res, err = updateKnown(ctx, x, id); kiterror.CodeOf(err) == kiterror.NotFound {
			err = kiterror.Taken(x.many.by...)
		}
	}
	if err != nil {
		return nil, err
	}
	if res, err = adopt(x, res); err != nil {
		return nil, err
	}
	res.Form, res.Created = FormUpsert, id == nil
	return res, nil
}

// updateKnown updates the row of an upsert. Members that update does not take are left out where they
// are those of the row, so that the same upsert can be sent again. A row that the caller may not
// update is NOT_FOUND before they are compared.
func updateKnown(ctx context.Context, x *execution, id json.RawMessage) (*Result, error) {
	scope, err := x.scopeOf(ctx, x.door, x.needed(1).Operation)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range x.many.fixed {
		names = append(names, m.Name)
	}
	found, err := x.store().Find(ctx, &Find{Entity: x.door.Entity, Select: rows.NewLayout(names), Where: scope.Rows, Key: id})
	switch {
	case err != nil:
		return nil, err
	case found.Rows.Len() == 0:
		return nil, kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", x.door.Name)
	}
	row := found.Rows.Row(0)
	body := schema.Rewrite(x.many.body, func(name string, value json.RawMessage) json.RawMessage {
		if fixed := x.many.fixed.Get(name); fixed != nil && bytes.Equal(fixed, row.Get(name)) {
			return nil
		}
		return value
	})
	return x.callOne(ctx, x.needed(1), Invocation{ID: id, Body: body}, x.calledFields())
}

// takes reports whether an error is the CONFLICT of this unique key.
func takes(err error, key []*schema.Property) bool {
	var v *kiterror.Violation
	return errors.As(err, &v) && v.Kind == kiterror.Unique && slices.Equal(v.Fields, key)
}
