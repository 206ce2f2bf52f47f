package storetest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Random reads and writes against the reference store. The promises of the port have to hold in
// both; results that it leaves open are not compared (see promised). A failure prints its seed,
// with which it can be repeated, and the find.

// testRandom compares the store with the reference store.
func testRandom(t *testing.T, w *world) {
	// Enough to meet most pairs of an operator and a kind in every run.
	alike(t, w, NewStore(), w.finds(1500))
}

// finds is how many finds a random test makes, n of a whole one.
func (w *world) finds(n int) int {
	if w.harness.Few {
		return n / 5
	}
	return n
}

// Compare opens a store of each harness, fills both with the same random rows and reads both
// with the same random finds; then it changes rows in both. Rows, keys, totals and groups have
// to be the same to the byte. Texts have a NUL where both keep one.
func Compare(t *testing.T, one, other Harness, finds int) {
	set := Cards(t)
	h := other
	h.NoNUL = one.NoNUL || other.NoNUL
	alike(t, &world{T: t, set: set, store: other.Open(t, set.Entities), harness: h}, one.Open(t, set.Entities), finds)
}

// alike fills the world's store and a reference with the same random rows, and reads both
// with the same random finds; then it changes rows in both. At least a quarter of the finds
// has to have rows, else the values no longer meet the filters and the test would prove
// little.
func alike(t *testing.T, w *world, reference facade.Store, finds int) {
	// A new seed at each run: over time many more finds are tried than one run has.
	seed := rand.Uint64()
	g := &guesser{world: w, Rand: rand.New(rand.NewPCG(seed, 1)), reference: reference}
	g.fill()
	answered := 0
	for i := range finds {
		q := g.find()
		want, err := g.reference.Find(w.ctx(), q)
		if err != nil {
			t.Fatalf("the reference store: %v\n%s", err, describe(q))
		}
		// The reference store has no reason to refuse a find that the port allows, and neither
		// has the other.
		got, err := w.store.Find(w.ctx(), q)
		if err != nil {
			t.Fatalf("seed %d, find %d: %v\n%s", seed, i, err, describe(q))
		}
		if diff := cmp.Diff(promised(q, want), promised(q, got)); diff != "" {
			t.Fatalf("seed %d, find %d (-reference +store):\n%s\n%s", seed, i, diff, describe(q))
		}
		if want.Rows.Len() > 0 {
			answered++
		}
	}
	// Two empty answers are equal too, and prove nothing.
	if answered < finds/4 {
		t.Errorf("only %d of %d finds had rows to answer", answered, finds)
	}
	t.Logf("%d of %d finds had rows to answer", answered, finds)
	for i := range 200 {
		g.change(seed, i)
	}
}

// guesser makes up rows and finds. Values come from small heaps, so that rows share them and
// filters meet them. Its functions are those of the suite's world and of math/rand.
type guesser struct {
	*world
	*rand.Rand
	reference facade.Store
}

// heap has the values of each kind: bounds, signs of SQL patterns, letters that differ in case
// beyond ASCII, numbers a double cannot hold, decimals that are equal and written in two ways.
var heap = map[schema.Kind][]string{
	schema.KindString:   {`""`, `"a"`, `"A"`, `"ab"`, `"aB\u0000c"`, `"b%"`, `"B_"`, `"é"`, `"É'"`, `"x\"y"`, `"😀"`, `"ΣΑΣ"`, `"zz\\"`, `"İß"`, `"ıςS"`, `"ẞs"`},
	schema.KindInteger:  {`-5`, `0`, `1`, `2`, `3`, `10`, `9007199254740993`},
	schema.KindNumber:   {`-0.5`, `0`, `0.1`, `0.30000000000000004`, `1`, `2.5`, `1e+300`},
	schema.KindBoolean:  {`true`, `false`},
	schema.KindDate:     {`"1815-12-10"`, `"1999-12-31"`, `"2000-01-01"`},
	schema.KindDateTime: {`"2023-12-31T23:59:59.999999Z"`, `"2024-01-01T00:00:00.000Z"`, `"2024-01-01T00:00:00.001Z"`},
	schema.KindDecimal:  {`"-20"`, `"-3.50"`, `"0"`, `"0.00"`, `"9.5"`, `"9.50"`, `"10"`, `"100.01"`},
	schema.KindJSON:     {`["a","b"]`, `["A"]`, `[]`, `["é","a\"b"]`},
}

