package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// readSearch reads the search of a list's query or of aggregate's, before the other keys, and returns the
// keys that the caller may send: where the caller may read none of the searched fields, there is no
// search. The condition is added to the filter of the list.
func readSearch(ctx context.Context, x *execution, keys []string) []string {
	e := x.door.Entity
	if e.Search == nil {
		return keys
	}
	fields := searched(&x.viewer, e.Search)
	if fields == nil {
		return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key == catalog.SearchKey })
	}
	value := jsontext.Get(x.call.Invocation.Query, catalog.SearchKey)
	if value == nil || jsontext.IsNull(value) || !slices.Contains(keys, catalog.SearchKey) {
		return keys
	}
	text := jsontext.Unquote(jsontext.Trim(value))
	switch {
	case jsontext.KindOf(value) != jsontext.String:
		x.refuseQuery(catalog.SearchKey, "type", `must be a text, such as "green tea"`)
		return keys
	case utf8.RuneCountInString(text) > search.MaxText:
		x.refuseQuery(catalog.SearchKey, "maxLength", fmt.Sprintf("must have at most %d characters", search.MaxText))
		return keys
	}
	q, ok := search.Parse(text, e.Search.Language)
	if !ok {
		x.refuseQuery(catalog.SearchKey, "maxItems", fmt.Sprintf("must have at most %d words and phrases", search.MaxTerms))
		return keys
	}
	q.Fields = fields
	x.list.search = q
	for _, terms := range q.Any {
		_ = RequestOf(ctx).Spend(time.Duration(len(terms)*len(fields)) * conditionWork)
	}
	return keys
}

// searched are the fields that the caller may read of those that are searched; nil: none. A value that is converted
// when it leaves is not found by: the stored one is not for the caller. The host of a remote Frond searches
// all of its fields, so that the caller has to be able to read them all.
func searched(x *viewer, s *schema.Search) (fields []string) {
	for _, f := range s.Fields {
		if x.readable(x.doorScope, f.Property) && (f.Axes.Out.Name == "" || x.inside || x.kept) {
			fields = append(fields, f.Name)
		}
	}
	if x.door.byID.foreign && len(fields) < len(s.Fields) {
		return nil
	}
	return fields
}

// narrowed is a filter that the search of the list holds for as well. The host of a remote Frond searches by
// itself.
func narrowed(x *execution, f *filter.Filter) *filter.Filter {
	switch q := x.list.search; {
	case q == nil || x.door.byID.foreign:
		return f
	case len(q.Any) == 0:
		return filter.Both(f, filter.Nothing())
	default:
		return filter.Both(f, &filter.Filter{Op: filter.Search, Search: q})
	}
}

// ranks reports whether a key of sort means the rank of a search.
func ranks(x *execution, name string) bool {
	s := x.door.Entity.Search
	return s != nil && s.Rank != nil && name == schema.RankKey && searched(&x.viewer, s) != nil
}

// unsearched is what to write where the rows of a door are not searched, or by no field that the caller may
// read.
func unsearched(x *viewer) string {
	if x.door.Frond.Remote != "" {
		return "the host that it runs at does not search its rows; filter instead"
	}
	return fmt.Sprintf("write search: {%s: {fields: {FIELD: A}}} in frond.yaml, or leave it out", x.door.Name)
}

// rankOf is the search by whose rank the list is sorted; nil: it is sorted by fields.
func rankOf(x *execution) *search.Query {
	l := &x.list
	if l.search != nil && slices.ContainsFunc(l.order.keys, func(k SortKey) bool { return k.Field == x.door.Entity.Search.Rank }) {
		return l.search
	}
	return nil
}

// headlineWork is the work of looking at a byte of a text for a headline.
const headlineWork = 30 * time.Nanosecond

// headlines are the parts of rows that have the words of a search, as JSON: null where a row has none, or where
// nothing is searched for.
func headlines(ctx context.Context, q *search.Query, fields []*schema.Property, found []rows.Row) []json.RawMessage {
	values := make([]json.RawMessage, len(found))
	texts, length := make([]string, len(fields)), 0
	for i, row := range found {
		values[i] = json.RawMessage("null")
		if q == nil {
			continue
		}
		for j, p := range fields {
			texts[j] = jsontext.Unquote(row.Get(p.Name))
			length += len(texts[j])
		}
		if text := q.Headline(texts); text != "" {
			values[i] = jsontext.Quote(text)
		}
	}
	_ = RequestOf(ctx).Spend(time.Duration(length) * headlineWork)
	return values
}
