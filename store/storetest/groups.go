package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Groups: the same grouping of rows that are known, and random groupings of random rows.

// asker reads the groupings of the suite: every field exists for it.
type asker struct{ e *schema.Entity }

func (asker) Behind(context.Context, *schema.Link) (filter.Scope, bool) { return filter.All, true }
func (asker) Suggests() bool                                            { return true }
func (asker) Answers(*schema.FieldAlias) bool                           { return false }
func (asker) Converts(*schema.Property) bool                            { return false }
func (a asker) Named(name string) *schema.Property                      { return a.e.Property(name) }
func (asker) Names() []string                                           { return nil }
func (asker) Decode(_ *schema.Property, text json.RawMessage) (json.RawMessage, bool) {
	return text, true
}

// grouping is a grouping in the words of a query string.
type spec struct{ by, sel, having, sort, zone string }

// groups is the find of a grouping.
func (w *world) groups(e *schema.Entity, q spec) *facade.Find {
	w.Helper()
	list := func(text string) []string {
		if text == "" {
			return nil
		}
		return strings.Split(text, ",")
	}
	asked := aggregate.Spec{By: list(q.by), Select: list(q.sel), Sort: list(q.sort), Zone: q.zone}
	if q.having != "" {
		asked.Having = json.RawMessage(q.having)
	}
	r := aggregate.Reader{Host: asker{e}, Entity: e, Max: 9}
	g, order := r.Read(w.ctx(), &asked)
	if len(r.Details) > 0 {
		w.Fatalf("%+v: %v", q, r.Details)
	}
	find := &facade.Find{Entity: e, Select: rows.NewLayout(g.Names()), Limit: all, Group: g}
	for _, k := range order {
		find.Sort = append(find.Sort, facade.SortKey{Field: k.Field, Desc: k.Desc})
	}
	return find
}

// answer is what a find of groups answers, as it leaves the façade.
func (w *world) answer(q *facade.Find) string {
	w.Helper()
	return string(q.Group.Shape(w.find(q).Rows).AppendJSON(nil))
}

