package sqlite

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqltext"
)

// each writes the statement of a Find for many keys. The keys are one bound JSON array,
// joined to the table by the field's index:
//
//	SELECT k.key, t0.… FROM json_each(?) AS k CROSS JOIN "post" AS t0 WHERE t0.rowid IN
//	  (SELECT t1.rowid FROM "post" AS t1 WHERE t1."author" = k.value ORDER BY … LIMIT ? + 0) ORDER BY k.rowid, …
//
// Each key has a small ordered search of its own that stops at the limit; numbering all rows
// with a window function takes up to fifty times as long (docs/decisions/sqlite.md). A field whose
// values are unique needs neither.
//
//	SELECT k.key, t0.… FROM json_each(?) AS k CROSS JOIN "author" AS t0 WHERE t0."id" = k.value ORDER BY k.rowid
func (r *reading) each() error {
	c, keys, err := r.eachKeys()
	if err != nil {
		return err
	}
	b := r.b
	if r.Find.Count {
		b.Text("SELECT *, NULL FROM (") // as for a page: the counts come after the rows
	}
	// With one row at most for each key, the order and the limit do not matter. A limit of 0
	// asks for totals alone, and an offset leaves that row out.
	if c.Unique() && r.Find.Each.Through == nil && r.Find.Limit > 0 && r.Find.Offset <= 0 {
		r.plain(b, c, keys)
	} else {
		r.some(b, c, keys)
	}
	if r.Find.Count {
		r.totals(b, c, keys)
	}
	return nil
}

// eachKeys returns the column of the keys, and the keys as a JSON array, or an array of their lists.
func (r *reading) eachKeys() (c *sqltext.Column, keys sqltext.Value, err error) {
	if c, err = sqltext.KeyColumn(r.b, &r.Reading); err != nil {
		return nil, keys, err
	}
	size := 2
	for _, v := range r.Find.Each.Values {
		size += len(v) + 1
	}
	list := append(make([]byte, 0, size), '[')
	add := func(v json.RawMessage) {
		if c.Parts != nil {
			list = appendParts(list, c, v)
		} else {
			list = appendKey(list, c.Prop, v)
		}
	}
	if lists := r.Find.Each.Lists; lists != nil {
		for _, places := range lists {
			list = append(jsontext.Comma(list), '[')
			for _, at := range places {
				add(r.Find.Each.Values[at])
			}
			list = append(list, ']')
		}
	} else {
		for _, v := range r.Find.Each.Values {
			add(v)
		}
	}
	return c, sqltext.TextValue(string(append(list, ']'))), nil
}

// appendKey appends the value of a field as an element of a JSON array. Nearly every key is a text
// without escapes: the array has it as the row does. A value that the column cannot hold becomes
// null, which no row equals, so that keys keep their places.
func appendKey(list []byte, p *schema.Property, v json.RawMessage) []byte {
	if p.Kind == schema.KindString && jsontext.KindOf(v) == jsontext.String && bytes.IndexByte(v, '\\') < 0 {
		list = jsontext.Comma(list)
		return append(list, v...)
	}
	a, fault := sqltext.Encode(p, v)
	if fault != "" {
		a = sqltext.Value{} // of another kind: it equals nothing, and null equals nothing
	}
	return appendElement(list, a)
}

// appendParts appends a key of several columns as an array of their values, so that each is
// compared with its own column; null for a text that is no key.
func appendParts(list []byte, c *sqltext.Column, v json.RawMessage) []byte {
	text, _ := sqltext.Encode(c.Prop, v)
	parts, ok := c.SplitKey(text.S)
	if !ok {
		return appendElement(list, sqltext.Value{})
	}
	list = jsontext.Comma(list)
	array := []byte{'['}
	for _, part := range parts {
		array = appendElement(array, part)
	}
	return append(append(list, array...), ']')
}

