package facade

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// project is the last step: rows leave with the fields that the caller named and may read.
// Closed fields are gone, values are encoded, computed fields are added, and the null of a field
// that may be absent is left out. Rows that leave as they were read are not touched.
func (x *execution) project(ctx context.Context, res *Result) (*Result, error) {
	if x.sel == nil || res.Form == FormValue {
		return res, nil
	}
	var versions []string
	if x.call.Version || x.sel.etag {
		var err error
		if versions, err = versionsOf(x, res.Rows); err != nil {
			return nil, err
		}
		if x.call.Version {
			res.Versions = versions
		}
	}
	if res.Rows.Len() == 0 || !x.sel.rewrites(res.Rows) {
		if !x.inside && !x.kept {
			res.Rows = res.Rows.Outside()
		}
		return res, nil
	}
	made, failed, err := present(ctx, x, res.Rows)
	if err != nil {
		return nil, err
	}
	res.Failed = failed
	from := res.Rows
	if account := budget.AccountOf(ctx); x.op.Kind == catalog.Command {
		account.Add(from.Size()) // written is written
	} else if err := account.Reserve(from.Size()); err != nil {
		return nil, err
	}
	out := rows.New(x.sel.out, from.Len())
	for i := range from.Len() {
		row := from.Row(i)
		out.BeginRow()
		for j, c := range x.sel.columns {
			switch {
			case c.from < 0 && c.computed < 0:
				if versions[i] == "" {
					out.Put(j, []byte("null"))
				} else {
					out.Put(j, jsontext.Quote(versions[i]))
				}
			case c.from < 0:
				if made[c.computed] != nil {
					out.Put(j, made[c.computed][i])
				}
			case row.At(c.from) == nil, c.absent && isNull(row.At(c.from)):
			case c.encode != nil:
				value, err := outward(x.host.registry, c.encode, row.At(c.from))
				if err != nil {
					return nil, err
				}
				out.Put(j, value)
			default:
				out.Put(j, row.At(c.from))
			}
		}
		out.EndRow()
	}
	if !x.inside && !x.kept {
		out.MarkOutside()
	}
	res.Rows = out
	return res, nil
}

// present runs the selected presenters, each once for all rows. One that fails is
// INTERNAL_ERROR, or with Call.Partial a field that is absent and named in Result.Failed.
func present(ctx context.Context, x *execution, found *rows.Rows) (made [][]json.RawMessage, failed []FieldError, err error) {
	if len(x.sel.computed) == 0 {
		return nil, nil, nil
	}
	list := make([]rows.Row, found.Len())
	for i := range list {
		list[i] = found.Row(i)
	}
	ctx = authorContext(ctx, x)
	made = make([][]json.RawMessage, len(x.sel.computed))
	for i, p := range x.sel.computed {
		if made[i] = madeBefore(x, p.Name, found.Len()); made[i] != nil {
			continue
		}
		values, err := p.Run(ctx, list)
		if err == nil && len(values) != len(list) {
			err = fmt.Errorf("it gave %d values for %d rows", len(values), len(list))
		}
		if err == nil {
			made[i] = values
			continue
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		e := kiterror.Internal(fmt.Errorf("computed field %s.%s: %w", x.op.reader.entity.Name, p.Name, err))
		if !x.call.Partial {
			return nil, nil, e
		}
		failed = append(failed, FieldError{p.Name, e.At(x.door.Name, x.op.Name)})
	}
	return made, failed, nil
}

// madeBefore is a computed field of rows that a handler read through [From]: it was made
// from the rows as they are kept, and is not made again from what left. nil means that it
// has to be made.
func madeBefore(x *execution, name string, n int) []json.RawMessage {
	if x.before == nil || x.before.Len() != n || x.before.Layout().Index(name) < 0 {
		return nil
	}
	values := make([]json.RawMessage, n)
	for i := range values {
		if values[i] = x.before.Row(i).Get(name); values[i] == nil {
			return nil
		}
	}
	return values
}

// asksVersion reports whether a call may need the versions of rows. It may say yes where
// none is asked for, since it looks for the word alone.
func asksVersion(x *viewer) bool {
	c := x.call
	return c.Version || slices.Contains(c.Select, catalog.ETag) || bytes.Contains(c.Invocation.Query, []byte(catalog.ETag))
}

// scopeOfVersion is the scope of the rows whose versions are answered or compared: that of
// findById, for any operation that asks, so that a row has one version on every way to it. A
// version is made of the fields that the caller may read, and so discloses nothing about
// the others (docs/decisions/writes-and-versions.md). nil: they may not read the rows.
func scopeOfVersion(ctx context.Context, x *viewer) (*access.Scope, error) {
	door := x.door
	if x.op.OutDoor != nil {
		door = x.host.doors.of(x.op.OutDoor)
	}
	if door.Entity == nil || door.collector == nil {
		return access.Open, nil
	}
	op := door.Operation("findById")
	if op == nil || !op.Builtin {
		op = door.Reading()
	}
	if op == x.op.Operation && !x.inside {
		return x.doorScope, nil
	}
	s, err := door.collector.Scope(ctx, x.state, door.Door, op)
	switch {
	case err == nil:
		return &s, nil
	case kiterror.CodeOf(err) == kiterror.InternalError:
		return nil, err
	case x.inside: // the author's own code reads what its caller may not
		return access.Open, nil
	}
	return nil, nil
}

// rowVersion is the version of a row: 128 bits of the hash over the fields that it is made
// of, as they leave. encoded says that they are in that form already. "" where the row
// lacks one of them that it cannot be without.
func rowVersion(registry *schema.Registry, row rows.Row, fields []*schema.Property, encoded bool) (string, error) {
	text := []byte{'{'}
	for _, p := range fields {
		value := row.Get(p.Name)
		switch {
		case value != nil:
		case p.MayBeAbsent():
			value = json.RawMessage("null") // as the store keeps it
		default:
			return "", nil
		}
		if p.Axes.Out.Name != "" && !encoded {
			var err error
			if value, err = outward(registry, p, value); err != nil {
				return "", err
			}
		}
		text = append(jsontext.AppendName(jsontext.Comma(text), p.Name), value...)
	}
	sum := sha256.Sum256(append(text, '}'))
	return base64.RawURLEncoding.EncodeToString(sum[:16]), nil
}

// versionsOf are those of rows, as the selection that read them has it.
func versionsOf(x *execution, found *rows.Rows) ([]string, error) {
	out := make([]string, found.Len())
	for i := range out {
		var err error
		if out[i], err = x.door.keeper.version(x, found.Row(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}
