package access

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// reference is an author's placeholder for a value: a place in the caller's state,
// such as $user.id, or the time of the call, $now. It is one of the Values of a
// template until a call binds it.
type reference struct {
	text string
	path []string // from the state: user, id; nil: the time of the call
	list bool     // the whole list of in or notIn
}

// binding holds the values of references in one call.
type binding struct {
	state State
	now   time.Time
}

// readReference reads a text that begins with $. A second $ makes it a literal
// (docs/decisions/access-rules.md): then ref is nil, and literal is the text without it. why
// describes the fault of the text.
func readReference(text json.RawMessage) (ref *reference, literal json.RawMessage, why string) {
	if jsontext.KindOf(text) != jsontext.String {
		return nil, text, ""
	}
	s := jsontext.Unquote(jsontext.Trim(text))
	rest, is := strings.CutPrefix(s, "$")
	switch {
	case !is:
		return nil, text, ""
	case strings.HasPrefix(rest, "$"):
		return nil, jsontext.Quote(rest), ""
	}
	path := strings.Split(rest, ".")
	for _, word := range path {
		if !schema.IsName(word) {
			return nil, nil, fmt.Sprintf("names %s, which is no place in the caller's state; write $user.id, say, or $$ for a text that begins with $", schema.Quoted(s))
		}
	}
	switch path[0] {
	case "now":
		if len(path) > 1 {
			return nil, nil, fmt.Sprintf("names %s; $now is one moment and has nothing in it", schema.Quoted(s))
		}
		return &reference{text: s}, nil, ""
	case "user":
	case "state":
		path = path[1:]
	default:
		return nil, nil, fmt.Sprintf("names %s; a reference is $now or begins with $user or $state, and a text that begins with $ is written $$", schema.Quoted(s))
	}
	if len(path) == 0 || len(path) == 1 && path[0] == "user" {
		return nil, nil, fmt.Sprintf("names %s as a whole; name a value in it, such as $user.id", s)
	}
	return &reference{text: s, path: path}, nil, ""
}

// find is the value the reference has in a call, for a field, or nil.
func (r *reference) find(in binding, p *schema.Property) any {
	if r.path == nil {
		return p.Now(in.now)
	}
	var at any = map[string]any(in.state)
	for i, word := range r.path {
		if i == 1 && r.path[0] == "user" {
			at = any(in.state.User())
		}
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		if at, ok = m[word]; !ok {
			return nil
		}
	}
	return at
}

// holdsTime is why a field cannot be compared with, or set to, the time of the call, or "".
func (r *reference) holdsTime(p *schema.Property) string {
	switch {
	case r == nil || r.path != nil:
		return ""
	case p.Kind == schema.KindDateTime, p.Kind == schema.KindDate, p.Kind == schema.KindInteger, p.Kind == schema.KindNumber, p.Shape.Format == "time":
		return ""
	}
	return fmt.Sprintf("names $now, the time of the call, and %s holds none; name a field that is a date-time, a date, a time or milliseconds", p.Name)
}

// bind is a template's filter for one call. A reference that has no value, or one the field
// cannot have, never widens the filter: the comparison around it holds for no row, and under a
// not or a none for every row, so that the result is never more than with any value
// (docs/decisions/access-rules.md).
func bind(f *filter.Filter, in binding) *filter.Filter { return bindUnder(f, in, false) }

// bindUnder is bind; negated counts the nots and nones around f. A filter without
// references is returned as it is, so that binding allocates only for the parts it changes.
func bindUnder(f *filter.Filter, in binding, negated bool) *filter.Filter {
	if f == nil {
		return nil
	}
	switch f.Op {
	case filter.And, filter.Or, filter.Not, filter.Some, filter.None, filter.Every, filter.Aggregate:
		if f.Op == filter.Not || f.Op == filter.None {
			negated = !negated
		}
		var subs []*filter.Filter
		for i, sub := range f.Sub {
			bound := bindUnder(sub, in, negated)
			if bound != sub && subs == nil {
				subs = append(make([]*filter.Filter, 0, len(f.Sub)), f.Sub[:i]...)
			}
			if subs != nil {
				subs = append(subs, bound)
			}
		}
		if subs == nil {
			return f
		}
		out := *f
		out.Sub = subs
		return &out
	}
	for _, v := range f.Values {
		if _, is := v.(*reference); is {
			return bindValues(f, in, negated)
		}
	}
	return f
}

