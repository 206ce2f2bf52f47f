package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
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

// behind has the values that rows behind a relation give, by the key that leads to them, wherever the rows are kept. They are
// read, at most [maxKeys] of each entity on the way:
//
//	product.name   of line l1 of p1   {p1: [Tea]}    the products with these ids
//	lines.n.sum    of product p1      {p1: [2, 3]}   the lines with these products
type behind map[any][]json.RawMessage

// ownKey returns the field of a row whose value leads through a relation.
func ownKey(l *schema.Link) *schema.Property {
	if l.Inverse != nil {
		return l.Field.Owner.Primary
	}
	return l.Field
}

// isApart reports whether rows that give a value are kept in different places.
func isApart(c *catalog.Catalog, d *filter.Derived) bool {
	for ; d != nil; d = d.Next {
		if catalog.Apart(c.Fronds, d.Link) {
			return true
		}
	}
	return false
}

// readBehind reads the values for some keys, or with all for all that there are.
func readBehind(ctx context.Context, x *viewer, d *filter.Derived, keys []any, all bool) (behind, error) {
	by := d.Link.Target.Primary
	switch {
	case d.Link.Through != nil:
		return readBetween(ctx, x, d, keys, all)
	case d.Link.Inverse != nil:
		by = d.Link.Inverse
	}
	return readTarget(ctx, x, d, by, keys, all)
}

// readTarget reads the rows that the relation leads to. by is their field with the key.
func readTarget(ctx context.Context, x *viewer, d *filter.Derived, by *schema.Property, keys []any, all bool) (behind, error) {
	where, of := d.Where, by
	if !all {
		where = filter.Both(where, filter.OneOf(by, keys, maxPairKeys))
	}
	switch {
	case d.Next != nil:
		of = ownKey(d.Next.Link)
	case d.Of != nil:
		of = d.Of
	}
	read, err := allRows(ctx, x, by.Owner, []*schema.Property{by, of}, where)
	if err != nil {
		return nil, err
	}
	var next behind
	if d.Next != nil {
		further := newKeys(of)
		for i := range read.Len() {
			further.add(read.Row(i).Get(of.Name))
		}
		if next, err = readBehind(ctx, x, d.Next, further.values, false); err != nil {
			return nil, err
		}
	}
	found := behind{}
	for i := range read.Len() {
		key, why := by.Kind.Value(read.Row(i).Get(by.Name))
		if why != "" {
			continue
		}
		value := read.Row(i).Get(of.Name)
		if d.Next != nil {
			value = next.of(d.Next, value)
		}
		found[key] = append(found[key], value)
	}
	return found, nil
}

// readBetween reads the rows in between, and then those that they lead to, each once for a key.
func readBetween(ctx context.Context, x *viewer, d *filter.Derived, of []any, all bool) (behind, error) {
	near, far := d.Link.Inverse, d.Link.Through
	where := d.Via
	if !all {
		where = filter.Both(where, filter.OneOf(near, of, maxPairKeys))
	}
	pairs, err := allRows(ctx, x, near.Owner, []*schema.Property{near, far}, where)
	if err != nil {
		return nil, err
	}
	there, leads := newKeys(far), map[any]*keys{}
	for i := range pairs.Len() {
		key, why := near.Kind.Value(pairs.Row(i).Get(near.Name))
		if why != "" {
			continue
		}
		if leads[key] == nil {
			leads[key] = newKeys(far)
		}
		leads[key].add(pairs.Row(i).Get(far.Name))
		there.add(pairs.Row(i).Get(far.Name))
	}
	target, err := readTarget(ctx, x, d, d.Link.Target.Primary, there.values, false)
	if err != nil {
		return nil, err
	}
	found := behind{}
	for key, to := range leads {
		for _, k := range to.values {
			found[key] = append(found[key], target[k]...)
		}
	}
	return found, nil
}

