package postgres

import (
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/store/sqltext"
)

// each prepares the statement of a Find for many keys. The keys are one bound array; each has a
// small ordered search of its own that stops at the limit:
//
//	SELECT k.n, p.* FROM unnest($1::text[]) WITH ORDINALITY AS k(value, n)
//	CROSS JOIN LATERAL (SELECT … FROM (SELECT … WHERE t0."author" >= k.value AND t0."author" <= k.value
//	  ORDER BY t0."author", t0."at", t0."id" LIMIT 64) AS q ORDER BY … LIMIT $2) AS p ORDER BY k.n, p."at", p."id"
//
// A field whose values are unique needs no order, and no range:
//
//	SELECT k.n, p.* FROM unnest($1::text[]) WITH ORDINALITY AS k(value, n)
//	CROSS JOIN LATERAL (SELECT … WHERE t0."id" = k.value … LIMIT 1) AS p ORDER BY k.n
//
// Where the keys have few rows one scan of an index reads them all, see [scan].
func (r *reading) each() error {
	if err := eachKeys(r); err != nil {
		return err
	}
	if r.scan = r.scanOf(r.keyed, r.keys); r.scan == nil {
		return r.search()
	}
	return nil
}

// eachKeys reads the keys.
func eachKeys(r *reading) error {
	c, err := sqltext.KeyColumn(r.b, &r.Reading)
	if err != nil {
		return err
	}
	list := make([]sqltext.Value, len(r.Find.Each.Values))
	for i, v := range r.Find.Each.Values {
		var fault string
		if list[i], fault = sqltext.Encode(c.Prop, v); fault != "" {
			list[i] = sqltext.Value{} // of another kind: it equals nothing, and null equals nothing
		}
	}
	if len(list) == 1 {
		r.lone = &list[0]
		if o := fit(c, filter.Eq, list[0]); o.decided {
			*r.lone = sqltext.Value{}
		} else {
			*r.lone = o.v
		}
	}
	if lists := r.Find.Each.Lists; lists != nil { // a key for each list that it is in
		var all []sqltext.Value
		numbers := []byte{'{'}
		for n, places := range lists {
			for _, at := range places {
				if all = append(all, list[at]); len(all) > 1 {
					numbers = append(numbers, ',')
				}
				numbers = strconv.AppendInt(numbers, int64(n+1), 10)
			}
		}
		list, r.lone, r.numbers = all, nil, string(append(numbers, '}'))
	}
	if c.Parts != nil {
		r.split = list
	}
	r.keyed, r.keys = c, list
	return nil
}

// search writes the statement of [reading.each].
func (r *reading) search() error {
	b, c := r.b, r.keyed
	keys := dialect{}.Keys(c, r.keys)
	counted := r.Find.Count
	if counted {
		b.Text("(") // as for a page: the counts come after the rows
	}
	// With one row at most for each key, the order and the limit do not matter. A limit of 0
	// asks for totals alone, and an offset leaves that row out.
	if c.Unique() && r.Find.Each.Through == nil && r.Find.Limit > 0 && r.Find.Offset <= 0 {
		r.single(b, c, keys)
	} else if err := r.some(b, c, keys); err != nil {
		return err
	}
	if counted {
		r.totals(b, c, keys)
	}
	return b.Ready()
}

// open writes the select list and the keys as rows; the rows of each key follow as p.
func (r *reading) open(b *sqltext.Builder, c *sqltext.Column, keys sqltext.Value) {
	b.Text("SELECT k.n, p.*")
	if r.Find.Count {
		b.Text(", NULL::bigint")
	}
	b.Text(" FROM ")
	r.unnest(b, c, keys)
	b.Text(" CROSS JOIN LATERAL (")
}

// unnest writes unnest($1::text[]) WITH ORDINALITY AS k(value, n). Keys of several columns that
// are taken apart are a list for each column:
//
//	unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS k(v0, v1, n)
func (r *reading) unnest(b *sqltext.Builder, c *sqltext.Column, keys sqltext.Value) {
	if r.split != nil {
		b.Text("unnest(")
		for i, p := range c.Parts {
			if i > 0 {
				b.Text(", ")
			}
			list := make([]sqltext.Value, len(r.split))
			for j, key := range r.split {
				if parts, ok := c.SplitKey(key.S); ok { // else it equals nothing
					list[j] = parts[i]
				}
			}
			b.Bind(dialect{}.Keys(p, list))
			b.Text("::", listType(p), "[]")
		}
		ordinality(r, b)
		for i := range c.Parts {
			b.Text("v" + strconv.Itoa(i) + ", ")
		}
		b.Text("n)")
		return
	}
	// One key, as of findById, is a value like others: a plan for any value is as good as one for
	// this array, and is kept.
	if r.lone != nil {
		b.Text("(SELECT ")
		b.Bind(*r.lone)
		b.Text("::", listType(c), " AS value, 1 AS n) AS k")
		return
	}
	b.Text("unnest(")
	b.Bind(keys)
	b.Text("::", listType(c), "[]")
	ordinality(r, b)
	b.Text("value, n)")
}