// equalsKey writes that the column has the value of the key k:
//
//	t0."author" = k.value
//	t0."order" = json_extract(k.value, '$[0]') AND t0."sku" = json_extract(k.value, '$[1]')
func equalsKey(b *sqltext.Builder, alias string, c *sqltext.Column) {
	if c.Parts == nil {
		b.Column(alias, c)
		b.Text(" = k.value")
		return
	}
	for i, p := range c.Parts {
		sqltext.Separate(b, i, " AND ")
		b.Column(alias, p)
		b.Text(" = json_extract(k.value, '$[" + strconv.Itoa(i) + "]')")
	}
}

// plain writes the statement for the one row a key can have.
func (r *reading) plain(b *sqltext.Builder, c *sqltext.Column, keys sqltext.Value) {
	alias := b.Alias()
	b.Text("SELECT k.key, ")
	b.Columns(r.Selection, alias)
	r.join(b, c, keys, alias, true)
	b.Text(" ORDER BY k.rowid") // the order json_each gives them in: nothing is sorted for it
}

// some writes the statement for a bounded number of rows of each key; see each.
func (r *reading) some(b *sqltext.Builder, c *sqltext.Column, keys sqltext.Value) {
	outer, inner := b.Alias(), b.Alias()
	b.Text("SELECT k.key, ")
	b.Columns(r.Selection, outer)
	b.Text(" FROM json_each(")
	b.Bind(keys)
	b.Text(") AS k CROSS JOIN ")
	sqltext.Sorted(&r.Reading, b, true)
	b.Text(" AS ", outer, " WHERE ")
	r.table.rowID(b, outer)
	b.Text(" IN (SELECT ")
	// Without a number of its own a row is known by its key, whose columns the subquery lists
	// without brackets.
	if parts := r.Table.Primary.Parts; r.table.rowid == "" && parts != nil {
		for i, p := range parts {
			sqltext.Separate(b, i, ", ")
			b.Column(inner, p)
		}
	} else {
		r.table.rowID(b, inner)
	}
	r.From(b, inner)
	b.Text(" WHERE ")
	sqltext.HasKey(b, &r.Reading, inner, func(at string) { equalsKey(b, at, c) })
	r.Conditions(b, inner, " AND ")
	if len(r.Order) > 0 {
		b.Text(" ORDER BY ")
		b.OrderBy(r.Order, inner)
	}
	b.Limit(r.Find)
	b.Text(") ORDER BY k.rowid")
	if len(r.Order) > 0 {
		b.Text(", ")
		b.OrderBy(r.Order, outer)
	}
}

// join writes the keys, the rows that have them and the conditions. The rows come
// last in a CROSS JOIN, so that SQLite looks them up key by key.
func (r *reading) join(b *sqltext.Builder, c *sqltext.Column, keys sqltext.Value, alias string, from bool) {
	b.Text(" FROM json_each(")
	b.Bind(keys)
	if r.Find.Each.Lists != nil {
		b.Text(") AS l CROSS JOIN json_each(l.value")
	}
	b.Text(") AS k CROSS JOIN ")
	sqltext.Sorted(&r.Reading, b, from)
	b.Text(" AS ", alias)
	b.Join(r.Find.Where, r.Table, alias)
	b.Text(" WHERE ")
	sqltext.HasKey(b, &r.Reading, alias, func(at string) { equalsKey(b, at, c) })
	if from {
		r.Conditions(b, alias, " AND ")
	} else {
		r.Where(b, alias, " AND ")
	}
}

// totals writes the second half of a statement, which counts the rows of each key. Keys without
// rows are not in it; their totals are 0.
//
//	… LIMIT -1) UNION ALL SELECT k.key, NULL, …, count(*) … GROUP BY k.key
func (r *reading) totals(b *sqltext.Builder, c *sqltext.Column, keys sqltext.Value) {
	alias := b.Alias()
	b.Text(" LIMIT -1) UNION ALL SELECT k.key, ") // with a limit, even none, the order inside is kept
	for range r.Selection.Width() {
		b.Text("NULL, ")
	}
	b.Text("count(*)")
	r.join(b, c, keys, alias, false)
	b.Text(" GROUP BY k.key")
}