// allRows returns the rows of an entity that meet a condition, wherever they are kept, with these fields. More than [maxKeys] are
// NOT_IMPLEMENTED.
func allRows(ctx context.Context, x *viewer, e *schema.Entity, fields []*schema.Property, where *filter.Filter) (*rows.Rows, error) {
	var names []string
	for _, p := range fields {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	read := func(ctx context.Context, x *viewer) (*rows.Rows, error) {
		all := rows.New(rows.NewLayout(names), 0)
		err := x.host.rows(ctx, x, e, names, where, maxKeys+1, func(row rows.Row) bool {
			all.BeginRow()
			for i, name := range names {
				all.Put(i, row.Get(name))
			}
			all.EndRow()
			return all.Len() <= maxKeys
		})
		if err == nil && all.Len() > maxKeys {
			err = errManyKeys(e)
		}
		return all, err
	}
	if where.Never() {
		return rows.New(rows.NewLayout(names), 0), nil
	}
	if x.host.catalog.RemoteOf(e) == "" {
		return read(ctx, x)
	}
	return askElsewhere(ctx, x, fmt.Sprintf("%s %v %t %s", e.Key, names, x.inside, where.AppendJSON(nil)), read)
}

// of returns the value of a row whose own key is given; null if rows give no value.
func (b behind) of(d *filter.Derived, own json.RawMessage) json.RawMessage {
	leads := newKeys(ownKey(d.Link))
	leads.add(own)
	var all []json.RawMessage
	for _, key := range leads.values {
		all = append(all, b[key]...)
	}
	return folded(d, all)
}

var null = json.RawMessage("null")

// folded returns the aggregate of the values of some rows, or the value of the one row.
func folded(d *filter.Derived, values []json.RawMessage) json.RawMessage {
	if d.Next == nil && d.Func == filter.Count {
		return strconv.AppendInt(nil, int64(len(values)), 10)
	}
	values = slices.DeleteFunc(slices.Clone(values), func(v json.RawMessage) bool { return jsontext.IsNull(v) })
	if d.Next == nil && d.Func == filter.CountDistinct {
		compare := func(a, b json.RawMessage) int { return filter.Compare(d.Of.Kind, a, b) }
		slices.SortFunc(values, compare)
		same := func(a, b json.RawMessage) bool { return compare(a, b) == 0 }
		return strconv.AppendInt(nil, int64(len(slices.CompactFunc(values, same))), 10)
	}
	if len(values) == 0 {
		return null
	}
	switch {
	case d.Next != nil || d.Func == filter.Key:
		return values[0]
	case d.Func == filter.Min:
		return slices.MinFunc(values, func(a, b json.RawMessage) int { return filter.Compare(d.Of.Kind, a, b) })
	case d.Func == filter.Max:
		return slices.MaxFunc(values, func(a, b json.RawMessage) int { return filter.Compare(d.Of.Kind, a, b) })
	}
	return added(d, values)
}

// added returns the sum or the average of numbers, as stores make them: a sum of integers ends at 64 bits, an average of decimals
// has six places more than they have.
func added(d *filter.Derived, values []json.RawMessage) json.RawMessage {
	sum, places := new(big.Rat), 0
	for _, v := range values {
		text := string(v)
		if d.Of.Kind == schema.KindDecimal {
			text = jsontext.Unquote(v)
			_, fraction, _ := strings.Cut(text, ".")
			places = max(places, len(fraction))
		}
		if n, ok := new(big.Rat).SetString(text); ok {
			sum.Add(sum, n)
		}
	}
	if d.Func == filter.Avg {
		sum.Quo(sum, new(big.Rat).SetInt64(int64(len(values))))
		places += 6
	}
	switch {
	case d.Of.Kind == schema.KindDecimal:
		return jsontext.Quote(sum.FloatString(places))
	case d.Of.Kind == schema.KindInteger && d.Func == filter.Sum && sum.Num().IsInt64():
		return json.RawMessage(sum.Num().String())
	case d.Of.Kind == schema.KindInteger && d.Func == filter.Sum:
		return strconv.AppendInt(nil, int64(sum.Sign())*math.MaxInt64, 10)
	}
	f, _ := sum.Float64()
	return strconv.AppendFloat(nil, max(-math.MaxFloat64, min(math.MaxFloat64, f)), 'g', -1, 64)
}

// aggregatedAnywhere returns a condition on an aggregate of rows as one on the keys that lead to them, wherever the rows are
// kept. A row without any rows behind the relation meets it or does not, whichever its key is.
func aggregatedAnywhere(ctx context.Context, x *viewer, f *filter.Filter) (*filter.Filter, error) {
	d := f.Derived
	if d.Link.Inverse == nil { // the row has a list of keys
		return nil, errApart(d)
	}
	found, err := readBehind(ctx, x, d, nil, true)
	if err != nil {
		return nil, err
	}
	none := f.MeetsNone()
	var others []any
	for key, values := range found {
		value := folded(d, values)
		if met := !slices.ContainsFunc(f.Sub[0].Conditions(), func(c *filter.Filter) bool { return !c.Meets(value) }); met != none {
			others = append(others, key)
		}
	}
	own := filter.OneOf(ownKey(d.Link), others, maxPairKeys)
	if none {
		own = &filter.Filter{Op: filter.Not, Sub: []*filter.Filter{own}}
	}
	return own, nil
}

// errApart returns NOT_IMPLEMENTED for a value that rows elsewhere give a row by a list of their keys.
func errApart(d *filter.Derived) error {
	return kiterror.Errorf(kiterror.NotImplemented, "%s is made of rows of %s, which are kept elsewhere; leave it out", d.As.Name, d.Link.Target.Name)
}