// bindValues binds the operands of one comparison.
func bindValues(f *filter.Filter, in binding, negated bool) *filter.Filter {
	out := &filter.Filter{Op: f.Op, Field: f.Field, Values: make([]any, 0, len(f.Values))}
	missed := false
	add := func(v any) {
		if value, ok := operandOf(f, v); ok {
			out.Values = append(out.Values, value)
		} else {
			missed = true
		}
	}
	for _, v := range f.Values {
		ref, is := v.(*reference)
		switch {
		case !is:
			out.Values = append(out.Values, v)
		case ref.list:
			list := reflect.ValueOf(ref.find(in, f.Field))
			if list.Kind() != reflect.Slice {
				missed = true
				break
			}
			for i := range list.Len() {
				add(list.Index(i).Interface())
			}
		default:
			add(ref.find(in, f.Field))
		}
	}
	switch {
	case missed && f.Op == filter.In && !negated && len(out.Values) > 0:
		return out // what is not there is simply not among them
	case missed && negated:
		return &filter.Filter{Op: filter.And}
	case missed, len(out.Values) == 0 && f.Op == filter.In:
		return filter.Nothing()
	case len(out.Values) == 0: // not in a list of nothing
		return &filter.Filter{Op: filter.And}
	}
	return out
}

// operandOf is a value of the caller's state as an operand of f.
func operandOf(f *filter.Filter, v any) (any, bool) {
	text, ok := textOfState(v)
	if !ok {
		return nil, false
	}
	kind := f.Field.Kind
	switch f.Op {
	case filter.IsNull:
		kind = schema.KindBoolean
	case filter.Has:
		kind, _ = filter.ItemKind(f.Field)
	case filter.Contains, filter.StartsWith, filter.EndsWith, filter.IContains:
		if string(text) == `""` {
			return nil, false // every text begins with nothing: that would be all rows
		}
	}
	if kind == schema.KindInteger && jsontext.KindOf(text) == jsontext.String {
		// The subject of a token is always a text; the one spelling of a number is taken for it.
		s := jsontext.Unquote(text)
		if n, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(n, 10) == s {
			return n, true
		}
	}
	if f.Op != filter.IsNull && f.Op != filter.Has {
		value, why := filter.Operand(f.Field, f.Op, text)
		return value, why == ""
	}
	value, why := kind.Value(text)
	return value, why == ""
}

// textOfState is a value of the caller's state as JSON; false if the state lacks it.
func textOfState(v any) (json.RawMessage, bool) {
	switch v := v.(type) {
	case nil:
		return nil, false
	case string:
		return jsontext.Quote(v), true
	}
	text, err := jsontext.Marshal(v)
	if err != nil || jsontext.IsNull(text) || jsontext.Check(text) != nil {
		return nil, false
	}
	return text, true
}

// dynamic reports whether a template has a reference, and timed whether one of them is
// $now.
func dynamic(f *filter.Filter) (is, timed bool) {
	if f == nil {
		return false, false
	}
	for _, v := range f.Values {
		if ref, ok := v.(*reference); ok {
			is, timed = true, timed || ref.path == nil
		}
	}
	for _, sub := range f.Sub {
		also, too := dynamic(sub)
		is, timed = is || also, timed || too
	}
	return is, timed
}

// parseTemplate reads the filter of a rule: as [filter.Parse], with references.
func parseTemplate(e *schema.Entity, text json.RawMessage, at string) (*filter.Filter, []schema.Detail) {
	p := filter.Parser{At: at, Reference: operandReference}
	f := p.Parse(context.Background(), e, filter.All, text)
	return f, p.Details
}

// operandReference implements [filter.Reference].
func operandReference(field *schema.Property, op filter.Op, text json.RawMessage) (any, json.RawMessage, string) {
	ref, literal, why := readReference(text)
	switch {
	case why != "" || ref == nil:
		return nil, literal, why
	case op == filter.In || op == filter.NotIn:
		if ref.path == nil {
			return nil, nil, fmt.Sprintf("names $now, which is no list; write [%s]", ref.text)
		}
		ref.list = true
		return ref, nil, ""
	}
	if why = ref.holdsTime(field); why != "" {
		return nil, nil, why
	}
	if ref.path == nil && op == filter.IsNull {
		return nil, nil, "names $now; isNull takes no time"
	}
	if ref.path == nil && op == filter.Has {
		return nil, nil, "names $now; has takes no time"
	}
	return ref, nil, ""
}
