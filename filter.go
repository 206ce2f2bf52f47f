package frond

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// Clause is one part of a list's query: a [Filter], an order ([Sort]), or a part of its rows.
type Clause interface{ add(*query) }

type clause func(*query)

func (c clause) add(q *query) { c(q) }

// query is the query of a list, put together from clauses.
type query struct {
	filters  []Filter
	sort     []string
	limit    int
	limited  bool
	offset   int
	search   string
	searched bool
	after    string
	count    bool
}

// text is the query as JSON; filters all have to hold.
func (q *query) text() (json.RawMessage, error) {
	out := append(make([]byte, 0, 128), '{')
	switch len(q.filters) {
	case 0:
	case 1:
		if q.filters[0].err != nil {
			return nil, q.filters[0].err
		}
		out = append(append(append(out, `"filter":`...), q.filters[0].text()...), ',')
	default:
		all := And(q.filters...)
		if all.err != nil {
			return nil, all.err
		}
		out = append(append(append(out, `"filter":`...), all.json...), ',')
	}
	if q.sort != nil {
		out = append(jsontext.AppendString(append(out, `"sort":`...), strings.Join(q.sort, ",")), ',')
	}
	if q.limited {
		out = append(strconv.AppendInt(append(out, `"limit":`...), int64(q.limit), 10), ',')
	}
	if q.offset > 0 {
		out = append(strconv.AppendInt(append(out, `"offset":`...), int64(q.offset), 10), ',')
	}
	if q.searched {
		out = append(jsontext.AppendString(append(out, `"search":`...), q.search), ',')
	}
	if q.after != "" {
		out = append(jsontext.AppendString(append(out, `"after":`...), q.after), ',')
	}
	return append(strconv.AppendBool(append(out, `"total":`...), q.count), '}'), nil
}

// Sort puts rows in the order of these fields, each descending with a - before it:
// Sort("-publishedAt", "title"). Values behind relations are named by their path:
// Sort("-reviews.rating.avg", "author.name").
func Sort(fields ...string) Clause {
	return clause(func(q *query) { q.sort = append(q.sort, fields...) })
}

// Limit reads at most n rows; 0 reads no rows. The door has a greatest limit.
func Limit(n int) Clause {
	return clause(func(q *query) { q.limit, q.limited = n, true })
}

// Offset leaves out the first n rows.
func Offset(n int) Clause {
	return clause(func(q *query) { q.offset = n })
}

// Search leaves the rows that have these words, where search of frond.yaml names fields of the door
// (docs/search.md): Search(`green "gift box" -sugar`). Sort("-rank") puts the best first.
func Search(words string) Clause {
	return clause(func(q *query) { q.search, q.searched = words, true })
}

// Behind begins after the page that ended with this cursor; "" begins at the first row.
func Behind(cursor string) Clause {
	return clause(func(q *query) { q.after = cursor })
}

// Counted has [Page].Total counted.
func Counted() Clause {
	return clause(func(q *query) { q.count = true })
}

// Filter is a condition on rows, in the grammar that lists have on every surface. Make it
// by [Eq] and the other functions; several in one list all have to hold. The zero Filter
// holds for every row.
type Filter struct {
	json []byte
	err  error
}

func (f Filter) add(q *query) { q.filters = append(q.filters, f) }

// The comparisons of a field with a value. A value is anything encoding/json writes, such
// as a text, a number or a time.Time; comparing with nil is [IsNull]'s.

// Eq holds where the field equals v.
func Eq(field string, v any) Filter { return compared(field, "eq", v) }

// Ne holds where the field differs from v, or is null.
func Ne(field string, v any) Filter { return compared(field, "ne", v) }

// Lt holds where the field is less than v.
func Lt(field string, v any) Filter { return compared(field, "lt", v) }

// Lte holds where the field is at most v.
func Lte(field string, v any) Filter { return compared(field, "lte", v) }

// Gt holds where the field is greater than v.
func Gt(field string, v any) Filter { return compared(field, "gt", v) }

// Gte holds where the field is at least v.
func Gte(field string, v any) Filter { return compared(field, "gte", v) }

// In holds where the field equals one of values, a slice.
func In[V any](field string, values []V) Filter { return compared(field, "in", values) }

// NotIn holds where the field differs from all values, or is null.
func NotIn[V any](field string, values []V) Filter { return compared(field, "notIn", values) }

// Contains holds where the text has part in it; letters in another case differ.
func Contains(field, part string) Filter { return compared(field, "contains", part) }

// IContains holds if the text contains part, in upper or lower case.
func IContains(field, part string) Filter { return compared(field, "icontains", part) }

// StartsWith holds where the text begins with part.
func StartsWith(field, part string) Filter { return compared(field, "startsWith", part) }

// EndsWith holds where the text ends with part.
func EndsWith(field, part string) Filter { return compared(field, "endsWith", part) }

// IsNull holds where the field is null.
func IsNull(field string) Filter { return compared(field, "isNull", true) }

// NotNull holds where the field is not null.
func NotNull(field string) Filter { return compared(field, "isNull", false) }

// Has holds where the list in the field has v in it.
func Has(field string, v any) Filter { return compared(field, "has", v) }

func compared(field, op string, v any) Filter {
	value, err := jsontext.Marshal(v)
	out := append(jsontext.AppendName(append(make([]byte, 0, 32+len(value)), '{'), field), '{')
	out = append(jsontext.AppendName(out, op), value...)
	return Filter{append(out, "}}"...), err}
}

// And holds where every filter does.
func And(filters ...Filter) Filter { return several("and", filters) }

// Or holds where at least one filter does.
func Or(filters ...Filter) Filter { return several("or", filters) }

func several(op string, filters []Filter) Filter {
	out := append(jsontext.AppendName([]byte{'{'}, op), '[')
	for _, f := range filters {
		if f.err != nil {
			return f
		}
		out = append(jsontext.Comma(out), f.text()...)
	}
	return Filter{append(out, "]}"...), nil}
}

// Not holds where filter does not.
func Not(filter Filter) Filter { return within("not", filter) }

// Related holds where the row that a relation points at meets filter: Related("author",
// Eq("name", "June")). For a many relation filter compares the number of its rows, or a function of
// their fields: Related("reviews", Gte("count", 5)), Related("reviews", Related("avg",
// Gte("rating", 4))).
func Related(relation string, filter Filter) Filter { return within(relation, filter) }

// Some holds where a row of a many relation meets filter.
func Some(relation string, filter Filter) Filter { return within(relation, within("some", filter)) }

// None holds where all rows of a many relation fail filter.
func None(relation string, filter Filter) Filter { return within(relation, within("none", filter)) }

// Every holds where each row of a many relation meets filter.
func Every(relation string, filter Filter) Filter {
	return within(relation, within("every", filter))
}

func within(name string, filter Filter) Filter {
	if filter.err != nil {
		return filter
	}
	return Filter{append(append(jsontext.AppendName([]byte{'{'}, name), filter.text()...), '}'), nil}
}

func (f *Filter) text() []byte {
	if f.json == nil {
		return []byte("{}")
	}
	return f.json
}
