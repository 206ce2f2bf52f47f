package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// filterWords are the words by which a list filters or sorts by one thing in both versions; nil
// words are that it cannot.
type filterWords struct{ was, is []string }

// lists compares the parameters of a door's built-in list.
func (c *comparison) lists(p pair[catalog.Operation], places []place) {
	if !p.was.Builtin || !p.is.Builtin || p.was.Name != "list" || p.was.Door.Entity == nil || p.is.Door.Entity == nil {
		return
	}
	was, is := c.filters(c.was, p.was.Door), c.filters(c.is, p.is.Door)
	renamed := c.pair.names(p.was.Door.Entity)
	for _, name := range slices.Sorted(maps.Keys(was)) {
		to := name
		if is[name] == nil && renamed[name] != "" {
			to = renamed[name]
		}
		try(&c.out, filterRules, filterWords{was[name], is[to]}, at(places, "query.filter."+name)...)
		delete(is, to)
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		try(&c.out, filterRules, filterWords{is: is[name]}, at(places, "query.filter."+name)...)
	}
	try(&c.out, pageRules, pair[project.ListLimits]{&p.was.Door.Limits, &p.is.Door.Limits}, append(c.roots(p.was), at(places, "query.limit")...)...)
}

// filters are the names that a filter of a door understands, with the operators of each.
// sort is among the words of a field by which the rows can be ordered.
func (c *comparison) filters(v *Version, d *catalog.Door) map[string][]string {
	out := map[string][]string{}
	for _, p := range d.Entity.Fields {
		if !p.Readable() {
			continue
		}
		name := p.Name
		if p.Link != nil {
			name = p.Link.Key
			if v.catalog.Joins(p.Link) {
				out[p.Link.Name] = []string{c.leadsTo(v, p.Link)}
			}
			if !p.Stored {
				continue
			}
		}
		words := []string{}
		operators := filter.Card(filter.CardOf(p))
		for _, o := range operators.Properties {
			words = append(words, o.Name)
		}
		if filter.IsScalar(p) {
			words = append(words, "sort")
		}
		out[name] = words
	}
	return out
}

// leadsTo says where a relation leads, and for one that others point back by, by which field.
// An entity of the old version has its new name.
func (c *comparison) leadsTo(v *Version, l *schema.Link) string {
	key, by := l.Target.Key, ""
	if l.Inverse != nil {
		by = l.Inverse.Name
	}
	if v == c.was {
		key, by = c.pair.newName(key), c.pair.newField(l.Target, by)
	}
	if by == "" {
		return "relation to " + key
	}
	return "relation to " + key + " by " + by
}

// roots are the coordinates of an operation's root field, on the surfaces for everybody.
func (c *comparison) roots(op *catalog.Operation) (places []place) {
	for _, s := range c.surfacesOf(catalog.OnGraphQL) {
		bound := c.was.of(s).bound
		if bound == nil {
			continue
		}
		for _, root := range []string{"Query", "Mutation"} {
			for name, f := range bound.Fields[root] {
				if f.Operation != nil && f.Alias == "" && keyOf(f.Operation) == keyOf(op) {
					places = append(places, place{surface: graphQLSurface, at: root + "." + name, audience: audienceOf(s)})
				}
			}
		}
	}
	return places
}

// pageRules are tried on the pages of a list.
var pageRules = []rule[pair[project.ListLimits]]{
	{changeKind{"list-page-changed", Dangerous, onAll, "a page has another default size, or a smaller maximum", "have the callers follow hasMore", ""}, turned(func(was, is *project.ListLimits) bool { return was.Default != is.Default || is.Max < was.Max }, pageText)},
	{changeKind{"list-page-raised", safe, onAll, "a page has a larger maximum", noAction, ""}, turned(func(was, is *project.ListLimits) bool { return was.Default == is.Default && is.Max > was.Max }, pageText)},
}

// filterRules are tried on the filters and the sort keys of a list.
var filterRules = []rule[filterWords]{
	{changeKind{"list-filter-narrowed", Breaking, onCalls, "a list has lost a filter, an operator or a sort key", "keep the field readable and its type", ""}, func(p filterWords) *change {
		lost := without(p.was, p.is)
		return changed(len(lost) > 0, wordsText(lost, p.is), "")
	}},
	{changeKind{"list-filter-widened", safe, onCalls, "a list can be filtered or sorted by more", noAction, ""}, func(p filterWords) *change {
		more := without(p.is, p.was)
		return changed(len(more) > 0, "", wordsText(more, p.was))
	}},
}

// wordsText names the filters and sort keys of a field that the other version lacks, or says
// that the field is missing.
func wordsText(words, other []string) string {
	switch {
	case other != nil:
		return strings.Join(words, ", ")
	case slices.Contains(words, "sort"):
		return "filter and sort"
	}
	return "filter"
}

// pageText is the length of pages in words.
func pageText(l *project.ListLimits) string { return fmt.Sprintf("%d, at most %d", l.Default, l.Max) }
