package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// admitList reads the query of list (see listCard for its keys). Every value is judged
// here, so that a store only translates.
func admitList(ctx context.Context, x *execution) error {
	in, l := &x.call.Invocation, &x.list
	onlyKeys(&x.viewer, sentParams(&x.viewer, in), "/params", nil)
	onlyKeys(&x.viewer, in.Query, "/query", readSearch(ctx, x, x.op.SentKeys(x.call.SentQuery)))
	onlyKeys(&x.viewer, in.Body, "/body", nil)
	l.limit = x.door.Limits.Default
	l.order = x.door.byID
	var after, before, backward, total, count json.RawMessage
	for name, value := range jsontext.Members(in.Query) {
		if jsontext.IsNull(value) {
			continue // an explicit null is as good as nothing here: none of them can be null
		}
		switch name {
		case "filter":
			if x.full() {
				continue
			}
			p := filter.Parser{Host: &x.viewer, At: "/query/filter", Max: schema.MaxDetails - len(x.details), Rules: x.state.HasRules()}
			l.filter = p.Parse(ctx, x.door.Entity, x.view(x.doorScope), value)
			x.details = append(x.details, p.Details...)
			_ = RequestOf(ctx).Spend(time.Duration(p.Conditions) * conditionWork) // the store reads the rest
		case "sort":
			l.order = readSort(ctx, x, value)
		case "limit":
			l.limit = min(readCount(&x.refusals, "limit", value), x.door.Limits.Max)
		case "offset":
			l.offset = readCount(&x.refusals, "offset", value)
		case "after":
			after = value
		case "before":
			before = value
		case "backward":
			backward = value
		case "fields":
			l.fields = readFields(&x.refusals, value)
		case "total":
			if total = value; !readYes(&x.refusals, "total", value) {
				l.count = uncounted
			}
		case "count":
			count = value
			l.count = readCounting(&x.refusals, value)
		case "cursors":
			l.edges = readYes(&x.refusals, "cursors", value)
		}
	}
	l.backward = before != nil && after == nil
	if backward != nil {
		l.backward = readYes(&x.refusals, "backward", backward)
	}
	if count != nil && total != nil {
		x.refuseQuery("count", "exclusive", "cannot stand beside total; send one of them")
	}
	switch {
	case after != nil && isEmptyText(after): // before may be: the end of the list
		x.refuseQuery("after", "cursor", "is empty and no cursor; leave it out to read from the beginning")
	case (after != nil || before != nil) && l.offset > 0:
		x.refuseQuery("offset", "exclusive", "cannot be combined with a cursor; send one of them")
	case l.backward && l.offset > 0:
		x.refuseQuery("offset", "exclusive", "counts from the beginning and cannot stand beside backward; send one of them")
	case !l.order.foreign:
		l.from, l.until = readCursor(&x.viewer, &l.order, "after", after), readCursor(&x.viewer, &l.order, "before", before)
		if l.backward {
			l.from, l.until = l.until, l.from
		}
	}
	return nil
}

// isEmptyText says whether a value is the empty text.
func isEmptyText(value json.RawMessage) bool {
	return jsontext.KindOf(value) == jsontext.String && jsontext.Unquote(jsontext.Trim(value)) == ""
}

// readYes reads true or false.
func readYes(r *refusals, name string, value json.RawMessage) bool {
	if k := jsontext.KindOf(value); k != jsontext.True && k != jsontext.False {
		r.refuseQuery(name, "type", "must be true or false")
	}
	return jsontext.KindOf(value) == jsontext.True
}

// readCount reads limit and offset: whole numbers from 0. A limit of 0 is a page without
// rows, for the total alone (docs/decisions/filters-and-paging.md).
func readCount(r *refusals, name string, value json.RawMessage) int {
	n, ok := schema.Integer(value)
	switch {
	case !ok:
		r.refuseQuery(name, "type", "must be a whole number")
	case n < 0:
		r.refuseQuery(name, "minimum", "must be at least 0")
	case n > maxOffset:
		return maxOffset
	default:
		return int(n)
	}
	return 0
}

// maxOffset keeps offset within what every store counts with.
const maxOffset = 1 << 31

// readFields reads "id,title" or a list of names.
func readFields(r *refusals, value json.RawMessage) []string {
	names, _ := readNames(r, "fields", "id,title", `["id", "title"]`, value)
	return names
}

