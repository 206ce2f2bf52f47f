package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Values that the rows behind relations give: in orders and filters of rows that are known, and in
// random ones.

// partly is a caller who sees some rows of an entity.
type partly struct {
	asker
	rows map[string]*filter.Filter // by entity
}

// seen has the rows and fields of an entity that the caller sees.
type seen struct{ rows *filter.Filter }

func (seen) Readable(*schema.Property) bool { return true }
func (s seen) Visible() *filter.Filter      { return s.rows }

// Behind implements [filter.Host].
func (h partly) Behind(_ context.Context, l *schema.Link) (filter.Scope, bool) {
	return seen{h.rows[l.Target.Key]}, true
}

// pathTo makes up a path to a value behind a relation of e; "" where it comes to none.
func (g *guesser) pathTo(e *schema.Entity, steps int) string {
	p := e.Fields[g.IntN(len(e.Fields))]
	switch {
	case p.Link == nil:
		return ""
	case p.Link.Many && g.IntN(2) == 0:
		return p.Link.Name + ".count"
	case !p.Link.Many && steps > 1 && g.IntN(2) == 0:
		if rest := g.pathTo(p.Link.Target, steps-1); rest != "" {
			return p.Link.Name + "." + rest
		}
	}
	to := p.Link.Target.Fields[g.IntN(len(p.Link.Target.Fields))]
	if !to.Stored || to.Kind == schema.KindJSON {
		return ""
	}
	if !p.Link.Many {
		return p.Link.Name + "." + to.Name
	}
	if f, ok := g.function(to); ok {
		return p.Link.Name + "." + to.Name + "." + f
	}
	return ""
}

// function is one that a field has, of those whose answers do not depend on the order of the rows.
func (g *guesser) function(p *schema.Property) (string, bool) {
	f := filter.OfField[g.IntN(len(filter.OfField))]
	inexact := p.Kind == schema.KindNumber && (f == filter.Sum || f == filter.Avg) || p.Kind == schema.KindDecimal && (f == filter.Min || f == filter.Max)
	return f.String(), f.On(p.Kind) && !inexact
}

// host is a caller who sees all rows, or some of an entity.
func (g *guesser) host() partly {
	h := partly{asker{}, map[string]*filter.Filter{}}
	if e := g.entity(g.pick([]string{"author", "post", "comment", "tag"})); g.IntN(2) == 0 {
		h.rows[e.Key] = g.filter(e, 1)
	}
	return h
}

// derivedKey makes up a key of an order behind a relation.
func (g *guesser) derivedKey(e *schema.Entity) (facade.SortKey, bool) {
	path := g.pathTo(e, 3)
	if path == "" {
		return facade.SortKey{}, false
	}
	p := filter.Parser{Host: g.host()}
	d, why := p.Path(g.ctx(), e, filter.All, path)
	if d == nil {
		g.Fatalf("%s of %s: %s", path, e.Name, why)
	}
	return facade.SortKey{Field: d.As, Desc: g.IntN(2) == 0, Derived: d}, true
}

// aggregate makes up a condition on an aggregate of a relation of e; nil where it comes to none.
func (g *guesser) aggregate(e *schema.Entity) *filter.Filter {
	link := e.Fields[g.IntN(len(e.Fields))].Link
	if link == nil || !link.Many {
		return nil
	}
	operators := func(kind schema.Kind, names ...string) string {
		p := &schema.Property{Field: &schema.Field{}, Kind: kind}
		text := fmt.Sprintf(`{%q:%s}`, g.pick(names), g.text(p))
		if g.IntN(4) == 0 {
			text = fmt.Sprintf(`{"isNull":%t,"ne":%s}`, g.IntN(3) == 0, g.text(p))
		}
		return text
	}
	member := `"count":` + operators(schema.KindInteger, "eq", "ne", "lt", "gte")
	if to := link.Target.Fields[g.IntN(len(link.Target.Fields))]; to.Stored && to.Kind != schema.KindJSON && g.IntN(3) > 0 {
		if f, ok := g.function(to); ok {
			kind := aggregate.Func(filter.Function(f)).Kind(to.Kind)
			names := []string{"eq", "ne", "lt", "gte"}
			if kind == schema.KindBoolean {
				names = names[:2]
			}
			member = fmt.Sprintf(`%q:{%q:%s}`, f, to.Name, operators(kind, names...))
		}
	}
	p := filter.Parser{Host: g.host()}
	f := p.Parse(g.ctx(), e, filter.All, json.RawMessage(`{"`+link.Name+`":{`+member+`}}`))
	if len(p.Details) > 0 {
		g.Fatalf("%s: %v", member, p.Details)
	}
	return f
}

