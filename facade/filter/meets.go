package filter

import (
	"encoding/json"
	"math/big"
	"strings"
	"time"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The semantics of a comparison, for a value at hand. A store answers the same in SQL;
// docs/decisions/filters-and-paging.md has the rules, and the suite of store/storetest holds stores to them.
//
//	null or absent                   eq, in, lt … contains, has: false; ne, notIn: true
//	a text of another kind           as null
//	decimal, dateTime                by value: "9.50" equals "9.5"
//	text                             by its bytes; icontains in lower case

// Meets reports whether a value meets the comparison f, as a store would say. text is the
// field's JSON; nil and null are no value. f has to be a comparison, never a logical operator
// or a relation, and its Values have to be of the field's kind.
func (f *Filter) Meets(text json.RawMessage) bool {
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
		// An item is judged by itself: an item of another kind never equals the operand.
		kind, _ := ItemKind(f.Field)
		for _, item := range jsontext.Elements(text) {
			if v, why := kind.Value(item); why == "" && v == f.Values[0] {
				return true
			}
		}
		return false
	}
	value, why := f.Field.Kind.Value(text)
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

// among reports whether the value equals one of the operands. null says that the value is
// absent, so it equals no operand.
func (f *Filter) among(text json.RawMessage, null bool) bool {
	value, why := f.Field.Kind.Value(text)
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

// Compare compares two values of a kind as orders do: -1, 0 or 1. Null, and a value of another kind, is the smallest.
func Compare(kind schema.Kind, a, b json.RawMessage) int {
	x, noX := kind.Value(a)
	y, noY := kind.Value(b)
	if noX != "" || noY != "" {
		return order3(noX != "" && noY == "", noX == "" && noY != "")
	}
	c, _ := compareOperands(kind, x, y)
	return c
}

// compareOperands compares two operands of a kind by their values: -1, 0 or 1. It reports false
// if they are of different types or cannot be read; then ignore the first result.
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

// order3 returns -1, 0 or 1; with both false the operands are equal. NaN cannot occur, as JSON
// lacks it.
func order3(less, more bool) int {
	switch {
	case less:
		return -1
	case more:
		return 1
	}
	return 0
}