// readNames reads names of fields, as a text with commas or as a list of texts. It refuses any
// other value and returns false.
func readNames(r *refusals, key, text, list string, value json.RawMessage) (names []string, ok bool) {
	names = []string{}
	switch jsontext.KindOf(value) {
	case jsontext.String:
		return append(names, splitList(jsontext.Unquote(jsontext.Trim(value)))...), true
	case jsontext.Array:
		ok = true
		for _, item := range jsontext.Elements(value) {
			ok = ok && jsontext.KindOf(item) == jsontext.String
			names = append(names, jsontext.Unquote(item))
		}
	}
	if !ok {
		r.refuseQuery(key, "type", fmt.Sprintf("must be names of fields, such as %q or %s", text, list))
		return nil, false
	}
	return names, true
}

// readCursor reads after or before: the values of o's fields that the cursor carries, or nil.
// An empty before is the end of the list.
func readCursor(x *viewer, o *order, name string, value json.RawMessage) []json.RawMessage {
	if value == nil {
		return nil
	}
	if jsontext.KindOf(value) != jsontext.String {
		x.refuseQuery(name, "type", "must be a cursor: the endCursor of a page of this list")
		return nil
	}
	text := jsontext.Unquote(jsontext.Trim(value))
	if text == "" {
		return nil
	}
	if o.endsInKey() && !givesCursors(x) {
		x.refuseQuery(name, "cursor", "cannot be used: this list gives no cursors; page with offset")
		return nil
	}
	values, ok := o.values(text)
	if !ok {
		x.refuseQuery(name, "cursor", "is no cursor of "+x.where()+" in this order; send the endCursor of a page with the same sort, or leave it out to start at the beginning")
		return nil
	}
	return values
}

// readCounting reads query.count: exact, estimated, none, or true and false for exact and none.
func readCounting(r *refusals, value json.RawMessage) counting {
	switch jsontext.KindOf(value) {
	case jsontext.True:
		return exact
	case jsontext.False:
		return uncounted
	case jsontext.String:
		switch word := jsontext.Unquote(jsontext.Trim(value)); word {
		case "true": // a query string's
			return exact
		case "false":
			return uncounted
		default:
			if c, ok := countings[word]; ok {
				return c
			}
		}
	}
	r.refuseQuery("count", "enum", "must be exact, estimated, none, true or false")
	return exact
}

// readSort reads "-createdAt,title" or a list of such keys. The primary key ends every
// order, so that it defines one order of the rows.
func readSort(ctx context.Context, x *execution, value json.RawMessage) order {
	names, ok := readNames(&x.refusals, "sort", "-createdAt,title", `["-createdAt", "title"]`, value)
	if !ok {
		return x.door.byID
	}
	names = splitList(strings.Join(names, ","))
	if len(names) > maxSortKeys {
		x.refuseQuery("sort", "maxItems", fmt.Sprintf("must have at most %d fields", maxSortKeys))
		return x.door.byID
	}
	e, merged := x.door.Entity, false
	keys := make([]SortKey, 0, len(names)+1)
	for _, name := range names {
		bare, desc := strings.CutPrefix(name, "-")
		if !desc {
			bare = strings.TrimPrefix(bare, "+")
		}
		p := sortBy(&x.viewer, bare)
		derived, why := (*filter.Derived)(nil), ""
		var missing *filter.Missing
		switch {
		case p == nil && strings.Contains(bare, "."):
			if derived, missing, why = sortBehind(ctx, &x.viewer, bare); derived != nil {
				p = derived.As
				merged = merged || merges(&x.viewer, derived)
			}
		case p == nil && ranks(x, bare):
			if p = e.Search.Rank; x.list.search == nil {
				x.refuseQuery("sort", "rank", "names rank, which rows have in a search alone; send search too, or leave rank out")
				return x.door.byID
			}
		}
		switch {
		case why != "":
			x.refuseQuery("sort", "operator", fmt.Sprintf("names %s, which %s", schema.Quoted(bare), why))
			return x.door.byID
		case p == nil:
			instead := x.instead(bare, func() []string { return sortable(&x.viewer) })
			if here := directed(&x.viewer, bare); here != "" {
				instead = "; write " + here
			} else if missing != nil && x.Suggests() {
				instead = fmt.Sprintf(": %s has no %s%s", missing.Entity.Name, schema.Quoted(missing.Name), schema.Instead(missing.Name, missing.Names, true))
			}
			x.refuseQuery("sort", schema.UnknownKey, fmt.Sprintf("names %s, which %s cannot be sorted by%s", schema.Quoted(bare), e.Name, instead))
			return x.door.byID
		case !filter.IsScalar(p):
			x.refuseQuery("sort", "operator", fmt.Sprintf("names %s, whose values have no order", p.Name))
			return x.door.byID
		case slices.ContainsFunc(keys, func(k SortKey) bool { return k.Field == p || derived != nil && k.Field.Name == p.Name }):
			x.refuseQuery("sort", "uniqueItems", fmt.Sprintf("names %s twice; leave the second one out", p.Name))
			return x.door.byID
		}
		if len(keys) == 0 || keys[len(keys)-1].Field != e.Primary { // nothing is left to sort behind the primary key
			keys = append(keys, SortKey{p, desc, derived})
		}
	}
	o := newOrder(e, keys)
	o.merged, o.foreign = merged, x.door.byID.foreign && !merged
	return o
}