// sizes is how many rows each table has.
var sizes = map[string]int{"author": 25, "tag": 6, "editor": 5, "post": 60, "comment": 120}

// pick returns one of a list.
func (g *guesser) pick(list []string) string { return list[g.IntN(len(list))] }

// id returns the id of a row that is there, or, now and then, of none: "a3" of an author, 3 of
// a tag.
func (g *guesser) id(e *schema.Entity) string {
	n := g.IntN(sizes[e.Key] + 1)
	if e.Key == "tag" {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf(`"%s%d"`, e.Key[:1], n)
}

// text returns a value for a field as JSON; null in a quarter of the cases where it may be.
func (g *guesser) text(p *schema.Property) string {
	if p.Shape.Nullable && g.IntN(4) == 0 {
		return "null"
	}
	if p.Name == "anything" {
		return g.pick([]string{`null`, `1`, `"1"`, `[1,true]`, `[0,"1"]`, `["a"]`, `{"a":1}`})
	}
	if p.Shape.Enum != nil {
		return string(p.Shape.Enum[g.IntN(len(p.Shape.Enum))])
	}
	_, spelled := g.odd()
	return strings.ReplaceAll(g.pick(heap[p.Kind]), `\u0000`, spelled)
}

// fill writes the same rows into both stores, one insert each. Unique fields get the row's
// number; lists of ids have some that are not there.
func (g *guesser) fill() {
	for _, name := range []string{"author", "tag", "editor", "post", "comment"} {
		e := g.entity(name)
		for i := range sizes[name] {
			var record facade.Record
			for _, p := range e.Fields {
				if !p.Stored {
					continue
				}
				v := g.text(p)
				switch {
				case p == e.Primary && name == "tag":
					v = fmt.Sprint(i)
				case p == e.Primary:
					v = fmt.Sprintf(`"%s%d"`, name[:1], i)
				// The card wants a letter.
				case p.Name == "name" && v == `""`:
					v = `"-"`
				// The number is put behind the quote: emails are unique.
				case p.Name == "email" && v != "null":
					v = fmt.Sprintf(`"%d%s`, i, v[1:])
				case p.Name == "slug":
					v = fmt.Sprintf(`"slug %d"`, i)
				case p.Name == "number":
					v = fmt.Sprint(i)
				// There are six tags, 0 to 5, so that some ids lead nowhere.
				case p.Name == "tagIds":
					v = fmt.Sprintf("[%d,%d]", g.IntN(8), g.IntN(8))
				// The first author has no earlier one to point at.
				case p.Name == "deputyId" || v == "null" || p.Name == "mentorId" && i == 0:
					v = "null"
				case p.Name == "mentorId":
					v = fmt.Sprintf(`"a%d"`, g.IntN(i))
				case p.Link != nil && !p.Link.Many:
					v = fmt.Sprintf(`"%s%d"`, p.Link.Target.Key[:1], g.IntN(sizes[p.Link.Target.Key]*3/4)) // some have no one
				}
				record = append(record, schema.Member{Name: p.Name, Value: json.RawMessage(v)})
			}
			for _, store := range []facade.Store{g.reference, g.store} {
				if _, err := store.Insert(g.ctx(), e, []facade.Record{record}, nil, rows.NewLayout(nil)); err != nil {
					g.Fatalf("insert into %T: %v: %s", store, err, record)
				}
			}
		}
	}
}

// find makes up a read: fields, filter, order, page and keys.
func (g *guesser) find() *facade.Find {
	e := g.entity(g.pick([]string{"author", "post", "comment", "tag", "editor"}))
	var plain []*schema.Property // what can be sorted by
	var names []string
	for _, p := range e.Fields {
		if p.Stored && p.Kind != schema.KindJSON {
			plain = append(plain, p)
		}
		if p.Stored && g.IntN(2) == 0 {
			names = append(names, p.Name)
		}
	}
	// A selection is in any order, and so may have no field at all.
	g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	q := &facade.Find{
		Entity: e, Select: rows.NewLayout(names), Limit: g.IntN(15), Count: g.IntN(2) == 0,
		Keys: g.IntN(2) == 0, Backward: g.IntN(3) == 0,
	}
	// Most finds have a filter, a few read everything.
	if g.IntN(5) > 0 {
		q.Where = g.filter(e, 3)
	}
	if g.IntN(6) == 0 {
		return &facade.Find{Entity: e, Select: q.Select, Where: q.Where, Key: json.RawMessage(g.id(e))}
	}
	if g.IntN(4) == 0 {
		q.Offset = g.IntN(6)
	}
	seen := map[*schema.Property]bool{e.Primary: true}
	for range g.IntN(4) {
		if p := plain[g.IntN(len(plain))]; !seen[p] {
			seen[p] = true
			q.Sort = append(q.Sort, facade.SortKey{Field: p, Desc: g.IntN(2) == 0})
		}
	}
	for range max(0, g.IntN(5)-2) {
		if key, ok := g.derivedKey(e); ok && !slices.ContainsFunc(q.Sort, func(k facade.SortKey) bool { return k.Field.Name == key.Field.Name }) {
			q.Sort = slices.Insert(q.Sort, g.IntN(len(q.Sort)+1), key)
		}
	}
	// The port promises an order only with the primary key at its end.
	q.Sort = append(q.Sort, facade.SortKey{Field: e.Primary, Desc: g.IntN(3) == 0})
	if g.IntN(3) == 0 {
		q.From = g.place(e, q.Sort)
		q.Including = g.IntN(3) == 0
	}
	if g.IntN(4) == 0 {
		q.Until = g.place(e, q.Sort)
	}
	if g.IntN(3) == 0 {
		q.Each = g.each(e, plain[g.IntN(len(plain))])
	}
	return q
}

// each makes up keys of a field of e, or none at all.
func (g *guesser) each(e *schema.Entity, p *schema.Property) *facade.EachKey {
	each, seen := &facade.EachKey{Field: p}, map[string]bool{}
	if l := g.entity("author").Relation("editors"); e == l.Target {
		p = l.Inverse
		each.Field, each.Through = p, l.Through
		if g.IntN(2) == 0 {
			each.Via = g.filter(p.Owner, 1)
		}
	}
	for range g.IntN(8) {
		v := g.text(p)
		switch {
		case p == e.Primary:
			v = g.id(e)
		case p.Link != nil:
			v = g.id(p.Link.Target)
		}
		// Keys are distinct by the port's contract. Texts of two numbers may be one
		// number, which these would not show, so that numbers are left out.
		if !seen[v] && v != "null" && p.Kind != schema.KindNumber {
			seen[v] = true
			each.Values = append(each.Values, json.RawMessage(v))
		}
	}
	return each
}

// place makes up a place in an order, which need not be that of a row.
func (g *guesser) place(e *schema.Entity, order []facade.SortKey) (at []json.RawMessage) {
	for _, k := range order {
		v := g.text(k.Field)
		if k.Field == e.Primary {
			v = g.id(e)
		}
		at = append(at, json.RawMessage(v))
	}
	return at
}

// filter makes up a condition on the rows of e, nested at most depth times. A third are
// logical operators; half of the relations are followed, and of fields with values an operator
// that their kind takes is drawn.
func (g *guesser) filter(e *schema.Entity, depth int) *filter.Filter {
	if depth > 0 && g.IntN(3) == 0 {
		f := &filter.Filter{Op: []filter.Op{filter.And, filter.Or, filter.Not}[g.IntN(3)]}
		n := 1
		if f.Op != filter.Not {
			n = g.IntN(4)
		}
		for range n {
			f.Sub = append(f.Sub, g.filter(e, depth-1))
		}
		return f
	}
	if depth > 0 && g.IntN(5) == 0 {
		if f := g.aggregate(e); f != nil {
			return f
		}
	}
	p := e.Fields[g.IntN(len(e.Fields))]
	// A relation whose field is not stored can only be followed.
	if p.Link != nil && depth > 0 && (!p.Stored || g.IntN(2) == 0) {
		f := &filter.Filter{Op: filter.Some, Link: p.Link}
		if p.Link.Many {
			f.Op = []filter.Op{filter.Some, filter.None, filter.Every}[g.IntN(3)]
		}
		if g.IntN(6) > 0 {
			f.Sub = append(f.Sub, g.filter(p.Link.Target, depth-1))
		}
		if p.Link.Through != nil && g.IntN(2) == 0 {
			f.Via = g.filter(p.Link.Inverse.Owner, depth-1)
		}
		return f
	}
	if !p.Stored {
		p = e.Primary
	}
	f := &filter.Filter{Field: p}
	// Of fields that may be null; for others the answer is always the same.
	if p.Shape.Nullable && g.IntN(6) == 0 {
		f.Op, f.Values = filter.IsNull, []any{g.IntN(2) == 0}
		return f
	}
	// An operand is never null: the façade refuses those.
	value := func() any {
		v := g.text(p)
		for v == "null" {
			v = g.text(p)
		}
		switch {
		case p == e.Primary:
			v = g.id(e)
		case p.Link != nil && !p.Link.Many:
			v = g.id(p.Link.Target)
		}
		return scalar(p.Kind, v)
	}
	// Arrays of texts, or of ids of tags, of which some are in no array.
	if p.Kind == schema.KindJSON {
		f.Op = filter.Has
		f.Values = []any{[]any{"a", "A", "é", `a"b`, "1", int64(1), 1.0, 0.5, int64(0), true, false}[g.IntN(11)]}
		if p.Link != nil {
			f.Values = []any{int64(g.IntN(8))}
		}
		return f
	}
	ops := []filter.Op{filter.Eq, filter.Ne, filter.In, filter.NotIn, filter.Lt, filter.Lte, filter.Gt, filter.Gte}
	if p.Kind == schema.KindString {
		ops = append(ops, filter.Contains, filter.StartsWith, filter.EndsWith, filter.IContains)
	}
	f.Op = ops[g.IntN(len(ops))]
	f.Values = []any{value()}
	if f.Op == filter.In || f.Op == filter.NotIn {
		for range g.IntN(4) {
			f.Values = append(f.Values, value())
		}
	}
	return f
}

// scalar returns a text as a filter's operand: int64, float64, bool or string, as
// facade.Filter has it.
func scalar(k schema.Kind, text string) any {
	switch k {
	case schema.KindInteger:
		var n int64
		_ = json.Unmarshal([]byte(text), &n)
		return n
	case schema.KindNumber:
		var f float64
		_ = json.Unmarshal([]byte(text), &f)
		return f
	case schema.KindBoolean:
		return text == "true"
	}
	return jsontext.Unquote([]byte(text))
}

// change updates or deletes a row in both stores, under a random condition, and expects the
// same answer and the same rows in all tables afterwards. Errors are compared by their code.
func (g *guesser) change(seed uint64, i int) {
	e := g.entity(g.pick([]string{"author", "post", "comment", "tag"}))
	id, where := json.RawMessage(g.id(e)), g.filter(e, 2)
	layout := stored(e)
	var answers [2]string
	for n, store := range []facade.Store{g.reference, g.store} {
		g.Rand = rand.New(rand.NewPCG(seed, uint64(i)+2)) // the same guesses for both
		var err error
		if g.IntN(2) == 0 {
			var set facade.Record
			for _, p := range e.Fields {
				// Unique fields stay as they are: most changes should succeed.
				if p.Stored && p != e.Primary && p.Link == nil && g.IntN(3) == 0 && !strings.Contains("name email slug number", p.Name) {
					set = append(set, schema.Member{Name: p.Name, Value: json.RawMessage(g.text(p))})
				}
			}
			var list *rows.Rows
			list, err = store.Update(g.ctx(), e, id, where, set, nil, layout)
			if err == nil {
				answers[n] = string(list.AppendJSON(nil))
			}
		} else {
			var gone bool
			gone, err = store.Delete(g.ctx(), e, id, where, nil)
			answers[n] = fmt.Sprint(gone)
		}
		if err != nil {
			answers[n] = string(kiterror.CodeOf(err))
		}
		// All tables, since a deletion reaches other rows.
		for _, name := range []string{"author", "post", "comment", "tag"} {
			e := g.entity(name)
			found, err := store.Find(g.ctx(), &facade.Find{Entity: e, Select: stored(e), Sort: g.sort(e), Limit: all})
			if err != nil {
				g.Fatal(err)
			}
			answers[n] += "\n" + strings.ReplaceAll(string(found.Rows.AppendJSON(nil)), "},{", "}\n{")
		}
	}
	if diff := cmp.Diff(strings.Split(answers[0], "\n"), strings.Split(answers[1], "\n")); diff != "" {
		g.Fatalf("seed %d, change %d (-reference +store):\n%s", seed, i, diff)
	}
}

// promised returns a result as far as the port promises it. With Each the total and more of
// the whole are left open, as the groups have their own, and so is which group's rows come first.
func promised(q *facade.Find, f *facade.Found) any {
	type answer struct {
		Rows, Keys []string
		Total      int64
		More       bool
	}
	part := func(from, to int, total int64, more bool) answer {
		a := answer{Total: total, More: more}
		for i := from; i < to; i++ {
			a.Rows = append(a.Rows, string(f.Rows.Row(i).JSON()))
		}
		if f.Keys != nil {
			for _, k := range f.Keys[from:to] {
				a.Keys = append(a.Keys, string(k))
			}
		}
		return a
	}
	if q.Each == nil {
		return part(0, f.Rows.Len(), f.Total, f.More)
	}
	all, rows := []answer{}, 0
	for _, g := range f.Groups {
		all = append(all, part(g.From, g.To, g.Total, g.More))
		rows += g.To - g.From
	}
	if rows != f.Rows.Len() {
		panic(fmt.Sprintf("%d rows stand in groups, of %d", rows, f.Rows.Len()))
	}
	return all
}

// describe writes a find for the reader of a failure.
func describe(q *facade.Find) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v limit %d offset %d backward %v from %s including %v until %s", q.Entity.Name, q.Select.Fields, q.Limit, q.Offset, q.Backward, q.From, q.Including, q.Until)
	for _, k := range q.Sort {
		fmt.Fprintf(&b, " by %s desc %v", k.Field.Name, k.Desc)
		for d := k.Derived; d != nil; d = d.Next {
			b.WriteString(" of ")
			describeFilter(&b, d.Where)
		}
	}
	if q.Key != nil {
		fmt.Fprintf(&b, " key %s", q.Key)
	}
	if q.Each != nil {
		fmt.Fprintf(&b, " each %s %s", q.Each.Field.Name, q.Each.Values)
		if q.Each.Via != nil {
			b.WriteString(" via ")
			describeFilter(&b, q.Each.Via)
		}
	}
	b.WriteString("\nwhere ")
	describeFilter(&b, q.Where)
	return b.String()
}

// describeFilter writes a filter as nested parentheses, operators by their numbers: (0 (3 name
// ["Ada"])).
func describeFilter(b *strings.Builder, f *filter.Filter) {
	if f == nil {
		b.WriteString("anything")
		return
	}
	fmt.Fprintf(b, "(%d", f.Op)
	if f.Field != nil {
		fmt.Fprintf(b, " %s %q", f.Field.Name, f.Values)
	}
	if f.Link != nil {
		fmt.Fprintf(b, " %s", f.Link.Name)
	}
	if f.Derived != nil {
		fmt.Fprintf(b, " %s of ", f.Derived.As.Name)
		describeFilter(b, f.Derived.Where)
	}
	if f.Via != nil {
		b.WriteString(" via ")
		describeFilter(b, f.Via)
	}
	for _, sub := range f.Sub {
		b.WriteByte(' ')
		describeFilter(b, sub)
	}
	b.WriteByte(')')
}
