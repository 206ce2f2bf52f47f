package facade

import (
	"context"
	"encoding/json"
	"math/big"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// stays holds a write to what the caller may see of it afterwards (decision 113):
// what follows from the body alone is said here, the rest by the store in the
// transaction that writes.
func (t *trip) stays(ctx context.Context, terms *Terms, unmet error) error {
	if t.see.Rows == nil {
		return nil
	}
	a := aftermath{trip: t, ctx: ctx, record: t.body, new: t.id == nil}
	left, err := a.rest(t.see.Rows)
	switch {
	case err != nil:
		return err
	case left.never() && a.new && len(t.points) == 0: // else the store says first whether its relations lead anywhere
		return unmet
	case left.always(), left == t.see.Rows && !a.new: // nothing is written that it is about
	default:
		terms.After, terms.Unmet = t.see.Rows, unmet
	}
	return nil
}

// aftermath is one row as it will be: what is written into it, and whether there
// was anything before.
type aftermath struct {
	trip   *trip
	ctx    context.Context
	record Record
	new    bool
	away   bool // it is made elsewhere: ids and times that are made there are not known
}

// open says whether nothing is known of a field that is not written.
func (a *aftermath) open(p *schema.Property) bool {
	rule := p.Axes.Create
	return !a.new || a.away && rule != nil && (rule.Now || rule.Generate != "")
}

// always and never are the two filters that need no store.
func verdict(holds bool) *Filter {
	if holds {
		return &Filter{Op: And}
	}
	return &Filter{Op: Or}
}

func (f *Filter) always() bool { return f == nil || f.Op == And && len(f.Sub) == 0 }
func (f *Filter) never() bool  { return f != nil && f.Op == Or && len(f.Sub) == 0 }

func (a *aftermath) rest(f *Filter) (*Filter, error) {
	if f == nil {
		return verdict(true), nil
	}
	switch f.Op {
	case And, Or:
		return a.several(f)
	case Not:
		sub, err := a.rest(f.Sub[0])
		switch {
		case err != nil:
			return nil, err
		case sub.always(), sub.never():
			return verdict(sub.never()), nil
		case sub == f.Sub[0]:
			return f, nil
		}
		return &Filter{Op: Not, Sub: []*Filter{sub}}, nil
	case Some, None, Every:
		return a.related(f)
	}
	value := a.record.Get(f.Field.Name)
	if value == nil && a.open(f.Field) {
		return f, nil
	}
	return verdict(f.meets(value)), nil
}

func (a *aftermath) several(f *Filter) (*Filter, error) {
	left := make([]*Filter, 0, len(f.Sub))
	same := true
	for _, sub := range f.Sub {
		rest, err := a.rest(sub)
		switch {
		case err != nil:
			return nil, err
		case f.Op == And && rest.never(), f.Op == Or && rest.always():
			return rest, nil
		case f.Op == And && rest.always(), f.Op == Or && rest.never():
			same = false
			continue
		}
		same = same && rest == sub
		left = append(left, rest)
	}
	if same {
		return f, nil
	}
	return &Filter{Op: f.Op, Sub: left}, nil
}

// related is about the rows on the other side of a relation. Of a row that is kept
// here the store says it once the row is written; of one that is kept elsewhere they
// are asked for before.
func (a *aftermath) related(f *Filter) (*Filter, error) {
	if !a.trip.away() {
		return f, nil
	}
	link := f.Link
	var sub *Filter
	if len(f.Sub) > 0 {
		sub = f.Sub[0]
	}
	if f.Op == Every {
		sub = &Filter{Op: Not, Sub: []*Filter{{Op: And, Sub: f.Sub}}} // one of them fails it
	}
	met := false
	switch {
	case link.Inverse != nil && !a.new:
		return f, nil // what points at the row does not change with it
	case link.Inverse != nil: // nothing points at a new row but itself
		self, err := a.itself(link.Target, a.record.Get(link.Inverse.Name), sub)
		if err != nil {
			return nil, err
		}
		met = self
	default:
		value := a.record.Get(link.Field.Name)
		if value == nil && a.open(link.Field) {
			return f, nil
		}
		if jsontext.IsNull(value) || len(value) == 0 {
			break
		}
		ids := idsOf(link.Field, value)
		for i, id := range ids {
			self, err := a.itself(link.Target, id, sub)
			if err != nil {
				return nil, err
			}
			if met = met || self; a.own(link.Target, id) {
				ids[i] = nil
			}
		}
		others := ids[:0]
		for _, id := range ids {
			if id != nil {
				others = append(others, id)
			}
		}
		if !met && len(others) > 0 {
			missing, err := a.trip.unseen(a.ctx, link.Target, &Scope{Rows: sub}, others)
			if err != nil {
				return nil, err
			}
			met = len(missing) < len(others)
		}
	}
	return verdict(met == (f.Op == Some)), nil
}

// own says whether an id is the new row's own.
func (a *aftermath) own(e *schema.Entity, id json.RawMessage) bool {
	if e != a.trip.door.Entity || !a.new || len(id) == 0 || jsontext.IsNull(id) {
		return false
	}
	key, why := rows.Key(e.Primary, a.record.Get(e.Primary.Name))
	other, not := rows.Key(e.Primary, id)
	return why == "" && not == "" && string(key) == string(other)
}

// itself says whether a new row points at itself and meets sub.
func (a *aftermath) itself(e *schema.Entity, id json.RawMessage, sub *Filter) (bool, error) {
	if !a.own(e, id) {
		return false, nil
	}
	if a.trip.depth++; a.trip.depth > maxDepth {
		return false, kiterror.Errorf(kiterror.InternalError, "a rule turns in a circle around a row that points at itself")
	}
	defer func() { a.trip.depth-- }()
	rest, err := a.rest(sub)
	return err == nil && rest.always(), err
}

// meets says whether a value meets a comparison, as the store would (see [Filter]).
func (f *Filter) meets(text json.RawMessage) bool {
	null := len(text) == 0 || jsontext.IsNull(text)
	switch f.Op {
	case IsNull:
		is, _ := f.Values[0].(bool)
		return null == is
	case Ne, NotIn:
		return !f.among(text, null)
	case Eq, In:
		return f.among(text, null)
	case Has:
		kind, _ := itemKind(f.Field)
		for _, item := range jsontext.Elements(text) {
			if v, why := rows.Value(kind, item); why == "" && v == f.Values[0] {
				return true
			}
		}
		return false
	}
	value, why := rows.Value(f.Field.Kind, text)
	if null || why != "" {
		return false
	}
	switch f.Op {
	case Lt, Lte, Gt, Gte:
		c, ok := compareOperands(f.Field.Kind, value, f.Values[0])
		return ok && (f.Op == Lt && c < 0 || f.Op == Lte && c <= 0 || f.Op == Gt && c > 0 || f.Op == Gte && c >= 0)
	}
	s, isText := value.(string)
	part, isPart := f.Values[0].(string)
	switch {
	case !isText || !isPart:
		return false
	case f.Op == Contains:
		return strings.Contains(s, part)
	case f.Op == StartsWith:
		return strings.HasPrefix(s, part)
	case f.Op == EndsWith:
		return strings.HasSuffix(s, part)
	case f.Op == IContains:
		return strings.Contains(strings.ToLower(s), strings.ToLower(part))
	}
	return false
}

func (f *Filter) among(text json.RawMessage, null bool) bool {
	value, why := rows.Value(f.Field.Kind, text)
	if null || why != "" {
		return false
	}
	for _, v := range f.Values {
		if c, ok := compareOperands(f.Field.Kind, value, v); ok && c == 0 {
			return true
		}
	}
	return false
}

// compareOperands compares two operands of a kind; false where they are of different ones.
func compareOperands(kind schema.Kind, x, y any) (int, bool) {
	switch x := x.(type) {
	case string:
		y, ok := y.(string)
		if !ok {
			return 0, false
		}
		switch kind {
		case schema.KindDateTime:
			a, _ := time.Parse(time.RFC3339Nano, x)
			b, err := time.Parse(time.RFC3339Nano, y)
			return a.Compare(b), err == nil
		case schema.KindDecimal:
			a, _ := new(big.Rat).SetString(x)
			b, _ := new(big.Rat).SetString(y)
			if a == nil || b == nil {
				return 0, false
			}
			return a.Cmp(b), true
		}
		return strings.Compare(x, y), true
	case int64:
		y, ok := y.(int64)
		return order3(x < y, x > y), ok
	case float64:
		y, ok := y.(float64)
		return order3(x < y, x > y), ok
	case bool:
		y, ok := y.(bool)
		return order3(!x && y, x && !y), ok
	}
	return 0, false
}

func order3(less, more bool) int {
	switch {
	case less:
		return -1
	case more:
		return 1
	}
	return 0
}