// splitList is the names in a list with commas.
func splitList(s string) []string {
	parts := strings.Split(s, ",")
	out := parts[:0]
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// sortField is the field that a name means to sort by: its own name, or the key of a
// relation.
func sortField(e *schema.Entity, name string) *schema.Property {
	if p := e.Property(name); p != nil {
		return p
	}
	for _, p := range e.Fields {
		if p.Link != nil && !p.Link.Many && p.Link.Key == name {
			return p
		}
	}
	return nil
}

// sortBy is the field that a key of sort means, if it exists for the caller.
func sortBy(x *viewer, name string) *schema.Property {
	e := x.door.Entity
	p := sortField(e, name)
	if a := e.Alias(name); p == nil && a != nil && name != a.Relation && x.readable(x.doorScope, a.Field) && x.Answers(a) {
		p = a.Field
	} else if p == nil || !x.readable(x.doorScope, p) {
		return nil
	}
	return p
}

// directed returns the key of an order with a word for its direction, price:desc or "price desc";
// "" for any other name.
func directed(x *viewer, name string) string {
	at := strings.LastIndexAny(name, ":. ")
	if at < 0 || sortBy(x, name[:at]) == nil {
		return ""
	}
	switch strings.ToLower(name[at+1:]) {
	case "asc":
		return name[:at]
	case "desc":
		return "-" + name[:at]
	}
	return ""
}

// sortBehind is the value behind a relation that a key of sort means, if it exists for the caller; missing is
// the name on the way that does not.
func sortBehind(ctx context.Context, x *viewer, path string) (d *filter.Derived, missing *filter.Missing, why string) {
	p := filter.Parser{Host: x}
	_ = RequestOf(ctx).Spend(conditionWork)
	d, why = p.Path(ctx, x.door.Entity, x.view(x.doorScope), path)
	return d, p.Missing, why
}

// merges reports whether this host sorts rows by a value behind a relation, and not the rows' own place: rows of
// different places give it, or a host does not sort by it, or the host does not know the access rules here.
func merges(x *viewer, d *filter.Derived) bool {
	list := x.door.Operation("list")
	switch {
	case isApart(x.host.catalog, d):
		return true
	case x.door.Frond.Remote == "" || list == nil:
		return false
	}
	for at := d; at != nil; at = at.Next {
		if at.Where != nil || at.Via != nil {
			return true
		}
	}
	return !list.SortsBehind
}

// sortable lists the fields that the caller may sort by, for messages.
func sortable(x *viewer) (names []string) {
	for _, p := range x.door.Entity.Fields {
		if filter.IsScalar(p) && x.readable(x.doorScope, p) {
			names = append(names, p.Name)
		}
	}
	return names
}

// readSearch reads the search of a list's query or of aggregate's, before the other keys, and returns the
// keys that the caller may send: if the caller may not read any of the searched fields, there is no
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

// searched are the searched fields that the caller may read, or nil. A field with a conversion on leaving is not
// searched: the stored value is not for the caller. The host of a remote Frond searches all of its fields, so that
// the caller has to be able to read them all.
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
	case q == nil || x.door.byID.foreign && !x.list.order.merged:
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

// headlines are the parts of rows that have the words of a search, as JSON: null for a row without them, or
// without a search.
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