// testDerivedOverflow orders and compares rows by sums of which some are beyond 64 bits.
func testDerivedOverflow(t *testing.T, w *world) {
	w.insert("author", `{"id":"a","name":"Ada"}`, `{"id":"b","name":"Max"}`, `{"id":"c","name":"Min"}`, `{"id":"d","name":"Nil"}`)
	w.insert("post", `{"id":"p1","authorId":"a","views":7}`)
	for i := range 2 {
		w.insert("post", fmt.Sprintf(`{"id":"m%d","authorId":"b","views":%d}`, i, math.MaxInt64), fmt.Sprintf(`{"id":"n%d","authorId":"c","views":%d}`, i, -math.MaxInt64))
	}
	author := w.entity("author")
	p := filter.Parser{Host: partly{}}
	d, _ := p.Path(t.Context(), author, filter.All, "posts.views.sum")
	where := p.Parse(t.Context(), author, filter.All, json.RawMessage(`{"posts":{"sum":{"views":{"gt":6}}}}`))
	for _, c := range []struct {
		where *filter.Filter
		want  string
	}{{nil, "b a c d"}, {where, "b a"}} {
		q := &facade.Find{Entity: author, Select: rows.NewLayout([]string{"id"}), Where: c.where, Limit: 1, Keys: true, Sort: []facade.SortKey{{Field: d.As, Desc: true, Derived: d}, {Field: author.Primary}}}
		var ids []string
		for {
			found := w.find(q)
			for i := range found.Rows.Len() {
				ids = append(ids, strings.Trim(string(found.Rows.Row(i).At(0)), `"`))
			}
			if !found.More {
				break
			}
			q.From = nil
			for _, v := range jsontext.Elements(found.Keys[0]) {
				q.From = append(q.From, v)
			}
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// testDerived sorts and filters rows that are known by values behind their relations, forward and
// backward, page by page.
func testDerived(t *testing.T, w *world) {
	w.insert("author",
		`{"id":"a","name":"Zoe"}`, `{"id":"b","name":"Ada","mentorId":"a"}`,
		`{"id":"c","name":"Mia","mentorId":"b"}`, `{"id":"d","name":"Ned","mentorId":"b"}`)
	post := func(id, author string, views int) string {
		return fmt.Sprintf(`{"id":%q,"authorId":%q,"views":%d}`, id, author, views)
	}
	w.insert("post", post("p1", "a", 1), post("p2", "a", 5), post("p3", "b", 5), post("p4", "c", 9))
	author, posts := w.entity("author"), w.entity("post")
	few, _ := filter.Parse(posts, json.RawMessage(`{"views":{"gt":1}}`), "")
	for _, c := range []struct {
		of   *schema.Entity
		sort string
		rows map[string]*filter.Filter
		want string
	}{
		{author, "mentor.name,id", nil, "a c d b"},
		{author, "-mentor.name,id", nil, "b c d a"},
		{author, "mentor.mentor.name,id", nil, "a b c d"},
		{author, "-posts.count,id", nil, "a b c d"},
		{author, "-posts.count,-id", map[string]*filter.Filter{"post": few}, "c b a d"},
		{author, "posts.views.avg,id", nil, "d a b c"},
		{author, "-posts.views.avg,id", map[string]*filter.Filter{"post": few}, "c a b d"},
		{author, "mentor.posts.count,id", nil, "a c d b"},
		{posts, "author.name,id", nil, "p3 p4 p1 p2"},
		{posts, "-author.posts.views.sum,id", nil, "p4 p1 p2 p3"},
	} {
		q := &facade.Find{Entity: c.of, Select: rows.NewLayout([]string{"id"}), Limit: 2, Keys: true}
		for _, name := range strings.Split(c.sort, ",") {
			bare, desc := strings.CutPrefix(name, "-")
			p := filter.Parser{Host: partly{rows: c.rows}}
			key := facade.SortKey{Field: c.of.Property(bare), Desc: desc}
			if d, _ := p.Path(t.Context(), c.of, filter.All, bare); d != nil {
				key = facade.SortKey{Field: d.As, Desc: desc, Derived: d}
			}
			q.Sort = append(q.Sort, key)
		}
		for _, backward := range []bool{false, true} {
			var ids []string
			pagesOf := *q
			pagesOf.Backward = backward
			for {
				found := w.find(&pagesOf)
				var page []string
				for i := range found.Rows.Len() {
					page = append(page, strings.Trim(string(found.Rows.Row(i).At(0)), `"`))
				}
				at := found.Rows.Len() - 1
				if ids = append(ids, page...); backward {
					ids, at = append(page, ids[:len(ids)-len(page)]...), 0
				}
				if !found.More {
					break
				}
				pagesOf.From = nil
				for _, v := range jsontext.Elements(found.Keys[at]) {
					pagesOf.From = append(pagesOf.From, v)
				}
			}
			if got := strings.Join(ids, " "); got != c.want {
				t.Errorf("%s backward %v: %s, want %s", c.sort, backward, got, c.want)
			}
		}
	}
	for _, c := range []struct {
		filter string
		rows   map[string]*filter.Filter
		want   string
	}{
		{`{"posts":{"count":{"gte":1}}}`, nil, "a b c"},
		{`{"posts":{"count":{"eq":0}}}`, nil, "d"},
		{`{"posts":{"count":{"gt":0,"lt":2}}}`, nil, "b c"},
		{`{"posts":{"count":{"gte":1}}}`, map[string]*filter.Filter{"post": filter.Nothing()}, ""},
		{`{"posts":{"count":{"in":[]}}}`, nil, ""},
		{`{"posts":{"avg":{"views":{"gte":5}}}}`, nil, "b c"},
		{`{"not":{"posts":{"avg":{"views":{"gte":5}}}}}`, nil, "a d"},
		{`{"posts":{"max":{"views":{"isNull":true}}}}`, nil, "d"},
		{`{"posts":{"countDistinct":{"views":{"eq":2}}}}`, nil, "a"},
		{`{"mentor":{"posts":{"sum":{"views":{"eq":6}}}}}`, nil, "b"},
		{`{"mentor":{"posts":{"count":{"lt":2}}}}`, nil, "c d"},
		{`{"or":[{"pupils":{"some":{"posts":{"count":{"gte":1}}}}},{"posts":{"min":{"views":{"eq":9}}}}]}`, nil, "a b c"},
	} {
		p := filter.Parser{Host: partly{rows: c.rows}}
		f := p.Parse(t.Context(), author, filter.All, json.RawMessage(c.filter))
		if len(p.Details) > 0 {
			t.Fatalf("%s: %v", c.filter, p.Details)
		}
		found := w.find(&facade.Find{Entity: author, Select: rows.NewLayout([]string{"id"}), Where: f, Sort: w.sort(author, "id"), Limit: all, Count: true})
		var ids []string
		for i := range found.Rows.Len() {
			ids = append(ids, strings.Trim(string(found.Rows.Row(i).At(0)), `"`))
		}
		if got := strings.Join(ids, " "); got != c.want || int(found.Total) != len(ids) {
			t.Errorf("%s: %s of %d, want %s", c.filter, got, found.Total, c.want)
		}
		if again := string(f.AppendJSON(nil)); c.rows == nil && !slices.Contains([]string{`{"or":[]}`}, again) && again != c.filter {
			t.Errorf("%s is written as %s", c.filter, again)
		}
	}
}