// testGroups asks for groups of rows that are known.
func testGroups(t *testing.T, w *world) {
	author := w.entity("author")
	w.insert("author",
		`{"id":"a","name":"x","age":9007199254740993,"score":0.5,"active":true,"born":"2024-02-29","joined":"2024-01-01T00:00:00.000Z","balance":"1.50"}`,
		`{"id":"b","name":"x","age":2,"score":1.5,"active":true,"born":"2024-12-30","joined":"2023-12-31T23:30:00.000Z","balance":"1.5"}`,
		`{"id":"c","name":"y","age":null,"score":null,"active":false,"born":null,"joined":null,"balance":"100"}`,
		`{"id":"d","name":"y","age":-5,"score":-4,"active":null,"born":"2025-01-05","joined":"2024-10-27T00:30:00.000Z","balance":"-0.125"}`,
		`{"id":"e","name":"Y","age":3,"score":2,"active":null,"born":"2025-01-06","joined":"2024-10-27T01:30:00.000001Z","balance":null}`)
	for _, c := range []struct {
		what string
		q    spec
		want string
	}{
		{"the whole", spec{}, `[{"key":{},"count":5}]`},
		{
			"integers beyond 2^53",
			spec{sel: "age.sum,age.avg,age.min,age.max,age.countDistinct"},
			`[{"key":{},"age":{"sum":9007199254740993,"avg":2251799813685248,"min":-5,"max":9007199254740993,"countDistinct":4}}]`,
		},
		{
			"numbers",
			spec{by: "name", sel: "score.sum,score.avg"},
			`[{"key":{"name":"Y"},"score":{"sum":2,"avg":2}},{"key":{"name":"x"},"score":{"sum":2,"avg":1}},{"key":{"name":"y"},"score":{"sum":-4,"avg":-4}}]`,
		},
		// 103.0 - 0.125 = 102.875, and a quarter of that; 1.5 is 1.50.
		{
			"decimals",
			spec{sel: "balance.sum,balance.avg,balance.min,balance.max,balance.countDistinct"},
			`[{"key":{},"balance":{"sum":"102.875","avg":"25.718750000","min":"-0.125","max":"100","countDistinct":3}}]`,
		},
		{
			"an average is with halves rounded to the larger amount",
			spec{by: "name", sel: "balance.avg", having: `{"balance":{"avg":{"gt":"2"}}}`},
			`[{"key":{"name":"y"},"balance":{"avg":"49.937500000"}}]`,
		},
		{
			"decimals of one value are one group",
			spec{by: "balance"},
			`[{"key":{"balance":null},"count":1},{"key":{"balance":"-0.125"},"count":1},{"key":{"balance":"1.5"},"count":2},{"key":{"balance":"100"},"count":1}]`,
		},
		{
			"null is a group, and the smallest",
			spec{by: "active", sort: "-active"},
			`[{"key":{"active":true},"count":2},{"key":{"active":false},"count":1},{"key":{"active":null},"count":2}]`,
		},
		{
			"letter case counts",
			spec{by: "name", sel: "count,id.min,name.countDistinct", sort: "-count"},
			`[{"key":{"name":"x"},"count":2,"id":{"min":"a"},"name":{"countDistinct":1}},{"key":{"name":"y"},"count":2,"id":{"min":"c"},"name":{"countDistinct":1}},{"key":{"name":"Y"},"count":1,"id":{"min":"e"},"name":{"countDistinct":1}}]`,
		},
		{
			"weeks begin on Monday",
			spec{by: "born:week"},
			`[{"key":{"born":null},"count":1},{"key":{"born":"2024-02-26"},"count":1},{"key":{"born":"2024-12-30"},"count":2},{"key":{"born":"2025-01-06"},"count":1}]`,
		},
		{
			"quarters",
			spec{by: "born:quarter"},
			`[{"key":{"born":null},"count":1},{"key":{"born":"2024-01-01"},"count":1},{"key":{"born":"2024-10-01"},"count":1},{"key":{"born":"2025-01-01"},"count":2}]`,
		},
		{
			"years in UTC",
			spec{by: "joined:year"},
			`[{"key":{"joined":null},"count":1},{"key":{"joined":"2023-01-01T00:00:00Z"},"count":1},{"key":{"joined":"2024-01-01T00:00:00Z"},"count":3}]`,
		},
		{
			"years in a zone",
			spec{by: "joined:year", zone: "Europe/Paris"},
			`[{"key":{"joined":null},"count":1},{"key":{"joined":"2024-01-01T00:00:00+01:00"},"count":4}]`,
		},
		{
			"months on both sides of a change of the clock",
			spec{by: "joined:month", zone: "America/New_York"},
			`[{"key":{"joined":null},"count":1},{"key":{"joined":"2023-12-01T00:00:00-05:00"},"count":2},{"key":{"joined":"2024-10-01T00:00:00-04:00"},"count":2}]`,
		},
		// 02:30 in Paris, twice.
		{
			"an hour that the clock repeats is two groups",
			spec{by: "joined:hour", zone: "Europe/Paris", having: `{"not":{"count":{"eq":9}}}`},
			`[{"key":{"joined":null},"count":1},{"key":{"joined":"2024-01-01T00:00:00+01:00"},"count":1},{"key":{"joined":"2024-01-01T01:00:00+01:00"},"count":1},` +
				`{"key":{"joined":"2024-10-27T02:00:00+02:00"},"count":1},{"key":{"joined":"2024-10-27T02:00:00+01:00"},"count":1}]`,
		},
		{
			"and one of UTC is not",
			spec{by: "joined:hour", sort: "-joined"},
			`[{"key":{"joined":"2024-10-27T01:00:00Z"},"count":1},{"key":{"joined":"2024-10-27T00:00:00Z"},"count":1},` +
				`{"key":{"joined":"2024-01-01T00:00:00Z"},"count":1},{"key":{"joined":"2023-12-31T23:00:00Z"},"count":1},{"key":{"joined":null},"count":1}]`,
		},
		{
			"the moment itself",
			spec{by: "joined", sel: "count,born.max", having: `{"born":{"max":{"gte":"2025-01-06"}}}`},
			`[{"key":{"joined":"2024-10-27T01:30:00.000001Z"},"count":1,"born":{"max":"2025-01-06"}}]`,
		},
		{
			"conditions on groups",
			spec{by: "name", sel: "count,balance.sum", having: `{"or":[{"balance":{"sum":{"isNull":true}}},{"count":{"gte":2},"balance":{"sum":{"lt":"3.01"}}}]}`},
			`[{"key":{"name":"Y"},"count":1,"balance":{"sum":null}},{"key":{"name":"x"},"count":2,"balance":{"sum":"3.00"}}]`,
		},
	} {
		w.equal(c.what, c.want, w.answer(w.groups(author, c.q)))
	}
	never := w.groups(author, spec{sel: "count,age.sum,balance.avg,name.countDistinct"})
	never.Where = filter.Nothing()
	w.equal("no rows are one group without keys", `[{"key":{},"count":0,"age":{"sum":null},"balance":{"avg":null},"name":{"countDistinct":0}}]`, w.answer(never))
	none := w.groups(author, spec{by: "name"})
	none.Where = filter.Nothing()
	w.equal("and none with keys", `[]`, w.answer(none))

	each := w.groups(author, spec{by: "active", sel: "count,age.max"})
	each.Each = &facade.EachKey{Field: w.field(author, "name"), Values: raw(`"y"`, `"nobody"`, `"x"`)}
	each.Limit = 1
	found := w.find(each)
	w.equal("groups of keys", `[{"key":{"active":null},"count":1,"age":{"max":-5}},{"key":{"active":true},"count":2,"age":{"max":9007199254740993}}]`, string(each.Group.Shape(found.Rows).AppendJSON(nil)))
	w.equal("their places", "[{0 1 -1 true} {1 1 -1 false} {1 2 -1 false}]", fmt.Sprint(found.Groups))

	// A page of two groups, and what follows it, until there is nothing.
	for _, q := range []spec{{by: "name,active"}, {by: "active", sel: "balance.sum", sort: "-balance.sum"}, {by: "joined:hour", zone: "Europe/Paris", sort: "-joined"}, {by: "balance"}} {
		whole, page := w.groups(author, q), w.groups(author, q)
		shaped := func(q *facade.Find, found *facade.Found) (list []string) {
			for i := range found.Rows.Len() {
				list = append(list, string(q.Group.Shape(found.Rows).Row(i).JSON()))
			}
			return list
		}
		want := shaped(whole, w.find(whole))
		page.Limit = 2
		var got []string
		for range 5 {
			found := w.find(page)
			if n := found.Rows.Len(); n > 0 {
				got = append(got, shaped(page, found)...)
				page.From = page.From[:0:0]
				for _, v := range jsontext.Elements(found.Keys[n-1]) {
					page.From = append(page.From, v)
				}
			}
			if !found.More {
				break
			}
		}
		w.equal(fmt.Sprintf("pages by %s, sorted by %s", q.by, q.sort), strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

// testGroupsAtMidnight asks for groups in zones whose clock changes at midnight.
func testGroupsAtMidnight(_ *testing.T, w *world) {
	author := w.entity("author")
	w.insert("author",
		`{"id":"h0","name":"z","joined":"2024-11-03T03:59:00.000Z"}`, // 23:59 on 2 November in Havana
		`{"id":"h1","name":"z","joined":"2024-11-03T04:30:00.000Z"}`, // 00:30, and again an hour later
		`{"id":"h2","name":"z","joined":"2024-11-03T05:30:00.000Z"}`,
		`{"id":"h3","name":"z","joined":"2024-11-03T06:30:00.000Z"}`,
		`{"id":"s0","name":"z","joined":"2018-02-18T01:30:00.000Z"}`, // 23:30 on 17 February in São Paulo, and again
		`{"id":"s1","name":"z","joined":"2018-02-18T02:30:00.000Z"}`,
		`{"id":"s2","name":"z","joined":"2018-11-04T03:30:00.000Z"}`) // 01:30 of a day that begins at one
	for _, c := range []struct{ by, zone, from, want string }{
		{
			"hour", "America/Havana", "2024-11-03",
			`[{"key":{"joined":"2024-11-02T23:00:00-04:00"},"count":1},{"key":{"joined":"2024-11-03T00:00:00-04:00"},"count":1},` +
				`{"key":{"joined":"2024-11-03T00:00:00-05:00"},"count":1},{"key":{"joined":"2024-11-03T01:00:00-05:00"},"count":1}]`,
		},
		{"day", "America/Havana", "2024-11-03", `[{"key":{"joined":"2024-11-02T00:00:00-04:00"},"count":1},{"key":{"joined":"2024-11-03T00:00:00-04:00"},"count":3}]`},
		{
			"hour", "America/Sao_Paulo", "2018-01-01",
			`[{"key":{"joined":"2018-02-17T23:00:00-02:00"},"count":1},{"key":{"joined":"2018-02-17T23:00:00-03:00"},"count":1},{"key":{"joined":"2018-11-04T01:00:00-02:00"},"count":1}]`,
		},
		{"day", "America/Sao_Paulo", "2018-01-01", `[{"key":{"joined":"2018-02-17T00:00:00-02:00"},"count":2},{"key":{"joined":"2018-11-04T01:00:00-02:00"},"count":1}]`},
	} {
		q := w.groups(author, spec{by: "joined:" + c.by, zone: c.zone})
		until := strings.Replace(strings.Replace(c.from, "2018-01-01", "2019-01-01", 1), "2024-11-03", "2024-11-04", 1)
		joined := w.field(author, "joined")
		q.Where = filter.Both(&filter.Filter{Op: filter.Gte, Field: joined, Values: []any{c.from + "T00:00:00.000Z"}},
			&filter.Filter{Op: filter.Lt, Field: joined, Values: []any{until + "T00:00:00.000Z"}})
		w.equal("a midnight that the clock repeats or leaves out, by "+c.by+" in "+c.zone, c.want, w.answer(q))
	}
}

// testGroupOverflow checks that a sum that is none of its kind is refused, and that one is exact which
// only goes beyond it on the way.
func testGroupOverflow(t *testing.T, w *world) {
	author := w.entity("author")
	w.insert("author", `{"id":"a","name":"x","age":9223372036854775807,"score":1e308}`, `{"id":"b","name":"x","age":9223372036854775807,"score":1e308}`,
		`{"id":"c","name":"y","age":9223372036854775807}`, `{"id":"d","name":"y","age":7}`, `{"id":"e","name":"y","age":-100}`)
	is := func(name string) *filter.Filter {
		return &filter.Filter{Op: filter.Eq, Field: w.field(author, "name"), Values: []any{name}}
	}
	q := w.groups(author, spec{sel: "age.sum"})
	q.Where = is("y")
	w.equal("beyond 64 bits on the way", `[{"key":{},"age":{"sum":9223372036854775714}}]`, w.answer(q))
	for _, sel := range []string{"age.sum", "score.sum"} {
		q := w.groups(author, spec{sel: sel})
		q.Where = is("x")
		if _, err := w.store.Find(w.ctx(), q); kiterror.CodeOf(err) != kiterror.UnprocessableEntity {
			t.Errorf("%s: %v", sel, err)
		}
	}
}

// testRandomGroups compares random groupings of random rows with the reference store.
func testRandomGroups(t *testing.T, w *world) {
	alikeInGroups(t, w, NewStore(), w.finds(400))
}

// alikeInGroups fills the world's store and a reference with the same rows, and asks both the same.
func alikeInGroups(t *testing.T, w *world, reference facade.Store, finds int) {
	seed := rand.Uint64()
	g := &guesser{world: w, Rand: rand.New(rand.NewPCG(seed, 1)), reference: reference}
	g.fill()
	answered := 0
	for i := range finds {
		q, asked := g.grouped()
		for page := range 2 {
			want, err := reference.Find(w.ctx(), q)
			if err != nil {
				t.Fatalf("the reference store: %v\n%+v", err, asked)
			}
			got, err := w.store.Find(w.ctx(), q)
			if err != nil {
				t.Fatalf("seed %d, find %d: %v\n%+v", seed, i, err, asked)
			}
			if diff := cmp.Diff(promised(q, want), promised(q, got)); diff != "" {
				t.Fatalf("seed %d, find %d, page %d (-reference +store):\n%s\n%+v %s", seed, i, page, diff, asked, describe(q))
			}
			n := want.Rows.Len()
			if n == 0 || len(q.Sort) == 0 {
				break
			}
			if answered++; q.Each != nil {
				break // the keys have pages of their own
			}
			q.From = nil
			for _, v := range jsontext.Elements(want.Keys[n-1]) {
				q.From = append(q.From, v)
			}
		}
	}
	if answered < finds/4 {
		t.Errorf("only %d of %d finds had groups to answer", answered, finds)
	}
}

// grouped makes up a grouping. Sums of floating-point numbers are left out, which depend on the order
// of the rows, and so is the text of a decimal that is the least.
func (g *guesser) grouped() (*facade.Find, spec) {
	e := g.entity(g.pick([]string{"author", "post", "comment", "editor"}))
	var q spec
	var by, sel, sort []string
	for _, p := range e.Fields {
		if !p.Stored || p.Kind == schema.KindJSON {
			continue
		}
		if g.IntN(5) == 0 && len(by) < 3 {
			name := p.Name
			if units := unitsOf(p); g.IntN(4) > 0 && units != nil {
				name += ":" + g.pick(units)
			}
			by = append(by, name)
			if g.IntN(3) == 0 {
				sort = append(sort, g.pick([]string{"", "-"})+p.Name)
			}
		}
		for _, f := range aggregate.OfField {
			inexact := p.Kind == schema.KindNumber && (f == aggregate.Sum || f == aggregate.Avg) || p.Kind == schema.KindDecimal && (f == aggregate.Min || f == aggregate.Max)
			if f.On(p.Kind) && !inexact && g.IntN(5) == 0 {
				sel = append(sel, p.Name+"."+f.String())
			}
		}
	}
	for _, name := range sel {
		if g.IntN(4) == 0 {
			sort = append(sort, g.pick([]string{"", "-"})+name)
		}
	}
	sel = append(sel, "count")
	if g.IntN(3) == 0 {
		q.having = fmt.Sprintf(`{"count":{"%s":%d}}`, g.pick([]string{"gt", "lte", "ne"}), g.IntN(4))
	}
	g.Shuffle(len(sort), func(i, j int) { sort[i], sort[j] = sort[j], sort[i] })
	sort = sort[:min(len(sort), 8)] // a longer one is refused
	q.by, q.sel, q.sort = strings.Join(by, ","), strings.Join(sel, ","), strings.Join(sort, ",")
	q.zone = g.pick([]string{"", "Europe/Paris", "Asia/Kolkata", "America/New_York"})
	find := g.groups(e, q)
	if g.IntN(3) > 0 {
		find.Where = g.filter(e, 2)
	}
	find.Limit = g.IntN(12)
	if p := e.Fields[g.IntN(len(e.Fields))]; p.Stored && filter.IsScalar(p) && g.IntN(3) == 0 {
		find.Each = g.each(e, p)
		for range g.IntN(2) * (1 + g.IntN(4)) {
			find.Each.Lists = append(find.Each.Lists, g.Perm(len(find.Each.Values))[:g.IntN(len(find.Each.Values)+1)])
		}
	}
	return find, q
}

// unitsOf are the units that the dates of a field are grouped by.
func unitsOf(p *schema.Property) (names []string) {
	if p.Kind != schema.KindDate && p.Kind != schema.KindDateTime {
		return nil
	}
	for u := aggregate.Hour; u <= aggregate.Year; u++ {
		if u != aggregate.Hour || p.Kind == schema.KindDateTime {
			names = append(names, u.String())
		}
	}
	return names
}
