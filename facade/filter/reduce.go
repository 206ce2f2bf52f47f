package filter

import (
	"encoding/json"

	"github.com/frondhost/frond/schema"
)

// Partial evaluation of a filter over one row: the conditions on known values are decided, and
// only the rest remains. For a row of which status is known to be "draft":
//
//	{"status":{"eq":"draft"},"price":{"gt":5}}   ->  {"price":{"gt":5}}
//	{"status":{"eq":"sold"},"price":{"gt":5}}    ->  holds for no row
//
// A Not is reduced like the others, since a filter has two values and not three
// (docs/decisions/filters-and-paging.md).

// Known is a row as far as somebody knows it. Reduce asks it from one goroutine.
type Known interface {
	// Value is the row's value of a field, nil for null; known is false if only the store can
	// say.
	Value(p *schema.Property) (text json.RawMessage, known bool)
	// Related is the rest of f, a condition on the rows of a relation or on a value that they
	// give; f itself if the store has to say.
	Related(f *Filter) (*Filter, error)
}

// Reduce is the rest of f after the known values of a row have decided their conditions: a
// filter that always or never holds if they decide all, f itself if they decide no condition.
// It does not change f.
func (f *Filter) Reduce(row Known) (*Filter, error) {
	if f == nil {
		return verdict(true), nil
	}
	switch f.Op {
	case And, Or:
		return f.reduceAll(row)
	case Not:
		sub, err := f.Sub[0].Reduce(row)
		switch {
		case err != nil:
			return nil, err
		case sub.Always(), sub.Never():
			return verdict(sub.Never()), nil
		case sub == f.Sub[0]:
			return f, nil
		}
		return &Filter{Op: Not, Sub: []*Filter{sub}}, nil
	case Some, None, Every, Aggregate:
		return row.Related(f)
	case Search:
		return f, nil
	case In, NotIn:
		if len(f.Values) == 0 {
			return verdict(f.Op == NotIn), nil
		}
	}
	value, known := row.Value(f.Field)
	if !known {
		return f, nil
	}
	return verdict(f.Meets(value)), nil
}

// reduceAll is Reduce for and, and for or.
func (f *Filter) reduceAll(row Known) (*Filter, error) {
	remaining := make([]*Filter, 0, len(f.Sub))
	same := true
	for _, sub := range f.Sub {
		rest, err := sub.Reduce(row)
		switch {
		case err != nil:
			return nil, err
		// One branch decides: the remaining ones are not asked, as relations may cost a read.
		case f.Op == And && rest.Never(), f.Op == Or && rest.Always():
			return rest, nil
		case f.Op == And && rest.Always(), f.Op == Or && rest.Never():
			same = false
			continue
		}
		same = same && rest == sub
		remaining = append(remaining, rest)
	}
	// The row decided no condition. The same pointer lets the node above stay as it is too.
	if same {
		return f, nil
	}
	return &Filter{Op: f.Op, Sub: remaining}, nil
}
