package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// searches lets the rows of entities be searched by words: those that search of frond.yaml names, or of
// a remote that is known those that its discovery document names. It comes before the doors, whose lists
// have an argument for it.
func searches(r *report, m *model, src *project.Frond, config project.Config) {
	if src.Remote == "" || src.Known == nil {
		for i := range config.Search {
			search(r, m, src, &config.Search[i])
		}
		return
	}
	for i := range src.Known.Doors {
		there := &src.Known.Doors[i]
		e := m.set.Entity(there.Name)
		at := slices.IndexFunc(there.Ops, func(op schema.DiscoveredOp) bool { return op.Name == "list" })
		if e == nil || e.Frond != src.Name || at < 0 || there.Ops[at].Input == nil {
			continue
		}
		var fields []schema.SearchField
		for _, name := range catalog.SearchedFields(there.Ops[at].Input) {
			if p := e.Property(name); p != nil {
				fields = append(fields, schema.SearchField{Property: p})
			}
		}
		if len(fields) > 0 {
			e.SetSearch("", fields)
		}
	}
}

// search compiles one entry of search.
func search(r *report, m *model, src *project.Frond, s *project.Search) {
	fault := func(at, message, remedy string) { r.fault(src.Config.File, at, message, remedy) }
	e := m.set.Entity(s.Door)
	switch {
	case e == nil || e.View || e.Frond != src.Name || e.Primary == nil:
		fault(s.At, fmt.Sprintf("%s is no entity with rows of this Frond, and cannot be searched", s.Door), "name an entity of "+src.Name)
		return
	case e.Table != nil:
		fault(s.At, fmt.Sprintf("%s is a table of another program, which the gateway does not change", s.Door), "leave search out and filter by icontains")
		return
	case e.Search != nil:
		fault(s.At, fmt.Sprintf("the search of %s is written twice", s.Door), "write it once")
		return
	}
	var fields []schema.SearchField
	for _, f := range s.Fields {
		p := e.Property(f.Name)
		if p == nil || !p.Stored || p.Kind != schema.KindString || p.Link != nil || p == e.Primary {
			fault(f.At, fmt.Sprintf("%s has no text called %s to search", e.Name, f.Name), schema.DidYouMean(f.Name, textsOf(e))+"its texts are "+strings.Join(textsOf(e), ", "))
			continue
		}
		fields = append(fields, schema.SearchField{Property: p, Weight: f.Weight})
	}
	e.SetSearch(cmp.Or(s.Language, schema.Languages[0]), fields)
}

// headlines adds the computed fields that show the words of a search in a row. The fields that may leave
// the host are their inputs, the most important first.
func headlines(r *report, m *model, k *bindings, src *project.Frond, searches []project.Search) {
	for i := range searches {
		s := &searches[i]
		door := m.doors[schema.EntityKey(s.Door)]
		at := s.At + "/headline"
		if s.Headline == "" || door == nil || door.Entity == nil || door.Entity.Search == nil || misnamed(r, src.Config.File, at, door, s.Headline) {
			continue
		}
		p := &access.Presenter{Headline: true}
		for _, f := range slices.SortedStableFunc(slices.Values(door.Entity.Search.Fields), func(a, b schema.SearchField) int { return cmp.Compare(a.Weight, b.Weight) }) {
			if f.Readable() && f.Axes.Out.Name == "" {
				p.Inputs = append(p.Inputs, f.Property)
			}
		}
		if p.Inputs == nil {
			r.fault(src.Config.File, at, fmt.Sprintf("no searched field of %s leaves as it is kept, so that its rows have no headline", s.Door), "leave headline out, or search a field that callers read")
			continue
		}
		p.Needs = catalog.NamesOf(p.Inputs)
		p.Name, p.Description = s.Headline, "The part of the row that has the words of the search, as HTML: the words are in <mark>, other signs are escaped. null without a search."
		p.Shape = schema.Shape{Type: "string", Nullable: true, Description: p.Description}
		k.present(door, p)
	}
}

// textsOf are the fields of an entity that can be searched.
func textsOf(e *schema.Entity) (names []string) {
	for _, p := range e.Fields {
		if p.Stored && p.Kind == schema.KindString && p.Link == nil && p != e.Primary {
			names = append(names, p.Name)
		}
	}
	return names
}