// ordinality ends the arrays of unnest: a key has its place, or the number of its list.
func ordinality(r *reading, b *sqltext.Builder) {
	if r.numbers == "" {
		b.Text(") WITH ORDINALITY AS k(")
		return
	}
	b.Text(", ")
	b.Bind(sqltext.TextValue(r.numbers))
	b.Text("::bigint[]) AS k(")
}

// single writes the statement for the one row a key can have. The limit keeps the planner from
// joining the whole table to a few keys.
func (r *reading) single(b *sqltext.Builder, c *sqltext.Column, keys sqltext.Value) {
	r.open(b, c, keys)
	alias := b.Alias()
	b.Text("SELECT ")
	b.Columns(r.Selection, alias)
	r.From(b, alias)
	b.Text(" WHERE ")
	r.isKey(b, c, alias)
	r.Conditions(b, alias, " AND ")
	b.Text(" LIMIT 1) AS p ORDER BY k.n")
}

// isKey writes that a row has the key of [reading.unnest].
func (r *reading) isKey(b *sqltext.Builder, c *sqltext.Column, alias string) {
	sqltext.HasKey(b, &r.Reading, alias, func(alias string) {
		if r.split == nil {
			compared(b, c, alias)
			b.Text(" = k.value")
			return
		}
		for i, p := range c.Parts {
			if i > 0 {
				b.Text(" AND ")
			}
			compared(b, p, alias)
			b.Text(" = k.v" + strconv.Itoa(i))
		}
	})
}

// some writes the statement for a bounded number of rows of each key; see each.
func (r *reading) some(b *sqltext.Builder, c *sqltext.Column, keys sqltext.Value) error {
	place, err := r.span()
	if err != nil {
		return err
	}
	r.open(b, c, keys)
	switch {
	case place.whole:
		r.within(b, &place, place.ranges[0], c, false)
		b.Limit(r.Find)
	case len(place.ranges) == 1 && c.Parts == nil && !r.composed() && r.Find.Each.Through == nil:
		b.Text("SELECT ")
		b.Columns(r.Selection, "q")
		b.Text(" FROM (")
		r.within(b, &place, place.ranges[0], c, true)
		b.Text(room(r.Find), ") AS q")
		if len(r.Order) > 0 {
			// With the key in it the order is the rows' order, so the server need not sort.
			b.Text(" ORDER BY ")
			key := sqltext.Column{Name: keyName, NotNull: c.NotNull}
			b.OrderBy([]sqltext.SortKey{{Column: &key, Desc: r.Order[0].Desc}}, "q")
			b.Text(", ")
			b.OrderBy(r.Order, "q")
		}
		b.Limit(r.Find)
	default:
		b.Text("SELECT q.* FROM ")
		r.bounded(b, &place, c, "q")
	}
	b.Text(") AS p ORDER BY k.n")
	if len(r.Order) > 0 && !place.whole {
		b.Text(", ")
		b.OrderBy(r.Order, "p")
	}
	return nil
}

// composed reports whether the selection has a column that is made of several, which only the
// table itself can give.
func (r *reading) composed() bool {
	made := func(c *sqltext.Column) bool { return c.Parts != nil }
	return slices.ContainsFunc(r.Selection.Fields, made) || slices.ContainsFunc(r.Selection.Extra, made)
}

// totals writes the second half of a statement, which counts the rows of each key. Keys without
// rows are not in it; their totals are 0.
//
//	…) UNION ALL SELECT k.n, NULL, count(*) … GROUP BY k.n
func (r *reading) totals(b *sqltext.Builder, c *sqltext.Column, keys sqltext.Value) {
	alias := b.Alias()
	b.Text(") UNION ALL SELECT k.n, ")
	for range r.Selection.Width() {
		b.Text("NULL, ")
	}
	b.Text("count(*)")
	joinKeys(r, c, keys, alias)
	b.Text(" GROUP BY k.n")
}

// joinKeys writes the keys, the rows that have them and the conditions.
func joinKeys(r *reading, c *sqltext.Column, keys sqltext.Value, alias string) {
	b := r.b
	b.Text(" FROM ")
	r.unnest(b, c, keys)
	b.Text(" JOIN ", r.Table.Name, " AS ", alias, " ON ")
	r.isKey(b, c, alias)
	b.Join(r.Find.Where, r.Table, alias)
	r.Where(b, alias, " WHERE ")
}
